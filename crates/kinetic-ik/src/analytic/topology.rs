//! Topology of the axes of an arm: parallel and intersecting axes, which decide the class of the arm.

use std::fmt;

use kinetic_kinematics::Motion;
use nalgebra::{Matrix3, Vector3};

use super::poe::{ProductOfExponentials, Screw};
use super::policy::TolerancePolicy;

/// Relation of two consecutive axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relation {
    /// Same direction; `distance` between the lines, m.
    Parallel {
        /// Between the lines, m; not above the tolerance when the axes are one line.
        distance: f64,
    },
    /// The lines meet.
    Intersecting {
        /// The intersection point at zero in the base frame, m.
        point: Vector3<f64>,
    },
    /// Neither.
    Skew {
        /// Between the lines, m.
        distance: f64,
        /// Between the directions, rad, in [0, π/2].
        angle: f64,
    },
    /// One of the two slides and the directions differ, so that distances between lines say nothing.
    Sliding {
        /// Between the directions, rad, in [0, π/2].
        angle: f64,
    },
}

/// Two consecutive joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The first of the two, an index into the screws; the other one follows it.
    pub first: usize,
    /// Relation of the axes.
    pub relation: Relation,
    /// Misfit: sine of the angle for parallel axes, distance of the lines (m) for others.
    pub residual: f64,
}

/// Three consecutive axes through one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonPoint {
    /// The first of the three, an index into the screws.
    pub first: usize,
    /// The point, at zero in the base frame, m.
    pub point: Vector3<f64>,
    /// Largest distance of one of the axes from it, m.
    pub residual: f64,
}

/// Report on consecutive axes. None of it depends on the configuration at which it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// Consecutive pairs, base first.
    pub pairs: Vec<Pair>,
    /// Consecutive triples through one point, base first.
    pub common_points: Vec<CommonPoint>,
}

impl Topology {
    /// Reads the relations off the screws.
    pub fn of(arm: &ProductOfExponentials, policy: &TolerancePolicy) -> Self {
        let screws = arm.screws();
        let pairs = screws
            .windows(2)
            .enumerate()
            .map(|(first, two)| {
                let (relation, residual) = relate(&two[0], &two[1], policy);
                Pair { first, relation, residual }
            })
            .collect();
        let common_points = screws
            .windows(3)
            .enumerate()
            .filter_map(|(first, three)| common_point(three, policy).map(|(point, residual)| (first, point, residual)))
            .map(|(first, point, residual)| CommonPoint { first, point, residual })
            .collect();
        Self { pairs, common_points }
    }

    /// True when axes `first` and `first + 1` are parallel and not one line.
    pub fn is_parallel(&self, first: usize) -> bool {
        matches!(self.pairs[first].relation, Relation::Parallel { .. })
    }

    /// Intersection point of axes `first` and `first + 1`.
    pub fn intersection(&self, first: usize) -> Option<Vector3<f64>> {
        match self.pairs[first].relation {
            Relation::Intersecting { point } => Some(point),
            _ => None,
        }
    }

    /// The point that axes `first` to `first + 2` share.
    pub fn common_point(&self, first: usize) -> Option<Vector3<f64>> {
        self.common_points.iter().find(|common| common.first == first).map(|common| common.point)
    }
}

/// One line per fact; joints are counted from 1, as in data sheets.
impl fmt::Display for Topology {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for pair in &self.pairs {
            let (a, b) = (pair.first + 1, pair.first + 2);
            match pair.relation {
                Relation::Parallel { distance } => {
                    writeln!(out, "axes {a} and {b} are parallel, {distance:.6} m apart (sine {:.1e})", pair.residual)?;
                }
                Relation::Intersecting { .. } => {
                    writeln!(out, "axes {a} and {b} intersect (distance {:.1e} m)", pair.residual)?;
                }
                Relation::Skew { distance, angle } => {
                    let angle = angle.to_degrees();
                    writeln!(out, "axes {a} and {b} are skew: {distance:.6} m, {angle:.3} degrees")?;
                }
                Relation::Sliding { angle } => {
                    writeln!(out, "axes {a} and {b}: one slides, {:.3} degrees", angle.to_degrees())?;
                }
            }
        }
        for common in &self.common_points {
            let (a, c) = (common.first + 1, common.first + 3);
            writeln!(out, "axes {a} to {c} share a point (distance {:.1e} m)", common.residual)?;
        }
        Ok(())
    }
}

fn relate(a: &Screw, b: &Screw, policy: &TolerancePolicy) -> (Relation, f64) {
    let normal = a.axis.cross(&b.axis);
    let sine = normal.norm();
    let between = b.point - a.point;
    let angle = sine.atan2(a.axis.dot(&b.axis).abs());
    if sine <= policy.axis_parallel {
        let distance = (between - a.axis * a.axis.dot(&between)).norm();
        return (Relation::Parallel { distance }, sine);
    }
    if a.motion == Motion::Translation || b.motion == Motion::Translation {
        return (Relation::Sliding { angle }, 0.0);
    }
    let distance = between.dot(&normal).abs() / sine;
    if sine > INTERSECTING_LINES_SINE && distance <= policy.axis_intersect {
        return (Relation::Intersecting { point: nearest_point(&[*a, *b]) }, distance);
    }
    (Relation::Skew { distance, angle }, distance)
}

fn common_point(three: &[Screw], policy: &TolerancePolicy) -> Option<(Vector3<f64>, f64)> {
    let turning = three.iter().all(|screw| screw.motion == Motion::Rotation);
    let parallel = policy.axis_parallel.max(INTERSECTING_LINES_SINE);
    let are_parallel = |two: &[Screw]| two[0].axis.cross(&two[1].axis).norm() <= parallel;
    if !turning || three.windows(2).any(are_parallel) {
        return None;
    }
    let point = nearest_point(three);
    let residual = three.iter().map(|screw| distance(screw, &point)).fold(0.0, f64::max);
    (residual <= policy.axis_intersect).then_some((point, residual))
}

/// Sine from which lines that meet do so in a place that is near and well determined. Axes that rounding keeps from being
/// parallel meet, too, hundreds of kilometres away.
const INTERSECTING_LINES_SINE: f64 = 1e-3;

/// Distance of a point from an axis, m.
pub(crate) fn distance(screw: &Screw, point: &Vector3<f64>) -> f64 {
    (point - screw.point).cross(&screw.axis).norm()
}

/// The point with the least sum of squared distances from axes that are not all parallel.
pub(crate) fn nearest_point(screws: &[Screw]) -> Vector3<f64> {
    let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for screw in screws {
        let across = Matrix3::identity() - screw.axis * screw.axis.transpose();
        normal += across;
        // Relative to the first point, so that far-away arms lose no digits.
        right += across * (screw.point - screws[0].point);
    }
    normal.lu().solve(&right).map_or(screws[0].point, |offset| screws[0].point + offset)
}
