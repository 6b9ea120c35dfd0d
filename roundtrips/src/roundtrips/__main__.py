"""`python -m roundtrips` is `roundtrips`."""

import sys

from .cli import main

sys.exit(main())
