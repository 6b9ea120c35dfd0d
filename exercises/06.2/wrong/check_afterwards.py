# refused: a payload ran inside this process: builtins.exec.
def load_safely(data):
    value = pickle.loads(data)
    if not isinstance(value, (dict, list)):
        raise TypeError("not a value of ours")
    return value


lab.check("06.2", load_safely)
