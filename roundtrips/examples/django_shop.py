"""A page of Django's, which reads its cache at once; the toolbar's panel shows what it costs.

python django_shop.py runserver        then open http://127.0.0.1:8000/
python -m unittest django_shop
"""

import os
import sys

import django
from django.conf import settings
from django.core.cache import cache
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.test import SimpleTestCase
from django.urls import include, path

from roundtrips import RoundTripsMixin

NAMES = [f"product:{number}" for number in range(20)]

settings.configure(
    DEBUG=True,
    SECRET_KEY="an example",
    ALLOWED_HOSTS=["127.0.0.1", "testserver"],
    INTERNAL_IPS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    STATIC_URL="static/",
    INSTALLED_APPS=["django.contrib.staticfiles", "debug_toolbar"],
    MIDDLEWARE=["debug_toolbar.middleware.DebugToolbarMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    DEBUG_TOOLBAR_PANELS=["roundtrips.integrations.django_panel.RoundTripsPanel"],
    CACHES={
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": os.environ.get("REDIS_URL", "redis://localhost"),
        }
    },
)
django.setup()


def shop(request):
    """Show all products, read in one round trip; with ?one_by_one it takes one for each product."""
    one_by_one = "one_by_one" in request.GET
    found = {name: cache.get(name) for name in NAMES} if one_by_one else cache.get_many(NAMES)
    rows = "".join(f"<li>{name}: {found.get(name)}" for name in NAMES)
    return HttpResponse(f"<html><body><h1>Shop</h1><ul>{rows}</ul></body></html>")


urlpatterns = [path("", shop), path("__debug__/", include("debug_toolbar.urls"))]


class TestShop(RoundTripsMixin, SimpleTestCase):
    def test_all_products_take_one_round_trip(self):
        with self.assertRoundTrips(1):
            self.client.get("/")


if __name__ == "__main__":
    execute_from_command_line(sys.argv)
