//! An arm with the solver that its geometry calls for.

use std::path::Path;

use kinetic_core::{JointValues, Pose, Result};
use kinetic_robot::{Robot, UrdfOptions};

use super::closure::{Along, Closure};
use super::poe::{ProductOfExponentials, inverse};
use super::policy::TolerancePolicy;
use super::postprocess::{SeedMetric, distance, into_limits, wrapped};
use super::registry::{DispatchPlan, dispatch};
use super::six::{ClosedForm, Row};
use super::solution::{Diagnostic, Refinement, Solution, SolveOptions};
use super::topology::Topology;
use crate::chain::KinematicChain;
use crate::rigid::Rigid;

/// Closed-form inverse kinematics of one chain with six rotating joints: all branches of every pose.
///
/// The solver is chosen from geometry alone when the manipulator is made; [`dispatch_plan`](Self::dispatch_plan) says
/// which and why.
#[derive(Debug)]
pub struct Manipulator {
    chain: KinematicChain,
    arm: ProductOfExponentials,
    tcp_from_home: Rigid,
    closure: Closure,
    solver: Box<dyn ClosedForm>,
    plan: DispatchPlan,
    policy: TolerancePolicy,
}

/// Memory of a solve, and its branches; reused, a solve allocates nothing.
#[derive(Debug, Default)]
pub struct Branches {
    rows: Vec<Row>,
    found: Vec<Branch>,
}

impl Branches {
    /// The branches of the last solve.
    pub fn as_slice(&self) -> &[Branch] {
        &self.found
    }
}

/// One branch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// Joint values in (−π, π], in the order of the chain's configuration.
    pub q: [f64; 6],
    /// As [`Solution::fk_residual`].
    pub fk_residual: f64,
}

/// Residual up to which a branch counts as closed. Forward kinematics of six joints rounds at about 1e-15.
const CLOSED: f64 = 1e-10;
/// Residual above which a branch has lost digits that Newton's method can bring back.
const SHARP: f64 = 1e-12;
/// Newton steps that take back what rounding did to a branch near a singularity.
const STEPS: usize = 3;

impl Manipulator {
    /// The solver for a chain.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::IncompatibleKinematics`] with what fits, when no class does, and
    /// [`kinetic_core::KineticError::InvalidValue`] for thresholds that make no sense.
    pub fn from_chain(chain: KinematicChain, policy: TolerancePolicy) -> Result<Self> {
        policy.check()?;
        let arm = ProductOfExponentials::from_chain(&chain)?;
        let (solver, plan) = dispatch(&arm, &policy)?;
        let closure = Closure::of_tool(&arm);
        Ok(Self { chain, tcp_from_home: inverse(arm.home()), arm, closure, solver, plan, policy })
    }

    /// The solver for a planning group of a robot, its default group when `group` is `None`.
    ///
    /// # Errors
    /// As [`from_chain`](Self::from_chain), and an unknown group.
    pub fn from_robot(robot: &Robot, group: Option<&str>, policy: TolerancePolicy) -> Result<Self> {
        let group = match group {
            Some(name) => robot.group(name)?,
            None => &robot.groups[robot.default_group],
        };
        Self::from_chain(KinematicChain::from_group(robot, group)?, policy)
    }

    /// The solver for the chain from link `base` to link `ee` of a URDF file.
    ///
    /// # Errors
    /// As [`from_chain`](Self::from_chain), a file that cannot be read, and unknown links.
    pub fn from_urdf(path: impl AsRef<Path>, base: &str, ee: &str, policy: TolerancePolicy) -> Result<Self> {
        let options = UrdfOptions { base: Some(base.to_owned()), tip: Some(ee.to_owned()), ..UrdfOptions::default() };
        let robot = Robot::from_urdf_with(path.as_ref(), &options)?;
        Self::from_chain(KinematicChain::extract(&robot, base, ee)?, policy)
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.arm.dof()
    }

    /// The chain that is solved.
    pub fn chain(&self) -> &KinematicChain {
        &self.chain
    }

    /// The chain as the solver sees it.
    pub fn normal_form(&self) -> &ProductOfExponentials {
        &self.arm
    }

    /// Which axes are parallel and which meet.
    pub fn topology(&self) -> Topology {
        Topology::of(&self.arm, &self.policy)
    }

    /// Which solver, and why.
    pub fn dispatch_plan(&self) -> &DispatchPlan {
        &self.plan
    }

    /// Thresholds.
    pub fn policy(&self) -> &TolerancePolicy {
        &self.policy
    }

    /// Position limits; `None` for joints that turn without end.
    pub fn joint_limits(&self) -> Vec<Option<(f64, f64)>> {
        let finite = |(low, high): &(f64, f64)| (low.is_finite() && high.is_finite()).then_some((*low, *high));
        self.chain.bounds().iter().map(finite).collect()
    }

    /// Pose of the tool in the chain's base.
    ///
    /// # Errors
    /// Wrong length or NaN.
    pub fn fk(&self, q: &[f64]) -> Result<Pose> {
        self.chain.check(q)?;
        Ok(self.arm.pose(q).to_pose())
    }

    /// All branches of a pose, limits not looked at: what a solve comes down to, without allocation once `branches`
    /// has been used. Each closes forward kinematics to 1e-10.
    pub fn branches(&self, base_from_tcp: &Rigid, branches: &mut Branches) {
        self.search(base_from_tcp, branches);
        branches.found.retain(|branch| branch.fk_residual <= CLOSED);
    }

    /// Branches that close or nearly do.
    fn search(&self, target: &Rigid, branches: &mut Branches) {
        branches.rows.clear();
        branches.found.clear();
        self.solver.branches(&target.then(&self.tcp_from_home), &mut branches.rows);
        let mut along = Along::new();
        let (mut last, mut q) = ([super::Turn::ZERO; 6], [0.0; 6]);
        for row in &branches.rows {
            let mut residual = self.closure.residual(row, target, &mut along);
            let mut row = *row;
            if residual > SHARP && residual <= NEAR {
                row = self.closure.polished(row, target, STEPS);
                residual = self.closure.residual(&row, target, &mut along);
            }
            if !(residual <= self.policy.subproblem_numerical) {
                continue;
            }
            // Neighbouring branches share joints, whose angles need not be computed again.
            for (joint, screw) in self.arm.screws().iter().enumerate() {
                if last[joint] != row[joint] {
                    q[screw.variable] = row[joint].angle();
                }
            }
            last = row;
            add(&mut branches.found, Branch { q, fk_residual: residual }, self.policy.subproblem_dedup);
        }
    }

    /// Solutions for the pose of the tool in the chain's base. An unreachable pose has none.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::NotFinite`] and [`kinetic_core::KineticError::DimensionMismatch`].
    pub fn solve(&self, base_from_tcp: &Pose, options: &SolveOptions) -> Result<Vec<Solution>> {
        Ok(self.explain(base_from_tcp, options)?.0)
    }

    /// As [`solve`](Self::solve), with the story.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn explain(&self, base_from_tcp: &Pose, options: &SolveOptions) -> Result<(Vec<Solution>, Diagnostic)> {
        base_from_tcp.check_finite("target pose")?;
        if let Some(seed) = &options.seed {
            self.chain.check(seed)?;
        }
        let mut branches = Branches::default();
        let target = Rigid::from(base_from_tcp);
        self.search(&target, &mut branches);
        let closed: Vec<Solution> =
            branches.found.iter().filter_map(|branch| self.closed(branch, &target, options)).collect();
        let raw_candidates = closed.len();
        let mut kept: Vec<Solution> =
            closed.into_iter().filter_map(|solution| self.placed(solution, options)).collect();
        let dropped_by_limits = raw_candidates - kept.len();
        if let Some(seed) = &options.seed {
            kept.sort_by(|a, b| {
                let apart = |solution: &Solution| distance(&solution.q, seed, SeedMetric::WrapL2);
                apart(a).total_cmp(&apart(b))
            });
        }
        let before = kept.len();
        kept.truncate(options.max_solutions.unwrap_or(usize::MAX));
        let diagnostic = self.diagnostic(&kept, raw_candidates, dropped_by_limits, before - kept.len());
        Ok((kept, diagnostic))
    }

    /// A branch as a solution, refined if it has to be and may be.
    fn closed(&self, branch: &Branch, target: &Rigid, options: &SolveOptions) -> Option<Solution> {
        let unrefined =
            Solution { q: branch.q.into(), fk_residual: branch.fk_residual, refinement_used: Refinement::None };
        if branch.fk_residual <= CLOSED {
            return Some(unrefined);
        }
        if !options.allow_refinement {
            return None;
        }
        let row: Row = std::array::from_fn(|joint| super::Turn::of(branch.q[self.arm.screws()[joint].variable]));
        let row = self.closure.polished(row, target, options.refinement_max_iters);
        let fk_residual = self.closure.residual(&row, target, &mut Along::new());
        let mut q = JointValues::from(vec![0.0; 6]);
        for (screw, turn) in self.arm.screws().iter().zip(row) {
            q[screw.variable] = turn.angle();
        }
        Some(Solution { q, fk_residual, refinement_used: Refinement::Lm })
    }

    /// The solution with the turns of 2π that limits and seed ask for; `None` when it cannot be inside the limits.
    fn placed(&self, mut solution: Solution, options: &SolveOptions) -> Option<Solution> {
        for (joint, q) in solution.q.iter_mut().enumerate() {
            let (low, high) = self.chain.bounds()[joint];
            let limits = options.respect_limits.then_some((low, high));
            let near = options.seed.as_ref().map_or(*q, |seed| seed[joint]);
            let is_endless = !(low.is_finite() && high.is_finite());
            // Joints without limits keep their angle unless a seed says which turn is meant.
            if options.seed.is_some() || (options.respect_limits && !is_endless) {
                *q = into_limits(*q, near, limits)?;
            }
        }
        Some(solution)
    }

    fn diagnostic(&self, kept: &[Solution], raw: usize, by_limits: usize, by_cap: usize) -> Diagnostic {
        let worst = kept.iter().map(|solution| solution.fk_residual).fold(f64::NAN, f64::max);
        Diagnostic {
            solver_name: self.plan.solver_name.clone(),
            solver_tier: self.plan.tier,
            dispatch_reason: self.plan.reason.clone(),
            raw_candidates: raw,
            dropped_by_limits: by_limits,
            dropped_by_max_solutions: by_cap,
            final_count: kept.len(),
            max_fk_residual: worst,
            refinement_engaged: kept.iter().any(|solution| solution.refinement_used == Refinement::Lm),
            fk_atol: CLOSED,
            warnings: Vec::new(),
        }
    }
}

/// Residual up to which rounding, and not reach, may be why a branch does not close.
const NEAR: f64 = 1e-3;

/// Adds a branch unless it is known; of two that are the same the one that closes better stays.
fn add(found: &mut Vec<Branch>, branch: Branch, same: f64) {
    let is_same = |known: &Branch| known.q.iter().zip(&branch.q).all(|(a, b)| wrapped(a - b).abs() <= same);
    match found.iter_mut().find(|known| is_same(known)) {
        Some(known) if known.fk_residual <= branch.fk_residual => {}
        Some(known) => *known = branch,
        None => found.push(branch),
    }
}
