"""Collect the board's events in a Book: who guessed, measured or solved what.

A Book reads no clock, network or disk: the same events always make the same Book.
"""

import statistics
from collections import Counter, defaultdict

from .questions import course

STUCK_TRIES = 2  # as many failed checks, and it is not solved
STUCK_S = 30 * 60  # and it was tried within this time


class Book:
    """The state of the room, computed from its events; `view` returns what the page shows."""

    def __init__(self):
        self.people = {}  # {person: {"who", "number", "chapter"}}; who came first is number 1
        self.guesses = defaultdict(dict)  # {question: {person: event}}
        self.measured = defaultdict(dict)  # {question: {person: value}}
        self.checks = defaultdict(dict)  # {exercise: {person: {"tries", "solved", "at"}}}
        self.shown = set()  # questions whose answer is on the screen
        self.revealed = {}  # {question: when its answer was shown first}
        self.joined = {}  # {digest of a token: (person, who)}, the learners on their own laptops
        self.latest = next(iter(course().questions))  # the question that was guessed at last

    def take(self, event: dict) -> None:
        """Add one event, a dict, to the state of the room.

        Its "kind" is "guess", "measured", "check", "joined", "reveal" or "removed".
        """
        if event["kind"] in ("guess", "measured", "check"):
            new = {"who": event["who"], "number": len(self.people) + 1}
            self.people.setdefault(event["person"], new)["chapter"] = event["name"][:2]
        getattr(self, f"take_{event['kind']}")(event)

    def take_joined(self, event):
        self.joined[event["token"]] = (event["person"], event["who"])

    def take_reveal(self, event):
        if event["shown"]:
            self.shown.add(event["name"])
            self.revealed.setdefault(event["name"], event["at"])
        else:
            self.shown.discard(event["name"])

    def take_guess(self, event: dict) -> None:
        """Store a guess, in place of an earlier one of the same learner at the same question.

        `event` has the guess. The earlier guess stays if the learner may know the answer by now: if
        the leader has revealed it, or the learner has measured it.
        """
        name, person = event["name"], event["person"]
        knows = name in self.revealed or person in self.measured[name]
        if person not in self.guesses[name] or not knows:
            self.guesses[name][person] = event
        self.latest = name

    def take_removed(self, event):
        guesses = self.guesses[event["name"]]
        for person in list(guesses):
            if self.people[person]["number"] == event["number"]:
                del guesses[person]

    def take_measured(self, event):
        self.measured[event["name"]].setdefault(event["person"], event["value"])

    def take_check(self, event):
        new = {"tries": 0, "solved": False}
        known = self.checks[event["name"]].setdefault(event["person"], new)
        known["solved"] |= event["solved"]
        known["tries"] += not known["solved"]
        known["at"] = event["at"]

    def who(self, person: str, names: bool) -> str:
        """Return a learner's name, or 'guest 3' if `names` is False or the learner gave none.

        `person` is the learner's id. The number says in which order learners came.
        """
        known = self.people[person]
        return known["who"] if names and known["who"] else f"guest {known['number']}"

    def view(self, name, names: bool, now: float) -> dict:
        """Return all data that the leader's page shows: a dict with an entry for each part of it.

        `name` is the question whose guesses are shown; if there is no such question, they are those
        of the question guessed last. If `names` is False, learners have numbers in place of names.
        `now` is the time in seconds since 1970.
        """
        here = Counter(person["chapter"] for person in self.people.values())
        return {
            "learners": len(self.people),
            "questions": [
                {"name": each, "guesses": len(self.guesses[each]), "shown": each in self.shown}
                for each in course().questions
            ],
            "chapters": [
                {"chapter": number, "title": title, "here": here[number]}
                for number, title in course().chapters.items()
            ],
            "stuck": self.stuck(names, now),
            "question": self.question(name if name in course().questions else self.latest, names),
        }

    def stuck(self, names: bool, now: float) -> list[dict]:
        """Return a list of dicts, one for each learner who failed an exercise repeatedly.

        The last try must be less than half an hour ago. A dict has "exercise", "who", "tries", and
        "minutes", how long ago the last try was. The most tries come first. If `names` is False,
        "who" is a number in place of a name. `now` is the time in seconds since 1970.
        """
        found = [
            {
                "exercise": name,
                "who": self.who(person, names),
                "tries": state["tries"],
                "minutes": int((now - state["at"]) // 60),
            }
            for name, people in self.checks.items()
            for person, state in people.items()
            if not state["solved"] and state["tries"] >= STUCK_TRIES and now - state["at"] < STUCK_S
        ]
        return sorted(found, key=lambda each: -each["tries"])

    def question(self, name, names: bool) -> dict:
        """Return a dict about the question `name`: its text, its guesses and, if shown, the answer.

        "text", "unit" and "chapter" are texts, "measurements" is how many learners have measured.
        "dots" are the guesses, by value: a list of dicts with "value", "number" (the learner's on
        the board), "who" (the learner's name if `names` is True, else None) and "late", whether it
        came after the answer was revealed. If the leader shows the answer, "measured" is the sorted
        list of measured values, and "median" their median, None if there are none.
        """
        known = course().questions[name]
        after = self.revealed.get(name, float("inf"))
        dots = [
            {
                "value": guess["value"],
                "who": self.who(person, True) if names else None,
                "late": guess["at"] > after,
                "number": self.people[person]["number"],
            }
            for person, guess in self.guesses[name].items()
        ]
        values = sorted(self.measured[name].values())
        found = {
            "name": name,
            "unit": known.unit,
            "text": known.text,
            "chapter": course().chapters[name[:2]],
            "measurements": len(values),
            "dots": sorted(dots, key=lambda dot: dot["value"]),
        }
        if name in self.shown:
            found["measured"] = values
            found["median"] = statistics.median(values) if values else None
        return found
