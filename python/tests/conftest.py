"""Tests work out anew what programs keep between processes."""

import os

os.environ["KINETIC_CACHE_DIR"] = ""
