//! Joints that follow others.

use kinetic_robot::{Joint, Mimic, Robot};

use crate::support::assert_parse_error;

/// Five prismatic joints `a` to `e` in a row, with the given inner elements, each on its own line from line 3 on.
fn chain(inner: [&str; 5]) -> String {
    let joint = |(index, name): (usize, &str)| {
        let links = format!("<parent link='l{index}'/><child link='l{}'/>", index + 1);
        format!("<joint name='{name}' type='prismatic'>{links}{}</joint>\n", inner[index])
    };
    let joints: String = ["a", "b", "c", "d", "e"].into_iter().enumerate().map(joint).collect();
    let links =
        "<link name='l0'/><link name='l1'/><link name='l2'/><link name='l3'/><link name='l4'/><link name='l5'/>";
    format!("<robot name='r'>\n{links}\n{joints}</robot>")
}

const FREE: &str = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";

fn joint<'a>(robot: &'a Robot, name: &str) -> &'a Joint {
    &robot.joints[robot.joint_index(name).unwrap()]
}

#[test]
fn a_follower_is_no_variable_and_knows_its_leader() {
    let follower = format!("{FREE}<mimic joint='c' multiplier='-0.5' offset='0.25'/>");
    let robot = Robot::from_urdf_string(&chain([FREE, &follower, FREE, FREE, FREE])).unwrap();
    let leader = robot.joint_index("c").unwrap();
    assert_eq!(joint(&robot, "b").mimic, Some(Mimic { joint: leader, multiplier: -0.5, offset: 0.25 }));
    assert_eq!(joint(&robot, "b").variable, None);
    assert_eq!(robot.moving_joint_names(false), ["a", "c", "d", "e"]);
    assert_eq!(joint(&robot, "c").variable, Some(1));
}

#[test]
fn chains_of_followers_end_at_the_independent_joint() {
    let follow = |leader: &str, multiplier: f64, offset: f64| {
        let wide = "<limit lower='-100' upper='100' effort='1' velocity='0'/>";
        format!("{wide}<mimic joint='{leader}' multiplier='{multiplier}' offset='{offset}'/>")
    };
    // b = 2c + 1, c = 3d + 10, d = -e + 0.5, so c = -3e + 11.5 and b = -6e + 24.
    let (b, c, d) = (follow("c", 2.0, 1.0), follow("d", 3.0, 10.0), follow("e", -1.0, 0.5));
    let robot = Robot::from_urdf_string(&chain([FREE, &b, &c, &d, FREE])).unwrap();
    let leader = robot.joint_index("e").unwrap();
    assert_eq!(joint(&robot, "b").mimic, Some(Mimic { joint: leader, multiplier: -6.0, offset: 24.0 }));
    assert_eq!(joint(&robot, "c").mimic, Some(Mimic { joint: leader, multiplier: -3.0, offset: 11.5 }));
    assert_eq!(joint(&robot, "d").mimic, Some(Mimic { joint: leader, multiplier: -1.0, offset: 0.5 }));
}

#[test]
fn limits_of_a_follower_narrow_those_of_its_leader() {
    let leader = "<limit lower='-1' upper='1' effort='1' velocity='4'/>";
    // b = -2a + 0.5 in [0, 1.5] means a in [-0.5, 0.25]; its speed of 2 means 1 for a.
    let follower =
        "<limit lower='0' upper='1.5' effort='1' velocity='2'/><mimic joint='a' multiplier='-2' offset='0.5'/>";
    let robot = Robot::from_urdf_string(&chain([leader, follower, FREE, FREE, FREE])).unwrap();
    let limits = robot.joint_limits[0];
    assert_eq!((limits.lower, limits.upper, limits.velocity), (-0.5, 0.25, 1.0));
    let own = joint(&robot, "a").limits.unwrap();
    assert_eq!((own.lower, own.upper, own.velocity), (-1.0, 1.0, 4.0));
}

#[test]
fn a_follower_without_a_range_narrows_nothing() {
    let follower = "<limit effort='1' velocity='0'/><mimic joint='a'/>";
    let robot = Robot::from_urdf_string(&chain([FREE, follower, FREE, FREE, FREE])).unwrap();
    assert_eq!(
        (robot.joint_limits[0].lower, robot.joint_limits[0].upper, robot.joint_limits[0].velocity),
        (-1.0, 1.0, 1.0)
    );
}

#[test]
fn cycles_of_followers_are_refused() {
    let follow = |leader: &str| format!("{FREE}<mimic joint='{leader}'/>");
    let pair = chain([FREE, &follow("c"), &follow("b"), FREE, FREE]);
    assert_parse_error(Robot::from_urdf_string(&pair), 4, &["joint \"b\"", "cycle"]);
    let itself = chain([&follow("a"), FREE, FREE, FREE, FREE]);
    assert_parse_error(Robot::from_urdf_string(&itself), 3, &["joint \"a\"", "cycle"]);
    let tail = chain([&follow("b"), &follow("c"), &follow("b"), FREE, FREE]);
    assert_parse_error(Robot::from_urdf_string(&tail), 3, &["joint \"a\"", "cycle"]);
}

#[test]
fn products_beyond_the_range_of_numbers_are_refused() {
    let huge = |leader: &str| format!("{FREE}<mimic joint='{leader}' multiplier='1e300'/>");
    let text = chain([FREE, &huge("a"), &huge("b"), FREE, FREE]);
    assert_parse_error(Robot::from_urdf_string(&text), 5, &["joint \"c\"", "beyond the range"]);
}

#[test]
fn a_group_contains_the_leader_of_a_follower_on_its_way() {
    let follower = format!("{FREE}<mimic joint='e'/>");
    let options = kinetic_robot::UrdfOptions { tip: Some("l2".into()), ..Default::default() };
    let robot = Robot::from_urdf_string_with(&chain([FREE, &follower, FREE, FREE, FREE]), &options).unwrap();
    assert_eq!(robot.joint_names(&robot.groups[0]), ["a", "e"]);
}
