//! Spaces with box and ball obstacles: points and segments are decided in closed form.

use std::f64::consts::TAU;

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, JointValues, Pair, StopFlag, SystemClock, Trajectory};
use kinetic_planning::{NearDistances, NearPair, Space, Validity};

/// Enough for every query below, and an end for a planner that does not find an answer.
pub(crate) const BUDGET: u64 = 100_000;

/// A budget of iterations without a deadline.
pub(crate) fn iterations(limit: u64) -> Control {
    Control::new(Arc::new(SystemClock::default()), f64::INFINITY, limit, StopFlag::default())
}

#[derive(Debug, Clone)]
pub(crate) enum Obstacle {
    Box { low: Vec<f64>, high: Vec<f64> },
    Ball { centre: Vec<f64>, radius: f64 },
}

impl Obstacle {
    fn contains(&self, q: &[f64], shrink: f64) -> bool {
        match self {
            Self::Box { low, high } => (0..q.len()).all(|i| q[i] >= low[i] + shrink && q[i] <= high[i] - shrink),
            Self::Ball { centre, radius } => {
                q.iter().zip(centre).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt() <= radius - shrink
            }
        }
    }

    /// The first parameter in [0, 1] at which the segment touches.
    fn entry(&self, from: &[f64], to: &[f64]) -> Option<f64> {
        let (first, last) = match self {
            Self::Box { low, high } => slab_interval(from, to, low, high),
            Self::Ball { centre, radius } => ball_interval(from, to, centre, *radius)?,
        };
        (first <= last && last >= 0.0 && first <= 1.0).then_some(first.max(0.0))
    }

    /// Signed distance of a point, and its gradient.
    fn signed_distance(&self, q: &[f64]) -> (f64, Vec<f64>) {
        let offset: Vec<f64> = match self {
            Self::Ball { centre, .. } => q.iter().zip(centre).map(|(q, centre)| q - centre).collect(),
            Self::Box { low, high } => (0..q.len()).map(|i| q[i] - q[i].clamp(low[i], high[i])).collect(),
        };
        let length = offset.iter().map(|part| part * part).sum::<f64>().sqrt();
        let outward = |length: f64| offset.iter().map(|part| part / length).collect();
        match self {
            Self::Ball { radius, .. } => (length - radius, outward(length.max(1e-12))),
            Self::Box { .. } if length > 0.0 => (length, outward(length)),
            Self::Box { low, high } => {
                let faces = (0..q.len()).flat_map(|i| [(low[i] - q[i], i, -1.0), (q[i] - high[i], i, 1.0)]);
                let (depth, axis, sign) = faces.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
                (depth, (0..q.len()).map(|i| if i == axis { sign } else { 0.0 }).collect())
            }
        }
    }

    fn extent(&self, joint: usize) -> (f64, f64) {
        match self {
            Self::Box { low, high } => (low[joint], high[joint]),
            Self::Ball { centre, radius } => (centre[joint] - radius, centre[joint] + radius),
        }
    }
}

fn slab_interval(from: &[f64], to: &[f64], low: &[f64], high: &[f64]) -> (f64, f64) {
    let (mut first, mut last) = (f64::NEG_INFINITY, f64::INFINITY);
    for i in 0..from.len() {
        let step = to[i] - from[i];
        if step == 0.0 {
            if from[i] < low[i] || from[i] > high[i] {
                return (1.0, 0.0);
            }
            continue;
        }
        let (a, b) = ((low[i] - from[i]) / step, (high[i] - from[i]) / step);
        first = first.max(a.min(b));
        last = last.min(a.max(b));
    }
    (first, last)
}

fn ball_interval(from: &[f64], to: &[f64], centre: &[f64], radius: f64) -> Option<(f64, f64)> {
    let (mut a, mut b, mut c) = (0.0, 0.0, -radius * radius);
    for i in 0..from.len() {
        let (step, offset) = (to[i] - from[i], from[i] - centre[i]);
        a += step * step;
        b += step * offset;
        c += offset * offset;
    }
    if a == 0.0 {
        return (c <= 0.0).then_some((0.0, 1.0));
    }
    let discriminant = b * b - a * c;
    let root = (discriminant >= 0.0).then(|| discriminant.sqrt())?;
    Some(((-b - root) / a, (-b + root) / a))
}

/// Obstacles; joint 0 may wrap.
#[derive(Debug, Clone, Default)]
pub(crate) struct World {
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) first_joint_wraps: bool,
    pub(crate) offers_partial: bool,
    pub(crate) checks: u64,
}

impl World {
    pub(crate) fn new(obstacles: Vec<Obstacle>) -> Self {
        Self { obstacles, ..Self::default() }
    }

    fn entry(&self, from: &[f64], to: &[f64]) -> Option<f64> {
        let mut least: Option<f64> = None;
        for obstacle in &self.obstacles {
            for turn in self.turns(obstacle, from[0], to[0]) {
                let (mut a, mut b) = (from.to_vec(), to.to_vec());
                a[0] -= turn;
                b[0] -= turn;
                if let Some(t) = obstacle.entry(&a, &b) {
                    least = Some(least.map_or(t, |l| l.min(t)));
                }
            }
        }
        least
    }

    /// Shifts of joint 0 at which the obstacle may meet values between `a` and `b`.
    fn turns(&self, obstacle: &Obstacle, a: f64, b: f64) -> Vec<f64> {
        if !self.first_joint_wraps {
            return vec![0.0];
        }
        let (low, high) = obstacle.extent(0);
        let first = ((a.min(b) - high) / TAU).ceil() as i64;
        let last = ((a.max(b) - low) / TAU).floor() as i64;
        (first..=last).map(|turn| turn as f64 * TAU).collect()
    }

    /// Whether a point is outside all obstacles made smaller by `shrink`.
    pub(crate) fn is_clear(&self, q: &[f64], shrink: f64) -> bool {
        self.obstacles.iter().all(|obstacle| {
            self.turns(obstacle, q[0], q[0]).iter().all(|turn| {
                let mut turned = q.to_vec();
                turned[0] -= turn;
                !obstacle.contains(&turned, shrink)
            })
        })
    }

    /// The oracle for results: points along every edge, by membership alone.
    pub(crate) fn assert_path_is_clear(&self, path: &Trajectory, case: &str) {
        // Rounding of the closed-form segment test at grazing contacts.
        const GRAZING: f64 = 1e-9;
        const STEP: f64 = 2e-3;
        for (index, (from, to)) in path.segments().enumerate() {
            let length = from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            let steps = (length / STEP).ceil().max(1.0);
            let fractions = (0_u32..).map(|step| f64::from(step) / steps).take_while(|t| *t <= 1.0);
            for t in fractions {
                let q: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + t * (b - a)).collect();
                assert!(self.is_clear(&q, GRAZING), "{case}: edge {index} is blocked at {q:?}");
            }
        }
    }
}

/// Appends the distance of a point from an obstacle. In up to three dimensions the Jacobian is the identity; in more, the plane of
/// gradient and velocity stands for space.
fn push_distance(distance: f64, gradient: &[f64], qd: &[f64], out: &mut NearDistances) {
    let dof = gradient.len();
    let along: f64 = gradient.iter().zip(qd).map(|(g, v)| g * v).sum();
    let across: Vec<f64> = qd.iter().zip(gradient).map(|(v, g)| v - along * g).collect();
    let speed = across.iter().map(|part| part * part).sum::<f64>().sqrt().max(1e-12);
    let is_space = dof <= 3;
    let direction = std::array::from_fn(|axis| match (is_space, axis) {
        (true, _) => -gradient.get(axis).copied().unwrap_or(0.0),
        (false, 0) => -1.0,
        _ => 0.0,
    });
    let jacobian = out.push(NearPair { slack: distance, direction, bias: [0.0; 3] });
    for (axis, row) in jacobian.chunks_exact_mut(dof).enumerate() {
        for (joint, part) in row.iter_mut().enumerate() {
            *part = match (is_space, axis) {
                (true, _) if joint == axis => -1.0,
                (false, 0) => -gradient[joint],
                (false, 1) => -across[joint] / speed,
                _ => 0.0,
            };
        }
    }
}

impl World {
    /// Distance from every obstacle and gradient, all turns of the first joint included.
    fn distances(&self, q: &[f64], within: f64) -> Vec<(usize, f64, Vec<f64>)> {
        let mut found = Vec::new();
        let has_extent = |obstacle: &Obstacle| obstacle.extent(1).0 <= obstacle.extent(1).1;
        for (index, obstacle) in self.obstacles.iter().enumerate().filter(|(_, obstacle)| has_extent(obstacle)) {
            for turn in self.turns(obstacle, q[0] - within, q[0] + within) {
                let mut turned = q.to_vec();
                turned[0] -= turn;
                let (distance, gradient) = obstacle.signed_distance(&turned);
                found.push((index, distance, gradient));
            }
        }
        found.retain(|(_, distance, _)| *distance <= within);
        found
    }
}

impl Validity for World {
    fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
        self.checks += 1;
        out.clear(q.len());
        for (_, distance, gradient) in self.distances(q, within) {
            push_distance(distance, &gradient, qd, out);
        }
        true
    }

    fn nearest_pair(&mut self, q: &[f64]) -> Option<(Pair, f64)> {
        let nearest = self.distances(q, 100.0).into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((Pair::new("point", format!("obstacle {}", nearest.0)), nearest.1))
    }

    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.checks += 1;
        self.is_clear(q, 0.0)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.checks += 1;
        self.entry(from, to).is_none()
    }

    fn checks(&self) -> u64 {
        self.checks
    }

    fn free_fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        self.checks += 1;
        match self.entry(from, to) {
            None => 1.0,
            Some(t) if self.offers_partial => 0.99 * t,
            Some(_) => 0.0,
        }
    }
}

/// A world with a query.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    pub(crate) name: &'static str,
    pub(crate) space: Space,
    pub(crate) world: World,
    pub(crate) start: Vec<f64>,
    pub(crate) goals: Vec<JointValues>,
}

pub(crate) fn cube(dof: usize, half: f64) -> Space {
    Space::new(vec![-half; dof], vec![half; dof]).unwrap()
}

pub(crate) fn boxed(low: &[f64], high: &[f64]) -> Obstacle {
    Obstacle::Box { low: low.to_vec(), high: high.to_vec() }
}

/// A wall across the square with a gap of the given width at `y`.
pub(crate) fn wall_with_gap(y: f64, width: f64) -> World {
    World::new(vec![boxed(&[-0.2, -4.0], &[0.2, y - 0.5 * width]), boxed(&[-0.2, y + 0.5 * width], &[0.2, 4.0])])
}

/// A ball in the way and smaller ones around it, the same in every run.
pub(crate) fn balls(dof: usize, count: usize, seed: u64) -> World {
    let mut rng = SeededRng::new(seed);
    let mut obstacles = vec![Obstacle::Ball { centre: vec![0.0; dof], radius: 1.5 }];
    for _ in 0..count {
        let centre = (0..dof).map(|_| rng.uniform(-2.0, 2.0)).collect();
        obstacles.push(Obstacle::Ball { centre, radius: rng.uniform(0.3, 1.0) });
    }
    World::new(obstacles)
}

/// A square folded by three walls into a corridor.
fn corridor() -> World {
    World::new(vec![
        boxed(&[-3.0, -1.6], &[2.4, -1.4]),
        boxed(&[-2.4, -0.1], &[3.0, 0.1]),
        boxed(&[-3.0, 1.4], &[2.4, 1.6]),
    ])
}

/// A goal inside a box that is open on one side, in three dimensions.
fn open_box() -> World {
    World::new(vec![
        boxed(&[0.5, -1.0, -1.0], &[0.6, 1.0, 1.0]),
        boxed(&[0.5, -1.0, -1.0], &[2.5, -0.9, 1.0]),
        boxed(&[0.5, 0.9, -1.0], &[2.5, 1.0, 1.0]),
        boxed(&[0.5, -1.0, -1.0], &[2.5, 1.0, -0.9]),
        boxed(&[0.5, -1.0, 0.9], &[2.5, 1.0, 1.0]),
    ])
}

/// A ring with a wall at angle 0, passed at large `y` only: the way from 0.5 to −0.5 leads around.
pub(crate) fn ring() -> Query {
    let mut world = World::new(vec![boxed(&[-0.2, -5.0], &[0.2, 5.0])]);
    world.first_joint_wraps = true;
    Query {
        name: "ring",
        space: Space::from_bounds(&[(f64::NEG_INFINITY, f64::INFINITY), (-1.0, 1.0)]).unwrap(),
        world,
        start: vec![0.5, 0.0],
        goals: vec![[-0.5, 0.5].into()],
    }
}

/// The small problem set that every planner solves.
pub(crate) fn problem_set() -> Vec<Query> {
    let query = |name, space, world, start: &[f64], goal: &[f64]| Query {
        name,
        space,
        world,
        start: start.to_vec(),
        goals: vec![goal.into()],
    };
    vec![
        query("empty", cube(2, 3.0), World::default(), &[-2.0, 0.0], &[2.0, 1.0]),
        query("wall with a gap", cube(2, 3.0), wall_with_gap(1.5, 0.6), &[-2.0, -1.0], &[2.0, -1.0]),
        query("corridor", cube(2, 3.0), corridor(), &[-2.5, -2.5], &[-2.5, 2.5]),
        query("open box", cube(3, 3.0), open_box(), &[-2.0, 0.0, 0.0], &[1.2, 0.0, 0.0]),
        query("balls", cube(7, 3.0), balls(7, 40, 5), &[-1.2; 7], &[1.2; 7]),
        ring(),
    ]
}

/// A ball that leaves the straight line blocked off its middle.
pub(crate) fn around_a_ball(dof: usize, side: f64) -> Query {
    let mut centre = vec![0.0; dof];
    (centre[0], centre[1]) = (0.3, -0.4 * side);
    let world = World::new(vec![Obstacle::Ball { centre, radius: 1.0 }]);
    let (mut start, mut goal) = (vec![0.0; dof], vec![0.0; dof]);
    (start[0], goal[0]) = (-2.0, 2.0);
    Query { name: "ball", space: cube(dof, 3.0), world, start, goals: vec![goal.into()] }
}

/// A block with a tunnel that bends by a right angle and starts blind near (−2.5, −2.5).
pub(crate) fn bent_tunnel() -> World {
    World::new(vec![
        boxed(&[-3.0, -3.0], &[-1.0, -2.6]),
        boxed(&[-3.0, -2.6], &[-2.6, -1.0]),
        boxed(&[-2.6, -2.4], &[-1.9, -1.0]),
        boxed(&[-1.7, -2.6], &[-1.0, -1.0]),
    ])
}

/// A world that writes down what it proved.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    pub(crate) world: World,
    /// Motions that were proven.
    pub(crate) proofs: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Witness {
    pub(crate) fn new(world: World) -> Self {
        Self { world, proofs: Vec::new() }
    }

    /// Fails unless every edge was proven as it stands, in one of the two directions.
    pub(crate) fn assert_proven(&self, path: &Trajectory, case: &str) {
        for (from, to) in path.segments() {
            let is_proof = |(a, b): &(Vec<f64>, Vec<f64>)| (a == from && b == to) || (a == to && b == from);
            assert!(self.proofs.iter().any(is_proof), "{case}: {from:?} {to:?} was not proven");
        }
        self.world.assert_path_is_clear(path, case);
    }
}

impl Validity for Witness {
    fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
        self.world.near_distances(q, qd, within, out)
    }

    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.world.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        let is_valid = self.world.is_motion_valid(from, to);
        if is_valid {
            self.proofs.push((from.to_vec(), to.to_vec()));
        }
        is_valid
    }

    fn free_fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        if self.is_motion_valid(from, to) { 1.0 } else { self.world.free_fraction(from, to).min(0.999) }
    }

    fn checks(&self) -> u64 {
        self.world.checks
    }
}

/// A world whose quick answers lie: it accepts what it should refuse, always or now and then.
#[derive(Debug, Clone)]
pub(crate) struct Liar {
    pub(crate) witness: Witness,
    /// One of so many wrong motions is refused at once; 0 for none.
    pub(crate) honest_once_in: u64,
    pub(crate) asked: u64,
}

impl Liar {
    pub(crate) fn new(world: World, honest_once_in: u64) -> Self {
        Self { witness: Witness::new(world), honest_once_in, asked: 0 }
    }
}

impl Validity for Liar {
    fn near_distances(&mut self, q: &[f64], qd: &[f64], within: f64, out: &mut NearDistances) -> bool {
        self.witness.near_distances(q, qd, within, out)
    }

    fn is_valid(&mut self, q: &[f64]) -> bool {
        self.witness.is_valid(q)
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.witness.is_motion_valid(from, to)
    }

    fn motion_may_be_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.asked += 1;
        let is_honest = self.honest_once_in > 0 && self.asked.is_multiple_of(self.honest_once_in);
        !is_honest || self.witness.world.is_motion_valid(from, to)
    }

    fn checks(&self) -> u64 {
        self.witness.checks()
    }
}
