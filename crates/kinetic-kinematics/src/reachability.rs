//! Reachability: which cubes of space a tool reaches, and from how many directions.
//!
//! The capability map of Zacharias, Borst and Hirzinger (2007, "Capturing robot workspace structure: representing robot
//! capabilities"): space is cut into cubes, and each cube knows from which of [`DIRECTIONS`] evenly spread directions the
//! tool's +z axis has been in it. Cubes are found by seeded sampling of the joints; only cubes that were reached take
//! memory. [`ReachabilityMap::add_directions`] fills in what sampling missed; `kinetic_ik::solve_directions` does so by closed-form inverse
//! kinematics.

use std::collections::BTreeMap;
use std::time::Instant;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Pose, Result, StopFlag};
use kinetic_robot::limits::UNBOUNDED_SLIDE;
use nalgebra::{Isometry3, Rotation3, UnitQuaternion, Vector3};

use crate::batch::place_all;
use crate::chain::KinematicChain;
use crate::rigid::Rigid;
use kinetic_core::parallel::in_chunks;

/// Directions that dexterity is counted in.
pub const DIRECTIONS: usize = 64;

/// Finest cubes, m: below this no number of samples fills a workspace.
const FINEST_RESOLUTION_M: f64 = 1e-3;
/// Most turns about a direction, a tenth of a degree apart.
const MOST_ROLLS: usize = 3600;
/// Samples per stream of random numbers.
const SAMPLES_PER_STREAM: usize = 1024;
/// Streams between two checks of the stop flag.
const STREAMS_PER_STOP_CHECK: usize = 256;

/// Options of a reachability map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReachabilityConfig {
    /// Edge of a cube, m.
    pub resolution: f64,
    /// Configurations that are tried, uniform inside the joint limits; rounded up to a multiple of 1024.
    pub samples: usize,
    /// Seed of the samples.
    pub seed: u64,
}

impl Default for ReachabilityConfig {
    fn default() -> Self {
        Self { resolution: 0.05, samples: 1_000_000, seed: 0 }
    }
}

/// A cube that the tool has been in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Its position: it extends from `index · resolution` to `(index + 1) · resolution` along each axis.
    pub index: [i32; 3],
    /// Samples that ended in it.
    pub count: u64,
    /// Bit `i`: the tool's +z axis pointed along [`directions`]`[i]`.
    pub directions: u64,
}

/// Positions that a tool has reached, in the chain's base.
#[derive(Debug, Clone, PartialEq)]
pub struct ReachabilityMap {
    resolution: f64,
    samples: usize,
    /// Ascending by index.
    cells: Vec<Cell>,
}

impl ReachabilityMap {
    /// Samples the joints of a chain, on all processors. The same map for any number of them.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a resolution below 1 mm or no samples, [`KineticError::Cancelled`].
    pub fn sample(chain: &KinematicChain, config: &ReachabilityConfig, stop: &StopFlag) -> Result<Self> {
        check_resolution(config.resolution)?;
        if config.samples == 0 {
            return Err(KineticError::invalid("samples", 0, "at least 1"));
        }
        let began = Instant::now();
        let streams = config.samples.div_ceil(SAMPLES_PER_STREAM);
        let directions = directions();
        let mut cells = BTreeMap::new();
        let mut first = 0;
        while first < streams {
            if stop.is_stopped() {
                return Err(cancelled(began, first * SAMPLES_PER_STREAM));
            }
            let count = (streams - first).min(STREAMS_PER_STOP_CHECK);
            let mut hits = vec![([0; 3], 0); count * SAMPLES_PER_STREAM];
            in_chunks(&mut hits, SAMPLES_PER_STREAM, 1, |stream, chunk| {
                for (number, hits) in chunk.chunks_mut(SAMPLES_PER_STREAM).enumerate() {
                    let mut rng = SeededRng::stream(config.seed, (first + stream + number) as u64);
                    sample_stream(chain, config.resolution, &directions, &mut rng, hits);
                }
            });
            collect(&mut cells, hits);
            first += count;
        }
        Ok(Self {
            resolution: config.resolution,
            samples: streams * SAMPLES_PER_STREAM,
            cells: cells.into_values().collect(),
        })
    }

    /// A map from its parts, as [`resolution`](Self::resolution), [`samples`](Self::samples) and [`cells`](Self::cells)
    /// give them.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for cells that are not ascending, or a resolution below 1 mm.
    pub fn from_parts(resolution: f64, samples: usize, cells: Vec<Cell>) -> Result<Self> {
        check_resolution(resolution)?;
        if let Some(pair) = cells.windows(2).find(|pair| pair[0].index >= pair[1].index) {
            return Err(KineticError::invalid("cell", format!("{:?}", pair[1].index), "cells in ascending order"));
        }
        Ok(Self { resolution, samples, cells })
    }

    /// Calls `is_reached` for every direction that a cell has not been seen in: at the cell's centre, with the tool turned
    /// about the direction in `rolls` steps, until one of them is reached.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no rolls or more than 3600, [`KineticError::Cancelled`].
    pub fn add_directions(
        &mut self,
        rolls: usize,
        stop: &StopFlag,
        is_reached: impl Fn(&Pose) -> bool + Sync,
    ) -> Result<()> {
        if !(1..=MOST_ROLLS).contains(&rolls) {
            return Err(KineticError::invalid("rolls", rolls, format!("from 1 to {MOST_ROLLS}")));
        }
        let began = Instant::now();
        let orientations = orientations(rolls);
        let resolution = self.resolution;
        in_chunks(&mut self.cells, 1, 1, |_, cells| {
            for cell in cells {
                if stop.is_stopped() {
                    return;
                }
                let centre = cell.index.map(|index| (f64::from(index) + 0.5) * resolution);
                for (direction, turns) in orientations.iter().enumerate() {
                    let is_turn_reached =
                        |turn: &UnitQuaternion<f64>| is_reached(&Pose(Isometry3::from_parts(centre.into(), *turn)));
                    if cell.directions >> direction & 1 == 0 && turns.iter().any(is_turn_reached) {
                        cell.directions |= 1 << direction;
                    }
                }
            }
        });
        if stop.is_stopped() {
            return Err(cancelled(began, self.cells.len()));
        }
        Ok(())
    }

    /// Edge of a cube, m.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// Configurations that were tried.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The cubes that were reached, ascending by index.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Middle of a cell in the base, m.
    pub fn center(&self, cell: &Cell) -> [f64; 3] {
        cell.index.map(|index| (f64::from(index) + 0.5) * self.resolution)
    }

    /// The cell around a point in the base, if the tool has been in it.
    pub fn cell_at(&self, point: [f64; 3]) -> Option<&Cell> {
        let index = cell_index(&point, self.resolution);
        self.cells.binary_search_by_key(&index, |cell| cell.index).ok().map(|position| &self.cells[position])
    }

    /// True when the tool has been in the cube around a point. `true` is certain up to the size of a cube, `false` as
    /// good as the number of samples; NaN is nowhere.
    pub fn is_reachable(&self, x: f64, y: f64, z: f64) -> bool {
        self.cell_at([x, y, z]).is_some()
    }

    /// Share of [`DIRECTIONS`] from which the tool has been in the cube around a point, 0 … 1.
    pub fn dexterity_at(&self, x: f64, y: f64, z: f64) -> f64 {
        self.cell_at([x, y, z]).map_or(0.0, dexterity)
    }

    /// Volume of all cubes that were reached, m³.
    pub fn volume(&self) -> f64 {
        self.cells.len() as f64 * self.resolution.powi(3)
    }
}

/// Share of the directions that a cell has.
pub fn dexterity(cell: &Cell) -> f64 {
    f64::from(cell.directions.count_ones()) / DIRECTIONS as f64
}

/// Evenly spread unit vectors: a spiral with equal areas per point and the golden angle between neighbours (Swinbank and
/// Purser 2006, "Fibonacci grids").
pub fn directions() -> [Vector3<f64>; DIRECTIONS] {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    std::array::from_fn(|index| {
        let z = 1.0 - (2 * index + 1) as f64 / DIRECTIONS as f64;
        let (sine, cosine) = (golden * index as f64).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        Vector3::new(radius * cosine, radius * sine, z)
    })
}

fn cancelled(began: Instant, done: usize) -> KineticError {
    KineticError::Cancelled { elapsed: began.elapsed().as_secs_f64(), iterations: done as u64 }
}

fn check_resolution(resolution: f64) -> Result<()> {
    if resolution.is_finite() && resolution >= FINEST_RESOLUTION_M {
        return Ok(());
    }
    Err(KineticError::invalid("resolution", resolution, format!("at least {FINEST_RESOLUTION_M} m")))
}

fn cell_index(point: &[f64; 3], resolution: f64) -> [i32; 3] {
    // Conversion saturates, and takes NaN to 0, which must not look like a position.
    point.map(|value| if value.is_nan() { i32::MAX } else { (value / resolution).floor() as i32 })
}

/// Cell and direction of each sample of a stream.
fn sample_stream(
    chain: &KinematicChain,
    resolution: f64,
    directions: &[Vector3<f64>; DIRECTIONS],
    rng: &mut SeededRng,
    hits: &mut [([i32; 3], u8)],
) {
    let ranges: Vec<(f64, f64)> = (0..chain.dof()).map(|variable| range(chain, variable)).collect();
    let mut configs = Vec::with_capacity(SAMPLES_PER_STREAM * ranges.len());
    for _ in 0..hits.len() {
        configs.extend(ranges.iter().map(|(low, high)| rng.uniform(*low, *high)));
    }
    let mut poses = vec![Rigid::identity(); hits.len()];
    place_all(chain, &configs, &mut poses);
    for (hit, pose) in hits.iter_mut().zip(&poses) {
        let point = pose.translation.data.0[0];
        *hit = (cell_index(&point, resolution), nearest(directions, &pose.z_axis()));
    }
}

/// Finite range of a joint: what is infinite becomes half a turn, or [`UNBOUNDED_SLIDE`].
fn range(chain: &KinematicChain, variable: usize) -> (f64, f64) {
    let (low, high) = chain.bounds()[variable];
    let half = if chain.is_rotation(variable) { std::f64::consts::PI } else { UNBOUNDED_SLIDE };
    match (low.is_finite(), high.is_finite()) {
        (true, true) => (low, high),
        (true, false) => (low, low + 2.0 * half),
        (false, true) => (high - 2.0 * half, high),
        (false, false) => (-half, half),
    }
}

fn nearest(directions: &[Vector3<f64>; DIRECTIONS], axis: &Vector3<f64>) -> u8 {
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (index, direction) in directions.iter().enumerate() {
        let along = direction.dot(axis);
        if along > most {
            (best, most) = (index, along);
        }
    }
    best as u8
}

fn collect(cells: &mut BTreeMap<[i32; 3], Cell>, mut hits: Vec<([i32; 3], u8)>) {
    hits.sort_unstable();
    for same in hits.chunk_by(|a, b| a.0 == b.0) {
        let index = same[0].0;
        let cell = cells.entry(index).or_insert(Cell { index, count: 0, directions: 0 });
        cell.count += same.len() as u64;
        cell.directions |= same.iter().fold(0, |all, hit| all | 1 << hit.1);
    }
}

/// Per direction, orientations with +z along it, turned about it in even steps.
fn orientations(rolls: usize) -> Vec<Vec<UnitQuaternion<f64>>> {
    let turned = |direction: &Vector3<f64>| {
        let beside = if direction.x.abs() < 0.5 { Vector3::x() } else { Vector3::y() };
        let upright = Rotation3::face_towards(direction, &beside);
        let step = std::f64::consts::TAU / rolls as f64;
        let roll = |number: usize| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), step * number as f64);
        (0..rolls).map(|number| UnitQuaternion::from_rotation_matrix(&upright) * roll(number)).collect()
    };
    directions().iter().map(turned).collect()
}
