//! Scene files.

use kinetic_core::{KineticError, Shape};
use kinetic_scene::Scene;

use crate::support::ball_arm;

fn loaded(text: &str) -> Result<Scene, KineticError> {
    let mut scene = Scene::new(&ball_arm()).unwrap();
    scene.load_string(text, "scene.toml").map(|()| scene)
}

#[test]
fn every_shape_is_read() {
    let scene = loaded(
        r#"
        [[object]]
        name = "a"
        shape = "box"
        size = [0.2, 0.4, 0.6]
        position = [1.0, 2.0, 3.0]
        rpy = [0.0, 0.0, 1.5]
        [[object]]
        name = "b"
        shape = "sphere"
        radius = 0.1
        [[object]]
        name = "c"
        shape = "cylinder"
        radius = 0.1
        half_height = 0.2
        quaternion_xyzw = [0.0, 0.0, 0.0, 2.0]
        [[object]]
        name = "d"
        shape = "capsule"
        radius = 0.1
        half_height = 0.2
        [[object]]
        name = "e"
        shape = "half_space"
        normal = [0.0, 0.0, 2.0]
        offset = -1.0
        [[allow]]
        pair = ["a", "tip"]
        "#,
    )
    .unwrap();
    assert_eq!(scene.objects().len(), 5);
    assert_eq!(scene.object("a").unwrap().shape, Shape::cuboid(0.1, 0.2, 0.3).unwrap());
    assert!((scene.object("a").unwrap().pose.rpy().2 - 1.5).abs() < 1e-12);
    assert!(scene.allowed().is_allowed("tip", "a"));
}

/// Each text is wrong in one way; the message must name file, line and the word.
#[test]
fn mistakes_are_told_with_line_and_word() {
    let cases = [
        ("[[object]]\nname = \"a\"\nshape = \"box\"\nsize = [1.0, 1.0, 1.0]\ncolor = 3\n", 5, "color"),
        ("\n[[object]]\nname = \"a\"\nshape = \"box\"\nsize = [1.0, -1.0, 1.0]\n", 2, "half_y"),
        ("[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = nan\n", 1, "radius"),
        ("[[object]]\nname = \"a\"\nshape = \"sphere\"\n", 1, "radius"),
        ("[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = 0.1\nhalf_height = 0.2\n", 1, "half_height"),
        ("[[object]]\nname = \"a\"\nshape = \"cone\"\nradius = 0.1\n", 1, "cone"),
        ("[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = \"big\"\n", 4, "string"),
        ("[[object]\n", 1, ""),
        ("\n[[allow]]\npair = [\"tip\", \"nothing\"]\n", 2, "nothing"),
        (
            "[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = 0.1\n[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = 0.2\n",
            5,
            "no other object",
        ),
    ];
    for (text, expected_line, word) in cases {
        let error = loaded(text).unwrap_err();
        let KineticError::FileParse { file, line, detail } = &error else { panic!("{error}") };
        assert_eq!(file, "scene.toml");
        assert_eq!(*line, expected_line, "{text}: {error}");
        assert!(detail.contains(word), "{text}: {error}");
    }
}

#[test]
fn brackets_without_end_are_an_error_not_a_crash() {
    let mut scene = Scene::new(&ball_arm()).unwrap();
    for text in ["a = ".to_owned() + &"[".repeat(200_000), "a.".repeat(200_000) + "b = 1", "a = {b = ".repeat(100_000)]
    {
        let error = scene.load_string(&text, "scene.toml").unwrap_err();
        assert!(error.to_string().contains("nested"), "{error}");
    }
}

#[test]
fn a_file_is_taken_whole_or_not_at_all() {
    let mut scene = Scene::new(&ball_arm()).unwrap();
    let text = "[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = 0.1\n[[object]]\nname = \"b\"\nshape = \"sphere\"\nradius = -1.0\n";
    assert!(scene.load_string(text, "scene.toml").is_err());
    assert!(scene.objects().is_empty());
    let missing = scene.load(std::path::Path::new("/does/not/exist.toml")).unwrap_err();
    assert_eq!(missing.code(), "Io");
}
