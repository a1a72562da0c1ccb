//! Walls that samples of an edge step over: what the search believed is not what leaves the planner.

use std::sync::Arc;

use kinetic::prelude::*;

/// A ball of a millimetre that slides in a plane.
const GANTRY: &str =
    "<robot name='gantry'><link name='base'/><link name='carriage'/><link name='tip'><collision><geometry>
    <sphere radius='0.001'/></geometry></collision></link>
    <joint name='x' type='prismatic'><parent link='base'/><child link='carriage'/><axis xyz='1 0 0'/>
    <limit lower='-1' upper='1' velocity='1' effort='1'/></joint>
    <joint name='y' type='prismatic'><parent link='carriage'/><child link='tip'/><axis xyz='0 1 0'/>
    <limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>";

/// Half the width of the walls, m; around them there is room on both sides.
const HALF: f64 = 0.5;

/// Where a path passes `x`, the values of `y`.
fn crossings(path: &Trajectory, x: f64) -> Vec<f64> {
    let crossing = |(from, to): (&[f64], &[f64])| {
        let t = (x - from[0]) / (to[0] - from[0]);
        ((from[0] - x) * (to[0] - x) <= 0.0 && t.is_finite()).then(|| from[1] + t * (to[1] - from[1]))
    };
    path.segments().filter_map(crossing).collect()
}

#[test]
fn no_path_goes_through_a_wall_that_no_sample_meets() {
    let robot = Arc::new(Robot::from_urdf_string(GANTRY).unwrap());
    for seed in 0..20_u8 {
        // A tenth of a millimetre, each time elsewhere between the samples of the straight way.
        let walls = [0.025, -0.37].map(|x| x + 1e-3 * f64::from(seed));
        let mut scene = Scene::new(&robot).unwrap();
        for (index, x) in walls.into_iter().enumerate() {
            let wall = Shape::cuboid(5e-5, HALF, 0.5).unwrap();
            scene.add(&format!("wall{index}"), wall, Pose::from_xyz(x, 0.0, 0.0)).unwrap();
        }
        let config = PlannerConfig { collision_margin: 0.0, seed: u64::from(seed), ..PlannerConfig::default() };
        let planner = Planner::in_scene(scene).unwrap().with_config(config).unwrap();
        let mut heard = Vec::new();
        let (goal, mut hear) = (Goal::joints([0.8, 0.1]), |better: Improvement| heard.push(better.path));
        let result = planner.solve(Query::new(&[-0.8, 0.0], &goal).on_improvement(&mut hear)).unwrap().result;
        assert_eq!(heard, std::slice::from_ref(&result.path), "seed {seed}");
        for x in walls {
            let crossings = crossings(&result.path, x);
            assert!(!crossings.is_empty() && crossings.iter().all(|y| y.abs() > HALF), "seed {seed}: {crossings:?}");
        }
    }
}

#[test]
fn running_out_in_a_second_search_names_the_iterations_of_both() {
    let robot = Arc::new(Robot::from_urdf_string(GANTRY).unwrap());
    let mut scene = Scene::new(&robot).unwrap();
    // A post in the straight way, so that the first search has to iterate, and behind it a wall that leaves no way round
    // and that samples step over, so that what it finds is refused.
    scene.add("post", Shape::cuboid(0.1, 0.3, 0.5).unwrap(), Pose::from_xyz(-0.4, 0.0, 0.0)).unwrap();
    scene.add("wall", Shape::cuboid(5e-6, 1.5, 0.5).unwrap(), Pose::from_xyz(0.3, 0.0, 0.0)).unwrap();
    let config = PlannerConfig { collision_margin: 0.0, max_iterations: 500, ..PlannerConfig::default() };
    let planner = Planner::in_scene(scene).unwrap().with_config(config).unwrap();
    let error = planner.plan(&[-0.8, 0.0], &Goal::joints([0.8, 0.1])).unwrap_err();
    assert!(matches!(error, KineticError::PlanningTimeout { iterations: 500, .. }), "{error}");
}
