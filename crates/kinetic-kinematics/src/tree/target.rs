//! What a Jacobian is about.

use kinetic_core::{KineticError, Pose, Result};

/// Rows of a twist that count: x, y, z of the linear part, then of the angular part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisMask {
    /// Linear rows.
    pub translation: [bool; 3],
    /// Angular rows.
    pub rotation: [bool; 3],
}

impl AxisMask {
    /// All six rows.
    pub const ALL: Self = Self { translation: [true; 3], rotation: [true; 3] };
    /// The linear rows.
    pub const POSITION: Self = Self { translation: [true; 3], rotation: [false; 3] };
    /// The angular rows.
    pub const ROTATION: Self = Self { translation: [false; 3], rotation: [true; 3] };

    /// From axes as text: `""`, `"z"`, `"xy"`, `"xyz"` … for each part.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for other letters, or one that stands twice.
    pub fn parse(translation: &str, rotation: &str) -> Result<Self> {
        Ok(Self { translation: axes(translation)?, rotation: axes(rotation)? })
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.flags().into_iter().filter(|row| *row).count()
    }

    /// One flag per row of a twist.
    pub fn flags(&self) -> [bool; 6] {
        let ([a, b, c], [d, e, f]) = (self.translation, self.rotation);
        [a, b, c, d, e, f]
    }
}

/// Flags of the axes that a text names.
pub(super) fn axes(text: &str) -> Result<[bool; 3]> {
    let mut flags = [false; 3];
    for letter in text.chars() {
        match ['x', 'y', 'z'].iter().position(|axis| *axis == letter) {
            Some(axis) if !flags[axis] => flags[axis] = true,
            _ => return Err(KineticError::invalid("axes", format!("\"{text}\""), "letters of \"xyz\", each once")),
        }
    }
    Ok(flags)
}

/// The axes in which a twist is expressed; its linear part is always that of the target's origin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Expressed {
    /// Those of the robot's root.
    #[default]
    Root,
    /// The target's own.
    Target,
    /// Those of a link, by name.
    Link(String),
}

/// A frame that is to be moved.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveTarget {
    /// Name of the link that carries it.
    pub link: String,
    /// Where on the link it is.
    pub link_from_target: Pose,
    /// Rows that count.
    pub rows: AxisMask,
    /// Axes of the rows.
    pub expressed: Expressed,
}

impl MoveTarget {
    /// The link's own frame, all rows, expressed in the root.
    pub fn new(link: impl Into<String>) -> Self {
        Self {
            link: link.into(),
            link_from_target: Pose::identity(),
            rows: AxisMask::ALL,
            expressed: Expressed::default(),
        }
    }

    /// Beside the link's origin: a tool.
    #[must_use]
    pub fn with_offset(mut self, link_from_target: Pose) -> Self {
        self.link_from_target = link_from_target;
        self
    }

    /// With these rows only.
    #[must_use]
    pub fn with_rows(mut self, rows: AxisMask) -> Self {
        self.rows = rows;
        self
    }

    /// Expressed in these axes.
    #[must_use]
    pub fn expressed_in(mut self, axes: Expressed) -> Self {
        self.expressed = axes;
        self
    }
}
