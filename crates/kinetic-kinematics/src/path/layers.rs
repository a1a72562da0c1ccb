//! The rungs of the ladder: the configurations of every pose that can be inside the limits.

use kinetic_core::Result;

use super::candidates::Candidates;
use super::tolerance::{Freedom, PathTolerance};
use super::turns::{Turns, turns_inside};
use crate::chain::KinematicChain;
use crate::rigid::Rigid;

/// A pose of the path with the choices of its tolerance that are looked at.
pub(super) struct Station {
    pub(super) target: Rigid,
    pub(super) tolerance: PathTolerance,
    pub(super) choices: Vec<Freedom>,
}

/// Poses between two looks at the stop flag.
const BLOCK: usize = 2048;

impl Station {
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
    /// First configuration of each layer, and the end.
    first: Vec<usize>,
    /// Number of choices of the last layer's pose.
    num_choices: usize,
}

impl Layers {
    /// The start as a layer, if there is one; then the configurations of every station.
    pub(super) fn build(
        source: &mut dyn Candidates,
        start: Option<&[f64]>,
        stations: &[Station],
        proceed: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let dof = source.chain().dof();
        let mut layers =
            Self { dof, rows: Vec::new(), turns: Vec::new(), choices: Vec::new(), first: vec![0], num_choices: 0 };
        if let Some(start) = start {
            layers.rows.extend_from_slice(start);
            layers.turns.extend((0..dof).map(|_| (0, 0)));
            layers.choices.push(0);
            layers.first.push(1);
        }
        let mut found = Vec::new();
        for block in stations.chunks(BLOCK / stations.first().map_or(1, |station| station.choices.len()).min(BLOCK)) {
            source.expect(block.iter().flat_map(Station::poses).collect());
            for station in block {
                proceed()?;
                layers.add(source, station, &mut found);
            }
        }
        Ok(layers)
    }

    fn add(&mut self, source: &mut dyn Candidates, station: &Station, found: &mut Vec<f64>) {
        let last = self.first[self.first.len().saturating_sub(2)]..self.first[self.first.len() - 1];
        for (index, choice) in station.choices.iter().enumerate() {
            let same = self.choices[last.clone()].partition_point(|known| *known < index)
                ..self.choices[last.clone()].partition_point(|known| *known <= index);
            let is_same_kind = self.num_choices == station.choices.len();
            let before = if is_same_kind { last.start + same.start..last.start + same.end } else { last.clone() };
            let previous = &self.rows[before.start * self.dof..before.end * self.dof];
            found.clear();
            source.candidates(&station.pose(choice), previous, found);
            for row in found.chunks_exact(self.dof) {
                self.push(source.chain(), row, index);
            }
        }
        self.first.push(self.choices.len());
        self.num_choices = station.choices.len();
    }

    /// Adds a configuration unless a joint has no turn inside its limits.
    fn push(&mut self, chain: &KinematicChain, row: &[f64], choice: usize) {
        let before = self.turns.len();
        for (joint, value) in row.iter().enumerate() {
            let Some(turns) = turns_inside(chain, joint, *value) else {
                self.turns.truncate(before);
                return;
            };
            self.turns.push(turns);
        }
        self.rows.extend_from_slice(row);
        self.choices.push(choice);
    }

    pub(super) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// The configurations of a layer, as indices.
    #[inline]
    pub(super) fn of(&self, layer: usize) -> std::ops::Range<usize> {
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
