"""Options of inverse kinematics by keyword: the same names and answers in every call, ends by time, scenes."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from oracles import translation

import kinetic
from kinetic import IkCache, IKError, IKOptions, Robot, Scene, Shape, compat

ROBOT = Robot("ur5e")
PANDA = Robot("franka_panda")
Q = np.array([0.1, -1.2, 1.3, -0.4, 0.5, 0.6])
TARGET = ROBOT.fk(Q)
FAR = translation(9.0, 0.0, 0.0)
TOOL = translation(0.0, 0.02, 0.11)
UNTIL_TIME_ENDS = {"max_iterations": 10**15, "num_restarts": 10**9, "timeout": 0.03}
NEVER_MET = {**UNTIL_TIME_ENDS, "position_tolerance": 1e-300, "orientation_tolerance": 1e-300}

CALLS = {
    "ik": ROBOT.ik,
    "ik_config": ROBOT.ik_config,
    "ik_batch": lambda target, **options: ROBOT.ik_batch([target], **options),
    "batch_ik": lambda target, **options: ROBOT.batch_ik([target], **options),
    "ik_distinct": ROBOT.ik_distinct,
    "ik_all": ROBOT.ik_all,
    "ik_path": lambda target, **options: ROBOT.ik_path([target], **options),
    "IkCache.solve": IkCache(ROBOT).solve,
}


def refused_keyword(call) -> str:
    with pytest.raises(TypeError) as caught:
        call(TARGET, no_option=1)
    return str(caught.value)


@pytest.mark.parametrize("name", CALLS)
def test_an_option_that_a_call_does_not_take_is_refused_with_those_that_it_takes(name: str) -> None:
    text = refused_keyword(CALLS[name])
    assert text.startswith(f'{name.rpartition(".")[2]}() got an unexpected keyword argument "no_option"; options are "')
    options = set(re.findall(r'"(\w+)"', text)) - {"no_option"}
    assert "timeout" in options and options <= set(IKOptions.__annotations__)


def test_every_option_of_the_typed_dictionary_is_taken_somewhere() -> None:
    taken = {option for call in CALLS.values() for option in re.findall(r'"(\w+)"', refused_keyword(call))}
    assert taken - {"no_option"} == set(IKOptions.__annotations__)


def test_a_value_of_the_wrong_type_names_its_option() -> None:
    for options, words in [({"max_iterations": "many"}, "max_iterations"), ({"solver": 3}, "solver")]:
        with pytest.raises((TypeError, kinetic.InputError), match=words):
            ROBOT.ik(TARGET, **options)
    with pytest.raises(TypeError, match="scene"):
        ROBOT.ik_all(TARGET, scene="table")


OPTIONS: list[IKOptions] = [
    {},
    {"solver": "dls"},
    {"solver": "sqp", "rng_seed": 7, "num_restarts": 2},
    {"solver": "sqp", "mode": "position_only", "tool_axis": ("z", [0.0, 0.0, -1.0], 0.2)},
    {"solver": "dls", "damping": 1e-4, "position_tolerance": 1e-7, "orientation_tolerance": 1e-7},
    {"solver": "dls", "null_space": "joint_centering"},
    {"solver": "ccd", "max_iterations": 500},
    {"check_limits": False, "solver": "bio_ik"},
    {"mode": "position_fallback"},
    {"solver": "analytic"},
    {"timeout": 100.0, "solver": "fabrik"},
]


@pytest.mark.parametrize("row", range(len(OPTIONS)))
@pytest.mark.parametrize("robot", [ROBOT, PANDA], ids=lambda robot: robot.name)
def test_all_calls_give_one_answer(robot: Robot, row: int) -> None:
    options = OPTIONS[row]
    seeds = [robot.random_configuration(rng_seed=seed) for seed in range(4)]
    targets = [robot.fk(seed, tcp=TOOL) for seed in seeds]
    for seed in (None, robot.mid_configuration() + 0.1):
        single = []
        for target in targets:
            facts = robot.ik_config(target, seed=seed, raise_on_failure=False, tcp=TOOL, **options)
            single.append(facts)
            if options.get("solver", "auto") != "auto" or options.get("mode", "full6d") != "full6d":
                nearest = robot.ik(target, seed, TOOL, raise_on_failure=False, **options)
                assert nearest.tobytes() == facts["joints"].tobytes()
        q, success = robot.ik_batch(targets, seed, tcp=TOOL, **options)
        assert success.tolist() == [facts["converged"] for facts in single]
        for found, facts in zip(q, single):
            assert found.tobytes() == facts["joints"].tobytes() if facts["converged"] else np.isnan(found).all()
        assert success.any()


def test_options_of_ik_config_by_position_are_those_by_keyword() -> None:
    by_position = ROBOT.ik_config(TARGET, "sqp", "position_only", Q + 0.1, None, 50, 3, 1e-5, 1e-2, True, 4, False)
    by_keyword = ROBOT.ik_config(
        TARGET,
        solver="sqp",
        mode="position_only",
        seed=Q + 0.1,
        null_space=None,
        max_iterations=50,
        num_restarts=3,
        position_tolerance=1e-5,
        orientation_tolerance=1e-2,
        check_limits=True,
        rng_seed=4,
        raise_on_failure=False,
    )
    assert by_position.pop("joints").tobytes() == by_keyword.pop("joints").tobytes() and by_position == by_keyword
    with pytest.raises(TypeError, match="at most 12 positional arguments \\(13 given\\)"):
        ROBOT.ik_config(TARGET, "sqp", "full6d", None, None, 50, 3, 1e-5, 1e-2, True, 4, False, None)
    for twice in ({"solver": "dls"}, {"seed": Q}, {"mode": "full6d"}):
        with pytest.raises(TypeError, match=f"multiple values for argument '{next(iter(twice))}'"):
            ROBOT.ik_config(TARGET, "sqp", "full6d", Q, **twice)


def test_a_batch_takes_seeds_and_an_array_to_write_into() -> None:
    configurations = [PANDA.random_configuration(rng_seed=seed) for seed in range(6)]
    targets = [*(PANDA.fk(q) for q in configurations), FAR]
    seeds = np.array([*configurations, PANDA.mid_configuration()]) + 0.05
    out = np.full((7, 7), 3.0)
    q, success = PANDA.ik_batch(np.array(targets), seeds, out=out)
    assert q is out and success.tolist() == [True] * 6 + [False] and np.isnan(q[6]).all()
    for target, seed, found in zip(targets[:6], seeds, q):
        assert PANDA.ik(target, seed).tobytes() == found.tobytes()
    facts = PANDA.batch_ik(targets, seeds=seeds)
    assert [fact is not None for fact in facts] == success.tolist() and (facts[0]["joints"] == q[0]).all()
    empty, none = PANDA.ik_batch([])
    assert empty.shape == (0, 7) and none.shape == (0,)


def test_numerical_searches_end_in_time_with_the_nearest_pose() -> None:
    for solver in ("dls", "sqp", "fabrik", "ccd", "bio_ik", "cached"):
        with pytest.raises(IKError, match="^IKNotConverged") as caught:
            ROBOT.ik(TARGET, solver=solver, **NEVER_MET)
        assert caught.value.retryable and "nearest pose reached" in caught.value.stopped_by
        nearest = ROBOT.ik_config(TARGET, solver, raise_on_failure=False, **NEVER_MET)
        assert not nearest["converged"] and np.isfinite(nearest["joints"]).all()
    q, success = ROBOT.ik_batch([TARGET, TARGET], solver="dls", **NEVER_MET)
    assert np.isnan(q).all() and not success.any()
    with pytest.raises(IKError, match="^IKNotConverged"):
        IkCache(ROBOT).solve(TARGET, **NEVER_MET)
    with pytest.raises(IKError, match="^IKNotConverged"):
        ROBOT.bio_ik([{"position": [9.0, 0.0, 0.0]}], 10**15, 10**9, timeout=0.03)


def test_lists_and_paths_end_in_time() -> None:
    baxter = Robot("baxter_left")
    target = baxter.fk([0.3] * 7)
    with pytest.raises(IKError, match="^IKTimeout") as caught:
        baxter.ik_all(target, samples=100_000, timeout=0.03)
    assert caught.value.retryable and caught.value.elapsed > 0.0
    # Time is over before the first pose is looked at.
    for method in ("global", "local"):
        with pytest.raises(IKError, match="^IKTimeout"):
            ROBOT.ik_path([TARGET] * 3, method=method, timeout=1e-9)
    found, _ = ROBOT.ik_distinct(TARGET, num_restarts=10**9, timeout=0.05)
    assert len(found) >= 1


def shelf() -> Scene:
    scene = Scene(ROBOT)
    scene.add("shelf", Shape.box(2.0, 2.0, 0.02), translation(0.0, 0.0, 0.75))
    scene.add("post", Shape.box(0.05, 0.05, 1.0), translation(0.3, 0.3, 0.5))
    return scene


@pytest.mark.parametrize("options", [{}, {"turns": True}, {"collision_margin": 0.05, "self_margin": 0.01}])
def test_branches_without_collision_are_those_that_the_scene_calls_free(options: dict) -> None:
    scene = shelf()
    margins = [options.get("collision_margin", 0.0), options.get("self_margin", 0.0)]
    listing = {"turns": True} if "turns" in options else {}
    dropped = 0
    for seed in range(10):
        target = ROBOT.fk(ROBOT.random_configuration(rng_seed=seed))
        every = ROBOT.ik_all(target, Q, **listing)
        free = scene.are_free(every, *margins) if len(every) else np.zeros(0, bool)
        found = ROBOT.ik_all(target, Q, scene=scene, **options)
        assert found.tobytes() == every[free].tobytes()
        few = ROBOT.ik_all(target, Q, max_solutions=2, scene=scene, **options)
        assert few.tobytes() == every[free][:2].tobytes()
        dropped += 0 < free.sum() < len(free)
    assert dropped > 0


def test_branches_without_collision_know_tools_and_seven_joints() -> None:
    assert (
        ROBOT.ik_all(ROBOT.fk(Q, tcp=TOOL), tcp=TOOL, scene=shelf()).shape == ROBOT.ik_all(TARGET, scene=shelf()).shape
    )
    scene = Scene(PANDA)
    ready = PANDA.named_pose("ready")
    scene.add("ball", Shape.sphere(0.08), translation(0.25, 0.25, 0.55))
    target = PANDA.fk(ready)
    every = PANDA.ik_all(target, ready)
    found = PANDA.ik_all(target, ready, scene=scene)
    free = scene.are_free(every)
    assert 0 < free.sum() < len(free) and found.tobytes() == every[free].tobytes()
    few = PANDA.ik_all(target, ready, max_solutions=3, scene=scene)
    assert len(few) == 3 and scene.are_free(few).all()


def test_limits_have_one_name_in_all_calls() -> None:
    wide = ROBOT.ik_all(TARGET, check_limits=False)
    assert wide.tobytes() == ROBOT.ik_all(TARGET, respect_limits=False).tobytes()
    assert ROBOT.ik_all(TARGET, check_limits=True).tobytes() == ROBOT.ik_all(TARGET).tobytes()


@pytest.mark.parametrize("name", ["batch_inverse_kinematics", "ccd"])
def test_call_shapes_of_other_libraries_have_the_arguments_of_the_robot(name: str) -> None:
    typed = list(inspect.signature(getattr(compat, name)).parameters.values())[1:]
    compiled = list(inspect.signature(getattr(ROBOT, name)).parameters.values())
    by_position = [parameter for parameter in compiled if parameter.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert [(parameter.name, parameter.default) for parameter in typed] == [
        (parameter.name, parameter.default) for parameter in by_position
    ]


def test_call_shapes_of_other_libraries_give_the_answers_of_the_robot() -> None:
    targets = [PANDA.fk(PANDA.random_configuration(rng_seed=seed)) for seed in range(5)]
    options = {"rotation_mask": "xy", "attempts_per_pose": 3, "initial_angles": "random", "rng_seed": 4}
    typed, compiled = (
        compat.batch_inverse_kinematics(PANDA, targets, **options),
        PANDA.batch_inverse_kinematics(targets, **options),
    )
    assert typed[0].tobytes() == compiled[0].tobytes() and typed[1].tolist() == compiled[1].tolist()
    assert typed[2] == compiled[2]
    point = [{"position": [0.4, 0.2, 0.4]}]
    assert compat.ccd(PANDA, point, maxiter=300).tobytes() == PANDA.ccd(point, maxiter=300).tobytes()
