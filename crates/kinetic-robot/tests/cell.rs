//! Cells, tool links, locked joints, and robots written as URDF.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Shape};
use kinetic_robot::{CellMember, Geometry, GeometryShape, JointType, Link, Robot};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use crate::support::ARM;

/// Poses in the root's frame agree to this, m and rad: products of ten rotations.
const ROUNDING: f64 = 1e-12;

/// Poses of all links by their names, in the root's frame, joint by joint from the definition.
fn link_poses(robot: &Robot, q: &[f64]) -> Vec<(String, Isometry3<f64>)> {
    let mut poses = vec![Isometry3::identity(); robot.links.len()];
    for joint in &robot.joints {
        let value = match joint.mimic {
            Some(mimic) => mimic.multiplier * q[robot.joints[mimic.joint].variable.unwrap()] + mimic.offset,
            None => joint.variable.map_or(0.0, |variable| q[variable]),
        };
        let motion = match joint.joint_type {
            JointType::Prismatic => {
                Isometry3::from_parts(Translation3::from(joint.axis.into_inner() * value), UnitQuaternion::identity())
            }
            _ => Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&joint.axis, value)),
        };
        poses[joint.child] = poses[joint.parent] * joint.parent_from_joint.0 * motion;
    }
    robot.links.iter().map(|link| link.name.clone()).zip(poses).collect()
}

fn assert_same(one: &Isometry3<f64>, other: &Isometry3<f64>, place: &str) {
    let difference = one.inverse() * other;
    assert!(difference.translation.vector.norm() < ROUNDING && difference.rotation.angle() < ROUNDING, "{place}");
}

fn random(robot: &Robot, rng: &mut SeededRng) -> Vec<f64> {
    robot.random_variables(rng)
}

fn pose() -> Pose {
    Pose::from_xyz_rpy(0.4, -0.3, 0.2, 0.5, -0.7, 1.1)
}

#[test]
fn links_of_a_cell_stand_where_their_robot_puts_them() {
    let (arm, panda) = (Robot::from_name("ur5e").unwrap(), Robot::from_name("franka_panda").unwrap());
    let members = [
        CellMember { prefix: "a_", robot: &arm, world_from_root: pose() },
        CellMember { prefix: "b_", robot: &panda, world_from_root: Pose::from_xyz(1.0, 0.0, 0.0) },
        CellMember { prefix: "c_", robot: &arm, world_from_root: Pose::identity() },
    ];
    let cell = Robot::compose("cell", &members).unwrap();
    assert_eq!(cell.num_variables(), 2 * arm.num_variables() + panda.num_variables());
    let mut rng = SeededRng::new(3);
    for _ in 0..20 {
        let parts: Vec<Vec<f64>> = members.iter().map(|member| random(member.robot, &mut rng)).collect();
        let mut found = link_poses(&cell, &parts.concat()).into_iter().skip(1);
        for (member, q) in members.iter().zip(&parts) {
            for (name, root_from_link) in link_poses(member.robot, q) {
                let (cell_name, world_from_link) = found.next().unwrap();
                assert_eq!(cell_name, format!("{}{name}", member.prefix));
                assert_same(&world_from_link, &(member.world_from_root.0 * root_from_link), &cell_name);
            }
        }
    }
    let group = cell.resolve_group("c_arm+b_arm").unwrap();
    assert_eq!(group.dof(), 13);
    let home = |robot: &Robot| robot.named_pose(robot.group("arm").unwrap(), "home").unwrap().0.clone();
    assert_eq!(cell.named_configuration(&group, "home").unwrap().0, [home(&arm), home(&panda)].concat());
    assert_eq!(cell.joint_limits[arm.num_variables()..][..panda.num_variables()], panda.joint_limits);
    for pair in &cell.collision.skip_pairs {
        let [one, other] = [pair.links.0, pair.links.1].map(|link| &cell.links[link].name[..2]);
        assert_eq!(one, other, "pairs of different robots are checked");
    }
}

#[test]
fn cells_refuse_names_that_collide_and_cells_of_nothing() {
    let arm = Robot::from_urdf_string(ARM).unwrap();
    let at = |prefix, pose| CellMember { prefix, robot: &arm, world_from_root: pose };
    let compose = |members: &[CellMember<'_>]| Robot::compose("cell", members);
    assert!(matches!(compose(&[]), Err(KineticError::InvalidValue { .. })));
    let same = compose(&[at("a_", Pose::identity()), at("a_", pose())]);
    assert!(matches!(same, Err(KineticError::InvalidValue { .. })));
    let wrong = compose(&[at("a_", Pose::from_xyz(f64::NAN, 0.0, 0.0))]);
    assert!(matches!(wrong, Err(KineticError::NotFinite { .. })));
}

#[test]
fn locked_joints_stay_at_their_values_with_their_followers() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    let names: Vec<String> = robot.active_joints.iter().map(|joint| robot.joints[*joint].name.clone()).collect();
    let mut rng = SeededRng::new(5);
    for (locked, name) in names.iter().enumerate() {
        let q = random(&robot, &mut rng);
        let fixed = robot.clone().with_locked_joints(&[(name, q[locked])]).unwrap();
        let short: Vec<f64> = q.iter().enumerate().filter(|(index, _)| *index != locked).map(|(_, q)| *q).collect();
        assert_eq!(fixed.num_variables(), short.len());
        for (one, other) in link_poses(&robot, &q).iter().zip(link_poses(&fixed, &short)) {
            assert_same(&one.1, &other.1, &one.0);
        }
        for group in &fixed.groups {
            let joints: Vec<usize> = group.variables.iter().map(|variable| fixed.active_joints[*variable]).collect();
            assert_eq!(joints, group.joints);
        }
        assert_eq!(fixed.dof, fixed.groups[fixed.default_group].dof());
    }
    let all: Vec<(&str, f64)> =
        names.iter().zip(random(&robot, &mut rng)).map(|(name, q)| (name.as_str(), q)).collect();
    let still = robot.clone().with_locked_joints(&all).unwrap();
    assert_eq!((still.num_variables(), still.dof, still.groups.len()), (0, 0, 1));
    let lock = |joints: &[(&str, f64)]| robot.clone().with_locked_joints(joints);
    assert!(matches!(lock(&[("x", 0.0)]), Err(KineticError::JointNotFound { .. })));
    assert!(matches!(lock(&[("shoulder", 99.0)]), Err(KineticError::JointLimitViolation { .. })));
    assert!(matches!(lock(&[("shoulder", f64::NAN)]), Err(KineticError::NotFinite { .. })));
    assert!(matches!(lock(&[("mount", 0.0)]), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(lock(&[("shoulder", 0.0), ("shoulder", 0.1)]), Err(KineticError::InvalidValue { .. })));
}

#[test]
fn named_poses_lose_the_values_of_locked_joints() {
    let robot = Robot::from_name("fetch").unwrap();
    let whole = robot.named_pose(robot.group("arm_with_torso").unwrap(), "home").unwrap().0.clone();
    let locked = robot.with_locked_joints(&[("torso_lift_joint", 0.2)]).unwrap();
    assert_eq!(locked.named_pose(locked.group("arm_with_torso").unwrap(), "home").unwrap().0, whole[1..]);
    // Nothing of it is left.
    assert!(matches!(locked.group("torso"), Err(KineticError::GroupNotFound { .. })));
}

#[test]
fn a_tool_link_moves_with_its_flange_and_can_be_the_tip() {
    let shape = Geometry::new(Pose::identity(), GeometryShape::Shape(Shape::sphere(0.05).unwrap()));
    let link = |name: &str| Link {
        name: name.to_owned(),
        parent_joint: None,
        inertial: None,
        visuals: Vec::new(),
        collisions: vec![shape.clone()],
    };
    let robot = Robot::from_name("ur5e").unwrap();
    let tip = robot.links[robot.groups[0].tip_link].name.clone();
    let tooled = robot.clone().with_link(&tip, pose(), link("torch")).unwrap().with_tip("arm", "torch").unwrap();
    let q = random(&robot, &mut SeededRng::new(1));
    let find = |robot: &Robot, name: &str| link_poses(robot, &q).into_iter().find(|(link, _)| link == name).unwrap().1;
    assert_same(&find(&tooled, "torch"), &(find(&robot, &tip) * pose().0), "torch");
    assert_eq!(tooled.links[tooled.group("arm").unwrap().tip_link].name, "torch");
    let add = |parent: &str, name: &str| robot.clone().with_link(parent, pose(), link(name));
    assert!(matches!(add("x", "torch"), Err(KineticError::LinkNotFound { .. })));
    assert!(matches!(add(&tip, &tip), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(tooled.clone().with_tip("arm", "base_link"), Err(KineticError::InvalidValue { .. })));
    assert!(matches!(tooled.with_tip("leg", "torch"), Err(KineticError::GroupNotFound { .. })));
}

#[test]
fn what_is_written_as_urdf_is_read_back_as_the_same_robot() {
    for name in ["ur5e", "franka_panda", "fetch", "pr2", "abb_yumi_left"] {
        let robot = Robot::from_name(name).unwrap();
        let read = Robot::from_urdf_string(&robot.to_urdf().unwrap()).unwrap();
        assert_eq!(read.num_variables(), robot.num_variables(), "{name}");
        let mut rng = SeededRng::new(11);
        for _ in 0..5 {
            let q = random(&robot, &mut rng);
            for (one, other) in link_poses(&robot, &q).iter().zip(link_poses(&read, &q)) {
                assert_eq!(one.0, other.0);
                assert_same(&one.1, &other.1, &one.0);
            }
        }
        for (one, other) in robot.links.iter().zip(&read.links) {
            let mass = |link: &Link| link.inertial.as_ref().map(|inertial| (inertial.mass, inertial.inertia));
            assert_eq!(mass(one), mass(other), "{name} {}", one.name);
            assert_eq!(one.collisions.is_empty(), other.collisions.is_empty(), "{name} {}", one.name);
        }
        for (one, other) in robot.joint_limits.iter().zip(&read.joint_limits) {
            assert_eq!(
                (one.lower, one.upper, one.velocity, one.effort),
                (other.lower, other.upper, other.velocity, other.effort)
            );
            assert_eq!((one.acceleration, one.jerk), (other.acceleration, other.jerk));
        }
        // Written again, it is the same text.
        assert_eq!(read.to_urdf().unwrap(), Robot { name: robot.name.clone(), ..read.clone() }.to_urdf().unwrap());
    }
}

#[test]
fn shapes_of_urdf_are_written_as_they_are_and_others_refused_without_balls() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    let read = Robot::from_urdf_string(&robot.to_urdf().unwrap()).unwrap();
    for (one, other) in robot.links.iter().zip(&read.links) {
        let shapes = |link: &Link| link.collisions.iter().map(|geometry| geometry.shape.clone()).collect::<Vec<_>>();
        assert_eq!(shapes(one), shapes(other), "{}", one.name);
    }
    let panda = Robot { sphere_model: None, ..Robot::from_name("franka_panda").unwrap() };
    assert!(matches!(panda.to_urdf(), Err(KineticError::InvalidValue { .. })));
    // What is mounted is written as it is beside hulls that are written as balls.
    let ball = Geometry::new(Pose::identity(), GeometryShape::Shape(Shape::sphere(0.05).unwrap()));
    let tool =
        Link { name: "tool".to_owned(), parent_joint: None, inertial: None, visuals: vec![], collisions: vec![ball] };
    let tooled = Robot::from_name("franka_panda").unwrap().with_link("panda_link8", pose(), tool).unwrap();
    let plain = CellMember { prefix: "p_", robot: &robot, world_from_root: pose() };
    let cell = Robot::compose("c", &[plain, CellMember { prefix: "t_", robot: &tooled, ..plain }]).unwrap();
    let read = Robot::from_urdf_string(&cell.to_urdf().unwrap()).unwrap();
    assert_eq!(read.links[read.link_index("t_tool").unwrap()].collisions.len(), 1);
    assert_eq!(cell.sphere_model.unwrap().len(), read.links.len());
    let odd = Robot { name: "a<b>&\"c".to_owned(), ..robot };
    assert_eq!(Robot::from_urdf_string(&odd.to_urdf().unwrap()).unwrap().name, odd.name);
}
