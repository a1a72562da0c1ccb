//! Scene files.

use kinetic_core::{KineticError, Pose, Shape};
use kinetic_scene::Scene;
use nalgebra::Point3;

use crate::support::{ball_arm, built_in};

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
        [[object]]
        name = "f"
        shape = "convex"
        vertices = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
        radius = 0.01
        [[object]]
        name = "g"
        shape = "mesh"
        vertices = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]
        faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        scale = 2.0
        solid = true
        [[object]]
        name = "h"
        shape = "height_field"
        heights = [[0.0, 0.1, 0.2], [0.1, 0.2, 0.3]]
        spacing = [0.5, 0.25]
        base = -0.1
        [[object]]
        name = "i"
        shape = "voxels"
        cells = [[0, 0, 0], [1, 0, -2]]
        resolution = 0.05
        [[allow]]
        pair = ["a", "tip"]
        "#,
    )
    .unwrap();
    assert_eq!(scene.objects().len(), 9);
    let heights = [0.0, 0.1, 0.2, 0.1, 0.2, 0.3];
    let field = Shape::height_field(&heights, [2, 3], [0.5, 0.25], -0.1).unwrap();
    assert_eq!(scene.object("h").unwrap().shape, field);
    assert_eq!(scene.object("i").unwrap().shape, Shape::voxels(&[[0, 0, 0], [1, 0, -2]], 0.05).unwrap());
    let Shape::Mesh { vertices, is_solid: true, .. } = &scene.object("g").unwrap().shape else { panic!("solid") };
    assert_eq!(vertices[3], Point3::new(0.0, 0.0, 0.2));
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
        ("[[object]]\nname = \"a\"\nshape = \"mesh\"\n", 1, "source of a mesh"),
        ("[[object]]\nname = \"a\"\nshape = \"mesh\"\nfile = \"no.stl\"\nradius = 0.1\n", 1, "radius"),
        ("[[object]]\nname = \"a\"\nshape = \"mesh\"\nfile = \"no.stl\"\n", 1, "no.stl"),
        ("[[object]]\nname = \"a\"\nshape = \"voxels\"\ncells = []\nresolution = 0.1\n", 1, "no cells"),
        (
            "[[object]]\nname = \"a\"\nshape = \"height_field\"\nheights = [[0.0, 0.1], [0.0]]\nspacing = [1, 1]\nbase = 0\n",
            1,
            "row of heights",
        ),
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

#[test]
fn a_saved_scene_reads_back_as_it_was() {
    let robot = built_in("fetch");
    let mut scene = Scene::new(&robot).unwrap();
    let pose = Pose::from_xyz_rpy(1.0 / 3.0, -0.1, 0.7, 0.3, -0.2, 1e-7);
    let corners = [[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]].map(nalgebra::Point3::from);
    let shapes = [
        ("a \"box\"\\\t", Shape::cuboid(0.1, 0.2, 1.0 / 3.0).unwrap()),
        ("ball", Shape::sphere(1e-3).unwrap()),
        ("can", Shape::cylinder(0.1, 0.2).unwrap()),
        ("pill", Shape::capsule(0.1, 0.2).unwrap()),
        ("floor", Shape::half_space(nalgebra::Vector3::new(0.0, 0.6, 0.8), -3.0).unwrap()),
        ("hull", Shape::convex(&corners, 0.01).unwrap()),
        ("mesh", Shape::mesh(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], true).unwrap()),
        ("field", Shape::height_field(&[0.0, 0.1, 0.2, 0.3, 0.1, 0.0], [3, 2], [0.1, 0.2], -0.5).unwrap()),
        ("cells", Shape::voxels(&[[0, 0, 0], [-3, 2, 7]], 0.02).unwrap()),
        ("points", Shape::point_cloud(&[Point3::new(0.1, 0.2, 0.3), Point3::origin()], 0.01).unwrap()),
    ];
    for (name, shape) in &shapes {
        scene.add(name, shape.clone(), pose).unwrap();
    }
    scene.attach("cup", Shape::cylinder(0.04, 0.05).unwrap(), pose, "gripper_link", &["wrist_roll_link"]).unwrap();
    scene.allow_collision("cup", "a \"box\"\\\t").unwrap();
    scene.set_margin("cup", "ball", 0.01).unwrap();
    scene.set_margin_all("can", 0.05).unwrap();
    scene.set_margin_all("forearm_roll_link", 0.04).unwrap();
    scene.set_margin_of("elbow_flex_link", kinetic_scene::Side::Own, 0.03).unwrap();
    scene.set_padding("cup", 0.002).unwrap();
    scene.set_scale("forearm_roll_link", 1.1).unwrap();
    scene.hold_joint("torso_lift_joint", 0.2).unwrap();

    let mut read = Scene::new(&robot).unwrap();
    let text = scene.to_toml().unwrap();
    read.load_string(&text, "saved").unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read.objects().keys().collect::<Vec<_>>(), scene.objects().keys().collect::<Vec<_>>());
    for (name, object) in scene.objects() {
        let again = read.object(name).unwrap();
        assert_eq!(again.shape, object.shape, "{name}");
        assert!((again.pose.to_matrix() - object.pose.to_matrix()).norm() < 1e-15, "{name}");
    }
    let (cup, again) = (&scene.attached()["cup"], &read.attached()["cup"]);
    assert_eq!((&again.shape, again.link, &again.touch_links), (&cup.shape, cup.link, &cup.touch_links));
    assert_eq!(read.allowed(), scene.allowed());
    assert_eq!(read.margins(), scene.margins());
    assert_eq!(read.held(), scene.held());
    // Saving again changes nothing more than the last digit of a quaternion.
    assert_eq!(read.to_toml().unwrap().lines().count(), text.lines().count());
}

#[test]
fn what_was_said_about_names_that_are_gone_is_saved_and_counts_when_they_come_back() {
    let states: [fn(&mut Scene); 5] = [
        |scene| scene.allow_collision("box", "tip").unwrap(),
        |scene| scene.set_margin("box", "tip", 0.1).unwrap(),
        |scene| scene.set_margin_all("box", 0.1).unwrap(),
        |scene| scene.set_padding("box", 0.1).unwrap(),
        |scene| {
            // A body that a link carried has a margin towards the robot too.
            let grasp = Pose::from_xyz(0.0, 0.0, 0.5);
            scene.remove("box");
            scene.attach("box", Shape::sphere(0.1).unwrap(), grasp, "tip", &[]).unwrap();
            scene.set_margin_of("box", kinetic_scene::Side::Own, 0.1).unwrap();
            scene.detach("box", grasp).unwrap();
        },
    ];
    for state in states {
        let mut scene = Scene::new(&ball_arm()).unwrap();
        scene.add("box", Shape::sphere(0.1).unwrap(), Pose::identity()).unwrap();
        state(&mut scene);
        for is_there in [true, false] {
            if !is_there {
                scene.remove("box");
            }
            let text = scene.to_toml().unwrap();
            assert_eq!(text.contains("absent = [\"box\"]"), !is_there, "{text}");
            let read = loaded(&text).unwrap();
            assert_eq!(read.version(), scene.version(), "{text}");
            assert_eq!((read.margins(), read.allowed()), (scene.margins(), scene.allowed()), "{text}");
            assert_eq!(read.objects().len(), usize::from(is_there));
        }
    }
    let error = loaded("[[padding]]\nof = \"box\"\nvalue = 0.1\n").unwrap_err().to_string();
    assert!(error.contains("box"), "{error}");
    assert!(loaded("absent = [\"tip\", \"gone\", \"gone\"]\n").unwrap().objects().is_empty());
    assert!(loaded("absent = [\"\"]\n").is_err());
}

#[test]
fn mistakes_in_margins_are_told_with_line_and_word() {
    let cases = [
        ("[[margin]]\npair = [\"tip\", \"tap\"]\nvalue = 0.1", "tap"),
        ("[[margin]]\npair = [\"tip\", \"upper\"]\nvalue = -0.1", "-0.1"),
        ("[[margin]]\nof = \"tip\"\ntowards = \"sky\"\nvalue = 0.1", "sky"),
        ("[[margin]]\nvalue = 0.1", "`pair`, or `of`"),
        ("[[margin]]\nof = \"tip\"\nvalue = nan", "NaN"),
        ("[[margin]]\nof = \"tip\"\nvalue = 0.1\nuntil_detached = true", "until_detached"),
        ("[[margin]]\npair = [\"tip\", \"upper\"]\nvalue = 0.1\nuntil_detached = true", "one is attached"),
        ("[[padding]]\nof = \"tip\"\nvalue = -1.0", "-1"),
        ("[[scale]]\nlink = \"tip\"\nfactor = 0.0", "scale"),
        ("[held]\nj9 = 0.0", "j9"),
        ("[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = 0.1\ntouch_links = [\"tip\"]", "touch_links"),
        ("[[object]]\nname = \"a\"\nshape = \"sphere\"\nradius = 0.1\nlink = \"tap\"", "tap"),
    ];
    let untouched = Scene::new(&ball_arm()).unwrap().version();
    for (text, word) in cases {
        let mut scene = Scene::new(&ball_arm()).unwrap();
        let error = scene.load_string(text, "scene.toml").unwrap_err().to_string();
        assert!(error.contains("scene.toml") && error.contains(word), "{error}");
        assert_eq!(scene.version(), untouched);
    }
}

#[test]
fn meshes_are_found_beside_the_scene_file() {
    let folder = std::env::temp_dir().join(format!("kinetic-scene-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("part.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let text = "[[object]]\nname = \"part\"\nshape = \"mesh\"\nfile = \"part.obj\"\nscale = 0.5\n";
    std::fs::write(folder.join("scene.toml"), text).unwrap();
    let mut scene = Scene::new(&ball_arm()).unwrap();
    scene.load(&folder.join("scene.toml")).unwrap();
    let corners = [Point3::origin(), Point3::new(0.5, 0.0, 0.0), Point3::new(0.0, 0.5, 0.0)];
    assert_eq!(scene.object("part").unwrap().shape, Shape::mesh(&corners, &[[0, 1, 2]], false).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
}
