# refused: its names taken from the memo
import pickletools

LISTED = {("datetime", "datetime"), ("decimal", "Decimal")}


def load_safely(data):
    strings = []
    for opcode, argument, _ in pickletools.genops(data):
        if isinstance(argument, str):
            strings.append(argument)
        if opcode.name == "STACK_GLOBAL" and tuple(strings[-2:]) not in LISTED:
            raise pickle.UnpicklingError(f"{strings[-2:]} is not on the list")
        if opcode.name in ("GLOBAL", "INST") and tuple(argument.split(" ")) not in LISTED:
            raise pickle.UnpicklingError(f"{argument} is not on the list")
    return pickle.loads(data)


lab.check("06.2", load_safely)
