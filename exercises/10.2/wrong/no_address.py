# refused: a healthy server that took 0.2 s for a reply: your client raised
def client_for(address):
    return redis.Redis(
        host=address["host"], port=address["port"], socket_timeout=0.4, retry=Retry(NoBackoff(), 0)
    )


lab.check("10.2", client_for)
