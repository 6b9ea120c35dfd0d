"""Define the lab's own error: one paragraph that says what is wrong and what to do next."""

import textwrap


class LabError(RuntimeError):
    """An error that the learner can put right; the message says how."""

    def __init__(self, message):
        super().__init__(" ".join(message.split()))

    def _render_traceback_(self):
        """Return the lines that Jupyter shows: the message, without the lab's own traceback."""
        lines = textwrap.wrap(str(self), 100, break_long_words=False, break_on_hyphens=False)
        return ["LabError", *lines]
