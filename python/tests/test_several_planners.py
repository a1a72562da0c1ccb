"""Several planners for one query, those written in Python among them."""

import pickle

import numpy as np
import pytest

import kinetic
from kinetic import Goal, InputError, Planner, PlanningError, Pose, Problem, Robot, Scene, Shape

LEFT = [1.2, -1.0, 1.0, -1.57, 0.0, 0.0]
RIGHT = [-0.2, -1.0, 1.0, -1.57, 0.0, 0.0]


class Nothing:
    """Finds nothing."""

    def plan(self, start, goals, validity):
        return None


class Straight:
    """The straight line, whatever stands in its way."""

    def plan(self, start, goals, validity):
        return np.array([start, goals[0]])


class Fails:
    """Raises."""

    def plan(self, start, goals, validity):
        raise ZeroDivisionError("of the planner")


class Waits:
    """Raises when the first query is answered."""

    def plan(self, start, goals, validity):
        validity.is_valid(start)
        raise ZeroDivisionError("of the planner that waits")


for planner_class in (Nothing, Straight, Fails, Waits):
    kinetic.register_planner(f"several_{planner_class.__name__.lower()}", planner_class)


@pytest.fixture
def scene() -> Scene:
    scene = Scene(Robot("ur5e"))
    scene.add("pillar", Shape.box(0.1, 0.1, 1.0), Pose.from_xyz(0.45, 0.25, 0.5))
    return scene


@pytest.mark.parametrize("first", ["several_nothing", "several_straight"])
def test_the_next_planner_answers_where_one_finds_nothing_or_something_wrong(scene, first) -> None:
    alone = Planner("ur5e", scene).plan(LEFT, RIGHT)
    planner = Planner("ur5e", scene, planner_type=first, fallback=["rrt_connect"])
    motion = planner.plan(LEFT, RIGHT)
    assert planner.last_stats["planner_used"] == "rrt_connect"
    assert motion.hash == alone.hash


def test_a_race_has_the_best_of_all(scene) -> None:
    options = {"max_iterations": 1000, "timeout": 600.0}
    names = ["rrt_connect", "aorrtc", "several_nothing"]
    race = Planner("ur5e", scene, planner_type=names[0], fallback=names[1:], race=True, **options)
    motion = race.plan(LEFT, RIGHT)
    lengths = {}
    for name in names[:2]:
        alone = Planner("ur5e", scene, planner_type=name, **options)
        alone.plan(LEFT, RIGHT)
        lengths[name] = alone.last_stats["path_length"]
    assert race.last_stats["planner_used"] == min(names[:2], key=lengths.get)
    assert race.last_stats["path_length"] == min(lengths.values())
    assert not race.last_stats["chosen_by_clock"]
    assert race.plan(LEFT, RIGHT).hash == motion.hash
    assert pickle.loads(pickle.dumps(race)).plan(LEFT, RIGHT).hash == motion.hash


def test_a_problem_keeps_the_planners(scene, tmp_path) -> None:
    planner = Planner("ur5e", scene, planner_type="several_nothing", fallback=["rrt_connect"], max_iterations=4000)
    motion = planner.plan(LEFT, RIGHT)
    planner.problem(LEFT, RIGHT).save(tmp_path / "problem.toml")
    assert 'fallback = ["rrt_connect"]' in (tmp_path / "problem.toml").read_text()
    assert Problem.load(tmp_path / "problem.toml").solve().hash == motion.hash


def test_what_is_wrong_is_said(scene) -> None:
    with pytest.raises(InputError) as caught:
        Planner("ur5e", scene, fallback=["rrt"]).plan(LEFT, RIGHT)
    assert (caught.value.code, caught.value.name) == ("UnknownName", "rrt")
    with pytest.raises(InputError, match="max_iterations"):
        Planner("ur5e", scene, fallback=["aorrtc"], race=True).plan(LEFT, RIGHT)
    with pytest.raises(TypeError):
        Planner("ur5e", scene, fallback="aorrtc")
    nothing = Planner("ur5e", scene, planner_type="several_nothing", fallback=["several_nothing"])
    with pytest.raises(PlanningError) as caught:
        nothing.plan(LEFT, RIGHT)
    assert caught.value.code == "PlanningFailed"


def test_what_a_planner_raises_reaches_the_caller(scene) -> None:
    with pytest.raises(ZeroDivisionError, match="of the planner"):
        Planner("ur5e", scene, planner_type="several_fails", fallback=["rrt_connect"]).plan(LEFT, RIGHT)


def test_the_first_answer_of_a_race_is_taken_and_says_so(scene) -> None:
    planner = Planner("ur5e", scene, planner_type="several_nothing", fallback=["rrt_connect"], race="first")
    assert planner.race == "first"
    planner.plan(LEFT, RIGHT)
    assert planner.last_stats["planner_used"] == "rrt_connect"
    assert planner.last_stats["chosen_by_clock"]
    assert pickle.loads(pickle.dumps(planner)).race == "first"


@pytest.mark.parametrize("race", [True, "first"])
def test_what_a_planner_raises_beside_another_that_answers_stays_readable(scene, race) -> None:
    planner = Planner(
        "ur5e", scene, planner_type="rrt_connect", fallback=["several_waits"], race=race, max_iterations=3_000
    )
    planner.plan(LEFT, RIGHT)
    passed_over = dict(planner.last_stats["passed_over"])
    # In a race for the first answer it may have been ended before it could raise.
    assert "of the planner that waits" in passed_over["several_waits"] or race == "first"


def test_a_race_without_others_is_refused() -> None:
    for race in (True, "first"):
        with pytest.raises(InputError, match="fallback") as caught:
            Planner("ur5e", race=race)
        assert (caught.value.code, caught.value.name) == ("InvalidValue", "race")
    with pytest.raises(InputError) as caught:
        Planner("ur5e", race="best", fallback=["aorrtc"])
    assert (caught.value.value, caught.value.wanted) == ("best", 'false, true or "first"')


def test_problems_of_a_race_for_the_first_answer_are_replayed(scene, tmp_path) -> None:
    """Regression 28: the clock of the replay decided the race anew, so that another planner's answer was compared."""
    racers = ["rrt_connect", "est"]
    planner = Planner("ur5e", scene, planner_type=racers[0], fallback=racers[1:], race="first", max_iterations=20_000)
    for answering in racers:
        alone = Planner("ur5e", scene, planner_type=answering, max_iterations=20_000)
        answer = alone.problem(LEFT, Goal.joints(RIGHT)).solve()
        problem, file = planner.problem(LEFT, Goal.joints(RIGHT)), tmp_path / f"{answering}.toml"
        problem.save(file)
        text = file.read_text("utf-8").replace("[hashes]\n", f'[hashes]\nresult = "{answer.hash}"\n')
        file.write_text(text, "utf-8")
        assert Problem.load(file).replay()["same"], answering
