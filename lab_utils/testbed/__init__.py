"""Where it stands: the server, the link, the CPUs, the clients; and whose database it is."""
