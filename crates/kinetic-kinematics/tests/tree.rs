//! Jacobians of several targets, velocities and masses over random trees, against finite differences of the plain walk.

use kinetic_core::rng::SeededRng;
use kinetic_core::{AxisMask, KineticError, Pose};
use kinetic_kinematics::{Expressed, KinematicChain, MoveTarget, TreeKinematics, VirtualBase, jacobian};
use kinetic_robot::{Inertial, Robot};
use nalgebra::{DMatrix, Matrix3, Vector3, Vector6};

use crate::programs::random_tree;
use crate::{cases, plain};

const STEP: f64 = 1e-6;
/// Central differences leave h² ≈ 1e-12 and rounding 1e-16 / h ≈ 1e-10, times trees of some ten metres.
const TOLERANCE: f64 = 1e-7;

/// A random tree, the joints that are chosen, and the robot-length configuration.
struct Case {
    robot: Robot,
    variables: Vec<usize>,
    full: Vec<f64>,
    tree: TreeKinematics,
    rng: SeededRng,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut rng = SeededRng::new(seed);
        let mut robot = random_tree(&mut rng);
        for link in &mut robot.links {
            // Some links weigh nothing, as flanges do.
            if rng.below(4) != 0 {
                link.inertial = Some(inertial(&mut rng));
            }
        }
        let full: Vec<f64> = (0..robot.num_variables()).map(|_| rng.uniform(-2.0, 2.0)).collect();
        let variables: Vec<usize> = (0..robot.num_variables()).rev().filter(|_| rng.below(4) != 0).collect();
        let tree = TreeKinematics::new(&robot, &variables, &full).unwrap();
        Self { robot, variables, full, tree, rng }
    }

    fn q(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| self.full[*variable]).collect()
    }

    /// Poses of all links with `step · direction` added to the chosen joints.
    fn moved(&self, direction: &[f64], step: f64) -> Vec<Pose> {
        let mut full = self.full.clone();
        for (variable, rate) in self.variables.iter().zip(direction) {
            full[*variable] += step * rate;
        }
        plain::link_poses(&self.robot, &full)
    }

    fn unit(&self, joint: usize) -> Vec<f64> {
        (0..self.variables.len()).map(|other| f64::from(other == joint)).collect()
    }

    fn pose(&mut self, size: f64) -> Pose {
        let mut number = || self.rng.uniform(-size, size);
        Pose::from_xyz_rpy(number(), number(), number(), number(), number(), number())
    }
}

fn inertial(rng: &mut SeededRng) -> Inertial {
    let mut number = || rng.uniform(0.1, 2.0);
    let (mass, a, b, c) = (number(), number(), number(), number());
    let link_from_com =
        Pose::from_xyz_rpy(number() - 1.0, number() - 1.0, number() - 1.0, number(), number(), number());
    // Of a box with these sides squared.
    let inertia = Matrix3::from_diagonal(&Vector3::new(b + c, a + c, a + b)) * (mass / 12.0);
    Inertial { mass, link_from_com, inertia }
}

/// Twist between two poses that are `2 · STEP` apart.
fn twist(before: &Pose, after: &Pose) -> Vector6<f64> {
    let linear = (after.translation() - before.translation()) / (2.0 * STEP);
    let angular = (after.rotation() * before.rotation().inverse()).scaled_axis() / (2.0 * STEP);
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

fn turned(rotation: &Matrix3<f64>, twist: &Vector6<f64>) -> Vector6<f64> {
    let (linear, angular) = (rotation * twist.fixed_rows::<3>(0), rotation * twist.fixed_rows::<3>(3));
    Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

fn random_targets(case: &mut Case) -> Vec<MoveTarget> {
    let mut targets = Vec::new();
    for _ in 0..=case.rng.below(3) {
        let links = case.robot.links.len();
        let name = |index: usize| format!("l{index}");
        let offset = case.pose(0.5);
        let mut flags = || std::array::from_fn(|_| case.rng.below(3) != 0);
        let (translation, rotation) = (AxisMask(flags()), AxisMask(flags()));
        let expressed = [Expressed::Root, Expressed::Target, Expressed::Link(name(case.rng.below(links)))];
        let target = MoveTarget::new(name(case.rng.below(links))).with_offset(offset).with_rows(translation, rotation);
        targets.push(target.expressed_in(expressed[case.rng.below(3)].clone()));
    }
    targets
}

/// The rows of a target by central differences along `moved`, which gives all link poses a step before or after.
fn expected_rows(case: &Case, target: &MoveTarget, moved: &dyn Fn(f64) -> Vec<Pose>) -> Vec<f64> {
    let index = |name: &str| case.robot.link_index(name).unwrap();
    let at = |poses: &[Pose]| poses[index(&target.link)] * target.link_from_target;
    let now = plain::link_poses(&case.robot, &case.full);
    let rotation = match &target.expressed {
        Expressed::Root => Matrix3::identity(),
        Expressed::Target => at(&now).rotation().to_rotation_matrix().into_inner().transpose(),
        Expressed::Link(name) => now[index(name)].rotation().to_rotation_matrix().into_inner().transpose(),
    };
    let full = turned(&rotation, &twist(&at(&moved(-STEP)), &at(&moved(STEP))));
    let counts = |row: &usize| if *row < 3 { target.translation.0[*row] } else { target.rotation.0[*row - 3] };
    (0..6).filter(counts).map(|row| full[row]).collect()
}

#[test]
fn jacobians_of_several_targets_equal_central_differences() {
    for seed in 0..cases(200, 20_000) as u64 {
        let mut case = Case::new(seed);
        let targets = random_targets(&mut case);
        let j = case.tree.jacobian(&case.q(), &targets).unwrap();
        for joint in 0..case.variables.len() {
            let direction = case.unit(joint);
            let mut row = 0;
            for target in &targets {
                for expected in expected_rows(&case, target, &|step| case.moved(&direction, step)) {
                    let error = (j[(row, joint)] - expected).abs();
                    assert!(error < TOLERANCE, "seed {seed}, row {row}, joint {joint}: off by {error:e}");
                    row += 1;
                }
            }
            assert_eq!(row, j.nrows());
        }
    }
}

#[test]
fn columns_of_a_moving_base_equal_central_differences() {
    for seed in 0..cases(100, 10_000) as u64 {
        let mut case = Case::new(seed);
        let targets = random_targets(&mut case);
        for (base, dof) in [(VirtualBase::Fixed, 0), (VirtualBase::Planar, 3), (VirtualBase::Floating, 6)] {
            let tree = case.tree.clone().with_base(base);
            assert_eq!(tree.num_columns(), dof + case.variables.len());
            let j = tree.jacobian(&case.q(), &targets).unwrap();
            let fixed = case.tree.jacobian(&case.q(), &targets).unwrap();
            assert_eq!(j.columns(dof, case.variables.len()), fixed);
            let com = case.tree.com(&case.q()).ok().map(|_| tree.com_jacobian(&case.q()).unwrap());
            for index in 0..dof {
                let axis = if base == VirtualBase::Planar && index == 2 { 5 } else { index };
                let motion = |step: f64| {
                    let mut parts = [0.0; 6];
                    parts[axis] = step;
                    Pose::from_xyz_rpy(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5])
                };
                let now = plain::link_poses(&case.robot, &case.full);
                let moved = |step: f64| -> Vec<Pose> { now.iter().map(|pose| motion(step) * *pose).collect() };
                let mut row = 0;
                for target in &targets {
                    for expected in expected_rows(&case, target, &moved) {
                        let error = (j[(row, index)] - expected).abs();
                        assert!(error < TOLERANCE, "seed {seed}, {base:?} {index}, row {row}: off by {error:e}");
                        row += 1;
                    }
                }
                if let Some(com) = &com {
                    let at = |step: f64| plain_com(&case.robot, &moved(step)).1;
                    let expected = (at(STEP) - at(-STEP)) / (2.0 * STEP);
                    assert!((com.column(index) - expected).amax() < TOLERANCE, "seed {seed}, {base:?} {index}");
                }
            }
        }
    }
}

#[test]
fn joints_that_do_not_move_a_target_have_columns_of_zeros() {
    let robot = Robot::from_name("abb_yumi_left").unwrap();
    let held = robot.neutral_configuration();
    let all: Vec<usize> = (0..robot.num_variables()).collect();
    let tree = TreeKinematics::new(&robot, &all, &held).unwrap();
    let tip = &robot.links[robot.groups[robot.default_group].tip_link].name;
    let j = tree.jacobian(&held, &[MoveTarget::new(tip)]).unwrap();
    let others = robot.joint_names(&robot.groups[robot.default_group]);
    for (column, name) in tree.joint_names().iter().enumerate() {
        assert_eq!(j.column(column).amax() == 0.0, !others.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn one_target_at_the_tip_has_the_jacobian_of_the_chain() {
    let robot = Robot::from_name("fetch").unwrap();
    let group = &robot.groups[robot.default_group];
    let chain = KinematicChain::from_group(&robot, group).unwrap();
    let tree = TreeKinematics::from_group(&robot, group, &robot.neutral_configuration()).unwrap();
    let q = vec![0.2; group.dof()];
    let target = MoveTarget::new(&robot.links[group.tip_link].name)
        .expressed_in(Expressed::Link(robot.links[group.base_link].name.clone()));
    let j = tree.jacobian(&q, &[target]).unwrap();
    assert!((j - jacobian(&chain, &q).unwrap()).amax() < 1e-12);
}

#[test]
fn the_derivative_of_a_jacobian_equals_its_central_difference() {
    for seed in 0..cases(200, 20_000) as u64 {
        let mut case = Case::new(seed);
        let offset = case.pose(0.5);
        let link = format!("l{}", case.rng.below(case.robot.links.len()));
        let qd: Vec<f64> = case.variables.iter().map(|_| case.rng.uniform(-1.0, 1.0)).collect();
        let base = [VirtualBase::Fixed, VirtualBase::Floating][case.rng.below(2)];
        let tree = case.tree.clone().with_base(base);
        let target = [MoveTarget::new(&link).with_offset(offset)];
        let at = |step: f64| {
            let q: Vec<f64> = case.q().iter().zip(&qd).map(|(q, qd)| q + step * qd).collect();
            tree.jacobian(&q, &target).unwrap()
        };
        let expected = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        let slope = tree.jacobian_derivative(&case.q(), &qd, &link, &offset).unwrap();
        let error = (DMatrix::from_iterator(6, slope.ncols(), slope.iter().copied()) - expected).amax();
        // Second derivatives of trees with ten joints of some metres in sequence.
        assert!(slope.ncols() == 0 || error < 1e-6, "seed {seed}: off by {error:e}");
    }
}

#[test]
fn velocities_of_points_equal_central_differences() {
    for seed in 0..cases(200, 20_000) as u64 {
        let mut case = Case::new(seed);
        let point = case.pose(0.5).translation();
        let link = case.rng.below(case.robot.links.len());
        let qd: Vec<f64> = case.variables.iter().map(|_| case.rng.uniform(-1.0, 1.0)).collect();
        let at = |step: f64| case.moved(&qd, step)[link] * Pose::from(point);
        let expected = twist(&at(-STEP), &at(STEP));
        let velocity = case.tree.point_velocity(&case.q(), &qd, &case.robot.links[link].name, &point).unwrap();
        let error = (velocity - expected).amax();
        assert!(error < 1e-6, "seed {seed}: off by {error:e}");
    }
}

/// Mass, centre of gravity and inertia about it, link by link.
fn plain_com(robot: &Robot, poses: &[Pose]) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let parts: Vec<(f64, Pose, Matrix3<f64>)> = robot
        .links
        .iter()
        .zip(poses)
        .filter_map(|(link, pose)| link.inertial.as_ref().map(|i| (i.mass, *pose * i.link_from_com, i.inertia)))
        .collect();
    let mass: f64 = parts.iter().map(|(mass, ..)| mass).sum();
    let com = parts.iter().map(|(mass, pose, _)| pose.translation() * *mass).sum::<Vector3<f64>>() / mass;
    let mut inertia = Matrix3::zeros();
    for (mass, pose, own) in &parts {
        let rotation = pose.rotation().to_rotation_matrix().into_inner();
        let arm = (pose.translation() - com).cross_matrix();
        inertia += rotation * own * rotation.transpose() - arm * arm * *mass;
    }
    (mass, com, inertia)
}

#[test]
fn centres_of_gravity_and_inertias_are_the_sums_over_all_links() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let (mass, com, inertia) = plain_com(&case.robot, &case.moved(&[], 0.0));
        if mass == 0.0 {
            continue;
        }
        let found = case.tree.mass_properties(&case.q()).unwrap();
        assert!((found.mass - mass).abs() < 1e-12 * mass, "seed {seed}");
        assert!((found.com - com).amax() < 1e-12 && (case.tree.com(&case.q()).unwrap() - com).amax() < 1e-12);
        let error = (found.inertia - inertia).amax();
        assert!(error < 1e-11 * inertia.amax().max(1.0), "seed {seed}: inertia off by {error:e}");
    }
}

#[test]
fn the_jacobian_of_the_centre_of_gravity_equals_central_differences() {
    for seed in 0..cases(200, 20_000) as u64 {
        let case = Case::new(seed);
        let Ok(j) = case.tree.com_jacobian(&case.q()) else { continue };
        for joint in 0..case.variables.len() {
            let at = |step: f64| plain_com(&case.robot, &case.moved(&case.unit(joint), step)).1;
            let error = (j.column(joint) - (at(STEP) - at(-STEP)) / (2.0 * STEP)).amax();
            assert!(error < TOLERANCE, "seed {seed}, joint {joint}: off by {error:e}");
        }
    }
}

#[test]
fn rows_and_columns_of_the_centre_of_gravity_go_where_they_are_wanted() {
    let robot = Robot::from_name("franka_panda").unwrap();
    let tree = TreeKinematics::from_group(&robot, &robot.groups[0], &robot.neutral_configuration()).unwrap();
    let q = vec![0.3; tree.dof()];
    let full = tree.com_jacobian(&q).unwrap();
    let mut frames = tree.frame_buffer();
    tree.place(&q, &mut frames).unwrap();
    let mut out = DMatrix::from_element(2, tree.num_columns() + 3, 7.0);
    tree.com_jacobian_into(&frames, "xz".parse().unwrap(), 2, &mut out).unwrap();
    assert_eq!(out.view((0, 2), (1, tree.dof())), full.rows(0, 1));
    assert_eq!(out.view((1, 2), (1, tree.dof())), full.rows(2, 1));
    assert!([0, 1, tree.dof() + 2].iter().all(|column| out.column(*column).iter().all(|value| *value == 7.0)));
    let error = tree.com_jacobian_into(&frames, AxisMask::ALL, 0, &mut out).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { got: 2, .. }), "{error}");
    let error = tree.com_jacobian_into(&frames, "xz".parse().unwrap(), 4, &mut out).unwrap_err();
    assert!(matches!(error, KineticError::DimensionMismatch { .. }), "{error}");
}

#[test]
fn robots_without_masses_have_no_centre_of_gravity() {
    let mut robot = Robot::from_name("ur5e").unwrap();
    robot.links.iter_mut().for_each(|link| link.inertial = None);
    let held = robot.neutral_configuration();
    let tree = TreeKinematics::from_group(&robot, &robot.groups[robot.default_group], &held).unwrap();
    for error in [tree.com(&[0.0; 6]).unwrap_err(), tree.com_jacobian(&[0.0; 6]).unwrap_err()] {
        assert!(error.to_string().contains("states none"), "{error}");
    }
}

#[test]
fn joints_that_cannot_be_chosen_are_refused_by_name() {
    let robot = Robot::from_name("ur5e").unwrap();
    let held = robot.neutral_configuration();
    let error = TreeKinematics::from_joints(&robot, &["wrist_9_joint"], &held).unwrap_err();
    assert!(matches!(error, KineticError::JointNotFound { .. }), "{error}");
    let fixed = robot.joints.iter().find(|joint| joint.variable.is_none()).unwrap();
    let error = TreeKinematics::from_joints(&robot, &[&fixed.name], &held).unwrap_err();
    assert!(error.to_string().contains(&fixed.name), "{error}");
    let error = TreeKinematics::new(&robot, &[1, 1], &held).unwrap_err();
    assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
    let tree = TreeKinematics::from_joints(&robot, &["wrist_1_joint", "elbow_joint"], &held).unwrap();
    assert_eq!(tree.joint_names(), ["wrist_1_joint", "elbow_joint"]);
    let error = tree.jacobian(&[0.0, 0.0], &[MoveTarget::new("nowhere")]).unwrap_err();
    assert!(matches!(error, KineticError::LinkNotFound { .. }), "{error}");
    let error = tree.com(&[0.0, f64::NAN]).unwrap_err();
    assert!(matches!(error, KineticError::NotFinite { index: 1, .. }), "{error}");
}
