//! Layers of the ladder graph: the configurations of every pose that can be inside the limits (Descartes planner).

use std::ops::Range;

use kinetic_core::Result;
use kinetic_kinematics::{KinematicChain, Rigid};

use super::candidates::Candidates;
use super::ladder::on_turns;
use super::tolerance::{Freedom, PathTolerance};
use super::turns::{Turns, step, turns_inside};
use super::validity::Verdicts;

/// A pose of the path with the choices of its tolerance that are looked at.
pub(super) struct Waypoint {
    pub(super) target: Rigid,
    pub(super) tolerance: PathTolerance,
    pub(super) choices: Vec<Freedom>,
}

/// Configurations that most poses have at most.
const USUAL_CONFIGURATIONS: usize = 8;
/// Poses whose configurations are computed ahead.
const POSES_PER_CHUNK: usize = 2048;

impl Waypoint {
    /// `base_from_tcp` of a choice.
    pub(super) fn pose(&self, choice: &Freedom) -> Rigid {
        self.tolerance.apply(&self.target, choice)
    }

    fn poses(&self) -> impl Iterator<Item = Rigid> + '_ {
        self.choices.iter().map(|choice| self.pose(choice))
    }
}

/// Configurations of all poses, layer after layer; with a start it is layer 0.
pub(super) struct Layers {
    pub(super) dof: usize,
    /// `dof` values per configuration.
    rows: Vec<f64>,
    /// `dof` values per configuration: the turns that bring each joint into its limits.
    turns: Vec<Turns>,
    /// Per configuration: index of its pose's choice.
    choices: Vec<usize>,
    /// Per configuration: steps within their bounds lead to it, from the start or from where a path has to begin anew.
    is_reached: Vec<bool>,
    /// First configuration of each layer, and the end.
    first: Vec<usize>,
    /// Number of choices of the last layer's pose.
    num_choices: usize,
}

/// Memory for the configurations of one choice: those of the pose before that are continued, and those that are found.
#[derive(Default)]
struct Scratch {
    previous: Vec<f64>,
    found: Vec<f64>,
}

impl Layers {
    /// The start as a layer, if there is one; then the configurations of every waypoint. `steps` are the bounds of joints.
    pub(super) fn build(
        source: &mut dyn Candidates,
        start: Option<&[f64]>,
        waypoints: &[Waypoint],
        steps: &[f64],
        verdicts: &mut Verdicts<'_>,
        proceed: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let mut layers = Self::beginning(source.chain().dof(), start, waypoints.len());
        let mut scratch = Scratch::default();
        for chunk in waypoints.chunks(
            POSES_PER_CHUNK / waypoints.first().map_or(1, |waypoint| waypoint.choices.len()).min(POSES_PER_CHUNK),
        ) {
            source.expect(chunk.iter().flat_map(Waypoint::poses).collect());
            for waypoint in chunk {
                proceed()?;
                layers.add(source, waypoint, steps, verdicts, &mut scratch);
            }
        }
        Ok(layers)
    }

    /// With the start as the first layer, if there is one.
    fn beginning(dof: usize, start: Option<&[f64]>, num_waypoints: usize) -> Self {
        let capacity = USUAL_CONFIGURATIONS * (num_waypoints + 1);
        let mut layers = Self {
            dof,
            rows: Vec::with_capacity(capacity * dof),
            turns: Vec::with_capacity(capacity * dof),
            choices: Vec::with_capacity(capacity),
            is_reached: Vec::with_capacity(capacity),
            first: vec![0],
            num_choices: 0,
        };
        if let Some(start) = start {
            layers.rows.extend_from_slice(start);
            layers.turns.extend((0..dof).map(|_| (0, 0)));
            layers.choices.push(0);
            layers.is_reached.push(true);
            layers.first.push(1);
        }
        layers
    }

    fn add(
        &mut self,
        source: &mut dyn Candidates,
        waypoint: &Waypoint,
        steps: &[f64],
        verdicts: &mut Verdicts<'_>,
        scratch: &mut Scratch,
    ) {
        let last = self.first[self.first.len().saturating_sub(2)]..self.first[self.first.len() - 1];
        let own = last.end;
        for (index, choice) in waypoint.choices.iter().enumerate() {
            let same = self.choices[last.clone()].partition_point(|known| *known < index)
                ..self.choices[last.clone()].partition_point(|known| *known <= index);
            let is_same_kind = self.num_choices == waypoint.choices.len();
            let before = if is_same_kind { last.start + same.start..last.start + same.end } else { last.clone() };
            scratch.previous.clear();
            for row in before.filter(|row| self.is_reached[*row]) {
                scratch.previous.extend_from_slice(&self.rows[row * self.dof..(row + 1) * self.dof]);
            }
            scratch.found.clear();
            source.candidates(&waypoint.pose(choice), &scratch.previous, &mut scratch.found);
            for row in scratch.found.chunks_exact(self.dof) {
                self.push(source.chain(), row, index, verdicts);
            }
        }
        self.first.push(self.choices.len());
        self.num_choices = waypoint.choices.len();
        self.mark_reachable(source.chain(), &last, own..self.choices.len(), steps);
    }

    /// Finds out which configurations of a layer can be reached from the one before; all, when none can: there a path
    /// begins anew.
    fn mark_reachable(&mut self, chain: &KinematicChain, before: &Range<usize>, layer: Range<usize>, steps: &[f64]) {
        let is_step = |from: &[f64], to: &[f64]| {
            (0..from.len()).all(|joint| step(from[joint], to[joint], chain.is_rotation(joint)).abs() <= steps[joint])
        };
        for row in layer.clone() {
            let reached = before.clone().any(|from| self.is_reached[from] && is_step(self.row(from), self.row(row)));
            self.is_reached.push(reached);
        }
        if !self.is_reached[layer.clone()].contains(&true) {
            self.is_reached[layer].fill(true);
        }
    }

    /// Adds a configuration unless a joint has no turn inside its limits, or it is not valid.
    fn push(&mut self, chain: &KinematicChain, row: &[f64], choice: usize, verdicts: &mut Verdicts<'_>) {
        let before = self.turns.len();
        for (joint, value) in row.iter().enumerate() {
            let Some(turns) = turns_inside(chain, joint, *value) else {
                self.turns.truncate(before);
                return;
            };
            self.turns.push(turns);
        }
        if verdicts.can_refuse() && !verdicts.is_valid(&on_turns(row, &self.turns[before..])) {
            self.turns.truncate(before);
            return;
        }
        self.rows.extend_from_slice(row);
        self.choices.push(choice);
    }

    pub(super) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// The configurations of a layer, as indices.
    #[inline]
    pub(super) fn of(&self, layer: usize) -> Range<usize> {
        self.first[layer]..self.first[layer + 1]
    }

    #[inline]
    pub(super) fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.dof..(index + 1) * self.dof]
    }

    #[inline]
    pub(super) fn turns(&self, index: usize) -> &[Turns] {
        &self.turns[index * self.dof..(index + 1) * self.dof]
    }

    /// Index of the choice that a configuration belongs to.
    pub(super) fn choice(&self, index: usize) -> usize {
        self.choices[index]
    }
}
