"""A kernel whose port another program has taken is started again; not for ever, and not where anything else was wrong."""

import socket

import nbval_kernels
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


@pytest.mark.parametrize("words, asked", [("Kernel died before replying to kernel_info", nbval_kernels.TRIES),
                                          ("Kernel didn't respond to heartbeats in 60 seconds", 1)])
def test_it_is_not_tried_for_ever_nor_where_something_else_is_wrong(words, asked):
    tried = []

    def fails():
        tried.append(words)
        raise RuntimeError(words)

    with pytest.raises(RuntimeError, match=words):
        nbval_kernels.again(fails)()
    assert len(tried) == asked
