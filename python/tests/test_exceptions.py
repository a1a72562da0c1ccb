"""The exception classes: bases, fields, pickling."""

import copy
import pickle

import pytest

from kinetic import ExecutionError, IKError, InputError, KineticError, PlanningError

BASES = {
    KineticError: (RuntimeError,),
    InputError: (KineticError, ValueError),
    IKError: (KineticError, ValueError),
    PlanningError: (KineticError,),
    ExecutionError: (KineticError,),
}


def collision() -> PlanningError:
    return PlanningError(
        'StartInCollision: "forearm_link" with "table"',
        code="StartInCollision",
        retryable=False,
        link="forearm_link",
        other="table",
        distance=-0.0032,
    )


@pytest.mark.parametrize("cls", BASES, ids=lambda cls: cls.__name__)
def test_bases_are_those_of_the_documentation(cls: type) -> None:
    assert cls.__bases__ == BASES[cls]


@pytest.mark.parametrize("cls", [InputError, IKError])
def test_unusable_values_are_caught_as_value_errors(cls: type) -> None:
    with pytest.raises(ValueError, match="7 values"):
        raise cls("DimensionMismatch: start has 7 values, expected 6", code="DimensionMismatch")


def test_fields_are_attributes_and_stand_together_in_fields() -> None:
    error = collision()
    assert (error.code, error.retryable) == ("StartInCollision", False)
    assert (error.link, error.other, error.distance) == ("forearm_link", "table", -0.0032)
    assert error.fields == {"link": "forearm_link", "other": "table", "distance": -0.0032}


def test_an_unknown_field_is_an_attribute_error_that_names_error_and_field() -> None:
    with pytest.raises(AttributeError, match="'StartInCollision' has no field 'depth'"):
        _ = collision().depth


def test_the_report_has_reason_and_evidence() -> None:
    report = collision().report
    assert report.reason == "StartInCollision"
    assert report.evidence["other"] == "table"


def test_the_report_does_not_alias_the_fields_of_the_error() -> None:
    error = collision()
    error.report.evidence["other"] = "floor"
    assert error.other == error.fields["other"] == "table"


@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("cls", BASES, ids=lambda cls: cls.__name__)
def test_a_copy_keeps_class_message_and_fields(cls: type, again) -> None:
    error = cls("PlanningTimeout: no plan", code="PlanningTimeout", retryable=True, elapsed=1.5, iterations=7)
    other = again(error)
    assert type(other) is cls
    assert str(other) == "PlanningTimeout: no plan"
    assert (other.code, other.retryable, other.elapsed, other.iterations) == ("PlanningTimeout", True, 1.5, 7)
    assert other.fields == error.fields
