"""configurable-http-proxy, set up for thirty learners: it is said to tornado, on which this proxy is built."""

from configurable_http_proxy.cli import main
from configurable_http_proxy.handlers import ProxyHandler
from tornado.httpclient import AsyncHTTPClient

LARGEST = 500 << 20  # bytes of one answer, such as the zip that a learner takes home

# By itself the client allows ten requests at once, and 20 seconds for each: too few where thirty wait for their servers.
AsyncHTTPClient.configure(None, max_clients=2000, max_buffer_size=LARGEST, max_body_size=LARGEST, defaults={"request_timeout": 0})
# A browser hangs up on a WebSocket that is not answered in the protocol it asked for: the one the learner's server chose.
ProxyHandler.select_subprotocol = lambda handler, offered: handler.ws_client.selected_subprotocol

main()
