use std::fmt::Write as _;
use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_robot::Robot;

use super::DistanceTable;
use super::jointed_clusters::JointedClusters;
use super::tree::TableTree;
use crate::collision_model::CollisionModel;
use crate::model::KernelModel;
use crate::motion::BATCH;
#[cfg(target_arch = "x86_64")]
use crate::registers::{Avx8, Avx16};
use crate::tests::model_of;
#[cfg(target_arch = "x86_64")]
use crate::tier::SimdTier;
use crate::vector::{Lanes, Plain, ROW_SHIFT, row};

/// Configurations per robot.
fn count() -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { 1_000_000 } else { 5_000 }
}

/// Bound on the rounding of positions and sums in single precision, m, for distances of metres.
const SINGLE_PRECISION_ROUNDING_M: f64 = 2e-6;

/// Six links with six spheres each and joint axes in all directions; one joint mimics another.
fn random_arm(seed: u64) -> Robot {
    let mut rng = SeededRng::new(seed);
    let mut urdf = "<robot name=\"arm\">".to_owned();
    for link in 0..6 {
        write!(urdf, "<link name=\"l{link}\">").expect("a string");
        for _ in 0..6 {
            let [x, y, z] = [0; 3].map(|_| rng.uniform(-0.08, 0.12));
            let radius = rng.uniform(0.02, 0.05);
            write!(
                urdf,
                "<collision><origin xyz=\"{x} {y} {z}\"/><geometry><sphere radius=\"{radius}\"/></geometry></collision>"
            )
            .expect("a string");
        }
        urdf += "</link>";
    }
    for joint in 0..5 {
        let [x, y, z] = [0; 3].map(|_| rng.uniform(-0.15, 0.15));
        let [roll, pitch, yaw] = [0; 3].map(|_| rng.uniform(-3.0, 3.0));
        let (child, limit) = (joint + 1, rng.uniform(1.0, 6.0));
        let mimic = if joint == 3 { "<mimic joint=\"j1\" multiplier=\"-0.7\" offset=\"0.2\"/>" } else { "" };
        write!(
            urdf,
            "<joint name=\"j{joint}\" type=\"revolute\"><parent link=\"l{joint}\"/><child link=\"l{child}\"/>\
             <origin xyz=\"{x} {y} {z}\" rpy=\"{roll} {pitch} {yaw}\"/><axis xyz=\"0 0.6 0.8\"/>\
             <limit lower=\"-{limit}\" upper=\"{limit}\" velocity=\"1\" effort=\"1\"/>{mimic}</joint>"
        )
        .expect("a string");
    }
    Robot::from_urdf_string(&(urdf + "</robot>")).expect("a robot")
}

fn models() -> Vec<CollisionModel> {
    let built_in = ["ur5e", "franka_panda", "abb_yumi_left"].map(|name| Robot::from_name(name).expect("built in"));
    built_in.into_iter().chain((0..3).map(random_arm)).map(|robot| model_of(&robot, 0.0)).collect()
}

/// Cluster pairs that have tables.
fn tables(model: &KernelModel) -> impl Iterator<Item = (usize, &DistanceTable)> {
    let table = |(cluster_pair, table): (usize, &'_ Option<Arc<DistanceTable>>)| table.as_ref().map(|_| cluster_pair);
    let cluster_pairs: Vec<usize> = model.distance_tables.iter().enumerate().filter_map(table).collect();
    cluster_pairs
        .into_iter()
        .map(|cluster_pair| (cluster_pair, &**model.distance_tables[cluster_pair].as_ref().expect("has one")))
}

/// The angles of all frames.
fn angles(input: &CollisionModel, q: &[f64]) -> Vec<f32> {
    let within = |frame: &kinetic_kinematics::Frame| {
        let angle: f64 = frame.multiplier * q[frame.variable] + frame.offset;
        (angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()) as f32
    };
    input.program.frames().iter().map(within).collect()
}

fn random_configuration(input: &CollisionModel, rng: &mut SeededRng) -> Vec<f64> {
    let limits = input.limits.as_ref().expect("a checker within limits");
    limits.iter().map(|limits| rng.uniform(limits.lower.max(-7.0), limits.upper.min(7.0))).collect()
}

/// The distance of all spheres of a cluster pair that may meet, with the whole robot placed in double precision.
fn distance(input: &CollisionModel, model: &KernelModel, cluster_pair: usize, q: &[f64]) -> f64 {
    let frames = input.program.frame_poses(q);
    let mut spheres = Vec::new();
    for body in &input.bodies {
        let pose = frames[body.frame];
        spheres.extend(body.spheres.iter().map(|(center, radius)| (pose.point(center), *radius)));
    }
    let mut least = f64::INFINITY;
    for candidate in &model.candidates[model.cluster_pairs[cluster_pair].candidates.clone()] {
        let (center, radius) = spheres[candidate.sphere as usize];
        for partner in &model.partners[candidate.partners()] {
            let (other, other_radius) = spheres[*partner as usize];
            least = least.min((center - other).norm() - radius - other_radius);
        }
    }
    least
}

#[test]
fn no_bound_is_above_the_distance_and_most_are_near_it() {
    let mut rng = SeededRng::new(11);
    let mut found = 0;
    for input in models() {
        let model = KernelModel::new(&input);
        let (mut far, mut told) = (0, 0);
        found += tables(&model).count();
        for _ in 0..count() {
            let q = random_configuration(&input, &mut rng);
            let angles = angles(&input, &q);
            for (cluster_pair, table) in tables(&model) {
                let (bound, distance) = (f64::from(table.at_one(&angles)), distance(&input, &model, cluster_pair, &q));
                assert!(
                    bound <= distance + SINGLE_PRECISION_ROUNDING_M,
                    "cluster_pair {cluster_pair}: {bound} above {distance} at {q:?}"
                );
                far += usize::from(distance > 0.05);
                told += usize::from(distance > 0.05 && bound > 0.0);
            }
        }
        // Links that are five centimetres apart are what tables are for.
        assert!(10 * told >= 9 * far, "{told} of {far}: {}", input.bodies[0].name);
    }
    assert!(found >= 5, "{found} tables");
}

/// As [`DistanceTable::at_one`], lane by lane.
fn same_in_lanes<L: Lanes>(table: &DistanceTable, rows: &[Vec<f32>]) {
    let frames = rows[0].len();
    let mut angles = vec![L::ZERO; frames];
    for (frame, angles) in angles.iter_mut().enumerate() {
        for (lane, angle) in angles.lanes_mut().iter_mut().enumerate() {
            *angle = rows[lane][frame];
        }
    }
    let bounds = table.at(&angles);
    for (bound, row) in bounds.lanes().iter().zip(rows) {
        let one = table.at_one(row);
        assert!((bound - one).abs() <= 1e-5 || bound == &one, "{bound} and {one} at {row:?}");
    }
}

#[test]
fn lanes_of_all_widths_tell_what_one_configuration_tells() {
    let mut rng = SeededRng::new(12);
    for input in models() {
        let model = KernelModel::new(&input);
        for (_, table) in tables(&model) {
            for _ in 0..100 {
                let row = |_| (0..model.frames.len()).map(|_| rng.uniform(-4.0, 4.0) as f32).collect();
                let rows: Vec<Vec<f32>> = (0..BATCH).map(row).collect();
                same_in_lanes::<Plain<8>>(table, &rows);
                #[cfg(target_arch = "x86_64")]
                for tier in SimdTier::available() {
                    match tier {
                        SimdTier::Avx512 => same_in_lanes::<Avx16>(table, &rows),
                        SimdTier::Avx2 => same_in_lanes::<Avx8>(table, &rows),
                        _ => (),
                    }
                }
            }
        }
    }
}

#[test]
fn beyond_its_cells_a_table_says_nothing() {
    let model = KernelModel::new(&models()[1]);
    for (_, table) in tables(&model) {
        for axis in &table.axes[..1] {
            for coordinate in [-3.0, 0.4, axis.last - 0.4, axis.last + 100.0] {
                let mut angles = vec![0.0; model.frames.len()];
                angles[axis.frame] = (coordinate - axis.offset) / axis.per_radian;
                assert_eq!(table.at_one(&angles), f32::NEG_INFINITY, "at {coordinate} of {}", axis.last);
            }
        }
    }
}

#[test]
fn shifted_numbers_are_read_back() {
    for number in [0_u32, 1, 2, 1000, 131_072, 4_000_000] {
        assert_eq!(row(number as f32 + ROW_SHIFT), number as usize);
    }
}

#[test]
fn tables_made_from_bytes_are_those_that_are_found() {
    let mut found = 0;
    for name in ["ur5e", "franka_panda", "fetch"] {
        let robot = Robot::from_name(name).expect("built in");
        let input = model_of(&robot, 0.0);
        let model = KernelModel::new(&input);
        for jointed in
            model.cluster_pairs.iter().filter_map(|cluster_pair| JointedClusters::of(&input, &model, cluster_pair))
        {
            let Some(tree) = TableTree::find(&jointed, jointed.spared_tests()) else { continue };
            found += 1;
            let (table, bytes) = (tree.table(&jointed).expect("its own"), tree.to_bytes(jointed.joints()));
            assert_eq!(TableTree::from_bytes(&bytes, jointed.joints()).as_ref(), Some(&tree));
            assert!(table.cells.iter().any(|cell| cell[0] > 0.0), "{name}");
            // Bytes that are too short or too long are no table.
            for wrong in [&bytes[..bytes.len() - 1], &bytes[..bytes.len() / 2], &[&bytes[..], &[1]].concat()] {
                let read = TableTree::from_bytes(wrong, jointed.joints());
                assert!(read.and_then(|tree| tree.table(&jointed)).is_none(), "{name}: {} bytes", wrong.len());
            }
        }
    }
    assert!(found >= 3, "{found} tables");
}
