//! Masks of constrained axes, and axes by name.

use std::str::FromStr;

use nalgebra::Vector3;

use crate::constraint::Axis;
use crate::error::{KineticError, Result};

/// The axes that are constrained; the others are free. It means the same wherever a mask is taken: for positions the
/// coordinates that must agree, for rotations the components of the rotation vector that must vanish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AxisMask(pub [bool; 3]);

impl AxisMask {
    /// All three axes.
    pub const ALL: Self = Self([true; 3]);
    /// No axis.
    pub const NONE: Self = Self([false; 3]);

    /// True when `axis` (0, 1 or 2) is constrained.
    #[inline]
    pub fn has(self, axis: usize) -> bool {
        self.0[axis]
    }

    /// Number of constrained axes.
    pub fn count(self) -> usize {
        self.0.iter().filter(|constrained| **constrained).count()
    }

    /// The same vector with 0 on the free axes.
    #[must_use]
    pub fn apply(self, vector: &Vector3<f64>) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| if self.0[axis] { vector[axis] } else { 0.0 })
    }
}

impl Default for AxisMask {
    fn default() -> Self {
        Self::ALL
    }
}

impl From<bool> for AxisMask {
    fn from(all: bool) -> Self {
        if all { Self::ALL } else { Self::NONE }
    }
}

impl FromStr for AxisMask {
    type Err = KineticError;

    /// Letters of the constrained axes, each at most once, in any order: `"x"`, `"xy"`, `"zx"`; `""` is no axis.
    fn from_str(letters: &str) -> Result<Self> {
        let mut mask = Self::NONE;
        for letter in letters.chars() {
            let axis = "xyz".find(letter).filter(|axis| !mask.0[*axis]);
            let wanted = "letters of the constrained axes, each once: \"x\", \"xy\", \"xyz\"";
            let axis = axis.ok_or_else(|| KineticError::invalid("axis mask", format!("\"{letters}\""), wanted))?;
            mask.0[axis] = true;
        }
        Ok(mask)
    }
}

impl Axis {
    /// The unit vector along the axis.
    pub fn unit(self) -> Vector3<f64> {
        Vector3::ith(self.index(), 1.0)
    }
}

impl FromStr for Axis {
    type Err = KineticError;

    /// `"x"`, `"y"` or `"z"`.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "x" => Ok(Self::X),
            "y" => Ok(Self::Y),
            "z" => Ok(Self::Z),
            _ => Err(KineticError::unknown_name("axis", name, ["x", "y", "z"])),
        }
    }
}
