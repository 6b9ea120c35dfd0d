# refused: where the machine is gone, your client waits 10.0 s to connect
def client_for(address):
    return redis.Redis(**address, socket_timeout=0.3, retry=Retry(NoBackoff(), 1))


lab.check("10.2", client_for)
