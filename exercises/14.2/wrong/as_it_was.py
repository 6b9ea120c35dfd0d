# refused: the loop opens 1 connection of its own
import redis


def fair_pair():
    def loop(r):
        own = redis.Redis(
            connection_pool=redis.ConnectionPool(**r.connection_pool.connection_kwargs)
        )
        for i in range(100):
            own.set(f"exercise:{i}", "x" * 1_000)

    def pipeline(r):
        pipe = r.pipeline()
        for i in range(90):
            pipe.set(f"exercise:{i}", "x")
        pipe.execute()

    return loop, pipeline


lab.check("14.2", fair_pair)
