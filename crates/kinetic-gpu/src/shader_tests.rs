//! Every text of WGSL passes the validator without any adapter.

use naga::valid::{Capabilities, ValidationFlags, Validator};

fn validate(name: &str, text: &str) {
    let module =
        naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(text)));
    let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    assert!(checked.is_ok(), "{name}: {checked:?}");
}

#[test]
fn all_texts_are_valid_without_an_adapter() {
    validate("batch_fk", &crate::batch_fk::text());
    validate("distance_field", &crate::distance_transform::text());
    validate("fk_collide", &crate::collision::text());
    validate("rnea", &crate::inverse_dynamics::text());
    validate("ik_lm", &crate::batch_ik::text());
    validate("ik_lm in a scene", &crate::batch_ik::text_in_scene());
    validate("trajopt", &crate::trajopt::text());
}

#[test]
fn the_validator_refuses_what_is_wrong() {
    let broken = crate::batch_fk::text().replace("struct Frame", "struct Framed");
    assert!(naga::front::wgsl::parse_str(&broken).is_err());
}
