"""What a measurement runs on: server, link, CPUs, clients; and whose database it is."""
