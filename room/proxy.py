"""Run configurable-http-proxy with settings for fifteen learners who start at once.

By default that proxy makes ten requests at a time, and waits 20 s for each. A learner whose lab is
starting occupies one of the ten: with twelve learners who started together, the login page took 17
s, and ten of them got error 503. Besides, the proxy passes binary messages on as text, and does not
pass on the subprotocol of WebSockets; JupyterLab needs both.
"""

from configurable_http_proxy import configproxy
from configurable_http_proxy.cli import main
from configurable_http_proxy.handlers import ProxyHandler
from tornado.httpclient import AsyncHTTPClient

AsyncHTTPClient.configure(None, max_clients=500, defaults={"request_timeout": 300})


class WebSocketProxy(ProxyHandler):
    """Pass on WebSocket messages unchanged, text or binary, and the subprotocol.

    A configurable-http-proxy handler.
    """

    def select_subprotocol(self, offered: list[str]):
        """Return the subprotocol that the learner's server chose.

        `offered`, what the browser would accept, is not looked at.
        """
        return self.ws_client.selected_subprotocol

    def on_message(self, message: str | bytes):
        """Send a browser's message to the learner's server, as text or as bytes."""
        if self.ws_client:
            self.proxy.update_last_activity(self.target["prefix"])
            self.ws_client.write_message(message, binary=isinstance(message, bytes))


configproxy.ProxyHandler = WebSocketProxy
main()
