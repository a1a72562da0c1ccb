//! Path constraints of a planning group: whether configurations, motions and timed curves keep them, and projection onto the
//! configurations that do.
//!
//! Every constraint is compiled to measures (`measure.rs`, `custom.rs`): a deviation, how much it can change while joints move by
//! so much (`motion_bounds.rs`, `second_order.rs`), and rows that lead back (`projection.rs`; Berenson, Srinivasa and Kuffner,
//! "Task Space Regions", IJRR 2011). Motions are proven by halving: where the deviation in the middle and its largest change on an
//! interval are within the tolerance together, the whole interval is (`proof.rs`).

mod custom;
mod measure;
mod motion_bounds;
mod projection;
mod proof;
mod second_order;

use std::sync::Arc;

use kinetic_core::{Constraint, KineticError, Result, check_constraints};
use kinetic_kinematics::{KinematicChain, Rigid, TreeKinematics};
use kinetic_robot::{PlanningGroup, Robot};

use self::custom::CustomMeasure;
pub(crate) use self::custom::FunctionFailures;
use self::measure::Measure;
use self::projection::Projection;
pub use self::proof::CurveViolation;
use self::proof::ProofMemory;
use crate::goal_context::LIMIT_TOLERANCE;

/// The constraints of a group, compiled. Owns its memory: one per thread.
#[derive(Debug, Clone)]
pub struct ConstraintSet {
    constraints: Arc<[Constraint]>,
    tree: Arc<TreeKinematics>,
    measures: Arc<[Measure]>,
    custom: Vec<CustomMeasure>,
    failures: FunctionFailures,
    /// Ranges of joints, those of the constraints within those of the robot.
    bounds: Arc<[(f64, f64)]>,
    frames: Vec<Rigid>,
    projection: Projection,
    scratch: ProofMemory,
}

/// A constraint that is not kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// Index of the constraint.
    pub constraint: usize,
    /// Deviation, rad or m.
    pub deviation: f64,
    /// Largest deviation that is allowed, rad or m.
    pub tolerance: f64,
}

impl Violation {
    /// How far the tolerance is exceeded, rad or m.
    pub fn excess(&self) -> f64 {
        self.deviation - self.tolerance
    }
}

impl ConstraintSet {
    /// Compiles constraints for a group whose chain is given; joints outside the group stand at `held` (robot length).
    ///
    /// # Errors
    /// As [`check_constraints`]; [`KineticError::LinkNotFound`] for an unknown link; [`KineticError::InvalidValue`] for a joint
    /// index that the group does not have.
    pub fn new(
        robot: &Robot,
        group: &PlanningGroup,
        chain: &KinematicChain,
        held: &[f64],
        constraints: &[Constraint],
    ) -> Result<Self> {
        check_constraints(constraints)?;
        let tree = TreeKinematics::from_group(robot, group, held)?;
        let mut bounds = chain.bounds().to_vec();
        for constraint in constraints {
            narrow(&mut bounds, constraint, &group.name)?;
        }
        let measures = constraints.iter().enumerate();
        let measures = measures.map(|(index, constraint)| Measure::of(&tree, chain.bounds(), index, constraint));
        let measures: Vec<Measure> = measures.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        let custom = constraints.iter().enumerate().filter_map(|(index, constraint)| match constraint {
            Constraint::Custom(function) => Some(CustomMeasure::new(index, function, group.dof())),
            _ => None,
        });
        let custom = custom.collect::<Result<Vec<_>>>()?;
        let (frames, projection) = (tree.frame_buffer(), Projection::new(&measures, &custom, tree.dof()));
        let (tree, measures, bounds) = (Arc::new(tree), measures.into(), bounds.into());
        let (constraints, scratch) = (constraints.into(), ProofMemory::default());
        let failures = FunctionFailures::default();
        Ok(Self { constraints, tree, measures, custom, failures, bounds, frames, projection, scratch })
    }

    /// The same, with failures of functions reported there.
    pub(crate) fn with_failures(self, failures: FunctionFailures) -> Self {
        Self { failures, ..self }
    }

    /// What the function of a [custom](kinetic_core::Constraint::custom) constraint failed with; no configuration keeps the
    /// constraints from then on.
    pub fn failure(&self) -> Option<KineticError> {
        self.failures.first()
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Deviation of each constraint at `q` (group length) and its tolerance, rad or m; of a constraint that demands several
    /// things the one that is exceeded most.
    pub fn deviations(&mut self, q: &[f64]) -> Vec<(f64, f64)> {
        let mut worst: Vec<(f64, f64)> = self.constraints.iter().map(|one| joint_deviation(one, q)).collect();
        self.tree.program().frames_into(q, &mut self.frames);
        for measure in &*self.measures {
            let (found, entry) = (measure.deviation(&self.frames), &mut worst[measure.constraint]);
            // NaN is the largest.
            if !(found - measure.tolerance <= entry.0 - entry.1) {
                *entry = (found, measure.tolerance);
            }
        }
        for measure in &mut self.custom {
            worst[measure.constraint] = (measure.deviation(q, &self.failures), measure.tolerance());
        }
        worst
    }

    /// The constraint that `q` exceeds most; `None` where all are kept.
    pub fn violation(&mut self, q: &[f64]) -> Option<Violation> {
        let excess = |(deviation, tolerance): &(f64, f64)| deviation - tolerance;
        let deviations = self.deviations(q);
        let worst = deviations.iter().enumerate().max_by(|a, b| excess(a.1).total_cmp(&excess(b.1)))?;
        let (constraint, (deviation, tolerance)) = (worst.0, *worst.1);
        let rounding = if self.is_joint_range(constraint) { LIMIT_TOLERANCE } else { 0.0 };
        // NaN keeps nothing.
        (!(deviation <= tolerance + rounding)).then_some(Violation { constraint, deviation, tolerance })
    }

    fn is_joint_range(&self, constraint: usize) -> bool {
        matches!(self.constraints[constraint], Constraint::Joint { .. })
    }

    /// Whether `q` keeps all constraints.
    pub fn holds_at(&mut self, q: &[f64]) -> bool {
        if !self.is_in_ranges(q) {
            return false;
        }
        self.tree.program().frames_into(q, &mut self.frames);
        self.measures.iter().all(|measure| measure.deviation(&self.frames) <= measure.tolerance)
            && self.custom.iter_mut().all(|measure| measure.deviation(q, &self.failures) <= measure.tolerance())
    }

    fn is_in_ranges(&self, q: &[f64]) -> bool {
        let is_inside =
            |(q, (low, high)): (&f64, &(f64, f64))| *q >= low - LIMIT_TOLERANCE && *q <= high + LIMIT_TOLERANCE;
        q.iter().zip(&*self.bounds).all(is_inside)
    }

    /// The error of a violation; `context` says of what.
    pub fn error(&self, context: impl Into<String>, violation: &Violation) -> KineticError {
        KineticError::ConstraintViolated {
            context: context.into(),
            constraint: self.constraints[violation.constraint].to_string(),
            value: violation.deviation,
            tolerance: violation.tolerance,
        }
    }
}

/// Of a range of a joint its deviation from the middle; of others one that is never the largest.
fn joint_deviation(constraint: &Constraint, q: &[f64]) -> (f64, f64) {
    match constraint {
        Constraint::Joint { joint_index, min, max } => {
            ((q[*joint_index] - f64::midpoint(*min, *max)).abs(), 0.5 * (max - min))
        }
        _ => (f64::NEG_INFINITY, 0.0),
    }
}

/// Narrows the range of the joint that a constraint is about.
fn narrow(bounds: &mut [(f64, f64)], constraint: &Constraint, group: &str) -> Result<()> {
    let Constraint::Joint { joint_index, min, max } = constraint else { return Ok(()) };
    let dof = bounds.len();
    let range = bounds.get_mut(*joint_index).ok_or_else(|| {
        let wanted = format!("an index below {dof}, the joints of group \"{group}\"");
        KineticError::invalid("joint_index of constraint \"joint\"", joint_index, wanted)
    })?;
    let narrowed = (range.0.max(*min), range.1.min(*max));
    if narrowed.0 > narrowed.1 {
        let wanted = format!("an interval that meets the joint's range [{}, {}]", range.0, range.1);
        return Err(KineticError::invalid("[min, max] of constraint \"joint\"", format!("[{min}, {max}]"), wanted));
    }
    *range = narrowed;
    Ok(())
}
