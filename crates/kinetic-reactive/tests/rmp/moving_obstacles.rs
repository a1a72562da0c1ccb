//! Arms before obstacles that move. Contact is judged by a checker of its own, which proves every cycle free or finds the contact.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::rmp::{Policy, Rmp};
use kinetic_robot::Robot;
use kinetic_scene::{Checker, LiveChecker, LiveScene, Margins, Scene};
use nalgebra::Vector3;

use crate::cases;
use crate::rmp::support::{Arm, built_in, cycle_curve, free_configuration};

/// Length of a cycle, s.
const DT: f64 = 0.005;
/// Cycles of a scene.
const CYCLES: u32 = 1_000;
/// Length of a scene, s.
const DURATION: f64 = CYCLES as f64 * DT;
/// Fastest obstacle, m/s.
const SPEED: f64 = 0.25;
/// Distance at which obstacles are first seen, m.
const FIRST_SEEN: f64 = 0.4;
/// Escape velocities that are tried for a scene.
const ESCAPES: usize = 400;
/// Samples of an escape.
const SAMPLES: u32 = 200;
/// Samples between two that are looked at one after the other.
const STRIDE: u32 = 25;
/// Seeds whose worlds are judged before kept ones are counted.
const SEEDS_AT_ONCE: u64 = 64;
/// Clearance that an escape keeps at its samples, m: as far as an obstacle moves from one to the middle between two.
const ESCAPE_CLEARANCE: f64 = SPEED * DURATION / SAMPLES as f64 / 2.0;

/// An object that moves along a line.
struct Mover {
    start: Pose,
    velocity: Vector3<f64>,
}

impl Mover {
    fn at(&self, time: f64) -> Pose {
        let shift = self.start.translation() + self.velocity * time;
        let mut pose = self.start;
        pose.0.translation.vector = shift;
        pose
    }
}

pub(crate) struct World {
    robot: Arc<Robot>,
    scene: Scene,
    movers: Vec<Mover>,
    start: Vec<f64>,
}

impl World {
    /// A random world, or none where the arm needs no escape or no constant velocity is one.
    fn random(name: &str, seed: u64) -> Option<Self> {
        let robot = built_in(name);
        let mut rng = SeededRng::stream(seed, 7);
        let start = free_configuration(&robot, &mut rng);
        let mut world = Self { scene: Scene::new(&robot).unwrap(), movers: Vec::new(), start, robot };
        for index in 0..=rng.below(2) {
            world.add_mover(index, &mut rng)?;
        }
        let found = world.has_escape(&mut rng);
        found.then_some(world)
    }

    /// Whether the arm needs an escape, and a random constant velocity within its limits is one.
    fn has_escape(&self, rng: &mut SeededRng) -> bool {
        let mut search = EscapeSearch::new(self);
        if search.is_escape(&vec![0.0; self.start.len()]) {
            return false;
        }
        let group = &self.robot.groups[self.robot.default_group];
        let limits = self.robot.limits(group);
        (0..ESCAPES).any(|_| {
            let scale = rng.uniform(0.02, 0.5);
            let velocity: Vec<f64> = limits.velocity.iter().map(|most| scale * rng.uniform(-*most, *most)).collect();
            search.is_escape(&velocity)
        })
    }

    /// Adds an object, far enough away, that moves towards the arm.
    fn add_mover(&mut self, index: usize, rng: &mut SeededRng) -> Option<()> {
        for _ in 0..50 {
            let shape = match rng.below(3) {
                0 => Shape::sphere(rng.uniform(0.03, 0.1)),
                1 => Shape::cuboid(rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.1)),
                _ => Shape::cylinder(rng.uniform(0.03, 0.08), rng.uniform(0.05, 0.2)),
            };
            let direction = Vector3::new(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0));
            let links = self.scene.link_poses(&self.start).unwrap();
            let aim = links[rng.below(links.len())].translation();
            let place = aim + direction.normalize() * rng.uniform(0.5, 1.0);
            let turn = [rng.uniform(-3.0, 3.0), rng.uniform(-1.5, 1.5), rng.uniform(-3.0, 3.0)];
            let start = Pose::from_xyz_rpy(place.x, place.y, place.z, turn[0], turn[1], turn[2]);
            let name = format!("mover{index}");
            self.scene.add(&name, shape.unwrap(), start).unwrap();
            if self.scene.min_distance(&self.start).unwrap() >= FIRST_SEEN {
                let velocity = (aim - place).normalize() * rng.uniform(0.1, SPEED);
                self.movers.push(Mover { start, velocity });
                return Some(());
            }
            self.scene.remove(&name);
        }
        None
    }

    fn move_to(&self, live: &LiveScene, time: f64) {
        let edit = |scene: &mut Scene| {
            let mut movers = self.movers.iter().enumerate();
            movers.try_for_each(|(index, mover)| scene.update_pose(&format!("mover{index}"), mover.at(time)))
        };
        live.edit(edit).unwrap();
    }
}

/// The search for a constant velocity at which an arm stays free, by samples of the time.
struct EscapeSearch<'a> {
    world: &'a World,
    bounds: Vec<(f64, f64)>,
    live: LiveScene,
    /// With the clearance that escapes keep.
    checker: LiveChecker,
    /// Of the robot alone, for all samples at once.
    own: Checker,
}

impl<'a> EscapeSearch<'a> {
    fn new(world: &'a World) -> Self {
        let group = &world.robot.groups[world.robot.default_group];
        let live = LiveScene::new(world.scene.clone());
        Self {
            world,
            bounds: world.robot.position_limits(group),
            checker: LiveChecker::new(&live, &group.name, Margins::new(ESCAPE_CLEARANCE, 0.0)).unwrap(),
            own: Scene::new(&world.robot).unwrap().checker(&group.name, Margins::ZERO).unwrap(),
            live,
        }
    }

    /// Whether the arm stays free at a constant velocity. Samples far apart in time are looked at first: most velocities fail, and
    /// neighbours fail together.
    fn is_escape(&mut self, velocity: &[f64]) -> bool {
        let time = |sample: u32| f64::from(sample) / f64::from(SAMPLES) * DURATION;
        let place = |time: f64| self.world.start.iter().zip(velocity).map(move |(q, v)| q + v * time);
        // Positions are monotone in time, and limits are a box.
        if place(DURATION).zip(&self.bounds).any(|(q, (lower, upper))| q < *lower || q > *upper) {
            return false;
        }
        let rows: Vec<f64> = (0..=SAMPLES).flat_map(|sample| place(time(sample))).collect();
        if !self.own.are_free(&rows).into_iter().all(|is_free| is_free) {
            return false;
        }
        (0..STRIDE).flat_map(|first| (first..=SAMPLES).step_by(STRIDE as usize)).all(|sample| {
            self.world.move_to(&self.live, time(sample));
            self.checker.refresh().unwrap();
            let q: Vec<f64> = place(time(sample)).collect();
            self.checker.checker().is_free(&q)
        })
    }
}

/// What went wrong in a world, and when: the first contact.
fn first_contact(world: &World) -> Option<(f64, String)> {
    let live = LiveScene::new(world.scene.clone());
    let mut rmp = Rmp::new(&world.robot).unwrap();
    let target = KinematicChain::auto_detect(&world.robot).unwrap().tip_pose(&world.start);
    let policies = [
        Policy::ReachTarget { target, gain: 4.0 },
        Policy::AvoidObstacles { scene: live.clone(), influence_distance: 0.3, gain: 20.0 },
        Policy::AvoidSelfCollision { gain: 20.0 },
        Policy::JointLimitAvoidance { margin: 0.1, gain: 10.0 },
        Policy::Damping { coefficient: 1.0 },
    ];
    for policy in &policies {
        rmp.add(policy).unwrap();
    }
    let mut arm = Arm::at(&world.start);
    let judged = LiveScene::new(world.scene.clone());
    let group = &world.robot.groups[world.robot.default_group].name;
    let mut judge = LiveChecker::new(&judged, group, Margins::ZERO).unwrap();
    for cycle in 0..CYCLES {
        let time = f64::from(cycle) * DT;
        world.move_to(&live, time);
        let before = arm.clone();
        let command = arm.step(&mut rmp, DT);
        for side in [time, time + DT] {
            world.move_to(&judged, side);
            judge.refresh().unwrap();
            if let Some((_, pair)) = judge.checker().curve_contact(&cycle_curve(&before, &command, DT)) {
                return Some((time, format!("{pair:?}, q {:?} qd {:?}", before.q, before.qd)));
            }
        }
    }
    None
}

/// Judges the world of a seed; `None` where it is not kept, an error for a contact.
fn judge(seed: u64) -> Option<Result<(), String>> {
    let name = ["ur5e", "franka_panda", "xarm6", "kuka_iiwa14"][seed as usize % 4];
    let world = World::random(name, seed)?;
    let contact = first_contact(&world);
    Some(contact.map_or(Ok(()), |(time, contact)| Err(format!("{name}, seed {seed}, at {time} s: {contact}"))))
}

/// The answers for some seeds, in their order, whatever thread finds them.
fn judge_all(seeds: Range<u64>) -> Vec<Option<Result<(), String>>> {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut found = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return found;
            }
            found.push((seed, judge(seed)));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    found.sort_by_key(|(seed, _)| *seed);
    found.into_iter().map(|(_, answer)| answer).collect()
}

/// `KINETIC_FIRST_SEED` begins at another seed than 0.
#[test]
fn arms_evade_what_moves_at_them() {
    let wanted = cases(20, 1_000);
    let first: u64 = std::env::var("KINETIC_FIRST_SEED").map_or(0, |seed| seed.parse().unwrap());
    let (mut kept, mut next, mut failed) = (0, first, Vec::new());
    while kept < wanted {
        let block = next..next + SEEDS_AT_ONCE;
        next = block.end;
        for answer in judge_all(block).into_iter().flatten().take(wanted - kept) {
            kept += 1;
            failed.extend(answer.err());
        }
    }
    let (last, contacts) = (next - 1, failed.len());
    assert!(
        failed.is_empty(),
        "{contacts} contacts in {kept} worlds of seeds {first} to {last}:\n{}",
        failed.join("\n")
    );
}
