//! The MotionBenchMaker reader, on a small problem set written by the test.

use std::path::{Path, PathBuf};

use kinetic::mbm::{Cylinders, Model, Options, run, write_paths};
use kinetic::planning::PlannerType;

/// A folder with one family of two problems for a robot of two balls on two joints.
fn data_in(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kinetic-mbm-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("problems/two")).unwrap();
    std::fs::create_dir_all(folder.join("models/two")).unwrap();
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            r#"{{"name":"{name}","type":"revolute","parent":"{parent}","child":"{child}","origin_xyz":[{x},0,0],
                "origin_rpy":[0,0,0],"axis":[0,0,1]}}"#
        )
    };
    let model = format!(
        r#"{{"robot":"two","root":"base","active_joints":["j1","j2"],"lower":[-3,-3],"upper":[3,3],
            "links":["base","upper","lower"],"joints":[{},{}],
            "spheres":[{{"link":"upper","center":[0.4,0,0],"radius":0.05}},
                       {{"link":"lower","center":[0.4,0,0],"radius":0.05}}],
            "self_collision_link_pairs":[]}}"#,
        joint("j1", "base", "upper", 0.0),
        joint("j2", "upper", "lower", 0.5)
    );
    std::fs::write(folder.join("models/two/model.json"), model).unwrap();
    let problem = |index: u32, valid: bool| {
        format!(
            r#"{{"index":{index},"start":[-1.0,0.0],"goals":[[1.0,0.0]],"valid_vamp":{valid},"valid_exact":{valid},
                "obstacles":{{"boxes":[],"spheres":[],"cylinders":[{{"name":"post","position":[0.9,0,0],
                "quat_xyzw":[0,0,0,1],"radius":0.1,"length":0.4}}]}}}}"#
        )
    };
    let family =
        format!(r#"{{"robot":"two","family":"posts","problems":[{},{}]}}"#, problem(1, true), problem(2, false));
    std::fs::write(folder.join("problems/two/posts.json"), family).unwrap();
    folder
}

#[test]
fn valid_problems_are_solved_around_their_obstacles_and_invalid_ones_left_alone() {
    let data = data_in("posts");
    let options = Options { cylinders: Cylinders::Exact, ..Options::new(&data, "two") };
    let mut heard = Vec::new();
    let report = run(&options, &mut |done, total| {
        heard.push((done, total));
        true
    })
    .unwrap();
    assert_eq!(heard, [(1, 2), (2, 2)]);
    assert!(report.rows[0].valid && report.rows[0].solved, "{:?}", report.rows[0]);
    assert!(!report.rows[1].valid && !report.rows[1].solved);
    let path = &report.paths[0].path;
    assert_eq!((path[0].clone(), path[path.len() - 1].clone()), (vec![-1.0, 0.0], vec![1.0, 0.0]));
    for pair in path.windows(2) {
        for step in 0..=1000 {
            let t = f64::from(step) / 1000.0;
            let q: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| a + t * (b - a)).collect();
            let elbow = (0.5 * q[0].cos(), 0.5 * q[0].sin());
            let tip = (elbow.0 + 0.4 * (q[0] + q[1]).cos(), elbow.1 + 0.4 * (q[0] + q[1]).sin());
            for (x, y) in [(0.4 * q[0].cos(), 0.4 * q[0].sin()), tip] {
                assert!((x - 0.9).hypot(y) > 0.15, "touches the post at {q:?}");
            }
        }
    }
    check_written_paths(&report, &data);
    std::fs::remove_dir_all(data).unwrap();
}

fn check_written_paths(report: &kinetic::mbm::Report, folder: &Path) {
    let file = folder.join("paths.json");
    write_paths(report, &file).unwrap();
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(written["robot"], "two");
    assert_eq!(written["paths"][0]["family"], "posts");
    assert_eq!(written["paths"][0]["path"].as_array().unwrap().len(), report.paths[0].path.len());
}

/// Regression 1: two arms whose joints alternate in the tree were planned with each other's values.
#[test]
fn joints_have_the_order_of_the_problem_file_not_of_the_tree() {
    let data = two_arms();
    let options = Options { cylinders: Cylinders::Exact, ..Options::new(&data, "arms") };
    let report = run(&options, &mut |_, _| true).unwrap();
    std::fs::remove_dir_all(data).unwrap();
    assert!(report.rows[0].solved, "{:?}", report.rows[0]);
    assert!(!report.rows[1].solved && report.rows[1].failure.starts_with("GoalInCollision"), "{:?}", report.rows[1]);
}

/// Two arms of two joints each, listed in the tree as left, right, left, right; a post stands in front of the left one.
fn two_arms() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kinetic-mbm-arms-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("problems/arms")).unwrap();
    std::fs::create_dir_all(folder.join("models/arms")).unwrap();
    let joint = |name: &str, parent: &str, child: &str, xyz: &str| {
        format!(
            r#"{{"name":"{name}","type":"revolute","parent":"{parent}","child":"{child}","origin_xyz":[{xyz}],
                "origin_rpy":[0,0,0],"axis":[0,0,1]}}"#
        )
    };
    let joints = [
        joint("r1", "base", "ru", "0,-2,0"),
        joint("l1", "base", "lu", "0,2,0"),
        joint("r2", "ru", "rl", "0.5,0,0"),
        joint("l2", "lu", "ll", "0.5,0,0"),
    ];
    let model = format!(
        r#"{{"robot":"arms","root":"base","active_joints":["l1","l2","r1","r2"],"lower":[-3,-3,-3,-3],
            "upper":[3,3,3,3],"links":["base","lu","ru","ll","rl"],"joints":[{}],
            "spheres":[{{"link":"ll","center":[0.4,0,0],"radius":0.05}},
                       {{"link":"rl","center":[0.4,0,0],"radius":0.05}}],"self_collision_link_pairs":[]}}"#,
        joints.join(",")
    );
    std::fs::write(folder.join("models/arms/model.json"), model).unwrap();
    let problem = |index: u32, goal: &str| {
        format!(
            r#"{{"index":{index},"start":[1.0,0.0,1.0,0.0],"goals":[[{goal}]],"valid_vamp":true,"valid_exact":true,
                "obstacles":{{"boxes":[],"cylinders":[],"spheres":[{{"name":"ball","position":[0.9,2,0],
                "radius":0.1}}]}}}}"#
        )
    };
    // The right arm may stretch forward, the left one would touch the ball.
    let problems = [problem(1, "1.0,0.0,0.0,0.0"), problem(2, "0.0,0.0,1.0,0.0")].join(",");
    let family = format!(r#"{{"robot":"arms","family":"balls","problems":[{problems}]}}"#);
    std::fs::write(folder.join("problems/arms/balls.json"), family).unwrap();
    folder
}

#[test]
fn missing_data_is_a_file_error() {
    let options = Options::new("/does/not/exist", "panda");
    assert_eq!(run(&options, &mut |_, _| true).unwrap_err().code(), "Io");
}

#[test]
fn an_anytime_planner_uses_its_budget_and_is_no_longer_than_the_default_one() {
    let data = data_in("anytime");
    let given = Options { cylinders: Cylinders::Exact, ..Options::new(&data, "two") };
    let first = run(&given, &mut |_, _| true).unwrap();
    // Long enough for any machine; the planner is not told of a clock here, so that only lengths are compared.
    let better = Options { planner: PlannerType::AORRTC, timeout: 0.5, ..given };
    let second = run(&better, &mut |_, _| true).unwrap();
    std::fs::remove_dir_all(data).unwrap();
    assert!(second.rows[0].solved && second.rows[0].length <= first.rows[0].length, "{:?}", second.rows[0]);
}

#[test]
fn built_in_robots_are_named_when_another_is_asked_for() {
    let data = data_in("named");
    let options = Options { model: Model::Builtin, ..Options::new(&data, "two") };
    let error = run(&options, &mut |_, _| true).unwrap_err();
    std::fs::remove_dir_all(data).unwrap();
    assert_eq!(error.code(), "InvalidValue");
    assert!(error.to_string().contains("panda, fetch, baxter"), "{error}");
}

/// Both arms of the built-in robot move from one side of a ball to the other; their joints have the order of the file.
#[test]
fn built_in_robots_plan_with_their_own_hulls_and_limits() {
    let data = std::env::temp_dir().join(format!("kinetic-mbm-baxter-{}", std::process::id()));
    std::fs::create_dir_all(data.join("problems/baxter")).unwrap();
    let arms = |shoulder: f64| format!("[{shoulder},-0.55,0,0.75,0,1.26,0,{},-0.55,0,0.75,0,1.26,0]", -shoulder);
    let problem = |index: u32, start: f64, goal: f64| {
        format!(
            r#"{{"index":{index},"start":{},"goals":[{}],"valid_vamp":true,"valid_exact":true,
                "obstacles":{{"boxes":[],"cylinders":[],"spheres":[{{"name":"ball","position":[2.5,0,0],
                "radius":0.1}}]}}}}"#,
            arms(start),
            arms(goal)
        )
    };
    // Limits of the shoulder end at 1.7 rad.
    let problems = [problem(1, 0.0, 0.4), problem(2, 0.0, 1.9)].join(",");
    let family = format!(r#"{{"robot":"baxter","family":"balls","problems":[{problems}]}}"#);
    std::fs::write(data.join("problems/baxter/balls.json"), family).unwrap();
    let options = Options { model: Model::Builtin, ..Options::new(&data, "baxter") };
    let report = run(&options, &mut |_, _| true).unwrap();
    std::fs::remove_dir_all(data).unwrap();
    assert!(report.rows[0].valid && report.rows[0].solved, "{:?}", report.rows[0]);
    assert!(!report.rows[1].valid, "{:?}", report.rows[1]);
    assert_eq!(report.paths[0].path[0].len(), 14);
}
