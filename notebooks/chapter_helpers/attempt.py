"""Show an error as a value, so that it does not end the notebook's cell."""


def attempt(function, *arguments):
    """Return what `function(*arguments)` returns, or the exception that it raised."""
    try:
        return function(*arguments)
    except Exception as error:
        return error
