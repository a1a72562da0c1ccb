//! Questions about the tree, against a walk by hand.

use kinetic_robot::Robot;

use crate::support::ARM;

fn names(robot: &Robot, links: &[usize]) -> Vec<String> {
    links.iter().map(|link| robot.links[*link].name.clone()).collect()
}

#[test]
fn parents_children_leaves_and_movable_links_are_those_of_the_tree() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    let link = |name| robot.link_index(name).unwrap();
    assert_eq!(robot.parent_link(link("world")), None);
    assert_eq!(robot.parent_link(link("left")), Some(link("tool")));
    assert_eq!(names(&robot, &robot.child_links(link("tool"))), ["left", "right"]);
    assert_eq!(robot.child_joints(link("slide")), [robot.joint_index("mount").unwrap()]);
    assert_eq!(names(&robot, &robot.leaf_links()), ["left", "right"]);
    // The tool is fixed to what moves.
    assert_eq!(names(&robot, &robot.movable_links()), ["upper", "lower", "slide", "tool", "left", "right"]);
}

#[test]
fn the_way_between_links_passes_their_common_ancestor() {
    let robot = Robot::from_urdf_string(ARM).unwrap();
    let link = |name| robot.link_index(name).unwrap();
    let way = |from, to| names(&robot, &robot.link_path(link(from), link(to)));
    assert_eq!(way("left", "right"), ["left", "tool", "right"]);
    assert_eq!(way("world", "lower"), ["world", "upper", "lower"]);
    assert_eq!(way("lower", "world"), ["lower", "upper", "world"]);
    assert_eq!(way("tool", "tool"), ["tool"]);
}
