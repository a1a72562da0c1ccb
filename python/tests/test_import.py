"""What `import kinetic` loads, and what calls load later: nothing, since a first call may be one of a control loop."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys, kinetic
before = {name.split(".")[0] for name in sys.modules}
motion = kinetic.plan("ur5e", "home", "ready")
commands = []
kinetic.RealTimeExecutor(clock=kinetic.SimulatedClock()).execute(motion, lambda q, qd: commands.append(q))
assert len(commands) > 10
print(sorted({name.split(".")[0] for name in sys.modules} - before), "numpy" in before, "matplotlib" in before)
"""


def test_a_plan_and_its_execution_import_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True False"
