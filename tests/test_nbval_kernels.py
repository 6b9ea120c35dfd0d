"""A kernel whose port another program has taken is started again."""

import socket

import pytest
from jupyter_client.connect import LocalPortCache
from nbval import kernel

FREE = LocalPortCache.find_available_port


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def start():
    return kernel.start_new_kernel(kernel_name=kernel.CURRENT_ENV_KERNEL_NAME)


def test_a_port_that_was_taken_meanwhile(taken, monkeypatch):
    asked = []

    def first_one_taken(self, ip):
        asked.append(ip)
        return taken if len(asked) == 1 else FREE(self, ip)

    monkeypatch.setattr(LocalPortCache, "find_available_port", first_one_taken)
    manager, client = start()
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    assert len(asked) > 5  # of a second kernel
