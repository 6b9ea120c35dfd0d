"""For tests and notebooks alike: the CI scale, no progress bars, and no traces of the learner's own progress."""

import os
import tempfile

os.environ.setdefault("LAB_SCALE", "ci")
os.environ["TQDM_DISABLE"] = "1"
_state = tempfile.TemporaryDirectory(prefix="lab-state-")
os.environ["LAB_STATE"] = _state.name
