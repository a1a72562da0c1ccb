//! Tests of kinetic-reactive.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::float_cmp, reason = "what is claimed to be exact is compared exactly")]

mod servo;
mod support;
