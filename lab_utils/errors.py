"""Define the lab's own error: one paragraph that says what is wrong and what to do next."""

import textwrap


class LabError(RuntimeError):
    """An error that the learner can put right; the message says how."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))

    # What Jupyter shows: the message, without the lab's own traceback.
    def _render_traceback_(self) -> list[str]:
        return [
            "LabError",
            *textwrap.wrap(str(self), 100, break_long_words=False, break_on_hyphens=False),
        ]
