"""A container's health check: exits with 0 if JupyterLab, or a hub, answers, else with 1.

    python tools/answers.py PORT [PATH]

No proxy is asked.
"""

import http.client
import sys

connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=2)
try:
    connection.request("GET", *(sys.argv[2:] or ["/api"]))
    sys.exit(connection.getresponse().status != 200)
except OSError as error:
    sys.exit(f"no answer: {error}")
