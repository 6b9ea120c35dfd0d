# refused: where the machine goes while a connection is open
class Pause(NoBackoff):
    def compute(self, failures):
        return time.sleep(0.4) or 0


def client_for(address):
    return redis.Redis(
        **address, socket_timeout=0.25, socket_connect_timeout=0.25, retry=Retry(Pause(), 1)
    )


lab.check("10.2", client_for)
