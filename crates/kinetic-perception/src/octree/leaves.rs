//! Leaves of the tree: all, those that are occupied, in a box, in a ball, and the nearest.

use kinetic_core::{KineticError, Result};
use nalgebra::Point3;

use super::Octree;
use super::key::{Cube, KeyBox, cell_of};
use super::nodes::{NodePlace, Nodes, UNKNOWN};

/// Cells that a list can have.
pub(crate) const MOST_LISTED_CELLS: usize = 1 << 26;

/// A cube of cells that share their log-odds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OctreeLeaf {
    /// Centre of the cube, m.
    pub center: Point3<f64>,
    /// Edge of the cube, m.
    pub size: f64,
    /// Log-odds of its cells.
    pub log_odds: f32,
    /// Whether they count as occupied.
    pub is_occupied: bool,
}

/// Leaves in depth-first order; children in the order of `OctoMap`, x fastest.
pub(crate) struct Walk<'a> {
    nodes: &'a Nodes,
    bounds: KeyBox,
    /// Subtrees whose largest log-odds are below do not count.
    least: f32,
    stack: Vec<(NodePlace, Cube)>,
}

impl Iterator for Walk<'_> {
    type Item = (Cube, f32);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((place, cube)) = self.stack.pop() {
            let value = self.nodes.value(place);
            if value == UNKNOWN || value < self.least || !self.bounds.meets(cube) {
                continue;
            }
            if !self.nodes.has_children(place) {
                return Some((cube, value));
            }
            let below = (0..8).rev().filter_map(|octant| Some((self.nodes.child(place, octant)?, cube.octant(octant))));
            self.stack.extend(below);
        }
        None
    }
}

impl Octree {
    /// All leaves, in a fixed order.
    pub fn leaves(&self) -> impl Iterator<Item = OctreeLeaf> + '_ {
        self.walk(KeyBox::ALL, UNKNOWN).map(|(cube, value)| self.leaf(cube, value))
    }

    /// The occupied leaves, in a fixed order.
    pub fn occupied_leaves(&self) -> impl Iterator<Item = OctreeLeaf> + '_ {
        self.walk(KeyBox::ALL, self.model.threshold).map(|(cube, value)| self.leaf(cube, value))
    }

    /// The leaves that share a cell with the box between two corners (m), in a fixed order. The cells of the corners are in the box;
    /// what lies beyond the tree does not count.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless the corners are a lowest and a highest one.
    pub fn leaves_in_box<'a>(
        &'a self,
        low: &Point3<f64>,
        high: &Point3<f64>,
    ) -> Result<impl Iterator<Item = OctreeLeaf> + use<'a>> {
        let bounds = self.key_box(low, high)?;
        let found = bounds.into_iter().flat_map(|bounds| self.walk(bounds, UNKNOWN));
        Ok(found.map(|(cube, value)| self.leaf(cube, value)))
    }

    /// The leaves that are within a radius (m) of a point, by their nearest points, in a fixed order.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`] for the point, [`KineticError::InvalidValue`] for a negative radius.
    pub fn leaves_within<'a>(
        &'a self,
        point: &Point3<f64>,
        radius: f64,
    ) -> Result<impl Iterator<Item = OctreeLeaf> + use<'a>> {
        kinetic_core::error::check_finite("point", point.coords.as_slice())?;
        if !(radius >= 0.0) {
            return Err(KineticError::invalid("radius", radius, "a number of at least 0 (m)"));
        }
        let reach = nalgebra::Vector3::repeat(radius);
        let point = *point;
        let found = self.leaves_in_box(&(point - reach), &(point + reach))?;
        Ok(found.filter(move |leaf| {
            let outside = (leaf.center - point).map(|along| (along.abs() - 0.5 * leaf.size).max(0.0));
            outside.norm_squared() <= radius * radius
        }))
    }

    /// The occupied leaf whose nearest point is nearest to a point, and that distance, m: 0 inside. Of several, the first in the order
    /// of the leaves. `None` where nothing is occupied, and for a point that is not finite.
    pub fn nearest_occupied(&self, point: &Point3<f64>) -> Option<(OctreeLeaf, f64)> {
        if !point.iter().all(|value| value.is_finite()) {
            return None;
        }
        let mut best = None;
        self.search_nearest(Nodes::ROOT, Cube::ROOT, point, &mut best);
        best.map(|(cube, value, squared)| (self.leaf(cube, value), squared.sqrt()))
    }

    /// Searches below a node for the nearest occupied leaf: nearest octants first, so that far ones need no look.
    fn search_nearest(&self, place: NodePlace, cube: Cube, point: &Point3<f64>, best: &mut Option<(Cube, f32, f64)>) {
        let (value, squared) = (self.nodes.value(place), self.grid.squared_distance(point, cube));
        if !self.model.is_occupied(value) || best.is_some_and(|(_, _, limit)| squared > limit) {
            return;
        }
        if !self.nodes.has_children(place) {
            // Of equal distances, the first leaf of the tree counts, whichever was found first.
            if best.is_none_or(|(other, _, limit)| squared < limit || is_before(cube, other)) {
                *best = Some((cube, value, squared));
            }
            return;
        }
        let mut octants = [0, 1, 2, 3, 4, 5, 6, 7_u8];
        let distance = |octant: &u8| self.grid.squared_distance(point, cube.octant(*octant));
        octants.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        for octant in octants {
            if let Some(child) = self.nodes.child(place, octant) {
                self.search_nearest(child, cube.octant(octant), point, best);
            }
        }
    }

    /// The occupied cells at the finest resolution, ascending: cell `(i, j, k)` reaches from `resolution · (i, j, k)` to the next
    /// ones. Together with the resolution they make a [`Shape::voxels`](kinetic_core::Shape::voxels).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for more than 2²⁶ cells.
    pub fn occupied_cells(&self) -> Result<Vec<[i32; 3]>> {
        let walk = || self.walk(KeyBox::ALL, self.model.threshold);
        let count = walk().map(|(cube, _)| u64::from(cube.edge()).pow(3)).fold(0, u64::saturating_add);
        if count > MOST_LISTED_CELLS as u64 {
            return Err(KineticError::invalid("occupied cells", count, format!("at most {MOST_LISTED_CELLS}")));
        }
        let mut cells = Vec::with_capacity(count as usize);
        for (cube, _) in walk() {
            let (low, edge) = (cell_of(cube.corner), cube.edge().cast_signed());
            let along = |axis: usize| low[axis]..low[axis] + edge;
            cells.extend(along(0).flat_map(|x| along(1).flat_map(move |y| along(2).map(move |z| [x, y, z]))));
        }
        cells.sort_unstable();
        Ok(cells)
    }

    pub(super) fn walk(&self, bounds: KeyBox, least: f32) -> Walk<'_> {
        Walk { nodes: &self.nodes, bounds, least, stack: vec![(Nodes::ROOT, Cube::ROOT)] }
    }

    pub(super) fn leaf(&self, cube: Cube, log_odds: f32) -> OctreeLeaf {
        let size = self.grid.resolution * f64::from(cube.edge());
        let is_occupied = self.model.is_occupied(log_odds);
        OctreeLeaf { center: self.grid.center(cube), size, log_odds, is_occupied }
    }

    /// The cells of the tree in a box; `None` where it lies beyond the tree.
    pub(super) fn key_box(&self, low: &Point3<f64>, high: &Point3<f64>) -> Result<Option<KeyBox>> {
        if !(0..3).all(|axis| low[axis] <= high[axis]) {
            let given = format!("{:?} to {:?}", low.coords.as_slice(), high.coords.as_slice());
            return Err(KineticError::invalid("box", given, "a lowest and a highest corner, in this order"));
        }
        let [least, end] = [self.grid.border(0), -self.grid.border(0)];
        if (0..3).any(|axis| high[axis] < least || low[axis] >= end) {
            return Ok(None);
        }
        let last = end - 0.5 * self.grid.resolution;
        let key = |point: &Point3<f64>| self.grid.key(&point.map(|value| value.clamp(least, last)));
        Ok(key(low).zip(key(high)).map(|(low, high)| KeyBox { low, high }))
    }
}

/// Whether a cube comes before another one that does not overlap it, in the order of the tree.
fn is_before(cube: Cube, other: Cube) -> bool {
    // The axis with the highest bit that differs says; of equal ones, the last axis.
    let differing = [0, 1, 2].map(|axis| cube.corner[axis] ^ other.corner[axis]);
    let highest = differing.map(|bits| u16::BITS - bits.leading_zeros());
    let axis = (0..3).max_by_key(|axis| highest[*axis]).unwrap_or(2);
    cube.corner[axis] < other.corner[axis]
}
