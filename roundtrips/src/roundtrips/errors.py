"""The package's own error: a sentence that says what is wrong, and one that says what to do."""


class RoundTripsError(RuntimeError):
    """Something that the caller can put right; the message says how."""
