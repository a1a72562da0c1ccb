//! Random arms of every class, made from angles and lengths.

use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Manipulator, ProductOfExponentials, Screw, TolerancePolicy};
use kinetic_kinematics::{KinematicChain, Motion, Rigid};
use kinetic_robot::Robot;
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Unit, Vector3};

/// How an axis lies to the one before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Lie {
    Parallel,
    Meets,
    /// Through the point where the two before meet.
    SamePoint,
    Skew,
}

pub(crate) fn unit(rng: &mut SeededRng) -> Vector3<f64> {
    loop {
        let v = Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0));
        if v.norm() > 0.1 && v.norm() < 1.0 {
            return v.normalize();
        }
    }
}

pub(crate) fn vector(rng: &mut SeededRng, size: f64) -> Vector3<f64> {
    unit(rng) * rng.uniform(0.3 * size, size)
}

fn rotation(rng: &mut SeededRng) -> Matrix3<f64> {
    let angle = rng.uniform(-3.0, 3.0);
    Rotation3::from_axis_angle(&Unit::new_normalize(unit(rng)), angle).into_inner()
}

/// An arm whose second and following axes lie as told; lengths below 0.6 m.
pub(crate) fn arm(rng: &mut SeededRng, lies: &[Lie]) -> ProductOfExponentials {
    let mut axes = vec![(unit(rng), vector(rng, 0.3))];
    let mut meeting = axes[0].1;
    for lie in lies {
        let (axis, point) = axes[axes.len() - 1];
        let next = loop {
            let direction = unit(rng);
            // Neither parallel by chance nor so close to it that the arm is nearly of another class.
            if direction.cross(&axis).norm() > 0.3 {
                break direction;
            }
        };
        axes.push(match lie {
            Lie::Parallel => (axis, point + vector(rng, 0.6)),
            Lie::Meets => {
                meeting = point + axis * rng.uniform(-0.4, 0.4);
                (next, meeting)
            }
            Lie::SamePoint => (next, meeting),
            Lie::Skew => {
                let across = axis.cross(&next).normalize() * rng.uniform(0.05, 0.4);
                (next, point + across + axis * rng.uniform(-0.3, 0.3))
            }
        });
    }
    let screws = axes.iter().enumerate().map(|(variable, (axis, point))| {
        // Any point of the line will do: slide it, so that solvers cannot rely on convenient ones.
        let point = point + axis * rng.uniform(-0.2, 0.2);
        Screw { motion: Motion::Rotation, axis: *axis, point, variable }
    });
    let screws: Vec<Screw> = screws.collect();
    let home = Rigid { rotation: rotation(rng), translation: vector(rng, 0.5) };
    ProductOfExponentials::new(screws, home).unwrap()
}

/// An arm as humanoids have them: axes along the coordinate axes, links of some decimetres or none, and an offset of
/// `offset` at every joint that keeps the axes from meeting.
pub(crate) fn right_angled(rng: &mut SeededRng, offset: f64) -> ProductOfExponentials {
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let mut any = |count: usize| rng.below(count);
    let (mut point, mut last) = (Vector3::zeros(), any(3));
    let screw = |variable: usize| {
        last = (last + 1 + any(2)) % 3;
        let screw = Screw { motion: Motion::Rotation, axis: axes[last], point, variable };
        point += axes[any(3)] * [0.0, 0.1, 0.25, 0.35][any(4)] + axes[any(3)] * offset;
        screw
    };
    let screws: Vec<Screw> = (0..6).map(screw).collect();
    ProductOfExponentials::new(screws, Rigid::identity()).unwrap()
}

pub(crate) fn configuration(rng: &mut SeededRng, dof: usize) -> Vec<f64> {
    (0..dof).map(|_| rng.uniform(-std::f64::consts::PI, std::f64::consts::PI)).collect()
}

/// Largest difference of entries.
pub(crate) fn difference(a: &Rigid, b: &Rigid) -> f64 {
    (a.rotation - b.rotation).amax().max((a.translation - b.translation).amax())
}

/// The same arm with another configuration as its zero.
pub(crate) fn at(arm: &ProductOfExponentials, q: &[f64]) -> ProductOfExponentials {
    let mut moved = Rigid::identity();
    let mut screws = Vec::new();
    for screw in arm.screws() {
        screws.push(screw.moved(&moved));
        moved = moved.then(&screw.exp(q[screw.variable]));
    }
    ProductOfExponentials::new(screws, moved.then(arm.home())).unwrap()
}

/// The arm as a robot with endless joints and its tool, so that it comes the way every robot comes.
pub(crate) fn manipulator(arm: &ProductOfExponentials) -> kinetic_core::Result<Manipulator> {
    Manipulator::from_chain(chain(arm), TolerancePolicy::default())
}

pub(crate) fn chain(arm: &ProductOfExponentials) -> KinematicChain {
    chain_within(arm, &[])
}

/// As [`chain`], with position limits; joints beyond their number are endless.
pub(crate) fn chain_within(arm: &ProductOfExponentials, limits: &[(f64, f64)]) -> KinematicChain {
    use std::fmt::Write;
    let mut urdf = String::from(r#"<robot name="random"><link name="l0"/>"#);
    let mut before = Vector3::zeros();
    for (index, screw) in arm.screws().iter().enumerate() {
        let (origin, axis) = (screw.point - before, screw.axis);
        before = screw.point;
        let (kind, limit) = match (limits.get(index), screw.motion) {
            (None, _) => ("continuous", String::new()),
            (Some((low, high)), motion) => (
                if motion == Motion::Rotation { "revolute" } else { "prismatic" },
                format!(r#"<limit lower="{low:?}" upper="{high:?}" effort="1" velocity="1"/>"#),
            ),
        };
        write!(
            urdf,
            r#"<link name="l{}"/><joint name="j{index}" type="{kind}">{limit}<parent link="l{index}"/><child link="l{}"/>
            <origin xyz="{} {} {}"/><axis xyz="{} {} {}"/></joint>"#,
            index + 1,
            index + 1,
            origin.x,
            origin.y,
            origin.z,
            axis.x,
            axis.y,
            axis.z
        )
        .unwrap();
    }
    urdf.push_str("</robot>");
    let robot = Robot::from_urdf_string(&urdf).unwrap();
    let home = arm.home();
    let tool = Rigid { rotation: home.rotation, translation: home.translation - before };
    KinematicChain::extract(&robot, "l0", &format!("l{}", arm.dof())).unwrap().with_tcp(&tool.to_pose())
}

/// Difference of two angles, turns ignored.
pub(crate) fn apart(a: f64, b: f64) -> f64 {
    let turns = (a - b) / std::f64::consts::TAU;
    (turns - turns.round()).abs() * std::f64::consts::TAU
}

pub(crate) fn is_same(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| apart(*a, *b) <= tolerance)
}

/// Geometric Jacobian by columns, from the screws moved along the arm.
pub(crate) fn jacobian(arm: &ProductOfExponentials, q: &[f64]) -> DMatrix<f64> {
    let tip = arm.pose(q).translation;
    let mut moved = Rigid::identity();
    let mut out = DMatrix::zeros(6, arm.dof());
    for (column, screw) in arm.screws().iter().enumerate() {
        let here = screw.moved(&moved);
        out.view_mut((0, column), (3, 1)).copy_from(&here.axis.cross(&(tip - here.point)));
        out.view_mut((3, column), (3, 1)).copy_from(&here.axis);
        moved = moved.then(&screw.exp(q[screw.variable]));
    }
    out
}

/// Least singular value of the Jacobian.
pub(crate) fn conditioning(arm: &ProductOfExponentials, q: &[f64]) -> f64 {
    jacobian(arm, q).singular_values().min()
}

/// All configurations that Newton's method reaches from `starts` random ones: slow and without any idea of the arm.
pub(crate) fn exhaustive(
    arm: &ProductOfExponentials,
    target: &Rigid,
    starts: usize,
    rng: &mut SeededRng,
) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    for _ in 0..starts {
        if let Some(q) = newton(arm, target, configuration(rng, arm.dof()))
            && !found.iter().any(|known| is_same(known, &q, 1e-4))
        {
            found.push(q);
        }
    }
    found
}

fn newton(arm: &ProductOfExponentials, target: &Rigid, mut q: Vec<f64>) -> Option<Vec<f64>> {
    for _ in 0..60 {
        let pose = arm.pose(&q);
        // Sine of the angle times the axis: unlike the logarithm it keeps its digits for small angles. At an angle of π,
        // where it vanishes as well, the cosine tells.
        let between = target.rotation * pose.rotation.transpose();
        let axis = |i: usize, j: usize| 0.5 * (between[(j, i)] - between[(i, j)]);
        let turn = if between.trace() > 0.0 {
            Vector3::new(axis(1, 2), axis(2, 0), axis(0, 1))
        } else {
            Rotation3::from_matrix_unchecked(between).scaled_axis()
        };
        let shift = target.translation - pose.translation;
        let error = DVector::from_iterator(6, shift.iter().chain(turn.iter()).copied());
        if error.norm() < 1e-13 {
            return Some(q);
        }
        let j = jacobian(arm, &q);
        let damping = DMatrix::identity(6, 6) * (1e-3 * error.norm_squared()).max(1e-14);
        let step = (j.tr_mul(&j) + damping).cholesky()?.solve(&j.tr_mul(&error));
        let scale = (0.4 / step.amax()).min(1.0);
        q.iter_mut().zip(step.iter()).for_each(|(q, step)| *q += scale * step);
    }
    None
}
