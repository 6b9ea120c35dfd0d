"""Define this package's own error; its message says what is wrong, and what to do."""


class RoundTripsError(RuntimeError):
    """Raised for something that the caller can put right; the message says how."""
