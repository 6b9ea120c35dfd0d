"""Who is who in the room: one password for all, and a name that belongs to the browser that took it first."""

import json
import re
import unicodedata
from secrets import compare_digest

from jupyterhub.authenticators.shared import SharedPasswordAuthenticator
from tornado.web import HTTPError

COOKIE, DAYS = "room-names", 60
NAME = re.compile(r"\w[\w .'-]{0,31}")


class RoomAuthenticator(SharedPasswordAuthenticator):
    """The shared password, and a kind word where it or the name is not right.

    A browser that came in under a name keeps a signed cookie that says so, and comes back under it. Another browser is asked
    to take another name: nobody lands in somebody else's notebooks by being called Anna too.
    """

    def normalize_username(self, username):
        """One name, however it was typed: capitals, spaces, an ö of one character or two."""
        return super().normalize_username(" ".join(unicodedata.normalize("NFC", username).split()))

    def validate_username(self, username):
        return bool(NAME.fullmatch(username)) and super().validate_username(username)

    async def authenticate(self, handler, data):
        """{"name": …, "admin": …}. Raises HTTPError 403 with what to do next."""
        name = self.normalize_username(data.get("username", ""))
        if not self.validate_username(name):
            raise HTTPError(403, "Your name has 1 to 32 letters or digits; between them spaces, dots, hyphens.")
        password = data.get("password", "").strip()
        if not password.isascii():  # the rooms' are, and such ones cannot be compared in constant time
            password = ""
        found = await super().authenticate(handler, {"username": name, "password": password})
        if found is None:
            raise HTTPError(403, self.refusal(name, password))
        if not found["admin"]:
            self.claim(handler, name)
        return found

    def refusal(self, name, password):
        if name in self.admin_users:
            return f"The name {name} is kept for the leader, who has a password of their own. Choose another name."
        if self.admin_password and compare_digest(password, self.admin_password):
            return f"This is the leader's password, and it goes with the name {min(self.admin_users)}."
        return "This is not the room's password. Ask the leader for it; capitals count."

    def claim(self, handler, name):
        """Lets this browser keep the name, or refuses it if another browser has it."""
        mine = names_of(handler)
        user = handler.find_user(name)
        if user and name not in mine:
            raise HTTPError(403, taken(name, user.active))
        handler.set_secure_cookie(COOKIE, json.dumps(sorted({*mine, name})), expires_days=DAYS, httponly=True, samesite="Lax",
                                  path=handler.hub.base_url)


def names_of(handler):
    """The names that this browser came in under."""
    try:
        return set(json.loads(handler.get_secure_cookie(COOKIE, max_age_days=DAYS)))
    except (TypeError, ValueError):
        return set()


def taken(name, active):
    who = f"{name} is at work right now" if active else f"Somebody came in as {name} before"
    return (f"{who}, in another browser. Is this you? Then go back to that browser, or ask the leader to free the name: your "
            f"notebooks stay. If not, welcome: take a name of your own, such as {name} 2.")
