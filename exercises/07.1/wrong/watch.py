# refused: round trips; the budget is 1
def release(r, key, token):
    with r.pipeline() as pipe:
        pipe.watch(key)
        if pipe.get(key) != token.encode():
            return False
        pipe.multi()
        pipe.delete(key)
        pipe.execute()
        return True


lab.check("07.1", release)
