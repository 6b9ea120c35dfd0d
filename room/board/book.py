"""What has happened in the room, from the entries of its stream: who guessed or solved what.

Entries are dicts. Nothing here asks for a time, a network or a disk: same entries, same book.
"""

import csv
import io
import statistics
from collections import defaultdict
from datetime import UTC, datetime

from .questions import course

STUCK_TRIES = 2  # as many failed checks, and it is not solved
STUCK_S = 30 * 60  # and it was tried within this time
MOST_STUCK = 12  # shown
COLUMNS = ("time_utc", "learner", "chapter", "kind", "name", "value", "unit", "late", "solved")
FORMULA = ("=", "+", "-", "@", "\t")  # begins with one
YES_NO = {True: "yes", False: "no"}


class Book:
    """`people` are {person: {"who", "number", "chapter", "at"}}, the first who came number 1."""

    def __init__(self):
        self.entries, self.people = [], {}
        self.ids = defaultdict(set)  # {person: ids of their entries}
        self.guesses = defaultdict(dict)  # {question: {person: entry}}
        self.measured = defaultdict(dict)  # {question: {person: value}}
        self.checks = defaultdict(dict)  # {exercise: {person: {"tries", "solved", "at"}}}
        self.shown, self.revealed = set(), {}  # questions on show; {question: when first}
        self.joined = {}  # {digest of a token: entry}, the learners on laptops of their own
        self.latest = None  # the question that was guessed at last

    def take(self, entry):
        """Add an entry; one that is there already changes nothing."""
        if self.has(entry):
            return
        self.ids[entry["person"]].add(entry["id"])
        self.entries.append(entry)
        getattr(self, f"take_{entry['kind']}")(entry)

    def has(self, entry):
        return entry["id"] in self.ids[entry["person"]]

    def take_joined(self, entry):
        self.joined[entry["digest"]] = entry

    def take_reveal(self, entry):
        if entry["shown"]:
            self.shown.add(entry["name"])
            self.revealed.setdefault(entry["name"], entry["at"])
        else:
            self.shown.discard(entry["name"])

    def take_guess(self, entry):
        """Keep the last guess before its answer was shown, so that a slip can be mended."""
        self.meet(entry)
        name, person = entry["name"], entry["person"]
        told = self.is_late(entry) or person in self.measured[name]
        if person not in self.guesses[name] or not told:
            self.guesses[name][person] = entry
        self.latest = name

    def take_removed(self, entry):
        self.guesses[entry["name"]].pop(entry["of"], None)

    def take_measured(self, entry):
        self.meet(entry)
        self.measured[entry["name"]].setdefault(entry["person"], entry["value"])

    def take_check(self, entry):
        self.meet(entry)
        checks, new = self.checks[entry["name"]], {"tries": 0, "solved": False, "at": 0}
        known = checks.setdefault(entry["person"], new)
        known["solved"] |= entry["solved"]
        known["tries"] += not known["solved"]
        known["at"] = max(known["at"], entry["at"])

    def meet(self, entry):
        new = {"who": entry["who"], "number": len(self.people) + 1, "at": 0}
        person = self.people.setdefault(entry["person"], new)
        if entry["at"] >= person["at"]:
            person.update(at=entry["at"], chapter=entry["name"][:2])

    def who(self, person, names):
        """Return somebody's name, or where names are not shown a number, as they came."""
        known = self.people[person]
        return known["who"] if names and known["who"] else f"guest {known['number']}"

    def is_late(self, guess):
        """Return True for a guess that was made after its answer was revealed."""
        return guess["at"] > self.revealed.get(guess["name"], float("inf"))

    def overview(self, names, now):
        """Return what the leader's page shows beside the question."""
        asked = [
            {
                "name": name,
                "unit": each.unit,
                "guesses": len(self.guesses[name]),
                "shown": name in self.shown,
            }
            for name, each in course().questions.items()
        ]
        return {
            "learners": len(self.people),
            "questions": asked,
            "chapters": self.chapters(),
            "stuck": self.stuck(names, now),
        }

    def chapters(self):
        """Return, by chapter, how many are there now, and what is done of guesses and exercises."""
        found = []
        for number, title in course().chapters.items():
            questions = [name for name in course().questions if name[:2] == number]
            exercises = [name for name in course().exercises if name[:2] == number]
            found.append(
                {
                    "chapter": number,
                    "title": title,
                    "here": sum(person["chapter"] == number for person in self.people.values()),
                    "questions": len(questions),
                    "exercises": len(exercises),
                    "guessed": sum(len(self.guesses[name]) for name in questions),
                    "solved": sum(
                        state["solved"]
                        for name in exercises
                        for state in self.checks[name].values()
                    ),
                }
            )
        return found

    def stuck(self, names, now):
        """Return who tries an exercise again and again, most tries first."""
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
        found.sort(key=lambda each: (-each["tries"], each["exercise"], each["who"]))
        return found[:MOST_STUCK]

    def after(self):
        """Return without names what was guessed and tried: learners, questions, exercises."""
        asked = [
            self.question(name, names=False, shown=True)
            for name in course().questions
            if self.guesses[name]
        ]
        for each in asked:
            each["dots"] = [{"value": dot["value"], "late": dot["late"]} for dot in each["dots"]]
        exercises = []
        for name in filter(self.checks.get, course().exercises):
            states = self.checks[name].values()
            tries, solved = zip(*((each["tries"], each["solved"]) for each in states), strict=True)
            exercises.append(
                {
                    "exercise": name,
                    "tried": len(tries),
                    "solved": sum(solved),
                    "median": statistics.median(tries),
                    "most": max(tries),
                }
            )
        return {"learners": len(self.people), "questions": asked, "exercises": exercises}

    def question(self, name, names, shown=False):
        """Return all guesses at a question; what was measured where it is revealed or `shown`."""
        known = course().questions[name]
        dots = [
            {
                "value": guess["value"],
                "who": self.who(person, True) if names else None,
                "late": self.is_late(guess),
                "number": self.people[person]["number"],
            }
            for person, guess in self.guesses[name].items()
        ]
        values = sorted(self.measured[name].values())
        found = {
            "name": name,
            "unit": known.unit,
            "text": known.text,
            "measurements": len(values),
            "chapter": course().chapters[known.chapter],
            "dots": sorted(dots, key=lambda dot: dot["value"]),
        }
        if shown or name in self.shown:
            found |= {"measured": values, "median": statistics.median(values) if values else None}
        return found

    def guesser(self, name, number):
        """Return who came in as that number, if they guessed at this question; else None."""
        guessers = self.guesses.get(name, ())
        return next((each for each in guessers if self.people[each]["number"] == number), None)

    def csv(self, names):
        """Return every guess, measurement and check, and what the leader did, as CSV, in order."""
        out = io.StringIO(newline="")
        table = csv.writer(out)
        table.writerow(COLUMNS)
        table.writerows(
            map(harmless, self.row(entry, names))
            for entry in self.entries
            if entry["kind"] != "joined"
        )
        return out.getvalue()

    def row(self, entry, names):
        kind, name = entry["kind"], entry["name"]
        at = datetime.fromtimestamp(entry["at"], UTC).isoformat(timespec="seconds")
        if kind == "reveal":
            return at, "leader", name[:2], kind if entry["shown"] else "hide", name, "", "", "", ""
        return (
            at,
            self.who(entry.get("of", entry["person"]), names),
            name[:2],
            kind,
            name,
            entry.get("value", ""),
            entry.get("unit", ""),
            YES_NO[self.is_late(entry)] if kind == "guess" else "",
            YES_NO[entry["solved"]] if kind == "check" else "",
        )


def harmless(cell):
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
