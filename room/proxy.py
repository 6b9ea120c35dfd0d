"""configurable-http-proxy, set up for a room open to a network: bodies go through it in pieces.

By itself it holds each body in memory whole, up to 100 MB, whoever posts it. Here a piece waits
until the one before it has gone on, in both directions. What the hub gets is small; a learner's
server gets notebooks, and holds them whole itself, so few large ones go in at a time.
"""

import asyncio
import contextlib

from configurable_http_proxy import configproxy
from configurable_http_proxy.cli import main
from configurable_http_proxy.handlers import ProxyHandler
from tornado import httputil
from tornado.httpclient import AsyncHTTPClient
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, stream_request_body
from tornado.websocket import WebSocketError

SMALL, LARGE = 300_000, 20 << 20  # bytes of a body: for the hub; for a learner's server, the board
READ_PAST = 100 << 20  # bytes: a body that is refused is read so far, and held by nobody
LARGE_AT_ONCE = 4  # bodies that are more than small
BODY_S = 60  # for which one of them may take its turn
# What the room's own processes ask of the hub directly; its answer to nonsense there is a 500.
NOT_FROM_OUTSIDE = "/hub/api/oauth2/token", "/hub/api/authorizations/"
KEPT_BACK = {"transfer-encoding", "connection"}  # of an answer's headers: said anew by this proxy

# By itself the client allows ten requests at once, and 20 seconds for each: too few where thirty
# wait for their servers. An answer may be of any length, since it is not held.
AsyncHTTPClient.configure(
    None, max_clients=2000, max_body_size=1 << 40, defaults={"request_timeout": 0}
)
large = asyncio.Semaphore(LARGE_AT_ONCE)


@stream_request_body
class StreamingProxy(ProxyHandler):
    """Passes requests, answers and WebSockets on as they come."""

    turn = passing = pieces = refused = None

    async def prepare(self):
        """Begin to pass a request on, before its body is there.

        Where that is too long it does not, and `call_proxy` says so: an answer before the body's
        end would cut the connection.
        """
        upgrade = self.request.headers.get("Upgrade", "").lower() == "websocket"
        if self.request.method == "GET" and (upgrade or self.request.path == "/_chp_healthz"):
            return
        try:
            size = int(self.request.headers.get("Content-Length", 0))
        except ValueError:
            raise HTTPError(400) from None
        chunked = "Transfer-Encoding" in self.request.headers
        url = await self.get_target_url(self.path_args[0])
        if url is None:
            return
        most = SMALL if self.target["prefix"] == "/" else LARGE
        if self.request.path.startswith(NOT_FROM_OUTSIDE):
            self.refused = 404
        elif size > most or (chunked and most == SMALL):
            self.refused = 413
        self.request.connection.set_max_body_size(READ_PAST if self.refused else LARGE)
        if self.refused:
            return
        self.pieces = asyncio.Queue(1) if size or chunked else None
        if size > SMALL or chunked:
            self.request.connection.set_body_timeout(BODY_S)
            await large.acquire()
            self.turn = large
        self.passing = asyncio.ensure_future(self.pass_on(url))

    async def data_received(self, chunk):
        """Wait until the piece before this one has gone; there may be nobody to take it."""
        if self.passing and not self.passing.done():
            put = asyncio.ensure_future(self.pieces.put(chunk))
            await asyncio.wait((put, self.passing), return_when=asyncio.FIRST_COMPLETED)

    async def call_proxy(self, path=None):
        """Wait for the whole answer, once the whole request is there. Raises HTTPError."""
        if self.refused:
            raise HTTPError(self.refused)
        if self.pieces:
            self.end_turn()
            put = asyncio.ensure_future(self.pieces.put(None))
            await asyncio.wait((put, self.passing), return_when=asyncio.FIRST_COMPLETED)
        try:
            response = await self.passing
            failed = response.error if response.code == 599 else None
        except asyncio.CancelledError:  # who asked has gone
            return
        except Exception as error:  # whatever it is, nothing answers there
            failed = error
        if failed and not self._headers_written:
            await self.handle_proxy_error(503, failed)
        else:
            self.finish()

    def pass_on(self, url):
        """Ask for the same of whom it is meant for; what they answer goes back piece by piece."""
        asked = self._get_proxy_request(url)
        asked.decompress_response = False
        asked.header_callback, asked.streaming_callback = self.answer_line, self.answer_piece
        if self.pieces:
            asked.body, asked.body_producer = None, self.send_pieces
        return AsyncHTTPClient().fetch(asked, raise_error=False)

    async def send_pieces(self, write):
        while (piece := await self.pieces.get()) is not None:
            await write(piece)

    def answer_line(self, line):
        """Take a line of an answer's head: the first, a header, or the empty last one."""
        if line.startswith("HTTP/"):
            self.told = httputil.HTTPHeaders()
            self.set_status(httputil.parse_response_start_line(line.strip()).code)
        elif line.strip():
            self.told.parse_line(line)
        else:
            for name in {name.lower() for name in self.told} - KEPT_BACK:
                self.clear_header(name)
                for value in self.told.get_list(name):
                    self.add_header(name, value)

    async def answer_piece(self, piece):
        if not self._finished:  # else who asked has gone, and the rest is read past
            with contextlib.suppress(StreamClosedError):
                self.write(piece)
                await self.flush()

    def compute_etag(self):
        """Return None: what is there at the end is not all."""

    def on_connection_close(self):
        super().on_connection_close()
        self.end_turn()
        if self.passing:
            self.passing.cancel()

    def on_finish(self):
        super().on_finish()
        self.end_turn()

    def end_turn(self):
        if self.turn:
            self.turn.release()
            self.turn = None

    async def handle_proxy_error(self, code, err):
        """Say 400 to who asks for a WebSocket where there is none."""
        await super().handle_proxy_error(400 if isinstance(err, WebSocketError) else code, err)

    # WebSockets: what Jupyter says to kernels is binary, in a protocol that both ends agree on. The
    # proxy by itself makes text of it.

    def select_subprotocol(self, offered):
        """Return what the learner's server chose; a browser hangs up where nothing was."""
        return self.ws_client.selected_subprotocol

    def on_message(self, message):
        if self.ws_client:
            self.proxy.update_last_activity(self.target["prefix"])
            self.ws_client.write_message(message, binary=isinstance(message, bytes))


configproxy.ProxyHandler = StreamingProxy
main()
