# refused: Your client makes 1 attempt with a timeout of 5 s each
def client_for(address):
    return redis.Redis(**address, socket_connect_timeout=0.4, retry=Retry(NoBackoff(), 0))

lab.check("10.2", client_for)
