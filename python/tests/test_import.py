"""What `import kinetic` loads: it and a plan by names take milliseconds, NumPy alone takes tens of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import kinetic

LOADED = "import sys, kinetic{}; print([name for name in ('matplotlib', 'numpy', 'scipy') if name in sys.modules])"


def loaded_after(work: str) -> str:
    done = subprocess.run([sys.executable, "-c", LOADED.format(work)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_import_and_a_plan_by_names_do_without_numpy() -> None:
    assert loaded_after("") == "[]"
    assert loaded_after("; kinetic.plan('ur5e', 'home', 'ready')") == "[]"
    assert loaded_after("; kinetic.MoveGroup") == "['numpy']"


def test_what_is_imported_at_first_use_is_there_as_anything_else() -> None:
    assert {"MoveGroup", "compat"} <= set(kinetic.__all__) <= set(dir(kinetic))
    import kinetic.compat as module

    assert module is kinetic.compat
    with pytest.raises(AttributeError, match="nothing"):
        _ = kinetic.nothing
