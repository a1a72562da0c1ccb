//! Random trees with masses, and random states.

use std::fmt::Write;

use kinetic_core::rng::SeededRng;
use kinetic_dynamics::DynamicsModel;
use kinetic_robot::Robot;

/// A tree of joints of every kind about skew and right-angled axes, with or without followers; every link that a moving
/// joint carries has a mass.
pub(crate) fn random_tree(rng: &mut SeededRng, follow: bool) -> Robot {
    // Columns of the mass matrix fill up to five registers of four.
    let count = 3 + rng.below(18);
    let mut text = String::from("<robot name=\"tree\"><link name=\"l0\"/>");
    let mut leaders: Vec<usize> = Vec::new();
    for index in 1..=count {
        let kind = ["revolute", "prismatic", "continuous", "fixed"][if index == 1 { 0 } else { rng.below(4) }];
        let mut mimic = String::new();
        if kind != "fixed" {
            if follow && !leaders.is_empty() && rng.below(3) == 0 {
                let leader = leaders[rng.below(leaders.len())];
                mimic = format!("<mimic joint=\"j{leader}\" multiplier=\"-0.7\" offset=\"0.1\"/>");
            } else {
                leaders.push(index);
            }
        }
        let parent = rng.below(index);
        write!(text, "<link name=\"l{index}\">{}</link>", inertial(rng)).unwrap();
        write!(text, "<joint name=\"j{index}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{index}\"/>")
            .unwrap();
        write!(text, "{}{mimic}<limit lower=\"-3\" upper=\"3\" velocity=\"1\" effort=\"1\"/></joint>", placement(rng))
            .unwrap();
    }
    Robot::from_urdf_string(&(text + "</robot>")).unwrap()
}

/// Origin, axis and resistance of a joint.
fn placement(rng: &mut SeededRng) -> String {
    let mut number = || rng.uniform(-1.0, 1.0);
    let (mut xyz, mut rpy) = ([number(), number(), number()], [number() * 3.0, number() * 3.0, number() * 3.0]);
    let skew = [number(), number(), number() + 1.5];
    let axis = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0], skew][rng.below(4)];
    if rng.below(2) == 0 {
        rpy = rpy.map(|_| rng.below(4) as f64 * std::f64::consts::FRAC_PI_2);
        xyz = xyz.map(|length| if rng.below(2) == 0 { length } else { 0.0 });
    }
    let (damping, friction) = (rng.uniform(0.0, 0.5), rng.uniform(0.0, 0.5));
    format!(
        "<origin xyz=\"{} {} {}\" rpy=\"{} {} {}\"/><axis xyz=\"{} {} {}\"/><dynamics damping=\"{damping}\" friction=\"{friction}\"/>",
        xyz[0], xyz[1], xyz[2], rpy[0], rpy[1], rpy[2], axis[0], axis[1], axis[2]
    )
}

/// Of a box somewhere.
fn inertial(rng: &mut SeededRng) -> String {
    let mut number = || rng.uniform(0.1, 1.0);
    let (mass, a, b, c) = (number(), number(), number(), number());
    let (x, y, z) = (number() - 0.5, number() - 0.5, number() - 0.5);
    format!(
        "<inertial><origin xyz=\"{x} {y} {z}\" rpy=\"{a} {b} {c}\"/><mass value=\"{mass}\"/>\
         <inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>",
        mass * (b + c) / 12.0,
        mass * (a + c) / 12.0,
        mass * (a + b) / 12.0
    )
}

/// A model, a state and its random numbers.
pub(crate) struct Case {
    pub(crate) model: DynamicsModel,
    pub(crate) robot: Robot,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    pub(crate) rng: SeededRng,
}

impl Case {
    /// Over all joints but some of a random tree. Half of the trees have joints that follow.
    pub(crate) fn new(seed: u64) -> Self {
        Self::with_followers(seed, seed % 2 == 1)
    }

    pub(crate) fn with_followers(seed: u64, follow: bool) -> Self {
        let mut rng = SeededRng::new(seed);
        let mut robot = random_tree(&mut rng, follow);
        for joint in &mut robot.joints {
            joint.dynamics.armature = rng.uniform(0.0, 0.2);
        }
        let held: Vec<f64> = (0..robot.num_variables()).map(|_| rng.uniform(-2.0, 2.0)).collect();
        let mut variables: Vec<usize> = (0..robot.num_variables()).rev().filter(|_| rng.below(5) != 0).collect();
        if variables.is_empty() {
            variables.push(0);
        }
        let gravity = nalgebra::Vector3::new(rng.uniform(-3.0, 3.0), rng.uniform(-3.0, 3.0), -9.81);
        let model = DynamicsModel::new(&robot, &variables, &held).unwrap().with_gravity(gravity).unwrap();
        let mut vector = || (0..variables.len()).map(|_| rng.uniform(-2.0, 2.0)).collect();
        let (q, v, a) = (vector(), vector(), vector());
        Self { model, robot, q, v, a, rng }
    }

    /// `q + step · v`.
    pub(crate) fn moved(&self, step: f64) -> Vec<f64> {
        self.q.iter().zip(&self.v).map(|(q, v)| q + step * v).collect()
    }
}

/// Largest difference in relation to the largest value, or to 1.
pub(crate) fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = a.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
    a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / size
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
