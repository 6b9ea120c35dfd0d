"""The stream in the room's own Redis. What `append` has returned for is on disk.

The Redis is the board's own, with an append-only file in the room's folder that is synced for every
write; it ends with the board, and is started again where it ended alone.
"""

import asyncio
import json

import redis
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from lab_utils.errors import LabError
from lab_utils.testbed import private_server

KEY = "room:board"
PAGE = 5_000  # entries read at a time
TIMEOUT_S = 5
WATCH_S = 1  # how often the board looks whether its Redis is still there
DURABLE = ("appendonly yes", "appendfsync always")


class Unavailable(Exception):
    """The stream could not be written; whoever sent the entry sends it again."""


class Stream:
    """`folder` has the append-only file; `take` is called with each entry that is there already."""

    def __init__(self, folder, take):
        self.folder, self.take, self.server, self.client = folder, take, None, None
        self.waiting = asyncio.Queue()

    def open(self):
        """Start the Redis, and read all entries. Raises Unavailable where none can be had."""
        try:
            if self.server:
                self.server.stop()
            place = str(self.folder).replace("\\", "\\\\").replace('"', '\\"')
            self.server = private_server.start(
                private_server.find_binary(), f'dir "{place}"', *DURABLE
            )
            options = self.server.options | {"socket_timeout": TIMEOUT_S}
            with redis.Redis(**options) as reader:
                for entry in read_all(reader):
                    self.take(entry)
            self.client = redis.asyncio.Redis(**options, retry=Retry(NoBackoff(), 0))
        except (redis.RedisError, LabError) as error:
            raise Unavailable(str(error)) from None

    async def append(self, entry):
        """Write an entry to disk. Raises Unavailable where it may not be there."""
        done = asyncio.get_running_loop().create_future()
        self.waiting.put_nowait((entry, done))
        await done

    async def write(self):
        """Write for ever, in one pipeline all that came in meanwhile: two hundred are few syncs."""
        while True:
            batch = [await self.waiting.get()]
            while not self.waiting.empty():
                batch.append(self.waiting.get_nowait())
            try:
                await self.add(entry for entry, _ in batch)
                error = None
            except Exception as problem:  # whatever it was, the next ones are written
                error = Unavailable(str(problem))
                self.revive()
            for _, done in batch:
                if not done.done():  # whoever sent it may be gone
                    done.set_exception(error) if error else done.set_result(None)

    async def watch(self):
        """Look for ever whether the board's Redis has ended while nobody wrote; start it again."""
        while True:
            await asyncio.sleep(WATCH_S)
            self.revive()

    async def add(self, entries):
        if not self.client:
            raise Unavailable("there is no Redis")
        pipe = self.client.pipeline(transaction=False)
        for entry in entries:
            pipe.xadd(KEY, {"entry": json.dumps(entry)})  # ASCII: half a letter is no UTF-8
        await pipe.execute()

    def revive(self):
        """Start the board's own Redis again where it has ended; its file has all entries."""
        if self.server and not self.server.alive():
            self.client = None
            try:
                self.open()
            except (Unavailable, OSError) as error:
                print(f"The board's Redis has ended and does not start again: {error}", flush=True)

    def close(self):
        if self.server:
            self.server.stop()


def read_all(client):
    """Yield every entry, oldest first."""
    first = "-"
    while page := client.xrange(KEY, first, count=PAGE):
        for _, fields in page:
            yield json.loads(fields[b"entry"])
        first = b"(" + page[-1][0]
