//! Shapes of links in robot documents.

use kinetic_core::shape::ShapeRecord;
use kinetic_core::{KineticError, Result, Shape};
use serde::{Deserialize, Serialize};

/// Kinds of shapes that links have.
const KINDS: [&str; 6] = ["sphere", "box", "cylinder", "capsule", "convex", "mesh"];

/// The record of a shape that a link may have.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct LinkShape(ShapeRecord);

impl LinkShape {
    pub(super) fn of(shape: &Shape) -> Result<Self> {
        let record = ShapeRecord::of(shape);
        check(&record.kind)?;
        Ok(Self(record))
    }

    pub(super) fn shape(&self) -> Result<Shape> {
        check(self.0.check_kind()?)?;
        self.0.shape()
    }
}

fn check(kind: &str) -> Result<()> {
    if KINDS.contains(&kind) {
        return Ok(());
    }
    Err(KineticError::invalid("shape of a link", kind, format!("a shape that robots have: {}", KINDS.join(", "))))
}
