"""Exits with 0 if JupyterLab answers at a port of this machine, else with 1: the container's health check. No proxy is asked."""

import http.client
import sys

connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=2)
try:
    connection.request("GET", "/api")
    sys.exit(connection.getresponse().status != 200)
except OSError as error:
    sys.exit(f"no answer: {error}")
