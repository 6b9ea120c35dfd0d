"""Provide what measurements run on: servers, the link, CPUs, clients, owned databases."""
