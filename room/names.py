"""Who is who in the room: one password for all, and a name that belongs to its first browser.

A name is shown as it was typed, and compared as it looks.
"""

import json
from secrets import compare_digest

from jupyterhub import orm
from jupyterhub.authenticators.shared import SharedPasswordAuthenticator
from tornado.web import HTTPError

from room.board.people import RESERVED, WrongPasswords, looks, tidy

COOKIE, DAYS = "room-names", 60


class RoomAuthenticator(SharedPasswordAuthenticator):
    """The shared password, and a kind word where it or the name is not right.

    A browser that came in under a name keeps a signed cookie that says so, and comes back under it.
    Another browser is asked to take another name: nobody lands in somebody else's notebooks by
    being called Anna too, or by a name that only looks so.
    """

    wrong = WrongPasswords()

    def normalize_username(self, username):
        """Return the name as it is shown: the hub's own way makes it lower case."""
        return tidy(username)

    def validate_username(self, username):
        return bool(tidy(username))

    async def authenticate(self, handler, data):
        """Return {"name": …, "admin": …}. Raises HTTPError 403 or 429 with what to do next."""
        name = tidy(data.get("username", ""))
        if not name:
            raise HTTPError(
                403, "Your name has 1 to 32 letters or digits; between them spaces, dots, hyphens."
            )
        if looks(name) in self.admin_users:
            name = looks(name)
        elif looks(name) in RESERVED:
            raise HTTPError(403, f"The name {name} is the room's own. Choose another.")
        password = data.get("password", "").strip()
        if not password.isascii():  # the rooms' are; others cannot be compared in constant time
            password = ""
        found = await super().authenticate(handler, {"username": name, "password": password})
        if found is None:
            await self.wrong.hold()
            raise HTTPError(403, self.refusal(name, password))
        return found if found["admin"] else {**found, "name": self.claimed(handler, name)}

    def refusal(self, name, password):
        if name in self.admin_users:
            return (
                f"The name {name} is kept for the leader, who has a password of their own. "
                "Choose another name."
            )
        if self.admin_password and compare_digest(password, self.admin_password):
            leader = min(self.admin_users)
            return f"This is the leader's password, and it goes with the name {leader}."
        return "This is not the room's password. Ask the leader for it; capitals count."

    def claimed(self, handler, name):
        """Return the name that this browser has from now on. Raises HTTPError 403: taken."""
        mine, known = names_of(handler), {looks(each): each for each in names_in_hub(handler)}
        name = known.get(looks(name), name)
        if looks(name) in known and name not in mine:
            raise HTTPError(403, taken(name, handler.find_user(name).active))
        handler.set_secure_cookie(
            COOKIE,
            json.dumps(sorted({*mine, name})),
            expires_days=DAYS,
            httponly=True,
            samesite="Lax",
            path=handler.hub.base_url,
        )
        return name


def names_in_hub(handler):
    return [name for (name,) in handler.db.query(orm.User.name)]


def names_of(handler):
    """Return the names that this browser came in under."""
    try:
        return set(json.loads(handler.get_secure_cookie(COOKIE, max_age_days=DAYS)))
    except (TypeError, ValueError):
        return set()


def taken(name, active):
    who = f"{name} is at work right now" if active else f"Somebody came in as {name} before"
    return (
        f"{who}, in another browser. Is this you? Then go back to that browser, or ask the "
        "leader to free the name: your notebooks stay. If not, welcome: take a name of your "
        f"own, such as {name} 2."
    )
