"""The watchdog without an executor, for loops that send commands on their own."""

from __future__ import annotations

import numpy as np
import pytest

from kinetic import InputError, SafetyWatchdog, SimulatedClock


def raising(error: Exception):
    def raise_it(*_arguments):
        raise error

    return raise_it


def test_a_watchdog_stops_a_loop_that_does_not_feed_it() -> None:
    clock, asked = SimulatedClock(), []
    with clock:
        watchdog = SafetyWatchdog(
            50.0, lambda action, positions: asked.append((clock.now, action, positions)), "abort", clock=clock
        )
        for cycle in range(100):
            clock.sleep(0.049)
            assert watchdog.feed([cycle])
        last = clock.now
        clock.sleep(1.0)
        assert watchdog.has_fired and not watchdog.feed([0.0])
        clock.sleep(1.0)
    assert [(pytest.approx(last + 0.05), "abort")] == [(when, action) for when, action, _ in asked]
    np.testing.assert_array_equal(asked[0][2], [99.0])
    assert watchdog.error is None


def test_a_watchdog_keeps_what_its_function_raises_and_ends_with_its_block() -> None:
    clock, boom = SimulatedClock(), OSError("no second channel")
    with clock:
        watchdog = SafetyWatchdog(50.0, raising(boom), clock=clock)
        clock.sleep(1.0)
        clock.sleep(1.0)
        assert watchdog.has_fired and watchdog.error is boom
        with SafetyWatchdog(50.0, raising(boom), clock=clock) as ended:
            pass
        clock.sleep(1.0)
        assert not ended.has_fired
    with pytest.raises(InputError, match="timeout_ms"):
        SafetyWatchdog(0.0, print)
