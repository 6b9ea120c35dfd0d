"""The plugin for pytest and Django's own test classes, alone and under pytest-django."""

import pytest

from frameworks import need
from test_pytest_plugin import CLIENT, run_of_pytest

DJANGO = f"""{CLIENT}
import django
from django.conf import settings
from django.test import SimpleTestCase, TestCase

sqlite = dict(ENGINE="django.db.backends.sqlite3", NAME=":memory:")
settings.configure(DATABASES=dict(default=sqlite))
django.setup()

pytestmark = pytest.mark.round_trips(3)


class Pages:
    def test_sync(self):
        page(3)
    def test_sync_over(self):
        page(6)
    async def test_async(self):
        await async_page(3)
    async def test_async_over(self):
        await async_page(6)

class TestSimple(Pages, SimpleTestCase):
    pass

class TestWithDatabase(Pages, TestCase):
    pass
"""


@pytest.mark.parametrize("plugins", [(), ("pytest_django.plugin",)])
def test_djangos_test_classes(tmp_path, server, plugins):
    need("django", *(["pytest_django"] if plugins else []))
    warned = ("-W", "default")
    failed, output, _ = run_of_pytest(tmp_path, server, *warned, test=DJANGO, plugins=plugins)
    assert failed == {
        f"{name}::test_{kind}_over"
        for name in ("TestSimple", "TestWithDatabase")
        for kind in ("sync", "async")
    }, output
    assert "4 passed" in output and output.count("6 round trips, 3 allowed") >= 4
