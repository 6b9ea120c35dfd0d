# refused: decimal.setcontext
class TheseModules(pickle.Unpickler):
    def find_class(self, module, name):
        if module not in {"datetime", "decimal"}:
            raise pickle.UnpicklingError(f"{module} is not on the list")
        return super().find_class(module, name)


def load_safely(data):
    return TheseModules(io.BytesIO(data)).load()


lab.check("06.2", load_safely)
