# refused: the second call began the window anew
def allow_fixed(r, key, limit, seconds):
    with r.pipeline() as pipe:
        calls, _ = pipe.incr(key).expire(key, seconds).execute()
    return calls <= limit


lab.check("07.2", allow_fixed)
