//! Which pairs of links are checked, and which contacts are allowed by name.

use kinetic_collision::AllowedCollisionMatrix;
use kinetic_collision::self_pairs::{Relation, relations};
use kinetic_robot::{Robot, SelfCollisionPairs, SkipPair};

const SHAPE: &str = "<collision><geometry><sphere radius='0.05'/></geometry></collision>";

/// base =fixed= plate -arm1- (bare) -arm2- upper -arm3- fore =fixed= flange, and a second branch plate -head- head.
fn robot() -> Robot {
    let link = |name: &str, shape: &str| format!("<link name='{name}'>{shape}</link>");
    let joint = |name: &str, kind: &str, parent: &str, child: &str| {
        let limit = if kind == "fixed" { "" } else { "<limit lower='-1' upper='1' velocity='1' effort='1'/>" };
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>\
             <axis xyz='0 0 1'/>{limit}</joint>"
        )
    };
    let parts = [
        link("base", SHAPE),
        link("plate", SHAPE),
        link("bare", ""),
        link("upper", SHAPE),
        link("fore", SHAPE),
        link("flange", SHAPE),
        link("head", SHAPE),
        joint("mount", "fixed", "base", "plate"),
        joint("arm1", "revolute", "plate", "bare"),
        joint("arm2", "revolute", "bare", "upper"),
        joint("arm3", "revolute", "upper", "fore"),
        joint("end", "fixed", "fore", "flange"),
        joint("neck", "revolute", "plate", "head"),
    ];
    Robot::from_urdf_string(&format!("<robot name='test'>{}</robot>", parts.concat())).unwrap()
}

fn names(robot: &Robot) -> Vec<(String, String)> {
    let has_geometry: Vec<bool> = robot.links.iter().map(|link| !link.collisions.is_empty()).collect();
    let name = |link: usize| robot.links[link].name.clone();
    let mut pairs: Vec<_> = relations(robot, &has_geometry)
        .into_iter()
        .filter(|(_, relation)| *relation == Relation::Open)
        .map(|((a, b), _)| if name(a) <= name(b) { (name(a), name(b)) } else { (name(b), name(a)) })
        .collect();
    pairs.sort();
    pairs
}

#[test]
fn rigid_and_adjacent_links_are_left_out_and_pairs_across_a_bare_link_stay() {
    // base and plate are one body, fore and flange another. upper hangs on plate through a link without geometry: two
    // joints, which may fold it onto the plate. The head is a branch of its own.
    let wanted = [
        ("base", "flange"),
        ("base", "fore"),
        ("base", "upper"),
        ("flange", "head"),
        ("flange", "plate"),
        ("fore", "head"),
        ("fore", "plate"),
        ("head", "upper"),
        ("plate", "upper"),
    ];
    assert_eq!(names(&robot()), wanted.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn pairs_of_the_description_are_skipped_in_either_order() {
    let mut robot = robot();
    let [head, upper] = ["head", "upper"].map(|name| robot.link_index(name).unwrap());
    robot.collision.skip_pairs.push(SkipPair { links: (head.max(upper), head.min(upper)), reason: "Never".to_owned() });
    assert!(!names(&robot).contains(&("head".to_owned(), "upper".to_owned())));
    assert_eq!(names(&robot).len(), 8);
}

#[test]
fn links_without_geometry_and_switched_off_checks_give_no_pairs() {
    let mut robot = robot();
    assert!(relations(&robot, &vec![false; robot.links.len()]).is_empty());
    robot.collision.self_collision_pairs = SelfCollisionPairs::None;
    assert!(names(&robot).is_empty());
}

#[test]
fn allowed_contacts_do_not_depend_on_order_and_can_be_taken_back() {
    let mut allowed = AllowedCollisionMatrix::default();
    assert!(!allowed.is_allowed("table", "gripper"));
    allowed.allow("table", "gripper");
    assert!(allowed.is_allowed("table", "gripper") && allowed.is_allowed("gripper", "table"));
    assert!(!allowed.is_allowed("table", "base") && !allowed.is_allowed("table", "table"));
    allowed.allow("gripper", "table");
    assert_eq!(allowed.pairs().collect::<Vec<_>>(), [("gripper", "table")]);
    allowed.disallow("gripper", "table");
    assert_eq!(allowed, AllowedCollisionMatrix::default());
}

#[test]
fn merging_adds_the_pairs_of_both() {
    let (mut one, mut other) = (AllowedCollisionMatrix::default(), AllowedCollisionMatrix::default());
    one.allow("a", "b");
    other.allow("c", "b");
    other.allow("b", "a");
    one.merge(&other);
    assert_eq!(one.pairs().collect::<Vec<_>>(), [("a", "b"), ("b", "c")]);
}
