# refused: Decimal by another address
class TheseNames(pickle.Unpickler):
    def find_class(self, module, name):
        if name not in {"datetime", "Decimal"}:
            raise pickle.UnpicklingError(f"{name} is not on the list")
        return super().find_class(module, name)


def load_safely(data):
    return TheseNames(io.BytesIO(data)).load()


lab.check("06.2", load_safely)
