"""A container's health check: exits with 0 if JupyterLab, or a hub, answers, else with 1.

    python tools/answers.py PORT [PATH]

No proxy is asked.
"""

import contextlib
import http.client
import sys


def answers(host, port, path):
    """Return whether a page is there; raise OSError where nobody listens."""
    with contextlib.closing(http.client.HTTPConnection(host, port, timeout=2)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status == 200


if __name__ == "__main__":
    try:
        sys.exit(not answers("127.0.0.1", int(sys.argv[1]), *(sys.argv[2:] or ["/api"])))
    except OSError as error:
        sys.exit(f"no answer: {error}")
