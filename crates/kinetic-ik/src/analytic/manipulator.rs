//! Manipulators: a chain with the closed-form solver of its class of arms.

use std::path::Path;

use kinetic_core::error::{check_finite, check_len, reason};
use kinetic_core::{KineticError, Pose, Result};
use kinetic_kinematics::{KinematicChain, Rigid};
use kinetic_robot::{Robot, UrdfOptions};

use super::branch_search::{BranchSearch, SearchOutcome, SeedBound};
use super::branches::{Branches, CLOSED_RESIDUAL};
use super::class::DispatchPlan;
use super::perturbed::perturbed_poses;
use super::poe::{ProductOfExponentials, Screw};
use super::policy::TolerancePolicy;
use super::redundant::Grid;
use super::registry::dispatch;
use super::self_motion_start::self_motion_start;
use super::short::turn_about;
use super::six::classes::CLOSED_TIER;
use super::solution::{Diagnostic, Refinement, Solution, SolveOptions, UNPROVEN};
use super::solver::{Met, Parameters, Range, Solver, Target};
use super::topology::Topology;
use super::windings::{Joint, Windings};
use crate::analytic::constant::Value;
use crate::solvers::is_out_of_reach;
use crate::tolerance::LIMIT_ROUNDING_RAD_M;
use crate::watch::Watch;

/// Closed-form inverse kinematics of one chain of three to eight joints: all branches of every pose.
///
/// The solver is chosen from geometry alone when the manipulator is made; [`dispatch_plan`](Self::dispatch_plan) says
/// which and why.
#[derive(Debug)]
pub struct Manipulator {
    chain: KinematicChain,
    arm: ProductOfExponentials,
    solver: Box<dyn Solver>,
    /// The values of a sweep; a single one without parameters for arms that are not redundant.
    grid: Grid,
    plan: DispatchPlan,
    policy: TolerancePolicy,
}

impl Manipulator {
    /// The solver for a chain.
    ///
    /// # Errors
    /// [`KineticError::IncompatibleKinematics`] with what fits, when no class does, and
    /// [`KineticError::InvalidValue`] for thresholds that make no sense.
    pub fn from_chain(chain: KinematicChain, policy: TolerancePolicy) -> Result<Self> {
        Self::build(chain, None, policy)
    }

    /// As [`from_chain`](Self::from_chain) with the joints to lock, by name.
    ///
    /// # Errors
    /// As [`from_chain`](Self::from_chain), and unknown joints, or such that do not leave six that can be solved for.
    pub fn with_locked(chain: KinematicChain, joints: &[&str], policy: TolerancePolicy) -> Result<Self> {
        let entry = |name: &&str| {
            chain
                .joint_names()
                .iter()
                .position(|known| known == name)
                .ok_or_else(|| KineticError::unknown_name("joint", *name, chain.joint_names()))
        };
        let entries = joints.iter().map(entry).collect::<Result<Vec<usize>>>()?;
        Self::build(chain, Some(&entries), policy)
    }

    /// `locked` are entries of the configuration.
    fn build(chain: KinematicChain, locked: Option<&[usize]>, policy: TolerancePolicy) -> Result<Self> {
        policy.check()?;
        let arm = ProductOfExponentials::from_chain(&chain)?;
        let used = |entry: &usize| arm.screws().iter().any(|screw| screw.variable == *entry);
        if let Some(entry) = (0..chain.dof()).find(|entry| !used(entry)) {
            let joint = chain.joint_names()[entry].clone();
            let reason = reason::IncompatibleKinematics::JointOutsideChain { joint };
            return Err(KineticError::IncompatibleKinematics { reason });
        }
        let is_locked = |joint: &usize| locked.is_some_and(|entries| entries.contains(&arm.screws()[*joint].variable));
        let locks: Vec<usize> = (0..arm.dof()).filter(is_locked).collect();
        let (solver, plan) = dispatch(&arm, chain.bounds(), locked.map(|_| locks.as_slice()), &policy)?;
        let grid = Grid::new(solver.ranges(), None, None);
        Ok(Self { chain, arm, solver, grid, plan, policy })
    }

    /// The solver for a planning group of a robot, its default group when `group` is `None`.
    ///
    /// # Errors
    /// As [`from_chain`](Self::from_chain), and an unknown group.
    pub fn from_robot(robot: &Robot, group: Option<&str>, policy: TolerancePolicy) -> Result<Self> {
        Self::from_chain(Self::chain_of(robot, group)?, policy)
    }

    /// The chain of a planning group, of the default one when `group` is `None`.
    ///
    /// # Errors
    /// An unknown group, or one that is no chain.
    pub fn chain_of(robot: &Robot, group: Option<&str>) -> Result<KinematicChain> {
        let group = match group {
            Some(name) => robot.group(name)?,
            None => &robot.groups[robot.default_group],
        };
        KinematicChain::from_group(robot, group)
    }

    /// The solver for the chain from link `base` to link `ee` of a URDF file.
    ///
    /// # Errors
    /// As [`from_chain`](Self::from_chain), a file that cannot be read, and unknown links.
    pub fn from_urdf(path: impl AsRef<Path>, base: &str, ee: &str, policy: TolerancePolicy) -> Result<Self> {
        Self::from_chain(Self::chain_of_urdf(path, base, ee)?, policy)
    }

    /// The chain from link `base` to link `ee` of a URDF file.
    ///
    /// # Errors
    /// A file that cannot be read, and unknown links.
    pub fn chain_of_urdf(path: impl AsRef<Path>, base: &str, ee: &str) -> Result<KinematicChain> {
        let options = UrdfOptions { base: Some(base.to_owned()), tip: Some(ee.to_owned()), ..UrdfOptions::default() };
        let robot = Robot::from_urdf_with(path.as_ref(), &options)?;
        KinematicChain::extract(&robot, base, ee)
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

    /// Axes that are parallel, and axes that meet.
    pub fn topology(&self) -> Topology {
        Topology::of(&self.arm, &self.policy)
    }

    /// The solver, and the reason for it.
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

    /// As `Solver::constants`.
    pub fn constants(&self) -> Option<[Value; 2]> {
        self.solver.constants()
    }

    /// Joints that are locked, as indices into the screws.
    pub fn locked(&self) -> Vec<usize> {
        self.solver.locked()
    }

    /// The rotation about the axis of the tool that is left free, as a sixth joint of an arm with five.
    pub fn turn_of_tool(&self) -> Option<Screw> {
        let Met::PositionAndAxis(axis) = self.met() else { return None };
        Some(turn_about(self.arm.home(), axis))
    }

    /// As `Solver::data`.
    pub fn solver_data(&self) -> Option<Value> {
        self.solver.data()
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
    /// has been used. Each closes forward kinematics to 1e-10. For redundant arms those at all samples of a sweep.
    pub fn branches(&self, base_from_tcp: &Rigid, branches: &mut Branches) {
        branches.found.clear();
        let target = Target::new(base_from_tcp, self.arm.home());
        for at in &self.grid.samples {
            self.solver.search(&target, at, branches);
        }
        branches.found.retain(|branch| branch.fk_residual <= CLOSED_RESIDUAL);
    }

    /// Whether a sweep over the self-motion takes long, because every sample costs an eigenproblem.
    pub fn sweeps_slowly(&self) -> bool {
        !self.ranges().is_empty() && self.plan.tier > CLOSED_TIER
    }

    /// Parameters of the self-motion of a redundant arm: its swivel angle or locked joints. Empty for others.
    pub fn ranges(&self) -> &[Range] {
        self.solver.ranges()
    }

    /// Self-motion parameters of a configuration: solving its pose at them gives the configuration back.
    ///
    /// # Errors
    /// Wrong length or NaN.
    pub fn parameters(&self, q: &[f64]) -> Result<Parameters> {
        self.chain.check(q)?;
        Ok(self.solver.parameters(&self.arm, q))
    }

    /// Names of the joints that are locked.
    pub fn locked_joints(&self) -> Vec<&str> {
        let name = |joint: usize| self.chain.joint_names()[self.arm.screws()[joint].variable].as_str();
        self.solver.locked().into_iter().map(name).collect()
    }

    /// Entries of the locked joints in a configuration, in the order of [`ranges`](Self::ranges).
    fn locked_variables(&self) -> Vec<usize> {
        self.solver.locked().into_iter().map(|joint| self.arm.screws()[joint].variable).collect()
    }

    /// True when the branches of a pose are all configurations that reach it: nothing is sampled, and all of the pose
    /// is met. The general class may still lose a branch in a thousand poses.
    pub fn lists_all(&self) -> bool {
        self.ranges().is_empty() && self.met() == Met::Pose
    }

    /// The part of a pose that the arm can meet.
    pub fn met(&self) -> Met {
        self.solver.met()
    }

    /// Solutions for the pose of the tool in the chain's base. An unreachable pose has none.
    ///
    /// A redundant arm has infinitely many: they are sampled, the values nearest to the seed first (the middle of the
    /// ranges without one), until there are `max_solutions` and all values one step farther have been looked at. When no
    /// sample gives a solution, the values between samples are searched, and where none of these has a branch at all, the ones
    /// at which the numerical solver arrives.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`], [`KineticError::DimensionMismatch`], [`KineticError::InvalidValue`] for options
    /// that the arm has no use for, and [`KineticError::Cancelled`].
    pub fn solve(&self, base_from_tcp: &Pose, options: &SolveOptions) -> Result<Vec<Solution>> {
        Ok(self.explain(base_from_tcp, options)?.0)
    }

    /// The joint values of [`solve`](Self::solve) alone, one solution after the other.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn configurations(&self, base_from_tcp: &Pose, options: &SolveOptions) -> Result<Vec<f64>> {
        if options.turns {
            let solutions = self.solve(base_from_tcp, options)?;
            return Ok(solutions.iter().flat_map(|solution| solution.q.iter().copied()).collect());
        }
        Ok(self.search(base_from_tcp, options, None)?.configurations())
    }

    /// As [`solve`](Self::solve), with a diagnostic.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn explain(&self, base_from_tcp: &Pose, options: &SolveOptions) -> Result<(Vec<Solution>, Diagnostic)> {
        // The branches of a pose are few, and their turns are counted: none is left out before.
        let all = (options.turns && self.ranges().is_empty())
            .then(|| SolveOptions { max_solutions: None, ..options.clone() });
        let mut found = self.search(base_from_tcp, all.as_ref().unwrap_or(options), None)?;
        let mut solutions = found.solutions();
        if options.turns {
            solutions = self.at_all_turns(&mut found, &solutions, options)?;
        }
        let diagnostic = self.diagnostic(&found, &solutions, &Rigid::from(base_from_tcp));
        Ok((solutions, diagnostic))
    }

    /// Solutions, which are at their nearest turns, at all of them.
    fn at_all_turns(
        &self,
        found: &mut SearchOutcome,
        solutions: &[Solution],
        options: &SolveOptions,
    ) -> Result<Vec<Solution>> {
        let joint = |(joint, limits): (usize, Option<(f64, f64)>)| Joint {
            limits,
            is_rotation: self.chain.is_rotation(joint),
            weight: self.chain.weights()[joint],
        };
        let joints: Vec<Joint> = self.joint_limits().into_iter().enumerate().map(joint).collect();
        let windings = Windings::new(solutions, &joints, options.seed.as_deref());
        let count = windings.count();
        if options.max_solutions.is_none() && count > MOST_LISTED_WINDINGS {
            let wanted = format!("a number: the limits allow {count:.3e} configurations");
            return Err(KineticError::invalid("max_solutions", "none", wanted));
        }
        let turned = windings.nearest(options.max_solutions.unwrap_or(usize::MAX));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count; saturates")]
        let left = (count - turned.len() as f64).max(0.0) as usize;
        found.dropped_by_max_solutions += left;
        Ok(turned)
    }

    /// As [`explain`](Self::explain) for a redundant arm and a seed: all samples at which a solution may be as near to the
    /// seed as the nearest and as `known`, the travel to a solution that is known (infinite for none), or a step farther,
    /// whatever their place in the self-motion.
    pub(crate) fn explain_near(
        &self,
        base_from_tcp: &Pose,
        options: &SolveOptions,
        known: f64,
    ) -> Result<(Vec<Solution>, Diagnostic)> {
        let found = self.search(base_from_tcp, options, Some(known))?;
        let solutions = found.solutions();
        let diagnostic = self.diagnostic(&found, &solutions, &Rigid::from(base_from_tcp));
        Ok((solutions, diagnostic))
    }

    /// Whether a pose for which nothing was found has no solution: its closed form loses none and nothing is sampled, or
    /// the arm is too short.
    fn is_proven_empty(&self, base_from_tcp: &Pose, target: &Target) -> bool {
        let loses_none = self.ranges().is_empty() && self.plan.tier == CLOSED_TIER && !self.solver.may_hide(target);
        loses_none || is_out_of_reach(&self.chain, base_from_tcp)
    }

    fn search(&self, base_from_tcp: &Pose, options: &SolveOptions, known: Option<f64>) -> Result<SearchOutcome> {
        base_from_tcp.check_finite("target pose")?;
        self.check(options)?;
        let linearity_joint = options.linearity_joint.map(|joint| self.linearity_index(joint)).transpose()?;
        let target = Target { linearity_joint, ..Target::new(&Rigid::from(base_from_tcp), self.arm.home()) };
        let watch = (!self.ranges().is_empty()).then(|| Watch::new(&options.stop));
        let start = options.seed.as_ref().map(|seed| self.solver.parameters(&self.arm, seed));
        let mut search = BranchSearch::new(&*self.solver, &self.chain, &target, options, self.plan.tier > 0);
        if let Some(at) = options.at {
            search.solve_only_at(&at);
        } else {
            let near = known.map(|known| SeedBound { locked: self.locked_variables(), known });
            search.sweep(start, near.as_ref());
            if search.has_no_branch() && self.ranges().is_empty() {
                self.search_perturbed(&mut search, base_from_tcp, &target);
            } else if known.is_none_or(f64::is_infinite) {
                self.search_numerically(&mut search, base_from_tcp, options);
            }
        }
        if search.has_no_branch() && !self.is_proven_empty(base_from_tcp, &target) {
            search.warn(UNPROVEN);
        }
        let found = search.finished();
        watch.map_or(Ok(()), |watch| watch.check(found.samples))?;
        Ok(found)
    }

    /// Solves perturbed poses where the closed form may hide branches. The classes of higher tiers may lose one anywhere: for
    /// them every pose out of reach would be perturbed.
    fn search_perturbed(&self, search: &mut BranchSearch, base_from_tcp: &Pose, target: &Target) {
        let is_hidden = self.plan.tier == CLOSED_TIER && self.solver.may_hide(target);
        if is_hidden && !is_out_of_reach(&self.chain, base_from_tcp) {
            let beside = |pose: Pose| Target {
                linearity_joint: target.linearity_joint,
                ..Target::new(&Rigid::from(&pose), self.arm.home())
            };
            search.search_perturbed(perturbed_poses(base_from_tcp).map(beside));
        }
    }

    /// Looks for a self-motion, or the part of one inside the limits, that lies between all samples.
    fn search_numerically(&self, search: &mut BranchSearch, base_from_tcp: &Pose, options: &SolveOptions) {
        let is_missing = |search: &BranchSearch, check_limits: bool| {
            if check_limits { options.respect_limits && search.has_no_solution() } else { search.has_no_branch() }
        };
        for check_limits in [false, true] {
            if is_missing(search, check_limits)
                && let Some(q) = self_motion_start(&self.chain, base_from_tcp, options, check_limits)
            {
                search.descend_from(&q, &self.solver.parameters(&self.arm, &q));
            }
        }
    }

    /// Joints that the equations of the general class of 6R can stay linear in, for
    /// [`SolveOptions::linearity_joint`]: entries of the configuration; none for arms of other classes.
    pub fn linearity_joints(&self) -> Vec<usize> {
        self.solver.linearity_joints()
    }

    /// Index of an entry of the configuration among [`linearity_joints`](Self::linearity_joints).
    fn linearity_index(&self, joint: usize) -> Result<usize> {
        let known = self.linearity_joints();
        known.iter().position(|entry| *entry == joint).ok_or_else(|| {
            let name = |entry: &usize| format!("{entry} (\"{}\")", self.chain.joint_names()[*entry]);
            let names: Vec<String> = known.iter().map(name).collect();
            let wanted = if names.is_empty() {
                format!("none: {} is linear in no joint of choice", self.plan.solver_name)
            } else {
                names.join(", ")
            };
            KineticError::invalid("linearity_joint", joint, wanted)
        })
    }

    fn check(&self, options: &SolveOptions) -> Result<()> {
        if let Some(seed) = &options.seed {
            self.chain.check(seed)?;
        }
        if options.turns && !options.respect_limits {
            return Err(KineticError::invalid(
                "turns without respect_limits",
                true,
                "limits, which bound their number",
            ));
        }
        let ranges = self.solver.ranges();
        if let Some(at) = &options.at {
            check_len("parameters of the self-motion (at)", at.len(), ranges.len())?;
            check_finite("parameters of the self-motion (at)", at)?;
            options.respect_limits.then(|| check_inside(ranges, at)).transpose()?;
        }
        let most = MOST_SAMPLES_PER_SWEEP[ranges.len().min(2) / 2];
        match options.samples {
            Some(count) if count == 0 || (count > most && !ranges.is_empty()) => {
                Err(KineticError::invalid("samples", count, format!("from 1 to {most}")))
            }
            Some(count) if ranges.is_empty() => {
                let wanted = format!("none: {} has no self-motion to sample", self.plan.solver_name);
                Err(KineticError::invalid("samples", count, wanted))
            }
            _ => Ok(()),
        }
    }

    fn diagnostic(&self, found: &SearchOutcome, kept: &[Solution], target: &Rigid) -> Diagnostic {
        let worst = kept.iter().map(|solution| solution.fk_residual).fold(f64::NAN, f64::max);
        let (reached, met) = (|solution: &Solution| self.arm.pose(&solution.q), self.solver.met());
        let pose_residual = match met {
            Met::Pose => worst,
            _ => kept.iter().map(|solution| apart(&reached(solution), target)).fold(f64::NAN, f64::max),
        };
        Diagnostic {
            solver_name: self.plan.solver_name.clone(),
            solver_tier: self.plan.tier,
            dispatch_reason: self.plan.reason.clone(),
            raw_candidates: found.raw_candidates,
            dropped_by_limits: found.dropped_by_limits,
            dropped_by_max_solutions: found.dropped_by_max_solutions,
            final_count: kept.len(),
            max_fk_residual: worst,
            met,
            max_pose_residual: pose_residual,
            samples: found.samples,
            refinement_engaged: kept.iter().any(|solution| solution.refinement_used == Refinement::Lm),
            fk_atol: CLOSED_RESIDUAL,
            warnings: found.warnings.iter().map(|warning| (*warning).to_owned()).collect(),
        }
    }
}

/// Configurations at all turns that are listed unless a number is asked for.
const MOST_LISTED_WINDINGS: f64 = 1e5;

/// Samples of a sweep over one and over two parameters.
const MOST_SAMPLES_PER_SWEEP: [usize; 2] = [100_000, 1_000];

/// Refuses values that no configuration inside the limits has. Those of a circle are the same a turn farther.
fn check_inside(ranges: &[Range], at: &[f64]) -> Result<()> {
    for (index, (range, value)) in ranges.iter().zip(at).enumerate() {
        if !range.is_circle && !(range.low - LIMIT_ROUNDING_RAD_M..=range.high + LIMIT_ROUNDING_RAD_M).contains(value) {
            let wanted = format!("from {} to {} (or respect_limits off)", range.low, range.high);
            return Err(KineticError::invalid(format!("at[{index}]"), value, wanted));
        }
    }
    Ok(())
}

/// Frobenius norm of the difference.
fn apart(a: &Rigid, b: &Rigid) -> f64 {
    (a.rotation - b.rotation).norm().hypot((a.translation - b.translation).norm())
}
