# refused: Your client makes 11 attempts with a timeout of 5 s each
def client_for(address):
    return redis.Redis(**address)


lab.check("10.2", client_for)
