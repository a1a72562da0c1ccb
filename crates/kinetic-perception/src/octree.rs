//! Occupancy of space as a tree of cubes: which cells are free, occupied or unknown, from measurements that contradict each other.
//!
//! `OctoMap` (Hornung, Wurm, Bennewitz, Stachniss and Burgard, Autonomous Robots 2013): a tree of 16 levels, log-odds per leaf that
//! are clamped, the maximum of the children in inner nodes, and eight equal leaves merged into their parent.

mod bricks;
mod cast;
mod config;
mod file;
mod header;
mod insertion;
mod key;
mod layout;
mod leaves;
mod marks;
mod nodes;
mod projection;
mod rays;
mod segment;
mod shape;
mod sight;
mod unknown;

use kinetic_core::{KineticError, Result};
use nalgebra::Point3;

pub use config::OctreeConfig;
pub use insertion::InsertionReport;
pub use leaves::OctreeLeaf;
pub use projection::{ColumnState, Projection};
pub use sight::Sight;
pub use unknown::CellCube;

use bricks::{Brick, apply, brick_bit, brick_order};
use config::SensorModel;
use key::{CellGrid, CellKey};
use nodes::{Nodes, UNKNOWN};

/// An occupancy map in the frame of the map, usually the robot's root frame.
///
/// It has 2¹⁶ cells along each axis, half of them below 0. Cells are half open: a point on a border belongs to the upper cell. The
/// tree is pruned after every call; what its leaves are depends on the values of cells only, not on their history.
#[derive(Debug, Clone)]
pub struct Octree {
    config: OctreeConfig,
    grid: CellGrid,
    model: SensorModel,
    nodes: Nodes,
}

impl Octree {
    /// A tree that knows nothing.
    ///
    /// # Errors
    /// Those of [`OctreeConfig::check`].
    pub fn new(config: OctreeConfig) -> Result<Self> {
        config.check()?;
        let (grid, model) = (CellGrid::new(config.resolution), SensorModel::new(&config));
        Ok(Self { config, grid, model, nodes: Nodes::new() })
    }

    /// Resolution and sensor model.
    pub fn config(&self) -> &OctreeConfig {
        &self.config
    }

    /// Takes one measurement of a cell into account: a hit where it is `occupied`, otherwise a miss.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a point that is not finite or beyond the tree.
    pub fn update_node(&mut self, point: &Point3<f64>, occupied: bool) -> Result<()> {
        let key = self.key_inside("point", point)?;
        let bit = 1 << brick_bit(key);
        let (misses, hits) = if occupied { (0, bit) } else { (bit, 0) };
        let brick = Brick { order: brick_order(key), misses, hits };
        apply(&mut self.nodes, &self.model, std::iter::once(brick));
        Ok(())
    }

    /// The log-odds of the cell of a point; `None` where it is unknown, for points beyond the tree and for NaN.
    pub fn log_odds(&self, point: &Point3<f64>) -> Option<f32> {
        let (place, _) = self.nodes.leaf_at(self.grid.key(point)?);
        Some(self.nodes.value(place)).filter(|value| *value != UNKNOWN)
    }

    /// The probability that the cell of a point is occupied; `None` as for [`log_odds`](Self::log_odds).
    pub fn probability(&self, point: &Point3<f64>) -> Option<f64> {
        self.log_odds(point).map(config::probability_of)
    }

    /// Whether the cell of a point is known to be occupied.
    pub fn is_occupied(&self, point: &Point3<f64>) -> bool {
        self.log_odds(point).is_some_and(|value| self.model.is_occupied(value))
    }

    /// Whether nothing is known of the cell of a point; true beyond the tree and for NaN.
    pub fn is_unknown(&self, point: &Point3<f64>) -> bool {
        self.log_odds(point).is_none()
    }

    /// Whether nothing is known at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.value(Nodes::ROOT) == UNKNOWN
    }

    /// Sets every leaf to the least or the largest log-odds, whichever side of the occupancy threshold it is on, and prunes.
    /// This is what a file of [`to_bt`](Self::to_bt) holds.
    pub fn to_max_likelihood(&mut self) {
        let model = self.model;
        self.nodes.map_leaves(Nodes::ROOT, &|value| if model.is_occupied(value) { model.max } else { model.min });
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes = Nodes::new();
    }

    /// Number of nodes, inner ones included.
    pub fn num_nodes(&self) -> usize {
        self.nodes.count()
    }

    /// Number of leaves.
    pub fn num_leaves(&self) -> usize {
        self.nodes.count_leaves()
    }

    /// Memory that the nodes take, bytes.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.bytes()
    }

    fn key_inside(&self, name: &str, point: &Point3<f64>) -> Result<CellKey> {
        self.grid.key(point).ok_or_else(|| {
            let reach = self.grid.border(0);
            let given = format!("{:?}", point.coords.as_slice());
            KineticError::invalid(name, given, format!("finite, at least {reach} and below {} (m)", -reach))
        })
    }
}
