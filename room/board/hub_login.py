"""The leader comes in as the hub's admin. Imported only where there is a hub: needs jupyterhub."""

from jupyterhub.services.auth import HubOAuthCallbackHandler, HubOAuthenticated
from tornado import web


@web.stream_request_body
class OAuthCallback(HubOAuthCallbackHandler):
    def data_received(self, chunk):
        """Read past what is posted here."""


@web.stream_request_body
class HubLogin(HubOAuthenticated, web.RequestHandler):
    def data_received(self, chunk):
        """Read past what is posted here."""

    @web.authenticated
    def get(self):
        if not self.current_user.get("admin"):
            self.set_status(403)
            self.finish(
                "This board is the leader's. Your guesses are on it; go back to your notebook."
            )
            return
        key = self.settings["room"].secret["key"]
        self.redirect(f"{self.settings['prefix']}#key={key}")  # a page reads it, no server does
