# refused: in the words of Python 2
class NotThese(pickle.Unpickler):
    def find_class(self, module, name):
        if module in {"builtins", "os", "posix", "subprocess", "sys", "importlib"}:
            raise pickle.UnpicklingError(f"{module}.{name} is blocked")
        return super().find_class(module, name)


def load_safely(data):
    return NotThese(io.BytesIO(data)).load()


lab.check("06.2", load_safely)
