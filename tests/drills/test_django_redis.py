"""What cases/deleting_by_pattern says of django-redis, asked of django-redis itself."""

import json
import subprocess

import environments
from helpers import ROOT

import lab_utils as lab

CASE = ROOT / "notebooks" / "cases" / "deleting_by_pattern.ipynb"
PROGRAM = """
import json, sys
import django
from django.conf import settings
from django_redis import get_redis_connection

url, code = json.load(sys.stdin)
settings.configure(
    CACHES={"default": {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": url}}
)
django.setup()
from django.core.cache import cache

exec(code)
counted = []
ways = (
    lambda: cache.delete_pattern("page:*"),
    lambda: cache.delete_pattern("page:*", itersize=1_000),
    lambda: slices(get_redis_connection("default"), cache.client.make_pattern("page:*")),
)
for way in ways:
    r = get_redis_connection("default")
    cache.set_many({f"page:{number}": number for number in range(3_000)})
    r.config_resetstat()
    way()
    calls = {name: stats["calls"] for name, stats in r.info("commandstats").items()}
    counted.append([calls.get(f"cmdstat_{name}", 0) for name in ("exec", "del", "unlink")])
    assert r.dbsize() == 0
print(json.dumps(counted))
"""


def test_one_transaction_deletes_all_whatever_itersize_and_slices_need_none():
    cells = json.loads(CASE.read_text(encoding="utf-8"))["cells"]
    [code] = ["".join(cell["source"]) for cell in cells if "def slices" in "".join(cell["source"])]
    at = lab.spare().get_connection_kwargs()
    url = f"redis://:{at['password']}@{at['host']}:{at['port']}/0"
    printed = subprocess.check_output(
        [environments.libraries(), "-c", PROGRAM],
        input=json.dumps([url, code]),
        text=True,
        timeout=100,
    )
    plain, larger, (execs, dels, unlinks) = json.loads(printed)
    assert plain == larger == [1, 3_000, 0]
    assert execs == dels == 0
    assert 2 <= unlinks <= 10
