//! Links in a frame tree, against forward kinematics written another way.

use kinetic_core::rng::SeededRng;
use kinetic_core::{FrameTree, Pose};
use kinetic_kinematics::update_frame_tree;
use kinetic_robot::Robot;

use crate::plain;

#[test]
fn every_pair_of_links_has_the_pose_that_forward_kinematics_says() {
    let robot = Robot::from_name("fetch").unwrap();
    let q = robot.random_variables(&mut SeededRng::new(5));
    let tree = FrameTree::new();
    tree.set_static_transform("map", &robot.links[0].name, Pose::from_xyz(3.0, 4.0, 0.0)).unwrap();
    update_frame_tree(&tree, &robot, &q, 2.5).unwrap();
    let root_from = plain::link_poses(&robot, &q);
    for (a, link_a) in robot.links.iter().enumerate() {
        for (b, link_b) in robot.links.iter().enumerate() {
            let found = tree.lookup_transform(&link_a.name, &link_b.name).unwrap();
            let gap = (found.to_matrix() - (root_from[a].inverse() * root_from[b]).to_matrix()).amax();
            assert!(gap < 1e-12, "{} to {}: {gap}", link_a.name, link_b.name);
        }
    }
    let camera = tree.lookup_transform("map", &robot.links[robot.links.len() - 1].name).unwrap();
    let wanted = root_from[robot.links.len() - 1].translation();
    assert!((camera.translation() - wanted - nalgebra::Vector3::new(3.0, 4.0, 0.0)).amax() < 1e-12);
}

#[test]
fn a_calibrated_link_keeps_its_static_transform() {
    let robot = Robot::from_name("ur5e").unwrap();
    let tree = FrameTree::new();
    let joint = &robot.joints[robot.active_joints[2]];
    let (parent, child) = (&robot.links[joint.parent].name, &robot.links[joint.child].name);
    tree.set_static_transform(parent, child, Pose::from_xyz(0.0, 0.0, 7.0)).unwrap();
    update_frame_tree(&tree, &robot, &vec![0.3; robot.num_variables()], 0.0).unwrap();
    assert_eq!(tree.lookup_transform(parent, child).unwrap(), Pose::from_xyz(0.0, 0.0, 7.0));
    assert_eq!(tree.num_transforms(), robot.joints.len());
    assert!(update_frame_tree(&tree, &robot, &[0.0], 0.0).unwrap_err().is_input_error());
}
