"""configurable-http-proxy, set up for thirty learners: it is said to tornado, on which this proxy is built."""

from configurable_http_proxy import configproxy
from configurable_http_proxy.cli import main
from configurable_http_proxy.handlers import ProxyHandler
from tornado.httpclient import AsyncHTTPClient

LARGEST = 100 << 20  # bytes of one answer, which this proxy holds in memory whole; a learner's zip has 6 MB at most

# By itself the client allows ten requests at once, and 20 seconds for each: too few where thirty wait for their servers.
AsyncHTTPClient.configure(None, max_clients=2000, max_buffer_size=LARGEST, max_body_size=LARGEST, defaults={"request_timeout": 0})


class WebSockets(ProxyHandler):
    """What Jupyter says to kernels: binary messages, in a protocol that both ends agree on. The proxy makes them text."""

    def select_subprotocol(self, offered):
        """What the learner's server chose; a browser hangs up where nothing was."""
        return self.ws_client.selected_subprotocol

    def on_message(self, message):
        if self.ws_client:
            self.proxy.update_last_activity(self.target["prefix"])
            self.ws_client.write_message(message, binary=isinstance(message, bytes))


configproxy.ProxyHandler = WebSockets
main()
