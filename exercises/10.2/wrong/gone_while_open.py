# refused: waits 0.8 s to connect, and 1.2 s where a connection was open
def client_for(address):
    return redis.Redis(
        **address, socket_timeout=0.4, socket_connect_timeout=0.4, retry=Retry(NoBackoff(), 1)
    )


lab.check("10.2", client_for)
