//! An arm with the solver that its geometry calls for.

use std::path::Path;

use kinetic_core::{Pose, Result};
use kinetic_robot::{Robot, UrdfOptions};

use super::branches::{Branch, Branches};
use super::poe::ProductOfExponentials;
use super::policy::TolerancePolicy;
use super::postprocess::{SeedMetric, distance, into_limits};
use super::registry::{DispatchPlan, dispatch};
use super::solution::{Diagnostic, Refinement, Solution, SolveOptions};
use super::solver::{Solver, Target};
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
    solver: Box<dyn Solver>,
    plan: DispatchPlan,
    policy: TolerancePolicy,
}

/// Residual up to which a branch counts as closed. Forward kinematics of six joints rounds at about 1e-15.
const CLOSED: f64 = 1e-10;

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
        Ok(Self { chain, arm, solver, plan, policy })
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
        branches.found.clear();
        self.solver.search(&Target::new(base_from_tcp, self.arm.home()), branches);
        branches.found.retain(|branch| branch.fk_residual <= CLOSED);
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
        let target = Target::new(&Rigid::from(base_from_tcp), self.arm.home());
        self.solver.search(&target, &mut branches);
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
    fn closed(&self, branch: &Branch, target: &Target, options: &SolveOptions) -> Option<Solution> {
        let (branch, refinement_used) = match (branch.fk_residual <= CLOSED, options.allow_refinement) {
            (true, _) => (*branch, Refinement::None),
            (false, true) => (self.solver.refined(branch, target, options.refinement_max_iters), Refinement::Lm),
            (false, false) => return None,
        };
        Some(Solution { q: branch.q.to_vec().into(), fk_residual: branch.fk_residual, refinement_used })
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
