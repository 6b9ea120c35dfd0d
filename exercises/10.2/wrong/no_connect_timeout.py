# refused: on a machine that is gone, 2 attempts to connect wait 5 s each
def client_for(address):
    return redis.Redis(**address, socket_timeout=0.3, retry=Retry(NoBackoff(), 1))


lab.check("10.2", client_for)
