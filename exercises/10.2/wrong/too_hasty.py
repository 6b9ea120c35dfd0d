# refused: your client raised TimeoutError
def client_for(address):
    return redis.Redis(**address, socket_timeout=0.05, retry=Retry(NoBackoff(), 0))


lab.check("10.2", client_for)
