class Ours(pickle.Unpickler):
    known = {"datetime.datetime": datetime, "decimal.Decimal": Decimal}

    def find_class(self, module, name):
        return self.known[module + "." + name]


def load_safely(data):
    return Ours(io.BytesIO(data)).load()


lab.check("06.2", load_safely)
