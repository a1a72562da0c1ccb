//! The kernel model: a collision model in single precision, laid out for SIMD kernels.

pub(crate) mod box_node;
pub(crate) mod cluster;
pub(crate) mod cluster_pair;
mod compile;
pub(crate) mod compound_tree;
pub(crate) mod constant_distance;
mod distance_grid;
pub(crate) mod motion_bound;
pub(crate) mod node_stack;
pub(crate) mod obstacle;
pub(crate) mod obstacle_tree;
pub(crate) mod point_tree;
mod reachable;
pub(crate) mod tree_search;

use std::sync::Arc;

use kinetic_kinematics::Motion;

use crate::distance_table::DistanceTable;
use crate::item::Numbering;
use crate::tolerance::SUM_WIDENING_FACTOR;
use cluster::Cluster;
use cluster_pair::{BodyPair, Candidate, ClusterPair};
use constant_distance::is_set;
use motion_bound::Bounds;
use obstacle::KernelObstacle;
use obstacle_tree::ObstacleTree;

/// A column of a fixed rotation matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    /// A coordinate axis, possibly negated, which needs no multiplication.
    Axis(usize, bool),
    General([f32; 3]),
}

/// A frame with a joint.
#[derive(Debug, Clone)]
pub(crate) struct KernelFrame {
    pub(crate) parent: usize,
    pub(crate) columns: [Column; 3],
    pub(crate) translation: [f32; 3],
    pub(crate) motion: Motion,
    pub(crate) variable: usize,
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
}

/// A joint on the chain to a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ancestor {
    pub(crate) frame: usize,
    pub(crate) variable: usize,
    /// Magnitude of the joint's motion per unit of the variable.
    pub(crate) rate: f32,
    pub(crate) motion: Motion,
    /// Lever arm: bound on the motion of any sphere's centre per unit of the joint, in any configuration, without
    /// prismatic displacement.
    pub(crate) arm: f32,
}

impl Ancestor {
    /// Motion bound by this joint in a box of half-widths `widths`, where prismatic joints displace by at most
    /// `displacement`.
    #[inline(always)]
    pub(crate) fn bound(&self, widths: &[f32], displacement: f32) -> f32 {
        let arm = match self.motion {
            Motion::Translation => self.arm,
            Motion::Rotation => self.rate.mul_add(displacement, self.arm),
        };
        arm * widths[self.variable] * SUM_WIDENING_FACTOR
    }
}

/// In place of the radius of a ball that there is none of: nothing is as near as that.
pub(crate) const NO_BALL: f32 = f32::MIN;

/// A body: bounding spheres in its frame.
#[derive(Debug, Clone)]
pub(crate) struct KernelBody {
    pub(crate) frame: usize,
    pub(crate) center: [f32; 3],
    pub(crate) radius: f32,
    /// Largest distance of a sphere's centre from that of the bounding sphere. Motion bounds need centres only, since
    /// radii do not change.
    pub(crate) swing: f32,
    pub(crate) spheres: Vec<([f32; 3], f32)>,
    /// Index of its first sphere among the spheres of all bodies.
    pub(crate) first_sphere: usize,
    pub(crate) ancestors: Vec<Ancestor>,
    /// Index of its first motion bound among the motion bounds of all bodies.
    pub(crate) first_motion_bound: usize,
    /// Largest required clearance from an obstacle, paddings included.
    pub(crate) margin: f32,
    /// Required clearance per obstacle; empty when it is the same for all.
    pub(crate) margins: Vec<f32>,
    /// Bound on the rounding of a placed point, per metre of `extent`.
    pub(crate) roundoff: f32,
    /// Length of the kinematic chain from the root to its farthest point, without prismatic displacement, m.
    pub(crate) extent: f32,
    /// True when the body is its spheres, not contained in them.
    pub(crate) is_exact: bool,
    /// True when a ball is inside it.
    pub(crate) has_inner_ball: bool,
    /// Index of the tree of obstacles that it is checked against.
    pub(crate) tree: usize,
}

impl KernelBody {
    /// Required clearance from an obstacle, paddings included.
    #[inline(always)]
    pub(crate) fn margin_to(&self, obstacle: u32) -> f32 {
        if self.margins.is_empty() { self.margin } else { self.margins[obstacle as usize] }
    }
}

/// A self-collision pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelPair {
    /// The body with the smaller bounding sphere.
    pub(crate) small: usize,
    pub(crate) large: usize,
    /// Index of each body's motion bound relative to the common frame; `None` for a body that is fixed in it.
    pub(crate) motion_bound_of_small: Option<usize>,
    pub(crate) motion_bound_of_large: Option<usize>,
    pub(crate) margin: f32,
    /// Start in [`KernelModel::meetings`] of the masks, per sphere of the larger body, of the spheres of the smaller
    /// one that it may touch.
    pub(crate) first_meeting: Option<usize>,
    /// Masks of the spheres of each that never come near the other; see [`constant_distance`].
    pub(crate) constant_of_small: u64,
    pub(crate) constant_of_large: u64,
}

impl KernelPair {
    /// Whether a sphere of one body may touch a sphere of the other.
    pub(crate) fn can_meet(&self, meetings: &[u64], (body, index): (u32, usize), other: usize) -> bool {
        let (of_large, of_small) = if self.large == body as usize { (index, other) } else { (other, index) };
        let can_meet = self.first_meeting.is_none_or(|first| is_set(meetings[first + of_large], of_small));
        can_meet && !is_set(self.constant_of_large, of_large) && !is_set(self.constant_of_small, of_small)
    }

    /// Whether all its spheres may touch.
    pub(crate) fn meets_all(&self) -> bool {
        self.first_meeting.is_none() && self.constant_of_large | self.constant_of_small == 0
    }
}

/// The model that all kernels read.
#[derive(Debug, Clone)]
pub(crate) struct KernelModel {
    pub(crate) frames: Vec<KernelFrame>,
    pub(crate) bodies: Vec<KernelBody>,
    pub(crate) pairs: Vec<KernelPair>,
    pub(crate) meetings: Vec<u64>,
    pub(crate) clusters: Vec<Cluster>,
    /// Per body, the index of its cluster.
    pub(crate) cluster_of: Vec<usize>,
    pub(crate) cluster_pairs: Vec<ClusterPair>,
    /// Per cluster pair, its distance table, where there is one.
    pub(crate) distance_tables: Vec<Option<Arc<DistanceTable>>>,
    /// Per cluster pair, the distance of the centres up to which it has to be tested: constant part, and per metre of
    /// prismatic displacement.
    pub(crate) cluster_pair_near: Vec<f32>,
    pub(crate) cluster_pair_per_displacement: Vec<f32>,
    pub(crate) body_pairs: Vec<BodyPair>,
    pub(crate) candidates: Vec<Candidate>,
    /// Spheres that candidates may touch, as indices among the spheres of all bodies, and their radii.
    pub(crate) partners: Vec<u32>,
    pub(crate) partner_radii: Vec<f32>,
    /// Largest number of candidates of a cluster pair.
    pub(crate) max_candidates: usize,
    /// Per self-collision pair, the index of its cluster pair.
    pub(crate) cluster_pair_of: Vec<u32>,
    /// Radii of all spheres.
    pub(crate) radii: Vec<f32>,
    /// Radii of the balls around their centres that are inside the bodies; [`NO_BALL`] where there is none.
    pub(crate) inner_radii: Vec<f32>,
    /// Number of self-collision pairs that have item numbers, including those that are not checked.
    pub(crate) numbered_pairs: usize,
    pub(crate) obstacles: Vec<KernelObstacle>,
    /// Trees of the obstacles that bodies are checked against, each once.
    pub(crate) trees: Vec<Arc<ObstacleTree>>,
    pub(crate) num_spheres: usize,
    pub(crate) num_motion_bounds: usize,
    /// Motion bounds of clusters and cluster pairs.
    pub(crate) bounds: Bounds,
    pub(crate) num_variables: usize,
    /// True when all sizes are small enough for single precision.
    pub(crate) is_representable: bool,
}

impl KernelModel {
    /// The offsets of item numbers.
    #[inline]
    pub(crate) fn numbering(&self) -> Numbering {
        Numbering {
            bodies: self.bodies.len() as u32,
            pairs: self.numbered_pairs as u32,
            obstacles: self.obstacles.len() as u32,
        }
    }
}
