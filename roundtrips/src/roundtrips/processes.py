"""Other processes that a program starts, which a trace can't see: noticed, and said."""

import os
import sys
import threading
from collections import Counter

FORKS = ("os.fork", "os.forkpty")
STARTS = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "os.startfile")
OF_MULTIPROCESSING = ("multiprocessing.popen_spawn_posix", "multiprocessing.popen_spawn_win32",
                      "multiprocessing.popen_forkserver")  # loaded when the first process starts
MOST_NAMED = 5


class Others:
    """Listens to Python's audit events; once it listens, that lasts as long as the process."""

    def __init__(self, replaced):
        self.started, self.replaced, self.pid = Counter(), replaced, os.getpid()
        self.announced = {}  # thread -> what its last Popen starts

    def listen(self):
        sys.addaudithook(self.hear)

    def hear(self, event, arguments):
        if not event.startswith(("os.", "subprocess.")) or os.getpid() != self.pid:
            return
        if event in FORKS:
            self.started[event] += 1
        elif event in STARTS:
            name, here = name_of(event, arguments), threading.get_ident()
            if event == "subprocess.Popen":
                self.announced[here] = name
            elif event == "os.posix_spawn" and self.announced.pop(here, None) == name:
                return  # which is how that Popen starts it, since Python 3.13 nearly always
            self.started[name] += 1
        elif event == "os.exec" and os.access(arguments[0], os.X_OK):
            self.replaced(os.path.basename(os.fsdecode(arguments[0])))

    def notes(self):
        """['not counted: what 2 other processes did …'], or []."""
        found = Counter(self.started)
        if any(name in sys.modules for name in OF_MULTIPROCESSING):
            found["multiprocessing"] = 1
        if not found:
            return []
        named = [name + (f" × {number:,}" if number > 1 else "") for name, number in found.most_common(MOST_NAMED)]
        rest = f", and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        return [f"not counted: what other processes do that this one starts ({', '.join(named)}{rest})"]


def name_of(event, arguments):
    """'python worker.py' of a subprocess: the program, and a script or module if it is Python's; no other argument."""
    if event == "os.system":
        words = os.fsdecode(arguments[0]).split()
        return os.path.basename(words[0]) if words else "os.system"
    program, argv = (arguments[0], arguments[1]) if event != "os.spawn" else (arguments[1], arguments[2])
    words = [argv] if isinstance(argv, (str, bytes, os.PathLike)) else list(argv)
    words = [os.fsdecode(word) for word in words]
    name = os.path.basename(os.fsdecode(program) if program else words[0].split()[0] if words else event)
    if not name.startswith("python"):
        return name
    rest = words[1:]
    if "-m" in rest[:-1]:
        return f"python -m {rest[rest.index('-m') + 1]}"
    script = next((word for word in rest if word.endswith(".py")), None)
    return f"python {os.path.basename(script)}" if script else "python"
