//! All numerical solvers of the table under the same laws, and each one's own abilities.

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose};
use kinetic_ik::{Aim, Norm};
use kinetic_ik::{
    AxisCone, CcdOptions, IKConfig, IKMode, IKSolver, IkCache, LinkTarget, SOLVERS, bio_ik, ccd, solve_ik,
};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::Robot;
use nalgebra::{Unit, Vector3};

use crate::{cases, plain};

/// Rounding of independent arithmetic; the angle between two quaternions is good to 1e-8 only.
const ROUNDING: f64 = 1e-7;

fn built_in(name: &str) -> (Robot, KinematicChain) {
    let robot = Robot::from_name(name).unwrap();
    let chain = KinematicChain::auto_detect(&robot).unwrap();
    (robot, chain)
}

fn links(robot: &Robot, q: &[f64]) -> Vec<Pose> {
    let group = &robot.groups[robot.default_group];
    plain::link_poses(robot, &robot.full_configuration(group, q).unwrap())
}

fn reached(robot: &Robot, q: &[f64]) -> Pose {
    let (group, poses) = (&robot.groups[robot.default_group], links(robot, q));
    poses[group.base_link].inverse() * poses[group.tip_link] * group.tip_from_tcp
}

fn random(robot: &Robot, rng: &mut SeededRng) -> Vec<f64> {
    robot.random_configuration(&robot.groups[robot.default_group], rng).0
}

#[test]
fn no_solver_claims_a_success_that_it_has_not() {
    for spec in SOLVERS.iter().filter(|spec| spec.solver.is_numerical()) {
        for name in ["ur5e", "franka_panda", "fetch", "abb_irb1200"] {
            let (robot, chain) = built_in(name);
            let group = &robot.groups[robot.default_group];
            let mut rng = SeededRng::new(41);
            // 10⁵ over the solvers and robots.
            for case in 0..cases(60, 5_000) {
                let goal = reached(&robot, &random(&robot, &mut rng));
                let mode = if case % 2 == 0 { IKMode::Full6D } else { IKMode::PositionOnly };
                let config = IKConfig { num_restarts: 1, rng_seed: case as u64, ..IKConfig::default() };
                let config = config.with_solver(spec.solver).with_mode(mode);
                let solved = solve_ik(&chain, &goal, &config);
                assert_eq!(solved, solve_ik(&chain, &goal, &config), "{} is not deterministic", spec.id);
                let Ok(solution) = solved else { continue };
                robot.check_limits(group, &solution.joints, 0.0).unwrap();
                let pose = reached(&robot, &solution.joints);
                let what = format!("{}, {name}, case {case}", spec.id);
                assert!(solution.converged && solution.solver == spec.solver && solution.mode_used == mode, "{what}");
                assert!((pose.translation_distance(&goal) - solution.position_error).abs() < 1e-9, "{what}");
                assert!((pose.rotation_distance(&goal) - solution.orientation_error).abs() < ROUNDING, "{what}");
                assert!(solution.position_error <= 1e-4, "{what}");
                assert!(mode == IKMode::PositionOnly || solution.orientation_error <= 1e-3, "{what}");
                assert!(solution.condition_number >= 1.0 && solution.attempts >= 1, "{what}");
            }
        }
    }
}

/// Part of random reachable poses that each solver finds with the default options, at least: full pose and position.
/// Coordinate descent creeps along curved valleys; reaching stalls where joints are at their limits.
const SUCCESS: [(IKSolver, f64, f64); 4] = [
    (IKSolver::SQP, 0.99, 0.99),
    (IKSolver::FABRIK, 0.97, 0.95),
    (IKSolver::CCD, 0.70, 0.99),
    (IKSolver::BioIK, 0.99, 0.99),
];

#[test]
fn every_solver_finds_most_poses_with_the_default_options() {
    for (solver, full, position) in SUCCESS {
        for name in ["ur5e", "franka_panda"] {
            let (robot, chain) = built_in(name);
            for (mode, least) in [(IKMode::Full6D, full), (IKMode::PositionOnly, position)] {
                let mut rng = SeededRng::new(43);
                let total = cases(100, 2_000);
                let config = IKConfig::default().with_solver(solver).with_mode(mode);
                let solved = (0..total)
                    .filter(|_| solve_ik(&chain, &reached(&robot, &random(&robot, &mut rng)), &config).is_ok())
                    .count();
                assert!(solved as f64 >= least * total as f64, "{solver}, {name}, {mode}: {solved} of {total}");
            }
        }
    }
}

#[test]
fn beside_the_limits_quadratic_programs_find_no_less_than_clamped_steps() {
    let (robot, chain) = built_in("franka_panda");
    let mut rng = SeededRng::new(47);
    let (mut exact, mut clamped) = (0_usize, 0_usize);
    for _ in 0..cases(150, 2_000) {
        // Every joint within 2 % of one of its limits.
        let q: Vec<f64> = chain
            .bounds()
            .iter()
            .map(|(low, high)| {
                let inside = 0.02 * (high - low) * rng.unit();
                if rng.unit() < 0.5 { low + inside } else { high - inside }
            })
            .collect();
        let goal = reached(&robot, &q);
        let config = IKConfig { num_restarts: 0, ..IKConfig::default() }.with_solver(IKSolver::SQP);
        exact += usize::from(solve_ik(&chain, &goal, &config).is_ok());
        clamped += usize::from(clamped_least_squares(&chain, &goal));
    }
    assert!(exact > clamped, "{exact} and {clamped}");
}

/// Damped least squares that clamps its steps, from the middle of the limits: what textbooks do.
fn clamped_least_squares(chain: &KinematicChain, goal: &Pose) -> bool {
    let mut q: Vec<f64> = chain.bounds().iter().map(|(low, high)| f64::midpoint(*low, *high)).collect();
    for _ in 0..100 {
        let reached = chain.tip_pose(&q);
        let (position, angle) = (reached.translation_distance(goal), reached.rotation_distance(goal));
        if position <= 1e-4 && angle <= 1e-3 {
            return true;
        }
        let linear = goal.translation() - reached.translation();
        let angular = (goal.rotation() * reached.rotation().inverse()).scaled_axis();
        let error = nalgebra::Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        let j = kinetic_kinematics::jacobian(chain, &q).unwrap();
        let gram = &j * j.transpose() + nalgebra::Matrix6::identity() * 1e-4;
        let step = j.transpose() * gram.try_inverse().unwrap() * error;
        for (joint, (low, high)) in chain.bounds().iter().enumerate() {
            q[joint] = (q[joint] + step[joint].clamp(-0.5, 0.5)).clamp(*low, *high);
        }
    }
    false
}

#[test]
fn quadratic_programs_keep_an_axis_of_the_tool_in_its_cone() {
    let (robot, chain) = built_in("ur5e");
    let mut rng = SeededRng::new(53);
    let cone = AxisCone { tool_axis: Vector3::z_axis(), base_axis: -Vector3::z_axis(), max_angle: 0.1 };
    let (mut solved, mut tilted) = (0_usize, 0_usize);
    let total = cases(50, 1_000);
    for case in 0..total {
        let (angle, radius) = (rng.uniform(-3.0, 3.0), rng.uniform(0.3, 0.6));
        let goal = Pose::from_xyz(radius * f64::cos(angle), radius * f64::sin(angle), rng.uniform(0.1, 0.4));
        let free = IKConfig::position_only().with_solver(IKSolver::SQP);
        let upright = IKConfig { tool_axis: Some(cone), ..free.clone() };
        let away = |q: &[f64]| (reached(&robot, q).rotation() * Vector3::z()).angle(&-Vector3::z());
        let unconstrained = solve_ik(&chain, &goal, &free).unwrap();
        tilted += usize::from(away(&unconstrained.joints) > 0.1);
        let Ok(solution) = solve_ik(&chain, &goal, &upright) else { continue };
        solved += 1;
        assert!(away(&solution.joints) <= 0.1 + 1e-9, "case {case}: {}", away(&solution.joints));
        assert!(reached(&robot, &solution.joints).translation_distance(&goal) <= 1e-4 + 1e-12, "case {case}");
    }
    assert!(solved * 100 >= total * 99, "{solved} of {total}");
    assert!(tilted * 2 > total, "the cone changes little: {tilted} of {total}");
    let refused = IKConfig { tool_axis: Some(cone), ..IKConfig::dls() };
    assert!(solve_ik(&chain, &Pose::from_xyz(0.4, 0.0, 0.4), &refused).unwrap_err().is_input_error());
    let flat = AxisCone { max_angle: 0.0, tool_axis: Unit::new_normalize(Vector3::x()), ..cone };
    let refused = IKConfig { tool_axis: Some(flat), ..IKConfig::default().with_solver(IKSolver::SQP) };
    assert!(solve_ik(&chain, &Pose::from_xyz(0.4, 0.0, 0.4), &refused).unwrap_err().is_input_error());
}

/// An arm whose chain has a sliding joint, an offset and a fixed joint.
const CRANE: &str = r#"<robot name="crane"><link name="base"/><link name="mast"/><link name="boom"/><link name="jib"/>
    <link name="rope"/><link name="bracket"/><link name="hook"/>
    <joint name="turn" type="revolute"><parent link="base"/><child link="mast"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
      <limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
    <joint name="lift" type="revolute"><parent link="mast"/><child link="boom"/><origin xyz="0.1 0.05 0.2"/>
      <axis xyz="0 1 0"/><limit lower="-1.2" upper="0.8" velocity="1" effort="1"/></joint>
    <joint name="bend" type="revolute"><parent link="boom"/><child link="jib"/><origin xyz="0.6 0 0"/><axis xyz="0 1 0"/>
      <limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
    <joint name="bolt" type="fixed"><parent link="jib"/><child link="bracket"/><origin xyz="0.2 0 0.05" rpy="0 0.4 0"/></joint>
    <joint name="reel" type="prismatic"><parent link="bracket"/><child link="rope"/><origin xyz="0.1 0 0"/>
      <axis xyz="1 0 0"/><limit lower="0" upper="0.4" velocity="1" effort="1"/></joint>
    <joint name="end" type="fixed"><parent link="rope"/><child link="hook"/><origin xyz="0.1 0 -0.05"/></joint></robot>"#;

#[test]
fn reaching_works_with_sliding_and_fixed_joints_offsets_and_limits() {
    let robot = Robot::from_urdf_string(CRANE).unwrap();
    let chain = KinematicChain::extract(&robot, "base", "hook").unwrap();
    let mut rng = SeededRng::new(59);
    let total = cases(200, 5_000);
    let mut solved = 0_usize;
    for case in 0..total {
        let q: Vec<f64> = chain.bounds().iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
        let goal = *plain::link_poses(&robot, &q).last().unwrap();
        let config = IKConfig::fabrik().with_mode(IKMode::PositionOnly);
        let Ok(solution) = solve_ik(&chain, &goal, &config) else { continue };
        solved += 1;
        let hook = plain::link_poses(&robot, &solution.joints);
        assert!(hook.last().unwrap().translation_distance(&goal) <= 1e-4 + 1e-12, "case {case}");
        for (value, (low, high)) in solution.joints.iter().zip(chain.bounds()) {
            assert!(low <= value && value <= high, "case {case}");
        }
    }
    assert!(solved as f64 >= 0.99 * total as f64, "{solved} of {total}");
}

#[test]
fn coordinate_descent_meets_several_targets_together_with_the_joints_it_may_move() {
    let (robot, chain) = built_in("franka_panda");
    let elbow = 4;
    let mut rng = SeededRng::new(61);
    let total = cases(50, 1_000);
    let mut solved = 0_usize;
    for case in 0..total {
        let q = random(&robot, &mut rng);
        let poses = links(&robot, &q);
        let group = &robot.groups[robot.default_group];
        let base = poses[group.base_link].inverse();
        let elbow_link = robot.joints[chain.all_joints()[elbow - 1]].child;
        let elbow_at = (base * poses[elbow_link]).translation();
        let tool = reached(&robot, &q);
        let targets = [
            LinkTarget::position(elbow_at, 1e-3).on_link(elbow),
            LinkTarget::position(tool.translation(), 1e-3),
            LinkTarget::rotation(tool.rotation(), 1e-2),
        ];
        let near: Vec<f64> = q.iter().map(|value| value + rng.uniform(-0.2, 0.2)).collect();
        // The last joint stays where it is; it is told the right value.
        let mut seed = near;
        seed[6] = q[6];
        let options = CcdOptions { joints: Some((0..6).collect()), seed: Some(seed.into()), ..CcdOptions::default() };
        let Ok(found) = ccd(&chain, &targets, &options) else { continue };
        solved += 1;
        robot.check_limits(group, &found, 0.0).unwrap();
        assert_eq!(found[6], q[6], "case {case}");
        let poses = links(&robot, &found);
        let base = poses[group.base_link].inverse();
        assert!(((base * poses[elbow_link]).translation() - elbow_at).norm() <= 1e-3 + 1e-12, "case {case}");
        assert!(reached(&robot, &found).translation_distance(&tool) <= 1e-3 + 1e-12, "case {case}");
        assert!(reached(&robot, &found).rotation_distance(&tool) <= 1e-2 + ROUNDING, "case {case}");
    }
    assert!(solved * 10 >= total * 8, "{solved} of {total}");
}

#[test]
fn each_norm_decides_when_a_target_is_met() {
    let (robot, chain) = built_in("ur5e");
    let goal = reached(&robot, &[0.4, -1.1, 1.3, -0.4, 0.9, 0.3]);
    let mut sizes = Vec::new();
    for norm in [Norm::Sum, Norm::Euclidean, Norm::Max] {
        let target = LinkTarget::position(goal.translation(), 1e-2).with_norm(norm);
        let options = CcdOptions { seed: Some([0.3, -1.0, 1.2, -0.3, 0.8, 0.3].into()), ..CcdOptions::default() };
        let found = ccd(&chain, &[target], &options).unwrap();
        let error = reached(&robot, &found).translation() - goal.translation();
        let size = [error.abs().sum(), error.norm(), error.amax()][norm as usize];
        assert!(size <= 1e-2 + 1e-12, "{norm:?}: {size}");
        sizes.push(error.norm());
    }
    assert!(sizes[0] <= sizes[1] && sizes[1] <= sizes[2], "{sizes:?}");
}

#[test]
fn joints_that_several_frames_follow_are_searched() {
    let coupled = CRANE.replace(
        r#"<origin xyz="0.6 0 0"/><axis xyz="0 1 0"/>"#,
        r#"<origin xyz="0.6 0 0"/><axis xyz="0 1 0"/><mimic joint="lift" multiplier="-1.5" offset="0.2"/>"#,
    );
    let robot = Robot::from_urdf_string(&coupled).unwrap();
    let chain = KinematicChain::extract(&robot, "base", "hook").unwrap();
    assert_eq!(chain.dof(), 3);
    let mut rng = SeededRng::new(73);
    let total = cases(30, 500);
    let (mut solved, mut crude) = (0_usize, 0_usize);
    for case in 0..total {
        let q: Vec<f64> = chain.bounds().iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
        let hook = |q: &[f64]| plain::link_poses(&robot, q).last().unwrap().translation();
        let target = LinkTarget::position(hook(&q), 1e-4);
        let options = CcdOptions { rtol: 1e-9, ..CcdOptions::default() };
        let coarse = CcdOptions { line_search_maxiter: 2, maxiter: 20, ..options.clone() };
        crude += usize::from(ccd(&chain, &[target], &coarse).is_ok());
        let Ok(found) = ccd(&chain, &[target], &options) else { continue };
        solved += 1;
        assert!((hook(&found) - hook(&q)).norm() <= 1e-4 + 1e-12, "case {case}");
    }
    assert!(solved * 10 >= total * 8, "{solved} of {total}");
    assert!(crude < solved, "two evaluations along a joint do as well as 500: {crude} and {solved}");
}

#[test]
fn targets_and_options_that_cannot_be_used_are_refused_and_misses_are_told() {
    let (_, chain) = built_in("ur5e");
    let target = LinkTarget::position(Vector3::new(0.4, 0.1, 0.4), 1e-4);
    let options = CcdOptions::default;
    let bad = [
        ccd(&chain, &[], &options()),
        ccd(&chain, &[target.on_link(99)], &options()),
        ccd(&chain, &[LinkTarget { atol: -1.0, ..target }], &options()),
        ccd(&chain, &[LinkTarget { aim: Aim::Position(Vector3::new(f64::NAN, 0.0, 0.0)), ..target }], &options()),
        ccd(&chain, &[target], &CcdOptions { joints: Some(vec![6]), ..options() }),
        ccd(&chain, &[target], &CcdOptions { joints: Some(vec![]), ..options() }),
        ccd(&chain, &[target], &CcdOptions { maxiter: 0, ..options() }),
        ccd(&chain, &[target], &CcdOptions { rtol: f64::NAN, ..options() }),
        ccd(&chain, &[target], &CcdOptions { seed: Some([0.0; 3].into()), ..options() }),
        bio_ik(&chain, &[target.with_weight(0.0)], &IKConfig::default()),
    ];
    for answer in bad {
        assert!(answer.as_ref().unwrap_err().is_input_error(), "{answer:?}");
    }
    let far = LinkTarget::position(Vector3::new(3.0, 0.0, 0.0), 1e-4);
    let error = ccd(&chain, &[far], &options()).unwrap_err();
    assert!(matches!(error, KineticError::IKNotConverged { residual, .. } if residual > 1.9), "{error}");
}

#[test]
fn evolution_meets_weighted_targets_on_several_links() {
    let (robot, chain) = built_in("kuka_iiwa14");
    let group = &robot.groups[robot.default_group];
    let mut rng = SeededRng::new(67);
    let total = cases(20, 500);
    let mut solved = 0_usize;
    for case in 0..total {
        let q = random(&robot, &mut rng);
        let elbow_link = robot.joints[chain.all_joints()[3]].child;
        let poses = links(&robot, &q);
        let elbow_at = (poses[group.base_link].inverse() * poses[elbow_link]).translation();
        let tool = reached(&robot, &q).translation();
        let targets =
            [LinkTarget::position(elbow_at, 1e-4).on_link(4).with_weight(2.0), LinkTarget::position(tool, 1e-4)];
        let config = IKConfig { rng_seed: case as u64, ..IKConfig::default() };
        let Ok(found) = bio_ik(&chain, &targets, &config) else { continue };
        solved += 1;
        robot.check_limits(group, &found, 0.0).unwrap();
        let poses = links(&robot, &found);
        let elbow = (poses[group.base_link].inverse() * poses[elbow_link]).translation();
        assert!((elbow - elbow_at).norm() <= 1e-4 + 1e-12, "case {case}");
        assert!((reached(&robot, &found).translation() - tool).norm() <= 1e-4 + 1e-12, "case {case}");
    }
    assert!(solved as f64 >= 0.95 * total as f64, "{solved} of {total}");
}

#[test]
fn a_cache_seeds_from_the_nearest_pose_counts_and_survives_a_file() {
    let (robot, chain) = built_in("franka_panda");
    let mut cache = IkCache::new(chain.clone());
    assert!(cache.is_empty() && cache.nearest(&Pose::identity()).is_none());
    cache.warm(2_000, 5);
    let mut rng = SeededRng::new(71);
    let (mut warm, mut cold) = (0, 0);
    for case in 0..cases(100, 2_000) {
        let goal = reached(&robot, &random(&robot, &mut rng));
        let (nearest, distance) = cache.nearest(&goal).map(|(q, distance)| (q.clone(), distance)).unwrap();
        let of = |q: &[f64]| Rigid::from(&chain.tip_pose(q));
        assert!(distance.is_finite() && of(&nearest).translation.norm() > 0.0);
        let solution = cache.solve(&goal, &IKConfig::default()).unwrap();
        assert_eq!(solution.solver, IKSolver::Cached);
        assert!(reached(&robot, &solution.joints).translation_distance(&goal) <= 1e-4 + 1e-12, "case {case}");
        warm += solution.iterations;
        cold += solve_ik(&chain, &goal, &IKConfig::default()).unwrap().iterations;
    }
    assert!(warm < cold, "{warm} iterations from the cache, {cold} without");
    let counted = cache.statistics();
    assert_eq!((counted.hits + counted.misses) as usize, cases(100, 2_000));
    assert!(counted.hits > counted.misses);
    let path = std::env::temp_dir().join(format!("kinetic-ik-cache-{}.txt", std::process::id()));
    cache.save(&path).unwrap();
    let loaded = IkCache::load(chain.clone(), &path).unwrap();
    assert_eq!(loaded.len(), cache.len());
    let goal = reached(&robot, &random(&robot, &mut rng));
    assert_eq!(loaded.nearest(&goal), cache.nearest(&goal));
    let other = IkCache::load(built_in("ur5e").1, &path).unwrap_err();
    assert!(matches!(other, KineticError::FileParse { line: 2, .. }), "{other}");
    std::fs::write(&path, "something else").unwrap();
    assert!(IkCache::load(chain, &path).is_err());
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn the_nearest_pose_of_a_cache_is_that_of_an_exhaustive_search() {
    let (robot, chain) = built_in("ur5e");
    let mut cache = IkCache::new(chain.clone());
    cache.warm(300, 9);
    let mut rng = SeededRng::new(9);
    let mut q = vec![0.0; 6];
    let known: Vec<Vec<f64>> = (0..300)
        .map(|_| {
            q.iter_mut().zip(chain.bounds()).for_each(|(value, (low, high))| *value = rng.uniform(*low, *high));
            q.clone()
        })
        .collect();
    let frames = chain.program().frames();
    let reach: f64 = frames.iter().skip(1).map(|frame| frame.parent_from_frame.translation.norm()).sum::<f64>()
        + chain.tip().1.translation.norm();
    for case in 0..50 {
        let goal = reached(&robot, &random(&robot, &mut rng));
        let distance = |q: &Vec<f64>| {
            let pose = reached(&robot, q);
            (pose.translation_distance(&goal) / reach).hypot(pose.rotation_distance(&goal))
        };
        let nearest = known.iter().map(distance).fold(f64::INFINITY, f64::min);
        let (_, found) = cache.nearest(&goal).unwrap();
        assert!((found - nearest).abs() < 1e-6, "case {case}: {found} and {nearest}");
    }
}
