# refused: under the name __builtin__
class NotThese(pickle.Unpickler):
    def find_class(self, module, name):
        if module in {"builtins", "os", "posix", "subprocess", "sys", "importlib"}:
            raise pickle.UnpicklingError(f"{module}.{name} is blocked")
        return super().find_class(module, name)


def load_safely(data):
    return NotThese(io.BytesIO(data)).load()


lab.check("06.2", load_safely)
