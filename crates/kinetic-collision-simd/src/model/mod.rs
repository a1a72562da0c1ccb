//! The kernel model: a collision model in single precision, laid out for SIMD kernels.

pub(crate) mod cluster;
pub(crate) mod cluster_pair;
mod compile;
pub(crate) mod compound_tree;
pub(crate) mod constant_distance;
pub(crate) mod motion_bound;
pub(crate) mod obstacle;
pub(crate) mod obstacle_tree;
mod reachable;

use std::sync::Arc;

use kinetic_kinematics::Motion;

use crate::distance_table::DistanceTable;
use crate::item::Numbering;
use cluster::Cluster;
use cluster_pair::{BodyPair, Candidate, ClusterPair};
use constant_distance::is_set;
use motion_bound::Bounds;
use obstacle::KernelObstacle;
use obstacle_tree::ObstacleTree;

/// A column of a constant rotation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    /// A coordinate axis, perhaps negated: nothing to multiply.
    Axis(usize, bool),
    General([f32; 3]),
}

/// A moving frame.
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

/// A joint above a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ancestor {
    pub(crate) frame: usize,
    pub(crate) variable: usize,
    /// Magnitude of the joint's motion per unit of the variable.
    pub(crate) rate: f32,
    pub(crate) motion: Motion,
    /// Bound on how far the centre of any sphere moves per unit of the joint, in any configuration; slides not counted.
    pub(crate) arm: f32,
}

impl Ancestor {
    /// Bound on the motion by this joint in a box of half-widths `widths`, where slides carry at most `slide`.
    #[inline(always)]
    pub(crate) fn bound(&self, widths: &[f32], slide: f32) -> f32 {
        let arm = match self.motion {
            Motion::Translation => self.arm,
            Motion::Rotation => self.rate.mul_add(slide, self.arm),
        };
        // Wider by more than the rounding of sums.
        arm * widths[self.variable] * (1.0 + 1e-5)
    }
}

/// A body: balls in the frame that carries it.
#[derive(Debug, Clone)]
pub(crate) struct KernelBody {
    pub(crate) frame: usize,
    pub(crate) center: [f32; 3],
    pub(crate) radius: f32,
    /// Largest distance of a sphere's centre from that of the ball. Spheres move as their centres do.
    pub(crate) swing: f32,
    pub(crate) spheres: Vec<([f32; 3], f32)>,
    /// Index of its first sphere among those of all bodies.
    pub(crate) first_sphere: usize,
    pub(crate) ancestors: Vec<Ancestor>,
    /// Index of its first motion bound among those of all bodies.
    pub(crate) first_motion_bound: usize,
    /// Largest margin towards the world, paddings included.
    pub(crate) margin: f32,
    /// Per obstacle the margin, when they differ.
    pub(crate) margins: Vec<f32>,
    /// Rounding of a placed point, per metre of `extent`.
    pub(crate) roundoff: f32,
    /// Length of the way from the root to its farthest point, slides not counted, m.
    pub(crate) extent: f32,
    /// Its spheres are the body, not more than it.
    pub(crate) is_exact: bool,
    /// The tree of the obstacles it must keep clear of.
    pub(crate) tree: usize,
}

impl KernelBody {
    /// Margin towards an obstacle, paddings included.
    #[inline(always)]
    pub(crate) fn margin_to(&self, obstacle: u32) -> f32 {
        if self.margins.is_empty() { self.margin } else { self.margins[obstacle as usize] }
    }
}

/// Two bodies of the robot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelPair {
    /// The one with the smaller ball.
    pub(crate) small: usize,
    pub(crate) large: usize,
    /// Index of each one's motion bound below the common frame; `None` when it does not move against it.
    pub(crate) motion_bound_of_small: Option<usize>,
    pub(crate) motion_bound_of_large: Option<usize>,
    pub(crate) margin: f32,
    /// Where [`KernelModel::meetings`] says, per sphere of the larger one, which of the smaller one it can meet: bit `i` is
    /// set for sphere `i`.
    pub(crate) first_meeting: Option<usize>,
    /// Spheres of each that never come near the other; see [`constant_distance`].
    pub(crate) constant_of_small: u64,
    pub(crate) constant_of_large: u64,
}

impl KernelPair {
    /// Whether a sphere of one body, and another one of the other body, can come near each other.
    pub(crate) fn can_meet(&self, meetings: &[u64], (body, index): (u32, usize), other: usize) -> bool {
        let (of_large, of_small) = if self.large == body as usize { (index, other) } else { (other, index) };
        let can_meet = self.first_meeting.is_none_or(|first| is_set(meetings[first + of_large], of_small));
        can_meet && !is_set(self.constant_of_large, of_large) && !is_set(self.constant_of_small, of_small)
    }

    /// Whether nothing is known about its spheres.
    pub(crate) fn meets_all(&self) -> bool {
        self.first_meeting.is_none() && self.constant_of_large | self.constant_of_small == 0
    }
}

/// Everything the kernel reads.
#[derive(Debug, Clone)]
pub(crate) struct KernelModel {
    pub(crate) frames: Vec<KernelFrame>,
    pub(crate) bodies: Vec<KernelBody>,
    pub(crate) pairs: Vec<KernelPair>,
    pub(crate) meetings: Vec<u64>,
    pub(crate) clusters: Vec<Cluster>,
    /// Per body its cluster.
    pub(crate) cluster_of: Vec<usize>,
    pub(crate) cluster_pairs: Vec<ClusterPair>,
    /// Per cluster pair a table of what its clusters keep from each other, where there is one.
    pub(crate) distance_tables: Vec<Option<Arc<DistanceTable>>>,
    /// Of every cluster pair, the distance of the centres below which something may be near: fixed, and per metre of slides.
    pub(crate) cluster_pair_near: Vec<f32>,
    pub(crate) cluster_pair_per_slide: Vec<f32>,
    pub(crate) body_pairs: Vec<BodyPair>,
    pub(crate) candidates: Vec<Candidate>,
    /// Spheres that candidates can meet, among those of all bodies, and their radii.
    pub(crate) partners: Vec<u32>,
    pub(crate) partner_radii: Vec<f32>,
    /// Of one cluster pair.
    pub(crate) most_candidates: usize,
    /// Per pair its cluster pair.
    pub(crate) cluster_pair_of: Vec<u32>,
    /// Radii of all spheres.
    pub(crate) radii: Vec<f32>,
    /// Pairs that have item numbers, those that are not checked too.
    pub(crate) numbered_pairs: usize,
    pub(crate) obstacles: Vec<KernelObstacle>,
    /// Trees of obstacles that bodies keep clear of, each once.
    pub(crate) trees: Vec<Arc<ObstacleTree>>,
    pub(crate) num_spheres: usize,
    pub(crate) num_motion_bounds: usize,
    /// Of the motions of clusters and cluster pairs.
    pub(crate) bounds: Bounds,
    pub(crate) num_variables: usize,
    /// All sizes are small enough for single precision.
    pub(crate) is_representable: bool,
}

impl KernelModel {
    /// What item numbers mean.
    #[inline]
    pub(crate) fn numbering(&self) -> Numbering {
        Numbering {
            bodies: self.bodies.len() as u32,
            pairs: self.numbered_pairs as u32,
            obstacles: self.obstacles.len() as u32,
        }
    }
}
