LISTED = {
    ("datetime", "datetime"),
    ("decimal", "Decimal"),
    ("builtins", "set"),
    ("builtins", "frozenset"),
}  # by name up to Python 3.7's protocol 3
VALUES = (bool, int, float, complex, str, bytes, bytearray, datetime, Decimal, type(None))


class OnlyListed(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in LISTED:
            raise pickle.UnpicklingError(f"{module}.{name} is not on the list")
        return super().find_class(module, name)


def refuse_other_values(value):
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            refuse_other_values(each)
    elif not isinstance(value, VALUES):  # a class that was asked for and not called, for one
        raise pickle.UnpicklingError(f"{value!r} is no value of ours")


def load_safely(data):
    value = OnlyListed(io.BytesIO(data)).load()
    refuse_other_values(value)
    return value


lab.check("06.2", load_safely)
