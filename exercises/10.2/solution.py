def client_for(address):
    # a machine that is gone costs (1 + 1 × 2) × 0.3 s: a wait for the reply, two for the new
    # connection. A name with two addresses costs more: look it up first, or wait less.
    return redis.Redis(**address, socket_timeout=0.3, socket_connect_timeout=0.3,
                       retry=Retry(NoBackoff(), 1))

lab.check("10.2", client_for)
