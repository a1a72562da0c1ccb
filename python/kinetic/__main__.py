"""``python -m kinetic``: the same as the ``kinetic`` command."""

import sys

from .cli import main

sys.exit(main())
