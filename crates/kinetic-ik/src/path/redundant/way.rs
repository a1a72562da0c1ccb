//! A path through some of the poses, made smoother and denser in turns.

use kinetic_core::StopFlag;
use kinetic_kinematics::Rigid;

use super::Row;
use super::follower::Follower;
use super::program::{Edge, Program, WIDE, Wall};

/// Farthest that the parameters of a pose move in one linear model, rad or m.
const TRUST: f64 = 0.3;
/// Least.
const LEAST_TRUST: f64 = 1e-3;
/// Room between a joint and its limit that counts at least: a program needs an inside.
const ROOM: f64 = 1e-7;
/// Part of a step that is tried next, when it was too far for the linear model.
const LESS: f64 = 0.25;
/// Gain by which a round is worth another.
const WORTH: f64 = 2e-3;

/// Configurations at some of the poses, in turns that go on from one to the next.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// Indices of the poses, ascending.
    pub(super) knots: Vec<usize>,
    pub(super) rows: Vec<Row>,
}

/// What a way is about.
pub(super) struct Setting<'a> {
    pub(super) targets: &'a [Rigid],
    pub(super) start: Option<Row>,
    pub(super) dof: usize,
    pub(super) bounds: &'a [(f64, f64)],
    /// Ends the work on a way early.
    pub(super) stop: &'a StopFlag,
}

impl Way {
    /// Row and gap before knot `at`, if there is one.
    fn before(&self, setting: &Setting<'_>, at: usize) -> Option<(Row, f64)> {
        if at > 0 {
            return Some((self.rows[at - 1], (self.knots[at] - self.knots[at - 1]) as f64));
        }
        setting.start.map(|start| (start, (self.knots[0] + 1) as f64))
    }

    /// Largest step of a joint per pose.
    pub(super) fn largest(&self, setting: &Setting<'_>) -> f64 {
        (0..self.rows.len()).fold(0.0, |most, at| match self.before(setting, at) {
            Some((before, gap)) => most.max(apart(&before, &self.rows[at], setting.dof) / gap),
            None => most,
        })
    }

    /// The sum of [`cost`] over all steps.
    pub(super) fn cost(&self, setting: &Setting<'_>) -> f64 {
        let steps = (0..self.rows.len()).filter_map(|at| self.before(setting, at).map(|before| (at, before)));
        steps.map(|(at, (before, gap))| cost(apart(&before, &self.rows[at], setting.dof), gap)).sum()
    }

    /// Whether no joint moves farther than its bound from pose to pose.
    pub(super) fn keeps(&self, setting: &Setting<'_>, steps: &[f64]) -> bool {
        let keeps = |(before, gap): (Row, f64), row: &Row| {
            (0..setting.dof).all(|joint| (row[joint] - before[joint]).abs() <= steps[joint] * gap)
        };
        (0..self.rows.len()).all(|at| self.before(setting, at).is_none_or(|before| keeps(before, &self.rows[at])))
    }

    /// Moves configurations along their self-motion until steps shrink no more; the largest step.
    pub(super) fn smooth<const D: usize>(
        &mut self,
        setting: &Setting<'_>,
        follower: &mut Follower<'_>,
        program: &mut Program<D>,
        rounds: usize,
    ) -> f64 {
        let (mut largest, mut trust) = (self.largest(setting), TRUST);
        for _ in 0..rounds {
            if setting.stop.is_stopped() {
                break;
            }
            let Some(found) = self.round(setting, follower, program, largest, &mut trust) else { break };
            let gain = 1.0 - found / largest;
            largest = found;
            if gain < WORTH {
                break;
            }
        }
        largest
    }

    /// One linear program; the largest step after it, `None` when nothing was gained.
    fn round<const D: usize>(
        &mut self,
        setting: &Setting<'_>,
        follower: &mut Follower<'_>,
        program: &mut Program<D>,
        largest: f64,
        trust: &mut f64,
    ) -> Option<f64> {
        let directions: Vec<[[f64; D]; WIDE]> = self.rows.iter().map(|row| follower.directions(row)).collect();
        self.state(setting, &directions, *trust, program);
        if !program.solve() {
            return None;
        }
        while *trust >= LEAST_TRUST {
            if let Some(way) = self.moved(setting, &directions, program, follower)
                && way.largest(setting) < largest
            {
                *self = way;
                return Some(self.largest(setting));
            }
            // The same direction, less of it.
            *trust *= LESS;
            for value in program.z.iter_mut().flatten() {
                *value *= LESS;
            }
        }
        None
    }

    /// The linear model.
    fn state<const D: usize>(
        &self,
        setting: &Setting<'_>,
        directions: &[[[f64; D]; WIDE]],
        trust: f64,
        program: &mut Program<D>,
    ) {
        program.edges.clear();
        program.walls.clear();
        for at in 0..self.rows.len() {
            program.edges.push(self.edge(setting, directions, at));
            trusted(at, trust, &mut program.walls);
            self.limited(setting, &directions[at], (at, trust), &mut program.walls);
        }
    }

    /// The step to a configuration, and what moves it.
    fn edge<const D: usize>(&self, setting: &Setting<'_>, directions: &[[[f64; D]; WIDE]], at: usize) -> Edge<D> {
        let mut edge = Edge { rate: [0.0; WIDE], before: [[0.0; D]; WIDE], after: [[0.0; D]; WIDE], weight: 0.0 };
        let Some((before, gap)) = self.before(setting, at) else { return edge };
        edge.weight = gap;
        for joint in 0..setting.dof {
            edge.rate[joint] = (self.rows[at][joint] - before[joint]) / gap;
            edge.after[joint] = directions[at][joint].map(|value| value / gap);
            if at > 0 {
                edge.before[joint] = directions[at - 1][joint].map(|value| -value / gap);
            }
        }
        edge
    }

    /// Walls at the joint limits that the trust region reaches over.
    fn limited<const D: usize>(
        &self,
        setting: &Setting<'_>,
        directions: &[[f64; D]; WIDE],
        (at, trust): (usize, f64),
        walls: &mut Vec<Wall<D>>,
    ) {
        for (joint, (low, high)) in setting.bounds.iter().enumerate() {
            let (normal, value) = (directions[joint], self.rows[at][joint]);
            let most = trust * normal.iter().map(|value| value.abs()).sum::<f64>();
            if high - value < most {
                walls.push(Wall { pose: at, normal, room: (high - value).max(ROOM) });
            }
            if value - low < most {
                walls.push(Wall { pose: at, normal: normal.map(|value| -value), room: (value - low).max(ROOM) });
            }
        }
    }

    /// The way moved by the program's answer; `None` when a pose is lost.
    fn moved<const D: usize>(
        &self,
        setting: &Setting<'_>,
        directions: &[[[f64; D]; WIDE]],
        program: &Program<D>,
        follower: &mut Follower<'_>,
    ) -> Option<Self> {
        let mut way = self.clone();
        for (at, row) in way.rows.iter_mut().enumerate() {
            for joint in 0..setting.dof {
                row[joint] += super::band::dot(&directions[at][joint], &program.z[at]);
            }
            if !follower.project(&setting.targets[way.knots[at]], row) {
                return None;
            }
        }
        Some(way)
    }

    /// With a configuration half way between all neighbours that have poses between them. `None` when one is lost.
    pub(super) fn denser(&self, setting: &Setting<'_>, follower: &mut Follower<'_>) -> Option<Self> {
        let mut way = Self { knots: Vec::new(), rows: Vec::new() };
        for at in 0..self.rows.len() {
            if at > 0 && self.knots[at] > self.knots[at - 1] + 1 {
                let middle = usize::midpoint(self.knots[at - 1], self.knots[at]);
                let part = (middle - self.knots[at - 1]) as f64 / (self.knots[at] - self.knots[at - 1]) as f64;
                let mut row = between(&self.rows[at - 1], &self.rows[at], part);
                if !follower.project(&setting.targets[middle], &mut row) {
                    return None;
                }
                way.knots.push(middle);
                way.rows.push(row);
            }
            way.knots.push(self.knots[at]);
            way.rows.push(self.rows[at]);
        }
        Some(way)
    }

    /// With a configuration for every pose between the first and the last knot.
    pub(super) fn full(&self, setting: &Setting<'_>, follower: &mut Follower<'_>) -> Option<Self> {
        let mut way = self.clone();
        while way.rows.len() <= way.knots[way.knots.len() - 1] - way.knots[0] {
            way = way.denser(setting, follower)?;
        }
        Some(way)
    }

    /// The part from knot `at - 1` to knot `at`.
    pub(super) fn part(&self, at: usize) -> Self {
        Self { knots: self.knots[at - 1..=at].to_vec(), rows: self.rows[at - 1..=at].to_vec() }
    }
}

/// The walls of the trust region.
fn trusted<const D: usize>(at: usize, trust: f64, walls: &mut Vec<Wall<D>>) {
    for (axis, sign) in (0..D).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
        let mut normal = [0.0; D];
        normal[axis] = sign;
        walls.push(Wall { pose: at, normal, room: trust });
    }
}

pub(super) fn between(a: &Row, b: &Row, part: f64) -> Row {
    std::array::from_fn(|joint| a[joint] + part * (b[joint] - a[joint]))
}

/// Power of steps whose sum is least in a rough way: large ones count.
const EXPONENT: i32 = 6;

/// What it costs when a joint moves by at most `most` over `gap` poses.
#[inline]
pub(super) fn cost(most: f64, gap: f64) -> f64 {
    gap * (most / gap).powi(EXPONENT)
}

/// Largest difference of a joint.
pub(super) fn apart(a: &Row, b: &Row, dof: usize) -> f64 {
    (0..dof).fold(0.0, |most, joint| most.max((a[joint] - b[joint]).abs()))
}
