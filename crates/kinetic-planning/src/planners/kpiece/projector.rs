//! Projections of configurations onto few numbers, and the cells of a grid over these.

use kinetic_core::rng::SeededRng;
use kinetic_kinematics::KinematicChain;

use crate::space::Space;

/// Most numbers that a configuration is projected onto.
const MAX_DIMENSION: usize = 3;

/// Configurations whose projections say how far the grid extends.
const PROJECTED_SAMPLES: usize = 200;

/// What configurations are projected onto.
#[derive(Debug, Clone, Default)]
pub(super) enum Onto {
    /// The position of the tool.
    Tool(Box<KinematicChain>),
    /// The first joints, at most three.
    #[default]
    Joints,
    /// Random directions, two where there are three joints or more.
    Random,
}

/// A projection with its grid.
#[derive(Debug, Clone)]
pub(super) struct Projector {
    kind: Kind,
    /// Width of a cell along each axis.
    widths: Vec<f64>,
    value: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Kind {
    Tool {
        chain: Box<KinematicChain>,
        frames: Vec<kinetic_kinematics::Rigid>,
    },
    /// One row of factors per number.
    Linear(Vec<Vec<f64>>),
}

impl Projector {
    /// A projection of a space, with so many cells along each axis over what its samples extend over.
    pub(super) fn new(onto: &Onto, space: &Space, splits: u32, seed: u64) -> Self {
        let mut rng = SeededRng::stream(seed, 3);
        let kind = match onto {
            Onto::Tool(chain) => Kind::Tool { chain: chain.clone(), frames: chain.frame_buffer() },
            Onto::Joints => {
                Kind::Linear((0..space.dof().min(MAX_DIMENSION)).map(|joint| unit_row(space, joint)).collect())
            }
            Onto::Random => Kind::Linear(random_rows(space, &mut rng)),
        };
        let mut projector = Self { kind, widths: Vec::new(), value: Vec::new() };
        projector.measure(space, f64::from(splits), &mut rng);
        projector
    }

    fn measure(&mut self, space: &Space, splits: f64, rng: &mut SeededRng) {
        let (mut q, mut ends) = (vec![0.0; space.dof()], Vec::new());
        for _ in 0..PROJECTED_SAMPLES {
            space.sample_uniform(rng, &mut q);
            self.project(space, &q);
            ends.resize(self.value.len(), (f64::INFINITY, f64::NEG_INFINITY));
            for ((low, high), value) in ends.iter_mut().zip(&self.value) {
                (*low, *high) = (low.min(*value), high.max(*value));
            }
        }
        // A joint whose range is one value has cells of any width.
        self.widths = ends
            .iter()
            .map(|(low, high)| (high - low) / splits)
            .map(|width| if width > 0.0 { width } else { 1.0 })
            .collect();
    }

    fn project(&mut self, space: &Space, q: &[f64]) {
        self.value.clear();
        match &mut self.kind {
            Kind::Tool { chain, frames } => {
                let tool = chain.tip_rigid(q, frames);
                self.value.extend(tool.translation.iter());
            }
            Kind::Linear(rows) => {
                let of_row = |row: &Vec<f64>| {
                    (0..q.len()).map(|joint| row[joint] * space.unwrapped(joint, 0.0, q[joint])).sum::<f64>()
                };
                self.value.extend(rows.iter().map(of_row));
            }
        }
    }

    /// Writes the cell of a configuration.
    pub(super) fn cell_into(&mut self, space: &Space, q: &[f64], cell: &mut Vec<i64>) {
        self.project(space, q);
        cell.clear();
        cell.extend(self.value.iter().zip(&self.widths).map(|(value, width)| (value / width).floor() as i64));
    }
}

fn unit_row(space: &Space, joint: usize) -> Vec<f64> {
    (0..space.dof()).map(|other| if other == joint { space.weights()[joint] } else { 0.0 }).collect()
}

/// Orthonormal rows with random directions, by Gram and Schmidt.
fn random_rows(space: &Space, rng: &mut SeededRng) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    while rows.len() < space.dof().min(2) {
        let mut row: Vec<f64> = (0..space.dof()).map(|_| normal(rng)).collect();
        for other in &rows {
            let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
        }
        let norm = row.iter().map(|value| value * value).sum::<f64>().sqrt();
        if norm > 1e-6 {
            rows.push(row.iter().map(|value| value / norm).collect());
        }
    }
    for row in &mut rows {
        row.iter_mut().zip(space.weights()).for_each(|(value, weight)| *value *= weight);
    }
    rows
}

/// A normal random number (Box and Muller 1958).
pub(super) fn normal(rng: &mut SeededRng) -> f64 {
    (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
}
