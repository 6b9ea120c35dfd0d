"""`python -m lab_utils.tracing` is `roundtrips`."""

import sys

from .command import main

sys.exit(main())
