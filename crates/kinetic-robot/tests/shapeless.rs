//! Links that move and have no collision shapes: which are meant, and where they are named.

use kinetic_robot::Robot;

use crate::support::TempFolder;

/// An arm of two joints whose links hold the given elements, with a frame at its end.
fn arm(upper: &str, fore: &str, tool: &str) -> Robot {
    let joint = |name: &str, kind: &str, parent: &str, child: &str, x: f64| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/><origin xyz='{x} 0 0'/>\
             <axis xyz='0 0 1'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"
        )
    };
    let text = format!(
        "<robot name='r'><link name='base'>{BALL}</link><link name='upper'>{upper}</link><link name='fore'>{fore}</link>\
         <link name='tool'>{tool}</link>{}{}{}</robot>",
        joint("j1", "revolute", "base", "upper", 0.0),
        joint("j2", "revolute", "upper", "fore", 0.5),
        joint("mount", "fixed", "fore", "tool", 0.0),
    );
    Robot::from_urdf_string(&text).unwrap()
}

const BALL: &str = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
const DRAWN: &str = "<visual><geometry><sphere radius='0.1'/></geometry></visual>";
const MASS: &str = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

#[test]
fn a_link_counts_that_is_drawn_has_a_mass_or_keeps_joints_apart() {
    let cases: [([&str; 3], &[&str]); 9] = [
        ([BALL, BALL, ""], &[]),
        // `upper` keeps both joints apart; the tool's frame is where `fore` begins.
        (["", "", ""], &["upper"]),
        ([BALL, "", ""], &[]),
        ([BALL, MASS, ""], &["fore"]),
        ([BALL, DRAWN, ""], &["fore"]),
        // One body: its shape may be that of any of its links, and what is drawn has one of its own.
        ([BALL, MASS, BALL], &[]),
        ([BALL, "", DRAWN], &["tool"]),
        ([BALL, BALL, DRAWN], &["tool"]),
        ([DRAWN, MASS, ""], &["upper", "fore"]),
    ];
    for ([upper, fore, tool], wanted) in cases {
        let robot = arm(upper, fore, tool);
        let names: Vec<&str> =
            robot.links_without_shapes().iter().map(|link| robot.links[*link].name.as_str()).collect();
        assert_eq!(names, wanted, "{upper} {fore} {tool}");
        let note = robot.notes.iter().find(|note| note.contains("without collision shapes"));
        assert_eq!(note.is_some(), !wanted.is_empty(), "{:?}", robot.notes);
        assert!(wanted.iter().all(|name| note.is_some_and(|note| note.contains(name))), "{:?}", robot.notes);
    }
}

#[test]
fn a_group_moves_what_hangs_on_its_joints_and_on_their_followers() {
    let text = "<robot name='r'><link name='base'/><link name='a'/><link name='b'/><link name='c'/><link name='d'/>
      <joint name='j1' type='revolute'><parent link='base'/><child link='a'/>
        <limit lower='-1' upper='1' velocity='1' effort='1'/></joint>
      <joint name='m' type='fixed'><parent link='a'/><child link='b'/></joint>
      <joint name='j2' type='revolute'><parent link='base'/><child link='c'/>
        <limit lower='-1' upper='1' velocity='1' effort='1'/><mimic joint='j1'/></joint>
      <joint name='j3' type='revolute'><parent link='base'/><child link='d'/>
        <limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>";
    let mut robot = Robot::from_urdf_string(text).unwrap();
    let moved = |robot: &Robot| -> Vec<String> {
        robot.links_moved_by(&robot.groups[0]).iter().map(|link| robot.links[*link].name.clone()).collect()
    };
    let variable = |robot: &Robot, name: &str| robot.joints[robot.joint_index(name).unwrap()].variable.unwrap();
    robot.groups[0].variables = vec![variable(&robot, "j1")];
    assert_eq!(moved(&robot), ["a", "b", "c"]);
    robot.groups[0].variables = vec![variable(&robot, "j3")];
    assert_eq!(moved(&robot), ["d"]);
}

#[test]
fn a_urdf_beside_its_configuration_has_the_hulls_that_this_names() {
    let urdf = "<robot name='r'><link name='base'/><link name='arm'/><joint name='j' type='revolute'>
      <parent link='base'/><child link='arm'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>";
    let hulls = r#"{"links": {"arm": [{"type": "sphere", "radius": 0.25}]}}"#;
    let folder = TempFolder::new();
    let path = folder.write("robot.urdf", urdf);
    folder.write("hulls.json", hulls);
    folder.write("kinetic.toml", "[robot]\nname = \"r\"\nurdf = \"robot.urdf\"\nhulls = \"hulls.json\"\n");
    let (by_path, by_folder) = (Robot::from_urdf(&path).unwrap(), Robot::from_path(&folder.0).unwrap());
    assert_eq!(by_path.links[1].collisions, by_folder.links[1].collisions);
    assert_eq!(by_path.links[1].collisions.len(), 1);
    assert!(by_path.notes.iter().any(|note| note.contains("hulls.json")), "{:?}", by_path.notes);
    // Another URDF in that folder has what it says itself; one with shapes keeps them.
    let other = folder.write("other.urdf", urdf);
    assert!(Robot::from_urdf(other).unwrap().links[1].collisions.is_empty());
    folder.write("robot.urdf", urdf.replace("<link name='arm'/>", &format!("<link name='arm'>{BALL}</link>")));
    let own = Robot::from_urdf(&path).unwrap();
    assert_ne!(own.links[1].collisions, by_folder.links[1].collisions);
}
