# refused: Your client makes 11 attempts with a timeout of 0.4 s each
def client_for(address):
    return redis.Redis(**address, socket_timeout=0.4)


lab.check("10.2", client_for)
