//! Spheres of two clusters in the middle of a part of the angles between them, and what the part can change of them.

use std::ops::Range;

use kinetic_kinematics::Rigid;
use nalgebra::Vector3;

use super::MOST_JOINTS;
use super::cells::{Cells, Part, Plane};
use super::jointed_clusters::JointedClusters;

/// Room around cells for the rounding of angles and places, rad.
pub(crate) const ROOM: f64 = 1e-5;

/// Two spheres, the first and the second one.
pub(crate) type Pair = (u32, u32);

/// A sphere.
#[derive(Debug, Clone, Copy, Default)]
struct Sphere {
    /// Of which part.
    step: u32,
    center: Vector3<f64>,
    /// Bound on its motion.
    moved: f64,
    /// Bound on how far its motion is from a linear one.
    bent: f64,
}

/// The distance of two spheres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distance {
    pub(crate) pair: Pair,
    /// The plane that touches it in the middle.
    pub(crate) plane: Plane,
    /// Bounds on how far it lies below the plane, and above.
    pub(crate) below: f64,
    pub(crate) above: f64,
}

/// All of them.
pub(crate) struct Placed<'a> {
    between: &'a JointedClusters,
    /// Axis and origin of every joint, first those of the first end.
    joints: Vec<(Vector3<f64>, Vector3<f64>)>,
    poses: [Rigid; 2],
    half: Vec<f64>,
    /// Per joint the half-widths of those of its end that are nearer to the root.
    inner: Vec<f64>,
    spheres: [Vec<Sphere>; 2],
    step: u32,
}

impl<'a> Placed<'a> {
    pub(crate) fn new(between: &'a JointedClusters) -> Self {
        let [first, second] = &between.ends;
        let joints = first.joints.len() + second.joints.len();
        Self {
            joints: vec![(Vector3::zeros(), Vector3::zeros()); joints],
            poses: [Rigid::identity(); 2],
            half: vec![0.0; joints],
            inner: vec![0.0; joints],
            spheres: [vec![Sphere::default(); first.spheres.len()], vec![Sphere::default(); second.spheres.len()]],
            step: 0,
            between,
        }
    }

    /// Places the joints in the middle of a part; spheres are placed when they are asked for.
    pub(crate) fn place(&mut self, cells: &Cells, part: &Part) {
        self.step += 1;
        let mut index = 0;
        for (end, pose) in self.between.ends.iter().zip(&mut self.poses) {
            *pose = Rigid::identity();
            let mut inner = 0.0;
            for turn in &end.joints {
                let (middle, half) = cells.extent(part, index);
                (self.half[index], self.inner[index]) = (half + ROOM, inner);
                inner += half + ROOM;
                let at_zero = pose.then(&turn.pose);
                self.joints[index] = (at_zero.rotation.column(2).into_owned(), at_zero.translation);
                *pose = at_zero.rotated_z(middle);
                index += 1;
            }
        }
    }

    /// The joints of an end.
    fn joints_of(&self, end: usize) -> Range<usize> {
        let of_first = self.between.ends[0].joints.len();
        if end == 0 { 0..of_first } else { of_first..self.joints.len() }
    }

    fn sphere(&mut self, end: usize, index: u32) -> Sphere {
        let known = self.spheres[end][index as usize];
        if known.step == self.step {
            return known;
        }
        let center = self.poses[end].point(&self.between.ends[end].spheres[index as usize].0);
        let (mut moved, mut bent) = (0.0, 0.0);
        for outer in self.joints_of(end).rev() {
            let (axis, origin) = &self.joints[outer];
            let arm = axis.cross(&(center - origin)).norm() + moved;
            bent += arm * self.half[outer] * (0.5 * self.half[outer] + self.inner[outer]);
            moved += arm * self.half[outer];
        }
        let sphere = Sphere { step: self.step, center, moved, bent };
        self.spheres[end][index as usize] = sphere;
        sphere
    }

    /// The distance of two spheres in the middle, and what the part can change of it.
    pub(crate) fn distance(&mut self, (first, second): Pair) -> (f64, f64) {
        let (a, b) = (self.sphere(0, first), self.sphere(1, second));
        let radii = self.between.ends[0].spheres[first as usize].1 + self.between.ends[1].spheres[second as usize].1;
        ((a.center - b.center).norm() - radii, a.moved + b.moved)
    }

    /// How the distance of two spheres changes.
    pub(crate) fn course(&mut self, pair: Pair) -> Distance {
        let (middle, moved) = self.distance(pair);
        let (a, b) = (self.sphere(0, pair.0), self.sphere(1, pair.1));
        let apart = a.center - b.center;
        let length = apart.norm().max(f64::MIN_POSITIVE);
        let mut slopes = [0.0; MOST_JOINTS];
        for (end, (center, sign)) in [(a.center, 1.0), (b.center, -1.0)].into_iter().enumerate() {
            for joint in self.joints_of(end) {
                let (axis, origin) = &self.joints[joint];
                slopes[joint] = sign / length * apart.dot(&axis.cross(&(center - origin)));
            }
        }
        let below = a.bent + b.bent;
        Distance { pair, plane: Plane { middle, slopes }, below, above: below + 0.5 * moved * moved / length }
    }

    /// What two planes that are equal in the middle can differ in the part.
    pub(crate) fn difference(&self, slopes: &[f64; MOST_JOINTS], others: &[f64; MOST_JOINTS]) -> f64 {
        self.half.iter().enumerate().map(|(axis, half)| (slopes[axis] - others[axis]).abs() * half).sum()
    }
}
