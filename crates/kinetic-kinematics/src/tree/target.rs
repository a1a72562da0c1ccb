//! Jacobian targets: frames on links, with masks and reference axes.

use kinetic_core::{AxisMask, Pose};

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
    /// Position on the link.
    pub link_from_target: Pose,
    /// Linear rows that count.
    pub translation: AxisMask,
    /// Angular rows that count.
    pub rotation: AxisMask,
    /// Axes of the rows.
    pub expressed: Expressed,
}

impl MoveTarget {
    /// The link's own frame, all rows, expressed in the root.
    pub fn new(link: impl Into<String>) -> Self {
        Self {
            link: link.into(),
            link_from_target: Pose::identity(),
            translation: AxisMask::ALL,
            rotation: AxisMask::ALL,
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
    pub fn with_rows(mut self, translation: AxisMask, rotation: AxisMask) -> Self {
        (self.translation, self.rotation) = (translation, rotation);
        self
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.translation.count() + self.rotation.count()
    }

    /// Expressed in these axes.
    #[must_use]
    pub fn expressed_in(mut self, axes: Expressed) -> Self {
        self.expressed = axes;
        self
    }
}
