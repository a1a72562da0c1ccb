//! Knot paths: configurations at some of the poses, smoothed by sequential linear programming and refined in turns.

use kinetic_core::StopFlag;
use kinetic_kinematics::Rigid;

use super::PaddedJoints;
use super::projector::PoseProjector;
use super::step_program::{Inequality, JointSteps, MOST_PROGRAM_JOINTS, StepProgram};

/// Farthest that the parameters of a pose move in one linear model, rad or m.
const TRUST_RADIUS_RAD_M: f64 = 0.3;
/// The least radius before the linear model is given up.
const LEAST_TRUST_RADIUS_RAD_M: f64 = 1e-3;
/// Least slack of a joint limit: the interior point method needs a strictly feasible start.
const LEAST_SLACK_RAD_M: f64 = 1e-7;
/// Part of a step that is tried next, when it was too far for the linear model.
const STEP_REDUCTION_FACTOR: f64 = 0.25;
/// Gain by which a round is worth another.
const LEAST_ROUND_GAIN_RATIO: f64 = 2e-3;

/// Configurations at some of the poses, in turns that go on from one to the next.
#[derive(Debug, Clone)]
pub(super) struct KnotPath {
    /// Indices of the poses, ascending.
    pub(super) knots: Vec<usize>,
    pub(super) rows: Vec<PaddedJoints>,
}

/// Targets, start and limits of a path.
pub(super) struct PathProblem<'a> {
    pub(super) targets: &'a [Rigid],
    pub(super) start: Option<PaddedJoints>,
    pub(super) dof: usize,
    pub(super) bounds: &'a [(f64, f64)],
    /// Ends the work on a path early.
    pub(super) stop: &'a StopFlag,
}

impl KnotPath {
    /// Row and gap before knot `at`, if there is one.
    fn before(&self, problem: &PathProblem<'_>, at: usize) -> Option<(PaddedJoints, f64)> {
        if at > 0 {
            return Some((self.rows[at - 1], (self.knots[at] - self.knots[at - 1]) as f64));
        }
        problem.start.map(|start| (start, (self.knots[0] + 1) as f64))
    }

    /// Largest step of a joint per pose.
    pub(super) fn largest(&self, problem: &PathProblem<'_>) -> f64 {
        (0..self.rows.len()).fold(0.0, |most, at| match self.before(problem, at) {
            Some((before, gap)) => most.max(apart(&before, &self.rows[at], problem.dof) / gap),
            None => most,
        })
    }

    /// The sum of [`cost`] over all steps.
    pub(super) fn cost(&self, problem: &PathProblem<'_>) -> f64 {
        let steps = (0..self.rows.len()).filter_map(|at| self.before(problem, at).map(|before| (at, before)));
        steps.map(|(at, (before, gap))| cost(apart(&before, &self.rows[at], problem.dof), gap)).sum()
    }

    /// Whether no joint moves farther than its bound from pose to pose.
    pub(super) fn keeps(&self, problem: &PathProblem<'_>, steps: &[f64]) -> bool {
        let keeps = |(before, gap): (PaddedJoints, f64), row: &PaddedJoints| {
            (0..problem.dof).all(|joint| (row[joint] - before[joint]).abs() <= steps[joint] * gap)
        };
        (0..self.rows.len()).all(|at| self.before(problem, at).is_none_or(|before| keeps(before, &self.rows[at])))
    }

    /// Moves configurations along their self-motion until steps shrink no more; the largest step.
    pub(super) fn smooth<const D: usize>(
        &mut self,
        problem: &PathProblem<'_>,
        projector: &mut PoseProjector<'_>,
        program: &mut StepProgram<D>,
        rounds: usize,
    ) -> f64 {
        let (mut largest, mut trust) = (self.largest(problem), TRUST_RADIUS_RAD_M);
        for _ in 0..rounds {
            if problem.stop.is_stopped() {
                break;
            }
            let Some(found) = self.round(problem, projector, program, largest, &mut trust) else { break };
            let gain = 1.0 - found / largest;
            largest = found;
            if gain < LEAST_ROUND_GAIN_RATIO {
                break;
            }
        }
        largest
    }

    /// One linear program; the largest step after it, `None` when nothing was gained.
    fn round<const D: usize>(
        &mut self,
        problem: &PathProblem<'_>,
        projector: &mut PoseProjector<'_>,
        program: &mut StepProgram<D>,
        largest: f64,
        trust: &mut f64,
    ) -> Option<f64> {
        let directions: Vec<[[f64; D]; MOST_PROGRAM_JOINTS]> =
            self.rows.iter().map(|row| projector.directions(row)).collect();
        self.linearize(problem, &directions, *trust, program);
        if !program.solve() {
            return None;
        }
        while *trust >= LEAST_TRUST_RADIUS_RAD_M {
            if let Some(path) = self.moved(problem, &directions, program, projector)
                && path.largest(problem) < largest
            {
                *self = path;
                return Some(self.largest(problem));
            }
            // The same direction, less of it.
            *trust *= STEP_REDUCTION_FACTOR;
            for value in program.z.iter_mut().flatten() {
                *value *= STEP_REDUCTION_FACTOR;
            }
        }
        None
    }

    /// States the linear program of the current configurations.
    fn linearize<const D: usize>(
        &self,
        problem: &PathProblem<'_>,
        directions: &[[[f64; D]; MOST_PROGRAM_JOINTS]],
        trust: f64,
        program: &mut StepProgram<D>,
    ) {
        program.steps.clear();
        program.inequalities.clear();
        for at in 0..self.rows.len() {
            program.steps.push(self.joint_steps(problem, directions, at));
            trust_region_inequalities(at, trust, &mut program.inequalities);
            self.limit_inequalities(problem, &directions[at], (at, trust), &mut program.inequalities);
        }
    }

    /// The step to a configuration with its derivatives.
    fn joint_steps<const D: usize>(
        &self,
        problem: &PathProblem<'_>,
        directions: &[[[f64; D]; MOST_PROGRAM_JOINTS]],
        at: usize,
    ) -> JointSteps<D> {
        let mut steps = JointSteps {
            rate: [0.0; MOST_PROGRAM_JOINTS],
            before: [[0.0; D]; MOST_PROGRAM_JOINTS],
            after: [[0.0; D]; MOST_PROGRAM_JOINTS],
            weight: 0.0,
        };
        let Some((before, gap)) = self.before(problem, at) else { return steps };
        steps.weight = gap;
        for joint in 0..problem.dof {
            steps.rate[joint] = (self.rows[at][joint] - before[joint]) / gap;
            steps.after[joint] = directions[at][joint].map(|value| value / gap);
            if at > 0 {
                steps.before[joint] = directions[at - 1][joint].map(|value| -value / gap);
            }
        }
        steps
    }

    /// Inequalities of the joint limits that lie inside the trust region.
    fn limit_inequalities<const D: usize>(
        &self,
        problem: &PathProblem<'_>,
        directions: &[[f64; D]; MOST_PROGRAM_JOINTS],
        (at, trust): (usize, f64),
        inequalities: &mut Vec<Inequality<D>>,
    ) {
        for (joint, (low, high)) in problem.bounds.iter().enumerate() {
            let (normal, value) = (directions[joint], self.rows[at][joint]);
            let most = trust * normal.iter().map(|value| value.abs()).sum::<f64>();
            if high - value < most {
                inequalities.push(Inequality { pose: at, normal, slack: (high - value).max(LEAST_SLACK_RAD_M) });
            }
            if value - low < most {
                inequalities.push(Inequality {
                    pose: at,
                    normal: normal.map(|value| -value),
                    slack: (value - low).max(LEAST_SLACK_RAD_M),
                });
            }
        }
    }

    /// The path moved by the program's answer; `None` when a pose is lost.
    fn moved<const D: usize>(
        &self,
        problem: &PathProblem<'_>,
        directions: &[[[f64; D]; MOST_PROGRAM_JOINTS]],
        program: &StepProgram<D>,
        projector: &mut PoseProjector<'_>,
    ) -> Option<Self> {
        let mut path = self.clone();
        for (at, row) in path.rows.iter_mut().enumerate() {
            for joint in 0..problem.dof {
                row[joint] += super::block_tridiagonal::dot(&directions[at][joint], &program.z[at]);
            }
            if !projector.project(&problem.targets[path.knots[at]], row) {
                return None;
            }
        }
        Some(path)
    }

    /// With a configuration half way between all neighbours that have poses between them. `None` when one is lost.
    pub(super) fn denser(&self, problem: &PathProblem<'_>, projector: &mut PoseProjector<'_>) -> Option<Self> {
        let mut path = Self { knots: Vec::new(), rows: Vec::new() };
        for at in 0..self.rows.len() {
            if at > 0 && self.knots[at] > self.knots[at - 1] + 1 {
                let middle = usize::midpoint(self.knots[at - 1], self.knots[at]);
                let fraction = (middle - self.knots[at - 1]) as f64 / (self.knots[at] - self.knots[at - 1]) as f64;
                let mut row = between(&self.rows[at - 1], &self.rows[at], fraction);
                if !projector.project(&problem.targets[middle], &mut row) {
                    return None;
                }
                path.knots.push(middle);
                path.rows.push(row);
            }
            path.knots.push(self.knots[at]);
            path.rows.push(self.rows[at]);
        }
        Some(path)
    }

    /// With a configuration for every pose between the first and the last knot.
    pub(super) fn full(&self, problem: &PathProblem<'_>, projector: &mut PoseProjector<'_>) -> Option<Self> {
        let mut path = self.clone();
        while path.rows.len() <= path.knots[path.knots.len() - 1] - path.knots[0] {
            path = path.denser(problem, projector)?;
        }
        Some(path)
    }

    /// The part from knot `at - 1` to knot `at`.
    pub(super) fn part(&self, at: usize) -> Self {
        Self { knots: self.knots[at - 1..=at].to_vec(), rows: self.rows[at - 1..=at].to_vec() }
    }
}

/// The inequalities of the trust region.
fn trust_region_inequalities<const D: usize>(at: usize, trust: f64, inequalities: &mut Vec<Inequality<D>>) {
    for (axis, sign) in (0..D).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
        let mut normal = [0.0; D];
        normal[axis] = sign;
        inequalities.push(Inequality { pose: at, normal, slack: trust });
    }
}

pub(super) fn between(a: &PaddedJoints, b: &PaddedJoints, fraction: f64) -> PaddedJoints {
    std::array::from_fn(|joint| a[joint] + fraction * (b[joint] - a[joint]))
}

/// Exponent of the steps in the cost of a coarse path: large steps dominate.
const STEP_COST_EXPONENT: i32 = 6;

/// Cost of a motion of at most `most` over `gap` poses.
#[inline]
pub(super) fn cost(most: f64, gap: f64) -> f64 {
    gap * (most / gap).powi(STEP_COST_EXPONENT)
}

/// Largest difference of a joint.
pub(super) fn apart(a: &PaddedJoints, b: &PaddedJoints, dof: usize) -> f64 {
    (0..dof).fold(0.0, |most, joint| most.max((a[joint] - b[joint]).abs()))
}
