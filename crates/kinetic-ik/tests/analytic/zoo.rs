//! Arms that nobody built: random geometries of every kind, rounded as descriptions are.
#![allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "draws are positive and small")]

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use kinetic_core::rng::SeededRng;
use kinetic_ik::analytic::{Manipulator, Met, ProductOfExponentials, Screw, SolveOptions, TolerancePolicy};
use kinetic_kinematics::{Motion, Rigid};
use nalgebra::{Rotation3, Vector3};

use super::arms::{self, is_same};
use crate::cases;

/// What a number of a Denavit–Hartenberg table may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Entry {
    Zero,
    /// A right angle of either sign, or a length.
    Some,
    /// Zero or not.
    Coin,
    /// Any angle, away from multiples of π/2.
    Any,
}

/// Twist, length and lift from a joint to the next one.
pub(crate) type Link = [Entry; 3];

use Entry::{Any, Coin, Some, Zero};

/// Kinds of links.
const MEETING: Link = [Some, Zero, Coin];
const POINT: Link = [Some, Zero, Zero];
const PARALLEL: Link = [Zero, Some, Coin];
const SKEW: Link = [Any, Some, Some];
const OFFSET: Link = [Some, Some, Coin];
const ANYHOW: Link = [Coin, Coin, Coin];
const OBLIQUE: Link = [Any, Coin, Coin];

pub(crate) const KINDS: [(&str, &[Link]); 31] = [
    ("6R industrial", &[OFFSET, PARALLEL, OFFSET, [Some, Zero, Some], POINT]),
    ("6R industrial, no offsets", &[MEETING, PARALLEL, MEETING, [Some, Zero, Some], POINT]),
    ("6R spherical, skew shoulder", &[SKEW, SKEW, SKEW, [Any, Zero, Coin], [Any, Zero, Zero]]),
    ("6R spherical, orthogonal shoulder", &[OFFSET, OFFSET, OFFSET, MEETING, POINT]),
    ("6R spherical, meeting shoulder", &[MEETING, MEETING, OFFSET, MEETING, POINT]),
    ("6R spherical, first two parallel", &[PARALLEL, OFFSET, OFFSET, MEETING, POINT]),
    ("6R spherical, oblique", &[OBLIQUE, OBLIQUE, OBLIQUE, [Any, Zero, Coin], [Any, Zero, Zero]]),
    ("6R three parallel", &[MEETING, PARALLEL, PARALLEL, MEETING, MEETING]),
    ("6R three parallel, offset wrist", &[OFFSET, PARALLEL, PARALLEL, OFFSET, OFFSET]),
    ("6R three parallel, skew wrist", &[SKEW, PARALLEL, PARALLEL, SKEW, SKEW]),
    ("6R parallel at the end", &[MEETING, OFFSET, PARALLEL, PARALLEL, MEETING]),
    ("6R two parallel, offset wrist", &[MEETING, PARALLEL, OFFSET, MEETING, OFFSET]),
    ("6R two pairs of parallel", &[OFFSET, PARALLEL, OFFSET, PARALLEL, OFFSET]),
    ("6R spherical elbow", &[OFFSET, MEETING, [Some, Zero, Coin], POINT, OFFSET]),
    (
        "6R all meet",
        &[[Some, Zero, Some], [Some, Zero, Some], [Some, Zero, Some], [Some, Zero, Some], [Some, Zero, Some]],
    ),
    ("6R orthogonal", &[ANYHOW, ANYHOW, ANYHOW, ANYHOW, ANYHOW]),
    ("6R oblique", &[OBLIQUE, OBLIQUE, OBLIQUE, OBLIQUE, OBLIQUE]),
    ("6R skew", &[SKEW, SKEW, SKEW, SKEW, SKEW]),
    ("3R", &[ANYHOW, ANYHOW]),
    ("5R industrial", &[OFFSET, PARALLEL, PARALLEL, OFFSET]),
    ("5R parallel", &[MEETING, PARALLEL, PARALLEL, MEETING]),
    ("5R orthogonal", &[ANYHOW, ANYHOW, ANYHOW, ANYHOW]),
    ("5R skew", &[SKEW, SKEW, SKEW, SKEW]),
    ("7R spherical", &[MEETING, POINT, [Some, Zero, Some], POINT, [Some, Zero, Some], POINT]),
    ("7R offset elbow", &[MEETING, POINT, [Some, Some, Some], [Some, Some, Zero], [Some, Zero, Some], POINT]),
    (
        "7R offset wrist",
        &[MEETING, POINT, [Some, Some, Some], [Some, Some, Zero], [Some, Zero, Some], [Some, Some, Zero]],
    ),
    ("7R spherical wrist", &[OFFSET, OFFSET, OFFSET, OFFSET, [Some, Zero, Some], POINT]),
    ("7R offset everywhere", &[OFFSET, OFFSET, OFFSET, OFFSET, OFFSET, OFFSET]),
    ("7R orthogonal", &[ANYHOW, ANYHOW, ANYHOW, ANYHOW, ANYHOW, ANYHOW]),
    ("7R skew", &[SKEW, SKEW, SKEW, SKEW, SKEW, SKEW]),
    ("4R pitch", &[MEETING, PARALLEL, PARALLEL]),
];

fn angle(rng: &mut SeededRng, entry: Entry) -> f64 {
    match entry {
        Entry::Zero => 0.0,
        Entry::Some => FRAC_PI_2.copysign(rng.uniform(-1.0, 1.0)),
        Entry::Coin => [0.0, FRAC_PI_2, -FRAC_PI_2, PI][rng.uniform(0.0, 4.0) as usize % 4],
        Entry::Any => rng.uniform(0.3, 1.2).copysign(rng.uniform(-1.0, 1.0)),
    }
}

fn length(rng: &mut SeededRng, entry: Entry) -> f64 {
    let is_zero = match entry {
        Entry::Zero => true,
        Entry::Coin => rng.uniform(0.0, 1.0) < 0.5,
        _ => false,
    };
    // Lengths as on data sheets: whole millimetres.
    if is_zero { 0.0 } else { (rng.uniform(0.03, 0.5) * 1e3).round() * 1e-3 }
}

/// An arm with these links, its axes off by `noise` (rad and m) as in a description with rounded numbers.
pub(crate) fn build(rng: &mut SeededRng, links: &[Link], noise: f64) -> ProductOfExponentials {
    let mut frame = Rigid::identity();
    let mut screws = Vec::new();
    let mut place = |rng: &mut SeededRng, frame: &Rigid| {
        let off = |rng: &mut SeededRng| Vector3::from_fn(|_, _| noise * rng.uniform(-1.0, 1.0));
        let axis = (frame.z_axis() + off(rng)).normalize();
        screws.push(Screw {
            motion: Motion::Rotation,
            axis,
            point: frame.translation + off(rng),
            variable: screws.len(),
        });
    };
    place(rng, &frame);
    for [twist, across, along] in links {
        // At zero the joints stand at some right angle, as in descriptions.
        let turn = [0.0, 0.0, FRAC_PI_2, -FRAC_PI_2][rng.uniform(0.0, 4.0) as usize % 4];
        let (twist, across, along) = (angle(rng, *twist), length(rng, *across), length(rng, *along));
        let turned = |axis: Vector3<f64>, angle: f64| Rotation3::new(axis * angle).into_inner();
        let lift = Rigid { rotation: turned(Vector3::z(), turn), translation: Vector3::z() * along };
        let next = Rigid { rotation: turned(Vector3::x(), twist), translation: Vector3::x() * across };
        frame = frame.then(&lift).then(&next);
        place(rng, &frame);
    }
    let tool = Rigid {
        rotation: Rotation3::new(Vector3::y() * angle(rng, Entry::Coin)).into_inner(),
        translation: Vector3::new(0.0, 0.0, length(rng, Entry::Coin)),
    };
    ProductOfExponentials::new(screws, frame.then(&tool)).unwrap()
}

/// Least singular value of the columns of the joints that the pose determines, the free ones left out.
pub(crate) fn conditioning(manipulator: &Manipulator, arm: &ProductOfExponentials, q: &[f64]) -> f64 {
    let names = manipulator.locked_joints();
    let locked: Vec<usize> =
        (0..arm.dof()).filter(|joint| names.contains(&manipulator.chain().joint_names()[*joint].as_str())).collect();
    let jacobian = arms::jacobian(arm, q).remove_columns_at(&locked);
    // What the arm does not meet is free: the turn about an axis of the tool, or all orientation.
    match manipulator.met() {
        Met::PositionAndAxis(axis) => {
            let mut turn = jacobian.insert_column(5, 0.0);
            turn.view_mut((3, 5), (3, 1)).copy_from(&arm.pose(q).rotation.column(axis));
            return turn.singular_values().min();
        }
        Met::Position => return jacobian.rows(0, 3).singular_values().min(),
        Met::PositionAndPitch(_) | Met::Pose => {}
    }
    if !locked.is_empty() || manipulator.ranges().is_empty() {
        return jacobian.singular_values().min();
    }
    // An arm that is solved at a swivel angle has that as its seventh equation, here by central differences.
    let mut equations = jacobian.insert_row(6, 0.0);
    for joint in 0..arm.dof() {
        let at = |step: f64| {
            let mut q = q.to_vec();
            q[joint] += step;
            manipulator.parameters(&q).unwrap()[0]
        };
        let change = at(STEP) - at(-STEP);
        equations[(6, joint)] = (change - TAU * (change / TAU).round()) / (2.0 * STEP);
    }
    equations.singular_values().min()
}

/// Of central differences, rad.
const STEP: f64 = 1e-6;

pub(crate) fn can_move(arm: &ProductOfExponentials, rng: &mut SeededRng) -> bool {
    (0..20).any(|_| arms::jacobian(arm, &arms::configuration(rng, arm.dof())).singular_values().min() > 1e-2)
}

/// Rounding of descriptions: none, that of printed radians, and that of angles with a few digits.
const NOISES: [f64; 7] = [0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4];

/// Arms with fewer joints have no general class to fall back on, and are looked at as designed.
fn noises(kind: &str) -> &'static [f64] {
    if kind.starts_with('3') || kind.starts_with('4') { &NOISES[..1] } else { &NOISES }
}

/// What closed forms promise.
const CLOSES: f64 = 1e-10;

/// Where two branches meet, those of a rounded arm are not told apart.
const MEETING_BRANCHES: f64 = 1e-3;

fn found(manipulator: &Manipulator, arm: &ProductOfExponentials, q: &[f64], what: &str) -> Vec<Vec<f64>> {
    let at = Option::Some(manipulator.parameters(q).unwrap()).filter(|at| !at.is_empty());
    let options = SolveOptions { at, respect_limits: false, ..SolveOptions::default() };
    let solutions = manipulator.solve(&arm.pose(q).to_pose(), &options).unwrap();
    for solution in &solutions {
        assert!(solution.fk_residual <= CLOSES, "{what}: {solution:?}");
        assert!(solution.q.iter().all(|value| value.is_finite()), "{what}: {solution:?}");
    }
    solutions.iter().map(|solution| solution.q.to_vec()).collect()
}

/// Calls `check` with random arms of all kinds that have a solver and move in all directions that their joints can.
fn with_arms(
    first_seed: u64,
    arms: usize,
    check: impl Fn(&Manipulator, &ProductOfExponentials, f64, &mut SeededRng, &str),
) {
    for (index, (kind, links)) in KINDS.iter().enumerate() {
        for noise in noises(kind) {
            let seed = first_seed + index as u64;
            let mut rng = SeededRng::new(seed);
            let (mut made, mut tried) = (0, 0);
            while made < arms && tried < 300 {
                tried += 1;
                let arm = build(&mut rng, links, *noise);
                if !can_move(&arm, &mut rng) {
                    continue;
                }
                made += 1;
                let Ok(manipulator) = arms::manipulator(&arm) else {
                    // Six and seven turning joints that move in all directions have a solver, whatever their axes.
                    assert!(arm.dof() < 6, "{kind}, seed {seed}, arm {tried}, noise {noise:e}");
                    continue;
                };
                let name = &manipulator.dispatch_plan().solver_name;
                let what = format!("{kind}, seed {seed}, arm {tried}, noise {noise:e}, {name}");
                check(&manipulator, &arm, *noise, &mut rng, &what);
            }
        }
    }
}

#[test]
fn arms_that_nobody_built_find_the_configuration_that_made_the_pose() {
    with_arms(1000, cases(1, 3), |manipulator, arm, noise, rng, what| {
        let count = if manipulator.dispatch_plan().tier == 0 { cases(30, 1_000) } else { cases(6, 300) };
        // The swivel angle of a rounded arm is known to about this.
        let is_rounded = manipulator.dispatch_plan().solver_name == "seven_r.srs" && noise > 0.0;
        let same = if is_rounded { 1e-3 } else { 1e-6 };
        for case in 0..count {
            let q = arms::configuration(rng, arm.dof());
            let what = format!("{what}, case {case}: {q:?}");
            let found = found(manipulator, arm, &q, &what);
            let is_found = found.iter().any(|row| is_same(row, &q, same));
            let is_excused = noise > 0.0 && conditioning(manipulator, arm, &q) < MEETING_BRANCHES;
            assert!(is_found || is_excused, "{what}\n{found:?}");
        }
    });
}

#[test]
fn arms_that_nobody_built_solve_singular_poses_and_poses_beside_them() {
    with_arms(2000, cases(1, 3), |manipulator, arm, _, rng, what| {
        // Joints at multiples of right angles make most singularities, most of them several at once.
        let turns = |rng: &mut SeededRng| [0.0, FRAC_PI_2, -FRAC_PI_2, PI, 0.4][rng.uniform(0.0, 5.0) as usize % 5];
        for case in 0..if manipulator.dispatch_plan().tier == 0 { cases(4, 60) } else { cases(1, 20) } {
            let singular: Vec<f64> = (0..arm.dof()).map(|_| turns(rng)).collect();
            for aside in [0.0, 1e-9, 1e-7, 1e-5, 1e-3] {
                let q: Vec<f64> = singular.iter().map(|q| q + aside * rng.uniform(-1.0, 1.0)).collect();
                found(manipulator, arm, &q, &format!("{what}, case {case}, {aside:e} aside: {q:?}"));
            }
        }
    });
}

/// Poses whose configuration was once lost: 1 and 2 have roots that several branches share, beside the pose in which axes 6
/// and 1 meet; in 3 and 4 a pivot came out as zero by chance.
#[test]
#[allow(clippy::unreadable_literal, reason = "values as they were printed")]
fn numbered_poses_keep_their_configuration() {
    let numbered: [(u32, &str, &[f64]); 4] = [
        (
            1,
            "niryo_ned2",
            &[
                -2.942128065653447,
                -0.17938943139473268,
                0.3025677130919876,
                0.02431770194997762,
                0.03361020892751731,
                -0.3116616690063987,
            ],
        ),
        (
            2,
            "xarm6",
            &[
                4.0316987286336765,
                0.42951370453483884,
                -3.784888049214131,
                -3.03532674625017,
                2.1883553199647343,
                5.908869358960953,
            ],
        ),
        (
            3,
            "baxter_left",
            &[
                -0.06740858274974304,
                -1.9964057186096071,
                1.906775411244059,
                2.0144928740031496,
                1.1828283250655582,
                0.6140625618479135,
                -0.43283231221123364,
            ],
        ),
        (
            4,
            "sawyer",
            &[
                2.0474441927066307,
                1.3199524305520394,
                1.5170064513262984,
                -1.210346004074121,
                1.5681985900174358,
                2.4480890078938713,
                2.722852201423467,
            ],
        ),
    ];
    for (number, name, q) in numbered {
        let robot = kinetic_robot::Robot::from_name(name).unwrap();
        let manipulator = Manipulator::from_robot(&robot, None, TolerancePolicy::default()).unwrap();
        let found = found(&manipulator, manipulator.normal_form(), q, name);
        assert!(found.iter().any(|row| is_same(row, q, 1e-6)), "case {number}, {name}: {found:?}");
    }
}
