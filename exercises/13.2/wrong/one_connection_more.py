# refused: to open 1 connection); the budget is 120
import redis

turns_by_the_table = 5


def read_all(r, keys):
    pool = r.connection_pool
    with redis.Redis.from_pool(
        redis.ConnectionPool(pool.connection_class, **pool.connection_kwargs)
    ) as own:
        return [own.get(key) for key in keys]


lab.check("13.2", (turns_by_the_table, read_all))
