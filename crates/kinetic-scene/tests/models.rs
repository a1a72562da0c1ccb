//! Objects from models and files of others, several of which move together.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, Pose, Shape, StopFlag, SystemClock};
use kinetic_robot::Robot;
use kinetic_scene::Scene;
use nalgebra::Vector3;

use crate::cases;
use crate::support::built_in;

const CELL: &str = r#"<robot name="cell">
  <link name="table"><collision><origin xyz="0 0 -0.05"/><geometry><box size="1 0.8 0.1"/></geometry></collision></link>
  <link name="lift">
    <collision><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
    <collision><origin xyz="0 0 0.3"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="up" type="prismatic"><parent link="table"/><child link="lift"/><origin xyz="0.2 0 0"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/></joint>
</robot>"#;

fn scene() -> Scene {
    Scene::new(&built_in("ur5e")).unwrap()
}

fn place(scene: &Scene, name: &str) -> Vector3<f64> {
    scene.object(name).unwrap().pose.translation()
}

#[test]
fn the_links_of_a_model_are_objects_where_its_joints_put_them() {
    let (mut scene, cell) = (scene(), Robot::from_urdf_string(CELL).unwrap());
    let root_from_cell = Pose::from_xyz_rpy(0.5, 0.0, 0.1, 0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let names = scene.add_model("cell", &cell, &[0.25], root_from_cell, &Control::default()).unwrap();
    assert_eq!(names, ["cell/table", "cell/lift/0", "cell/lift/1"]);
    for (name, wanted) in names.iter().zip([[0.5, 0.0, 0.05], [0.5, 0.2, 0.35], [0.5, 0.2, 0.65]]) {
        assert!((place(&scene, name) - Vector3::from(wanted)).norm() < 1e-12, "{name}");
    }
    let before = scene.clone();
    scene.add_model("cell", &cell, &[0.5], root_from_cell, &Control::default()).unwrap();
    let diff = scene.diff(&before).unwrap();
    assert_eq!(diff.moved, ["cell/lift/0", "cell/lift/1"]);
    assert!(diff.added.is_empty() && diff.replaced.is_empty() && diff.removed.is_empty());
    let stop = StopFlag::default();
    stop.stop();
    let stopped = Control::new(std::sync::Arc::new(SystemClock::default()), f64::INFINITY, u64::MAX, stop);
    let version = scene.version();
    assert!(scene.add_model("other", &cell, &[0.5], root_from_cell, &stopped).is_err());
    assert_eq!(scene.version(), version);
    let clash = CELL.replace("\"table\"", "\"lift/0\"");
    let unseen = r#"<robot name="unseen"><link name="base"/></robot>"#;
    for (name, urdf, part) in [("", CELL, "name of a model"), ("a", &clash, "twice"), ("a", unseen, "collision shapes")]
    {
        let model = Robot::from_urdf_string(urdf).unwrap();
        let q = vec![0.0; model.num_variables()];
        let error = scene.add_model(name, &model, &q, root_from_cell, &Control::default()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(scene.version(), version);
    assert!(scene.add_model("cell", &cell, &[], root_from_cell, &Control::default()).is_err());
    assert!(scene.add_model("cell", &cell, &[f64::NAN], root_from_cell, &Control::default()).is_err());
}

#[test]
fn objects_move_together_or_not_at_all() {
    let mut scene = scene();
    for (name, x) in [("a", 0.5), ("b", 0.7), ("c", 0.9)] {
        scene.add(name, Shape::sphere(0.05).unwrap(), Pose::from_xyz(x, 0.0, 0.2)).unwrap();
    }
    let before = scene.clone();
    let quarter = Pose::from_xyz_rpy(0.0, 0.0, 0.1, 0.0, 0.0, std::f64::consts::FRAC_PI_2);
    scene.move_objects(&["c", "a"], quarter).unwrap();
    assert!((place(&scene, "a") - Vector3::new(0.0, 0.5, 0.3)).norm() < 1e-12);
    assert!((place(&scene, "c") - Vector3::new(0.0, 0.9, 0.3)).norm() < 1e-12);
    assert_eq!(scene.diff(&before).unwrap().moved, ["a", "c"]);
    let moved = scene.version();
    assert!(matches!(scene.move_objects(&["a", "nowhere"], quarter), Err(KineticError::ObjectNotFound { .. })));
    assert!(matches!(scene.move_objects(&["a", "a"], quarter), Err(KineticError::InvalidValue { .. })));
    assert!(scene.move_objects(&["a"], Pose::from_xyz(f64::NAN, 0.0, 0.0)).is_err());
    assert_eq!(scene.version(), moved);
    scene.move_objects(&["a", "c"], quarter.inverse()).unwrap();
    assert!((place(&scene, "a") - place(&before, "a")).norm() < 1e-12);
}

#[test]
fn scenes_are_compared_whatever_they_come_from() {
    let (mut a, mut b) = (scene(), scene());
    a.add("box", Shape::cuboid(0.1, 0.1, 0.1).unwrap(), Pose::from_xyz(0.5, 0.0, 0.0)).unwrap();
    b.add("box", Shape::sphere(0.1).unwrap(), Pose::from_xyz(0.5, 0.0, 0.0)).unwrap();
    a.allow_collision("box", "tool0").unwrap();
    let diff = a.diff(&b).unwrap();
    assert_eq!((diff.replaced, diff.allowed), (vec!["box".to_owned()], true));
    let mut reloaded = scene();
    reloaded.load_string(&a.to_toml().unwrap(), "scene.toml").unwrap();
    assert!(reloaded.diff(&a).unwrap().is_empty());
    assert!(a.diff(&Scene::new(&built_in("franka_panda")).unwrap()).is_err());
}

/// As `MoveIt` writes it, with poses of objects, several shapes and subframes.
const MOVEIT: &str = "(noname)+\n* shelf\n1 0 0.5\n0 0 0.7071067811865476 0.7071067811865476\n2\n\
    box\n0.2 0.4 0.6\n0.1 0 0\n0 0 0 1\n0 0 0 0\ncylinder\n0.05 0.4\n0 0 0.5\n0 0 0 1\n1 0 0 1\n1\ntop\n0 0 1\n0 0 0 1\n";

#[test]
fn scenes_of_moveit_are_read() {
    let rest = "* ball\n0 1 0\n0 0 0 1\n1\nsphere\n0.1\n0 0 0\n0 0 0 1\n0 0 0 0\n0\n.\n";
    let mut scene = scene();
    scene.load_string(&(MOVEIT.to_owned() + rest), "world.scene").unwrap();
    assert_eq!(scene.objects().keys().collect::<Vec<_>>(), ["ball", "shelf/0", "shelf/1"]);
    assert!((place(&scene, "shelf/0") - Vector3::new(1.0, 0.1, 0.5)).norm() < 1e-12);
    assert!((place(&scene, "shelf/1") - Vector3::new(1.0, 0.0, 1.0)).norm() < 1e-12);
    assert_eq!(scene.object("shelf/0").unwrap().shape, Shape::cuboid(0.1, 0.2, 0.3).unwrap());
    assert_eq!(scene.object("shelf/1").unwrap().shape, Shape::cylinder(0.05, 0.2).unwrap());
}

#[test]
fn faults_in_scenes_of_moveit_are_said_with_their_line_and_leave_the_scene() {
    let good = "name\n* ball\n1\nsphere\n0.1\n0 1 0\n0 0 0 1\n0 0 0 0\n.\n";
    let mut scene = scene();
    scene.load_string(good, "old.scene").unwrap();
    assert!((place(&scene, "ball") - Vector3::new(0.0, 1.0, 0.0)).norm() < 1e-12);
    let version = scene.version();
    let faults = [
        ("sphere", "torus", 4, "torus"),
        ("0.1", "-0.1", 5, "radius"),
        ("0.1", "wide", 5, "wide"),
        ("0 0 0 1", "0 0 0 0", 7, "quaternion"),
        ("0 1 0", "0 nan 0", 7, "NaN"),
        ("\n.\n", "\n", 8, "ends"),
        ("* ball", "* tool0", 8, "tool0"),
        ("* ball", "*", 8, "name"),
        ("1\nsphere", "-1\nsphere", 3, "number of shapes"),
        ("\n.\n", "\n?\n", 9, "?"),
    ];
    for (old, new, line, part) in faults {
        let error = scene.load_string(&good.replacen(old, new, 1), "old.scene").unwrap_err();
        let KineticError::FileParse { line: found, detail, .. } = &error else { panic!("{error:?}") };
        assert_eq!(*found, line, "{new}: {error}");
        assert!(detail.contains(part), "{new}: {error}");
    }
    let twice = good.replace(".\n", "* ball\n1\nsphere\n0.2\n9 1 0\n0 0 0 1\n0 0 0 0\n.\n");
    let numbered = "name\n* a\n2\nsphere\n1\n9 0 0\n0 0 0 1\n0 0 0 0\nsphere\n1\n9 0 0\n0 0 0 1\n0 0 0 0\n* a/0\n1\nsphere\n1\n9 0 0\n0 0 0 1\n0 0 0 0\n.\n";
    for (text, name) in [(twice.as_str(), "ball"), (numbered, "a/0")] {
        let error = scene.load_string(text, "old.scene").unwrap_err().to_string();
        assert!(error.contains(&format!("\"{name}\" stands twice")), "{error}");
    }
    assert_eq!(scene.version(), version);
    for end in 0..good.len() - 3 {
        assert!(scene.load_string(&good[..end], "old.scene").is_err(), "{end}");
    }
}

#[test]
fn damaged_scenes_of_moveit_are_refused_or_read() {
    let text = format!(
        "{MOVEIT}* mesh\n0 0 1\n0 0 0 1\n1\nmesh\n3 1\n0 0 0\n1 0 0\n0 1 0\n0 1 2\n0 0 0\n0 0 0 1\n0 0 0 0\n0\n.\n"
    );
    scene().load_string(&text, "whole.scene").unwrap();
    let mut rng = SeededRng::new(31);
    for _ in 0..cases(2_000, 100_000) {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len());
            bytes[at] = b"0123456789.-+eE* \nxnai"[rng.below(22)];
        }
        let damaged = String::from_utf8(bytes).unwrap();
        let mut scene = scene();
        match scene.load_string(&damaged, "damaged.scene") {
            Ok(()) => assert!(scene.objects().values().all(|object| object.pose.check_finite("pose").is_ok())),
            Err(error) => assert!(matches!(error, KineticError::FileParse { .. }), "{damaged:?}: {error}"),
        }
    }
}
