# refused: was refused: UnpicklingError: no classes here
class Nothing(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError("no classes here")


def load_safely(data):
    return Nothing(io.BytesIO(data)).load()


lab.check("06.2", load_safely)
