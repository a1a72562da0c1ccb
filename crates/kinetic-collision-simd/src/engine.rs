//! The single-precision collision engine: a kernel model with the buffers of its queries.

use crate::collision_model::CollisionModel;
use crate::discrete::one_configuration::PackedModel;
use crate::discrete::query::Remainder;
use crate::dispatch::Dispatcher;
use crate::exact_tier::Blocked;
use crate::item::{Batch, Hit};
use crate::model::KernelModel;
use crate::motion::BATCH;
use crate::termination::Termination;
use crate::tier::{SimdTier, usual_tier};

/// An interval that is not proven, with the items that may touch in it.
#[derive(Debug, Clone, Copy)]
pub struct UndecidedInterval {
    /// Its begin, as a parameter of the motion.
    pub t0: f64,
    /// Its end.
    pub t1: f64,
    /// Range in [`Engine::items`].
    pub items: (usize, usize),
}

/// Result of a proof about a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Nothing is proven, because a value is too large for single precision.
    Unable,
    /// The motion is free except perhaps in [`Engine::undecided_intervals`], of which there may be none.
    Proven,
    /// The motion is not free.
    Blocked(Blocked),
}

/// Intervals of one batch and the items to check in them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task {
    pub(crate) intervals: [(f64, f64); BATCH],
    pub(crate) count: usize,
    /// Number of halvings that led from a piece of the motion to these intervals.
    pub(crate) level: u32,
    /// Start of its items on the stack of items; `None` means all items.
    pub(crate) items: Option<usize>,
}

/// A compiled collision model and the buffers of its queries; after the first motions a query allocates nothing.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) model: KernelModel,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) packed: PackedModel,
    pub(crate) batch: Batch,
    pub(crate) q: Vec<f64>,
    pub(crate) radius: Vec<f64>,
    /// Largest half-widths of the batch, per variable.
    pub(crate) widths: Vec<f32>,
    pub(crate) tasks: Vec<Task>,
    /// Items of the tasks, those of later tasks above.
    pub(crate) task_items: Vec<(u32, u16)>,
    pub(crate) current: Vec<(u32, u16)>,
    pub(crate) hits: Vec<Hit>,
    /// Parameters of the samples that remain to be checked.
    pub(crate) remaining_samples: Vec<f64>,
    /// Items to check in them.
    pub(crate) remainder: Remainder,
    /// Intervals that the last proof left to double precision.
    pub undecided_intervals: Vec<UndecidedInterval>,
    /// Items of these intervals.
    pub items: Vec<u32>,
    /// When to give up a long query.
    pub termination: Termination,
}

impl Engine {
    /// Compiles a model for the instructions that [`simd_tier`](crate::simd_tier) says.
    pub fn new(input: &CollisionModel) -> Self {
        Self::with_tier(input, usual_tier())
    }

    /// As [`new`](Self::new), for given instructions; for the baseline where the processor does not have them.
    pub fn with_tier(input: &CollisionModel, tier: SimdTier) -> Self {
        let model = KernelModel::new(input);
        let dof = input.program.num_variables();
        Self {
            dispatcher: Dispatcher::new(&model, tier),
            packed: PackedModel::new(&model),
            model,
            batch: Batch { q: vec![[0.0; BATCH]; dof], radius: vec![[0.0; BATCH]; dof] },
            q: vec![0.0; dof],
            radius: vec![0.0; dof],
            widths: vec![0.0; dof],
            tasks: Vec::new(),
            task_items: Vec::new(),
            current: Vec::new(),
            hits: Vec::new(),
            remaining_samples: Vec::new(),
            remainder: Remainder::default(),
            undecided_intervals: Vec::new(),
            items: Vec::new(),
            termination: Termination::default(),
        }
    }

    /// Replaces the obstacles by those of `input`, in which each body requires the same clearance from all of them.
    pub fn set_obstacles(&mut self, input: &CollisionModel) {
        self.model.set_obstacles(input);
        self.packed.set_obstacles(&self.model);
    }

    /// Moves an obstacle to its pose in `input`. False when the model has to be compiled anew for it.
    pub fn move_obstacle(&mut self, input: &CollisionModel, obstacle: u32) -> bool {
        let is_complete = self.model.move_obstacle(input, obstacle);
        self.packed.move_obstacle(&self.model, obstacle);
        is_complete
    }

    /// Merges the hits that the chunks of a batch report separately into one per item.
    pub(crate) fn merge_hits(&mut self) {
        self.hits.sort_unstable_by_key(|hit| hit.item);
        self.hits.dedup_by(|next, previous| {
            let is_same = next.item == previous.item;
            if is_same {
                previous.undecided |= next.undecided;
                previous.touching |= next.touching;
            }
            is_same
        });
    }
}
