"""Let `python -m roundtrips` do the same as the command `roundtrips`."""

import sys

from .cli import main

sys.exit(main())
