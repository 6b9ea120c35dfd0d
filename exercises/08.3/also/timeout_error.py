import threading


class Queueing(redis.ConnectionPool):
    def __init__(self, **options):
        self.turns = threading.Semaphore(4)
        super().__init__(max_connections=4, **options)

    def get_connection(self, *args, **options):
        if not self.turns.acquire(timeout=1):
            raise redis.TimeoutError("no connection came free within a second")
        try:
            return super().get_connection(*args, **options)
        except BaseException:
            self.turns.release()
            raise

    def release(self, connection):
        super().release(connection)
        self.turns.release()


def pool_for(kind, options):
    return Queueing(connection_class=kind, **options)


lab.check("08.3", pool_for)
