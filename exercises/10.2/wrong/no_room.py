# refused: with a timeout of 1 s each; together they must stay below 1 s
def client_for(address):
    return redis.Redis(
        **address, socket_timeout=1, socket_connect_timeout=0.3, retry=Retry(NoBackoff(), 0)
    )


lab.check("10.2", client_for)
