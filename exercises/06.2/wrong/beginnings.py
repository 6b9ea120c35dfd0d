# refused: datetime.datetime.now was loaded
class BeginsWith(pickle.Unpickler):
    def find_class(self, module, name):
        if not f"{module}.{name}".startswith(("datetime.datetime", "decimal.Decimal")):
            raise pickle.UnpicklingError(f"{module}.{name} is not on the list")
        return super().find_class(module, name)


def load_safely(data):
    return BeginsWith(io.BytesIO(data)).load()


lab.check("06.2", load_safely)
