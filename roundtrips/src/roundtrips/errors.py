"""Define this package's own error; its message says what is wrong, and what to do."""


class RoundTripsError(RuntimeError):
    """Something that the caller can put right; the message says how."""
