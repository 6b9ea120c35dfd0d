"""Programs that failed once, and one that random ones are seldom like; see `programs`."""

KEPT = [
    # Of two blocks in one another only the inner one saw a write.
    {"mode": "sync", "client": {}, "warm": 1,
     "steps": [["overlap", [["loop", 1, ["get"]]], [["loop", 2, ["set"]]], []]]},
    # A listener subscribes again when its connection broke: the first try was not counted.
    {"mode": "async", "client": {"protocol": 3, "retries": 2, "single": True}, "warm": 2,
     "steps": [["cut", "asked", 1, [["pubsub", 0, "read"]]], ["close"]]},
    {"mode": "sync", "client": {"protocol": 2, "retries": 2}, "warm": 2,
     "steps": [["cut", "asked", 1, [["pubsub", 0, "read"]]], ["close"]]},
    # A pipeline that connects again, by itself: replies to setting up went uncounted.
    {"mode": "async", "client": {"retries": 1, "plain": True}, "warm": 1,
     "steps": [["timeout", 1, True]]},
    # Written on a connection that had been closed already.
    {"mode": "async", "client": {"retries": 1, "protocol": 3}, "warm": 1, "scope": "process",
     "steps": [["kill"], ["block", "pass", [["loop", 2, ["mget", "xadd"]], ["cancel"]]]]},
    # A listener that connects again subscribes, and then asks for a sign of life, before it reads.
    {"mode": "sync", "client": {"protocol": 2, "health": True}, "warm": 1,
     "steps": [["cut", "asked", 2, [["pubsub", 2, "close"], ["loop", 2, ["get"]]]]]},
    {"mode": "async", "client": {"protocol": 2, "single": True}, "warm": 4,
     "steps": [["cut", "answered", 1, [["pubsub", 0, "close"]]]]},
    # Cut twice: the proxy no longer counted what the client wrote before it noticed.
    {"mode": "sync", "client": {"single": True}, "warm": 1,
     "steps": [["kill"], ["kill"], ["lock"]]},
    # A listener that gets no connection.
    {"mode": "sync", "client": {"retries": 0}, "warm": 1,
     "steps": [["refused", 2, [["pubsub", 1, "unread"], ["pubsub", 0, "close"]]]]},
    # More on their way at once than are sorted in at once.
    {"mode": "async", "client": {}, "warm": 1, "batch": 2,
     "steps": [["commands", ["blpop", "get", "blpop", "get", "xread", "get", "blpop", "get"]]]},
    # Set-up that timed out: bytes came that nobody read any more.
    {"mode": "async", "client": {"protocol": 3, "retries": 1}, "warm": 1,
     "steps": [["timeout", 1, True], ["cancel"], ["timeout", 0, False]]},
    # A listener's farewell, whose reply nobody reads, among more than is sorted in at once.
    {"mode": "sync", "client": {}, "warm": 1, "scope": "block", "batch": 2,
     "steps": [["pubsub", 0, "unread"], ["lock"]]},
    # A thread of a thread; two blocks in threads, which hand work to one executor of before.
    {"mode": "sync", "client": {}, "warm": 1,
     "steps": [["threads", [[["threads", [[["loop", 1, ["get"]]]]]]]],
               ["threads", [[["block", "pass", [["executor", "before", [[["loop", 9, ["get"]]]]]]]],
                            [["block", "pass", [["executor", "before", [[["loop", 5, ["set"]]]]]]],
                             ["loop", 3, ["get"]]]]]]},
    # Half of a reply was heard, and what the client wrote next began a turn.
    {"mode": "sync", "client": {"cache": True, "plain": False}, "warm": 1, "scope": "block",
     "steps": [["cut", "answered", 2, [["lock"], ["lock"]]]]},
]  # fmt: skip
