//! Cells of a projection, interior and border, in the order of their importance.

use std::collections::{BTreeMap, BTreeSet};

use kinetic_core::rng::SeededRng;

use super::projector::normal;

/// The score of a cell is multiplied by this after an expansion that failed.
const FAILED_SCORE_FACTOR: f64 = 0.5;

/// Scores do not fall below this, so that importances keep their order.
const LEAST_SCORE: f64 = 1e-100;

/// The spread of the draw among the nodes of a cell, relative to their number: half of a normal distribution, the last node first.
const DRAW_SPREAD: f64 = 1.0 / 3.0;

#[derive(Debug, Clone)]
struct Cell {
    nodes: Vec<usize>,
    place: Vec<i64>,
    score: f64,
    selections: f64,
    /// Cells next to it, along one axis, that have nodes.
    neighbours: usize,
    is_border: bool,
}

impl Cell {
    /// Equation 1 of Sucan and Kavraki 2009: cells that are sparse, rarely selected, with few neighbours, and that led to progress.
    fn importance(&self) -> f64 {
        self.score / (self.selections * (1.0 + self.neighbours as f64) * self.nodes.len().max(1) as f64)
    }

    /// The bits of positive numbers are in the order of the numbers.
    fn key(&self) -> u64 {
        self.importance().to_bits()
    }
}

/// The cells that have nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Grid {
    cells: Vec<Cell>,
    places: BTreeMap<Vec<i64>, usize>,
    /// Border cells and interior cells, by importance.
    orders: [BTreeSet<(u64, usize)>; 2],
}

impl Grid {
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.places.clear();
        self.orders.iter_mut().for_each(BTreeSet::clear);
    }

    /// Adds a node to a cell. `progress` is the score of the cell if it is new.
    pub(super) fn add(&mut self, place: &[i64], node: usize, progress: f64) {
        if let Some(cell) = self.places.get(place).copied() {
            self.change(cell, |cell| cell.nodes.push(node));
            return;
        }
        let index = self.cells.len();
        let (mut neighbours, mut beside) = (0, place.to_vec());
        for axis in 0..place.len() {
            for step in [-1, 1] {
                beside[axis] = place[axis] + step;
                if let Some(other) = self.places.get(&beside).copied() {
                    neighbours += 1;
                    self.change(other, |cell| cell.neighbours += 1);
                }
            }
            beside[axis] = place[axis];
        }
        let score = progress.max(LEAST_SCORE);
        let is_border = neighbours < 2 * place.len();
        self.cells.push(Cell {
            nodes: vec![node],
            place: place.to_vec(),
            score,
            selections: 1.0,
            neighbours,
            is_border,
        });
        self.places.insert(place.to_vec(), index);
        self.enter(index);
    }

    /// Selects a cell, from the border with the given probability, and a node of it; counts the selection. `None` without nodes.
    pub(super) fn select(&mut self, border_fraction: f64, rng: &mut SeededRng) -> Option<(usize, usize)> {
        let first = usize::from(rng.unit() >= border_fraction);
        let (_, cell) = *self.orders[first].last().or_else(|| self.orders[1 - first].last())?;
        let nodes = &self.cells[cell].nodes;
        #[allow(clippy::cast_sign_loss, reason = "the absolute value of a number")]
        let back = (normal(rng).abs() * DRAW_SPREAD * nodes.len() as f64) as usize;
        let node = nodes[nodes.len() - 1 - back.min(nodes.len() - 1)];
        self.change(cell, |cell| cell.selections += 1.0);
        Some((cell, node))
    }

    /// Notes that an expansion from a cell failed.
    pub(super) fn fail(&mut self, cell: usize) {
        self.change(cell, |cell| cell.score = (cell.score * FAILED_SCORE_FACTOR).max(LEAST_SCORE));
    }

    /// Keeps the nodes that are still in the tree; a cell without nodes is not selected.
    pub(super) fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        for cell in 0..self.cells.len() {
            self.change(cell, |cell| cell.nodes.retain(|node| is_kept(*node)));
        }
    }

    fn change(&mut self, index: usize, change: impl FnOnce(&mut Cell)) {
        let cell = &mut self.cells[index];
        self.orders[usize::from(!cell.is_border)].remove(&(cell.key(), index));
        change(cell);
        cell.is_border = cell.neighbours < 2 * cell.place.len();
        self.enter(index);
    }

    fn enter(&mut self, index: usize) {
        let cell = &self.cells[index];
        if !cell.nodes.is_empty() {
            self.orders[usize::from(!cell.is_border)].insert((cell.key(), index));
        }
    }
}
