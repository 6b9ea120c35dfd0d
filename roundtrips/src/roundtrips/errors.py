"""Define the errors that this package raises; their messages say what to do."""


class RoundTripsError(RuntimeError):
    """Raised for something that the caller can put right; the message says how."""


class OverBudget(AssertionError):
    """Raised for more round trips, waits or set-up than allowed, and if they grow with the data."""


class Uncounted(OverBudget):
    """Raised if something in a counting block was not counted, so that no limit can be judged."""
