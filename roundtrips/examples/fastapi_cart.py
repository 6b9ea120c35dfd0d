"""A cart of FastAPI's: each reply says in its Server-Timing header what it cost.

uvicorn fastapi_cart:app               then open http://127.0.0.1:8000/cart/ann?add=tea
"""

import os

import redis.asyncio
from fastapi import FastAPI

from roundtrips.integrations.web import asgi

r = redis.asyncio.Redis.from_url(
    os.environ.get("REDIS_URL", "redis://localhost"), decode_responses=True
)
app = FastAPI()
app.add_middleware(asgi)


@app.get("/cart/{user}")
async def cart(user: str, add: str | None = None) -> dict[str, int]:
    """Add one piece of `add`, if given, to the user's cart; return the cart, {product: number}.

    Both together are one round trip.
    """
    async with r.pipeline(transaction=False) as pipe:
        if add:
            pipe.hincrby(f"cart:{user}", add, 1)
            pipe.expire(f"cart:{user}", 3600)
        pipe.hgetall(f"cart:{user}")
        *_, found = await pipe.execute()
    return {name: int(number) for name, number in found.items()}
