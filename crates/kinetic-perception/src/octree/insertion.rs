//! Insertion of measured points with clearing of what lies before them.

use std::thread::scope;

use kinetic_core::parallel::processors;
use kinetic_core::{Control, KineticError, Result};
use nalgebra::Point3;

use super::Octree;
use super::bricks::{Brick, apply};
use super::key::{CellGrid, CellKey, Cube, KeyBox};
use super::layout::Layout;
use super::marks::{BrickList, DenseMarks, dense_bricks};
use super::segment::Segment;

/// Rays per look at the control, and at least per thread.
const RAYS_PER_CHECK: usize = 2048;

/// What became of the points of an insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InsertionReport {
    /// Points that were given.
    pub points: usize,
    /// Points with a coordinate that is NaN or infinite, which are dropped.
    pub not_finite: usize,
    /// Points beyond the tree, which are dropped.
    pub outside: usize,
    /// Rays: cells that points fall into.
    pub rays: usize,
    /// Cells that became more occupied.
    pub cells_hit: usize,
    /// Cells that became more free.
    pub cells_missed: usize,
}

/// Where a ray ends.
#[derive(Clone, Copy)]
struct RayEnd {
    cell: CellKey,
    point: Point3<f64>,
}

/// What all rays of an insertion have in common.
struct Sensor<'a> {
    grid: &'a CellGrid,
    origin: &'a Point3<f64>,
    cell: CellKey,
    max_range: f64,
    control: &'a Control,
}

impl Octree {
    /// Inserts the points (m, frame of the map) that a sensor at `sensor_origin` measured.
    ///
    /// The cells of points are hit; the cells before them are missed, unless they are hit, too. Each cell is updated once, as by
    /// `OctoMap`'s insertion of discretized clouds: one ray goes to the centre of every cell with points. Centres beyond
    /// `max_range` (m; infinite for no bound) are not hit, and their rays end at this range.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a sensor that is not inside the tree, or a range that is not positive; what
    /// [`Control::check`] says. Nothing is inserted then.
    pub fn insert_cloud(
        &mut self,
        points: &[Point3<f64>],
        sensor_origin: &Point3<f64>,
        max_range: f64,
        control: &Control,
    ) -> Result<InsertionReport> {
        let cell = self.key_inside("sensor_origin", sensor_origin)?;
        if !(max_range > 0.0) {
            return Err(KineticError::invalid("max_range", max_range, "a positive number (m), or infinity"));
        }
        let mut report = InsertionReport { points: points.len(), ..Default::default() };
        let cells = cells_of_points(&self.grid, points, &mut report);
        let sensor = Sensor { grid: &self.grid, origin: sensor_origin, cell, max_range, control };
        let bricks = sensor.bricks(cells, &mut report)?;
        let count = |bits: fn(&Brick) -> u64| bricks.iter().map(|brick| bits(brick).count_ones() as usize).sum();
        (report.cells_hit, report.cells_missed) = (count(|brick| brick.hits), count(|brick| brick.misses));
        apply(&mut self.nodes, &self.model, bricks.into_iter());
        Ok(report)
    }
}

/// Cells of points, without repetition of the one before: neighbouring pixels mostly see the same cell.
fn cells_of_points(grid: &CellGrid, points: &[Point3<f64>], report: &mut InsertionReport) -> Vec<CellKey> {
    let (mut cells, mut before) = (Vec::new(), None);
    for point in points {
        let key = grid.key(point);
        match key {
            Some(_) if before == key => {}
            Some(cell) => {
                cells.push(cell);
                before = key;
            }
            None if point.iter().all(|value| value.is_finite()) => report.outside += 1,
            None => report.not_finite += 1,
        }
    }
    cells
}

impl Sensor<'_> {
    /// The end of the ray to a cell, and whether it is a hit. `None` where the ray leaves the tree by rounding.
    fn end(&self, cell: CellKey) -> Option<(RayEnd, bool)> {
        let point = self.grid.center(Cube { corner: cell, level: 0 });
        let way = point - self.origin;
        let length = way.norm();
        if length <= self.max_range {
            return Some((RayEnd { cell, point }, true));
        }
        let point = self.origin + way * (self.max_range / length);
        Some((RayEnd { cell: self.grid.key(&point)?, point }, false))
    }

    /// A box with all cells whose centres are within the range, and few others.
    #[allow(clippy::cast_sign_loss, reason = "a range is positive; the cast saturates")]
    fn reach(&self) -> KeyBox {
        let cells = (self.max_range / self.grid.resolution).ceil() as u16;
        let cells = cells.saturating_add(2);
        let (low, high) =
            (self.cell.map(|key| key.saturating_sub(cells)), self.cell.map(|key| key.saturating_add(cells)));
        KeyBox { low, high }
    }

    /// All updates of an insertion, in the order of the tree.
    fn bricks(&self, mut cells: Vec<CellKey>, report: &mut InsertionReport) -> Result<Vec<Brick>> {
        // Cells that are certainly beyond the range do not make the box of bits larger, only the ends of their rays do.
        let reach = self.reach();
        let mut far: Vec<CellKey> = cells.extract_if(.., |cell| !reach.contains(*cell)).collect();
        far.sort_unstable();
        far.dedup();
        let mut rays: Vec<RayEnd> = far.iter().filter_map(|cell| self.end(*cell)).map(|(end, _)| end).collect();
        let inside = cells.iter().copied().chain(rays.iter().map(|end| end.cell));
        let around = inside.fold(KeyBox { low: self.cell, high: self.cell }, KeyBox::with);
        let Some(layout) = Layout::dense(&around) else {
            cells.extend(far);
            cells.sort_unstable();
            cells.dedup();
            report.rays = cells.len();
            return self.listed(&cells);
        };
        let mut ends = DenseMarks::new(&layout);
        for cell in cells {
            ends.mark(layout.place(cell));
        }
        // In the order of the tree, so that rays that follow each other pass the same words.
        let mut hits = DenseMarks::new(&layout);
        for (cell, (end, is_hit)) in ends.cells(&layout, &around).filter_map(|cell| Some((cell, self.end(cell)?))) {
            rays.push(end);
            if is_hit {
                hits.mark(layout.place(cell));
            }
        }
        report.rays = rays.len();
        Ok(dense_bricks(&layout, &around, &self.missed(&layout, &rays)?, &hits))
    }

    /// The cells that rays pass, on all processors.
    fn missed(&self, layout: &Layout, rays: &[RayEnd]) -> Result<DenseMarks> {
        let threads = processors();
        let part = rays.len().div_ceil(threads).max(RAYS_PER_CHECK);
        let mut parts = rays.chunks(part);
        let first = parts.next().unwrap_or_default();
        scope(|scope| {
            let spawned: Vec<_> = parts.map(|rays| scope.spawn(move || self.missed_by(layout, rays))).collect();
            let mut misses = self.missed_by(layout, first)?;
            for thread in spawned {
                let panicked = |_| Err(KineticError::Other("a thread of an insertion panicked".to_owned()));
                misses.add(&thread.join().unwrap_or_else(panicked)?);
            }
            Ok(misses)
        })
    }

    fn missed_by(&self, layout: &Layout, rays: &[RayEnd]) -> Result<DenseMarks> {
        let mut misses = DenseMarks::new(layout);
        for rays in rays.chunks(RAYS_PER_CHECK) {
            self.control.check(0)?;
            for end in rays {
                self.segment(end).visit_before(self.grid, layout, |place| {
                    misses.mark(place);
                });
            }
        }
        Ok(misses)
    }

    fn segment<'a>(&'a self, end: &'a RayEnd) -> Segment<'a> {
        Segment { origin: self.origin, end: &end.point, first: self.cell, last: end.cell }
    }

    /// The updates as a list, for boxes with too many cells.
    fn listed(&self, cells: &[CellKey]) -> Result<Vec<Brick>> {
        let (mut list, layout) = (BrickList::default(), Layout::tree());
        for cells in cells.chunks(RAYS_PER_CHECK) {
            self.control.check(0)?;
            for (end, is_hit) in cells.iter().filter_map(|cell| self.end(*cell)) {
                if is_hit {
                    list.mark(layout.place(end.cell), true);
                }
                self.segment(&end).visit_before(self.grid, &layout, |place| list.mark(place, false));
            }
        }
        Ok(list.into_bricks())
    }
}
