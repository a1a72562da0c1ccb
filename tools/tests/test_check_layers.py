"""The layer check finds what breaks the table, and only that."""

import check_layers


def metadata(**crates: list) -> dict:
    packages = [
        {"name": name.replace("_", "-"), "dependencies": [{"name": used} for used in uses]}
        for name, uses in crates.items()
    ]
    return {"packages": packages}


def picture() -> str:
    rows = [f"    layer {number}   {'   '.join(crates)}" for number, crates in enumerate(check_layers.LAYERS)]
    return "\n".join(reversed(rows))


def test_a_lower_layer_may_be_used() -> None:
    assert check_layers.dependency_complaints(metadata(kinetic_scene=["kinetic-core", "nalgebra"])) == []


def test_a_higher_layer_may_not_be_used() -> None:
    (complaint,) = check_layers.dependency_complaints(metadata(kinetic_core=["kinetic-robot"]))
    assert complaint == "kinetic-core (layer 0) uses kinetic-robot (layer 1), not a lower layer"


def test_a_neighbour_may_not_be_used() -> None:
    (complaint,) = check_layers.dependency_complaints(metadata(kinetic_robot=["kinetic-trajectory"]))
    assert "kinetic-trajectory (layer 1)" in complaint


def test_a_crate_without_a_layer_is_named() -> None:
    (complaint,) = check_layers.dependency_complaints(metadata(kinetic_magic=[]))
    assert complaint.startswith("kinetic-magic stands in no layer")


def test_a_confined_dependency_is_allowed_in_its_crate_alone() -> None:
    assert check_layers.dependency_complaints(metadata(kinetic_collision=["parry3d-f64"])) == []
    (complaint,) = check_layers.dependency_complaints(metadata(kinetic_planning=["parry3d-f64"]))
    assert complaint == "kinetic-planning uses parry3d-f64, which only kinetic-collision may use"


def test_the_picture_of_the_table_has_no_complaints() -> None:
    assert check_layers.picture_complaints(picture()) == []


def test_a_crate_missing_in_the_picture_is_named_with_its_layer() -> None:
    (complaint,) = check_layers.picture_complaints(picture().replace("kinetic-scene", ""))
    assert complaint.startswith(f"layer {check_layers.layer_of()['kinetic-scene']}:")
    assert "kinetic-scene" in complaint


def test_a_layer_too_many_in_the_picture_is_named() -> None:
    (complaint,) = check_layers.picture_complaints("    layer 99   kinetic-sky\n" + picture())
    assert complaint.startswith("layer 99: ARCHITECTURE.md shows ['kinetic-sky']")
