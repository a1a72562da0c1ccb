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

/// Which configurations there are layers of.
pub(super) struct Extent<'a> {
    /// The bounds of joints.
    pub(super) steps: &'a [f64],
    /// Whether a path that has to begin anew is of no use: the layers end there, and have only configurations to which steps lead.
    pub(super) ends_at_obstacle: bool,
}

/// Memory for the configurations of one pose: those of the pose before that are continued, and those that are found.
#[derive(Default)]
struct Scratch {
    previous: Vec<f64>,
    found: Vec<f64>,
    /// Configurations that are left out unless all others turn out to be, with their choices.
    others: Vec<f64>,
    choices: Vec<usize>,
}

impl Layers {
    /// The start as a layer, if there is one; then the configurations of every waypoint.
    pub(super) fn build(
        source: &mut dyn Candidates,
        start: Option<&[f64]>,
        waypoints: &[Waypoint],
        extent: &Extent<'_>,
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
                let goes_on = layers.add(source, waypoint, extent, verdicts, &mut scratch);
                if extent.ends_at_obstacle && !goes_on {
                    return Ok(layers);
                }
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

    /// Adds the configurations of a waypoint; whether steps lead to one of them.
    fn add(
        &mut self,
        source: &mut dyn Candidates,
        waypoint: &Waypoint,
        extent: &Extent<'_>,
        verdicts: &mut Verdicts<'_>,
        scratch: &mut Scratch,
    ) -> bool {
        let last = self.first[self.first.len().saturating_sub(2)]..self.first[self.first.len() - 1];
        let own = last.end;
        scratch.others.clear();
        scratch.choices.clear();
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
                let is_reached = self.leads_to(source.chain(), &last, row, extent.steps);
                if is_reached || !extent.ends_at_obstacle {
                    self.push(source.chain(), row, (index, is_reached), verdicts);
                } else {
                    scratch.others.extend_from_slice(row);
                    scratch.choices.push(index);
                }
            }
        }
        let goes_on = self.is_reached[own..].contains(&true);
        if !goes_on {
            // Here a path begins anew.
            for (row, choice) in scratch.others.chunks_exact(self.dof).zip(&scratch.choices) {
                self.push(source.chain(), row, (*choice, false), verdicts);
            }
            self.is_reached[own..].fill(true);
        }
        self.first.push(self.choices.len());
        self.num_choices = waypoint.choices.len();
        goes_on
    }

    /// Whether a step leads to a configuration from one that is reached in the layer before.
    fn leads_to(&self, chain: &KinematicChain, before: &Range<usize>, to: &[f64], steps: &[f64]) -> bool {
        let is_step = |from: &[f64]| {
            (0..from.len()).all(|joint| step(from[joint], to[joint], chain.is_rotation(joint)).abs() <= steps[joint])
        };
        before.clone().any(|from| self.is_reached[from] && is_step(self.row(from)))
    }

    /// Adds a configuration unless a joint has no turn inside its limits, or it is not valid.
    fn push(
        &mut self,
        chain: &KinematicChain,
        row: &[f64],
        (choice, is_reached): (usize, bool),
        verdicts: &mut Verdicts<'_>,
    ) {
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
        self.is_reached.push(is_reached);
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
