//! Links and joints as they are read, before the frames that they name are known.

use std::collections::BTreeSet;
use std::ops::Range;

use nalgebra::{Unit, Vector3};

use super::frames::{FramePlace, Reference};
use crate::description::{LimitDescription, LinkDescription};
use crate::model::{JointDynamics, JointType};

/// A link whose shapes may stand in frames that are not known yet.
pub(super) struct LinkSource {
    pub(super) frame: usize,
    pub(super) link: LinkDescription,
    /// Frames of visuals and collisions, in their order.
    pub(super) visual_bases: Vec<Reference>,
    pub(super) collision_bases: Vec<Reference>,
}

/// How a joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SdfJointKind {
    Fixed,
    /// About or along one axis.
    One(JointType),
    /// About a first axis, then about a second one that turns with it.
    Two,
    Ball,
}

/// A joint whose frames are not known yet.
pub(super) struct JointSource {
    pub(super) place: FramePlace,
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) kind: SdfJointKind,
    pub(super) frame: usize,
    pub(super) parent: Reference,
    pub(super) child: Reference,
    pub(super) axes: Vec<AxisSource>,
}

/// One axis.
pub(super) struct AxisSource {
    pub(super) direction: Unit<Vector3<f64>>,
    pub(super) expressed_in: Reference,
    pub(super) limits: LimitDescription,
    pub(super) mimic: Option<MimicSource>,
    pub(super) dynamics: JointDynamics,
}

/// A joint that follows an axis of another: `value = multiplier · (leader - reference) + offset`.
pub(super) struct MimicSource {
    pub(super) line: u32,
    pub(super) leader: Reference,
    /// True when the leader's second axis is meant.
    pub(super) second: bool,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// What of everything that was read is in one of the outermost models.
pub(super) struct OutermostModel {
    pub(super) name: String,
    pub(super) links: Range<usize>,
    pub(super) joints: Range<usize>,
    /// True where several bodies that no joint joins stand fixed in the world, instead of being refused.
    pub(super) holds_loose_bodies: bool,
}

impl OutermostModel {
    /// Links to be held in the world, because each would be a root beside another one. `carried`: links that stand at
    /// something else; `is_mounted`: whether that is the world for one of them.
    pub(super) fn loose_bodies(&self, carried: &BTreeSet<usize>, is_mounted: bool) -> Vec<usize> {
        let loose: Vec<usize> = self.links.clone().filter(|link| !carried.contains(link)).collect();
        if self.holds_loose_bodies && (is_mounted || loose.len() > 1) { loose } else { Vec::new() }
    }
}
