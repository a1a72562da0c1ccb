//! First-order distance bounds of the spheres of two clusters over a box of joint angles.

use std::ops::Range;

use kinetic_kinematics::Rigid;
use nalgebra::Vector3;

use super::MAX_TABLE_JOINTS;
use super::cells::{CellBox, Cells, Plane};
use super::jointed_clusters::JointedClusters;
use crate::tolerance::ANGLE_ROUNDING_RAD;

/// A sphere of the first cluster and one of the second.
pub(crate) type SpherePair = (u32, u32);

/// A placed sphere.
#[derive(Debug, Clone, Copy, Default)]
struct PlacedSphere {
    /// Number of the box for which it was placed.
    step: u32,
    center: Vector3<f64>,
    /// Bound on its motion.
    moved: f64,
    /// Bound on the deviation of its motion from a linear one.
    bent: f64,
}

/// The distance of two spheres over a box of angles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distance {
    pub(crate) pair: SpherePair,
    /// Its tangent plane in the middle.
    pub(crate) plane: Plane,
    /// Bounds on how far the distance lies below the plane, and above.
    pub(crate) below: f64,
    pub(crate) above: f64,
}

/// All spheres, placed in the middle of a box of angles.
pub(crate) struct PlacedClusters<'a> {
    jointed: &'a JointedClusters,
    /// Axis and origin of every joint, those of the first cluster first.
    joints: Vec<(Vector3<f64>, Vector3<f64>)>,
    poses: [Rigid; 2],
    half: Vec<f64>,
    /// Per joint, the sum of the half-widths of the joints of its chain that are nearer to the root.
    inner: Vec<f64>,
    spheres: [Vec<PlacedSphere>; 2],
    step: u32,
}

impl<'a> PlacedClusters<'a> {
    pub(crate) fn new(jointed: &'a JointedClusters) -> Self {
        let [first, second] = &jointed.chains;
        let joints = first.joints.len() + second.joints.len();
        Self {
            joints: vec![(Vector3::zeros(), Vector3::zeros()); joints],
            poses: [Rigid::identity(); 2],
            half: vec![0.0; joints],
            inner: vec![0.0; joints],
            spheres: [
                vec![PlacedSphere::default(); first.spheres.len()],
                vec![PlacedSphere::default(); second.spheres.len()],
            ],
            step: 0,
            jointed,
        }
    }

    /// Places the joints in the middle of a box; spheres are placed when they are needed.
    pub(crate) fn place(&mut self, cells: &Cells, cell_box: &CellBox) {
        self.step += 1;
        let mut index = 0;
        for (chain, pose) in self.jointed.chains.iter().zip(&mut self.poses) {
            *pose = Rigid::identity();
            let mut inner = 0.0;
            for joint in &chain.joints {
                let (middle, half) = cells.extent(cell_box, index);
                (self.half[index], self.inner[index]) = (half + ANGLE_ROUNDING_RAD, inner);
                inner += half + ANGLE_ROUNDING_RAD;
                let at_zero = pose.then(&joint.pose);
                self.joints[index] = (at_zero.rotation.column(2).into_owned(), at_zero.translation);
                *pose = at_zero.rotated_z(middle);
                index += 1;
            }
        }
    }

    /// Indices of the joints of a cluster.
    fn joints_of(&self, chain: usize) -> Range<usize> {
        let of_first = self.jointed.chains[0].joints.len();
        if chain == 0 { 0..of_first } else { of_first..self.joints.len() }
    }

    fn sphere(&mut self, chain: usize, index: u32) -> PlacedSphere {
        let known = self.spheres[chain][index as usize];
        if known.step == self.step {
            return known;
        }
        let center = self.poses[chain].point(&self.jointed.chains[chain].spheres[index as usize].0);
        let (mut moved, mut bent) = (0.0, 0.0);
        for outer in self.joints_of(chain).rev() {
            let (axis, origin) = &self.joints[outer];
            let arm = axis.cross(&(center - origin)).norm() + moved;
            bent += arm * self.half[outer] * (0.5 * self.half[outer] + self.inner[outer]);
            moved += arm * self.half[outer];
        }
        let sphere = PlacedSphere { step: self.step, center, moved, bent };
        self.spheres[chain][index as usize] = sphere;
        sphere
    }

    /// The distance of two spheres in the middle, and a bound on its change in the box.
    pub(crate) fn distance(&mut self, (first, second): SpherePair) -> (f64, f64) {
        let (a, b) = (self.sphere(0, first), self.sphere(1, second));
        let radii =
            self.jointed.chains[0].spheres[first as usize].1 + self.jointed.chains[1].spheres[second as usize].1;
        ((a.center - b.center).norm() - radii, a.moved + b.moved)
    }

    /// Tangent plane of the distance of two spheres, with error bounds.
    pub(crate) fn tangent(&mut self, pair: SpherePair) -> Distance {
        let (middle, moved) = self.distance(pair);
        let (a, b) = (self.sphere(0, pair.0), self.sphere(1, pair.1));
        let apart = a.center - b.center;
        let length = apart.norm().max(f64::MIN_POSITIVE);
        let mut slopes = [0.0; MAX_TABLE_JOINTS];
        for (chain, (center, sign)) in [(a.center, 1.0), (b.center, -1.0)].into_iter().enumerate() {
            for joint in self.joints_of(chain) {
                let (axis, origin) = &self.joints[joint];
                slopes[joint] = sign / length * apart.dot(&axis.cross(&(center - origin)));
            }
        }
        let below = a.bent + b.bent;
        Distance { pair, plane: Plane { middle, slopes }, below, above: below + 0.5 * moved * moved / length }
    }

    /// Largest difference in the box of two planes that are equal in the middle.
    pub(crate) fn difference(&self, slopes: &[f64; MAX_TABLE_JOINTS], others: &[f64; MAX_TABLE_JOINTS]) -> f64 {
        self.half.iter().enumerate().map(|(axis, half)| (slopes[axis] - others[axis]).abs() * half).sum()
    }
}
