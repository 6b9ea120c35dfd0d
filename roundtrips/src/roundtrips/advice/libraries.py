"""What libraries have for many keys: their own call, since they write keys and values their way."""

from __future__ import annotations

_MANY = {
    "GET": "values = cache.get_many({}keys)",
    "SET": "cache.set_many(values, timeout)  # {{key: value}}",
    "DEL": "cache.delete_many({}keys)",
}
_DJANGO, _CACHELIB = (
    {name: call.format(star) for name, call in _MANY.items()} for star in ("", "*")
)
_DOGPILE = {
    "GET": "values = region.get_multi(keys)",
    "SET": "region.set_multi(values)  # {key: value}",
    "DEL": "region.delete_multi(keys)",
}
_AIOCACHE = {
    "GET": "values = await cache.multi_get(keys)",
    "SET": "await cache.multi_set(list(values.items()), ttl=seconds)",
}
CALLS = {
    "aiocache": _AIOCACHE, "cachelib": _CACHELIB, "flask_caching": _CACHELIB, "django": _DJANGO,
    "django_redis": _DJANGO, "dogpile": _DOGPILE,
}  # fmt: skip
SAME = {"SETEX": "SET", "PSETEX": "SET", "UNLINK": "DEL"}
# What they send for one call of yours is theirs to send: queues, channels, locks, limits.
LEFT_ALONE = (
    "arq", "celery", "channels_redis", "dramatiq", "huey", "kombu", "limits", "redis_lock", "rq",
    "saq", "socketio", "taskiq_redis",
)  # fmt: skip


def own_call(library: str, name: str) -> str | None:
    """Return the library's call that takes the place of a loop of this command, if it has one."""
    return CALLS.get(library, {}).get(SAME.get(name, name))
