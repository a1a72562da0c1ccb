//! Euclidean clustering: points that hang together.

use kinetic_core::{Control, KineticError, Result};
use nalgebra::Point3;

/// Bits of a cell's place along an axis.
const BITS: u32 = 21;
/// Cells along an axis on each side of the origin that points may reach over; two more have places too.
const MOST_CELLS: i64 = (1 << (BITS - 1)) - 3;
/// Cells per look at the control.
const CELLS_PER_CHECK: usize = 1024;
/// Distances per look at the control, between cells with many points.
const DISTANCES_PER_CHECK: usize = 1 << 20;

/// Which points hang together, and which groups count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterConfig {
    /// Points within this distance of each other are in one cluster, m.
    pub tolerance: f64,
    /// Smaller clusters do not count.
    pub min_points: usize,
    /// Larger clusters do not count.
    pub max_points: Option<usize>,
}

impl Default for ClusterConfig {
    fn default() -> Self {
        Self { tolerance: 0.02, min_points: 10, max_points: None }
    }
}

/// Points of one cell of a grid, whose diagonal is the tolerance: they are in one cluster.
struct PointCell {
    key: i64,
    first: usize,
    end: usize,
}

impl ClusterConfig {
    /// The clusters of points: indices, ascending in each; the largest cluster first, and of equally large ones that with the lowest
    /// index. Two points are in one cluster when a chain of points leads from one to the other with steps of at most the tolerance
    /// (single linkage; PCL's Euclidean cluster extraction, Rusu 2010). Points that are not finite are in none.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a tolerance that is not positive and finite, and for points that reach over more than half a
    /// million tolerances; what [`Control::check`] says.
    pub fn clusters(&self, points: &[Point3<f64>], control: &Control) -> Result<Vec<Vec<u32>>> {
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(KineticError::invalid("cluster tolerance", self.tolerance, "a positive finite number (m)"));
        }
        let (order, cells) = self.cells(points)?;
        let mut sets = DisjointSets::new(cells.len());
        let points: Vec<Point3<f64>> = order.iter().map(|number| points[*number as usize]).collect();
        let near = Neighbourhood { points: &points, cells: &cells, limit: self.tolerance * self.tolerance, control };
        let mut rows = rows_of_neighbours();
        for index in 0..cells.len() {
            if index % CELLS_PER_CHECK == 0 {
                control.check(0)?;
            }
            near.join(index, &mut rows, &mut sets)?;
        }
        let mut clusters: Vec<Vec<u32>> = vec![Vec::new(); cells.len()];
        for (index, cell) in cells.iter().enumerate() {
            clusters[sets.root(index)].extend(&order[cell.first..cell.end]);
        }
        let most = self.max_points.unwrap_or(usize::MAX);
        clusters.retain(|cluster| !cluster.is_empty() && (self.min_points..=most).contains(&cluster.len()));
        for cluster in &mut clusters {
            cluster.sort_unstable();
        }
        clusters.sort_by_key(|cluster| (usize::MAX - cluster.len(), cluster[0]));
        Ok(clusters)
    }

    /// The numbers of finite points cell by cell, and the cells, ascending by their keys.
    fn cells(&self, points: &[Point3<f64>]) -> Result<(Vec<u32>, Vec<PointCell>)> {
        // A little less than the diagonal allows, because cells are found by rounded numbers.
        let edge = self.tolerance / 3.0_f64.sqrt() * (1.0 - 1e-9);
        let mut keyed = Vec::with_capacity(points.len());
        for (number, point) in (0_u32..).zip(points).filter(|(_, point)| point.iter().all(|value| value.is_finite())) {
            let place = point.coords / edge;
            if !(place.amax() < MOST_CELLS as f64) {
                let wanted = format!("within {} m of the origin, or a larger tolerance", MOST_CELLS as f64 * edge);
                return Err(KineticError::invalid("points to cluster", format!("{point}"), wanted));
            }
            keyed.push((key([0, 1, 2].map(|axis| place[axis].floor() as i64)), number));
        }
        keyed.sort_unstable();
        let mut cells: Vec<PointCell> = Vec::new();
        for part in keyed.chunk_by(|a, b| a.0 == b.0) {
            let first = cells.last().map_or(0, |cell| cell.end);
            cells.push(PointCell { key: part[0].0, first, end: first + part.len() });
        }
        Ok((keyed.into_iter().map(|(_, number)| number).collect(), cells))
    }
}

/// The place of a cell as one number: x, then y, then z decides what is before what.
fn key([x, y, z]: [i64; 3]) -> i64 {
    let from_least = |place: i64| place + (1 << (BITS - 1));
    from_least(x) << (2 * BITS) | from_least(y) << BITS | from_least(z)
}

/// Cells along z near a cell, none of them in a row before its own.
struct Row {
    /// What keys in the row of a cell are more than the cell's, in the middle.
    offset: i64,
    /// No cell before this one is in the row of a later cell.
    first: usize,
}

/// The rows in which cells have neighbours: up to two cells away, since the diagonal of a cell is the tolerance.
fn rows_of_neighbours() -> Vec<Row> {
    let rows = (0..=2).flat_map(|dx| (-2..=2).map(move |dy| (dx, dy))).filter(|row| *row >= (0, 0));
    rows.map(|(dx, dy)| Row { offset: (dx << (2 * BITS)) + (dy << BITS), first: 0 }).collect()
}

/// Points cell by cell, and what near means.
struct Neighbourhood<'a> {
    points: &'a [Point3<f64>],
    cells: &'a [PointCell],
    /// Square of the tolerance, m².
    limit: f64,
    control: &'a Control,
}

impl Neighbourhood<'_> {
    /// Joins a cell with those after it that have a point near enough. Cells are taken in their order, in which rows begin later and
    /// later.
    fn join(&self, index: usize, rows: &mut [Row], sets: &mut DisjointSets) -> Result<()> {
        let cells = self.cells;
        for Row { offset, first } in rows {
            let middle = cells[index].key + *offset;
            while cells.get(*first).is_some_and(|cell| cell.key < middle - 2) {
                *first += 1;
            }
            let start = (*first).max(index + 1);
            let row = cells.get(start..).unwrap_or_default().iter().take_while(|other| other.key <= middle + 2);
            for (number, other) in (start..).zip(row) {
                if sets.root(index) != sets.root(number) && self.are_near(&cells[index], other)? {
                    sets.join(index, number);
                }
            }
        }
        Ok(())
    }

    /// Whether some point of a cell is near one of another.
    fn are_near(&self, cell: &PointCell, other: &PointCell) -> Result<bool> {
        let (points, others) = (&self.points[cell.first..cell.end], &self.points[other.first..other.end]);
        let mut since_check = 0;
        for a in points {
            if others.iter().any(|b| (a - b).norm_squared() <= self.limit) {
                return Ok(true);
            }
            since_check += others.len();
            if since_check > DISTANCES_PER_CHECK {
                self.control.check(0)?;
                since_check = 0;
            }
        }
        Ok(false)
    }
}

/// Disjoint sets of numbers (Tarjan 1975).
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut item: usize) -> usize {
        while self.0[item] != item {
            self.0[item] = self.0[self.0[item]];
            item = self.0[item];
        }
        item
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
