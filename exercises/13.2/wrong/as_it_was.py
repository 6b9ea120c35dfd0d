# refused: to open 120 connections); the budget is 120
import redis

turns_by_the_table = 5


def client_of(r):
    pool = r.connection_pool
    return redis.Redis.from_pool(
        redis.ConnectionPool(pool.connection_class, **pool.connection_kwargs)
    )


def read_all(r, keys):
    return [client_of(r).get(key) for key in keys]


lab.check("13.2", (turns_by_the_table, read_all))
