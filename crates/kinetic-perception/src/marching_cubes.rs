//! Surfaces of grids of values: marching cubes (Lorensen and Cline, SIGGRAPH 1987).
//!
//! Each cube of eight neighbouring nodes is cut by itself. The published cases leave holes where two diagonal corners of a face are
//! inside, because both cubes at the face may connect them differently (Dürst, Computer Graphics 1988). Here both sides follow one
//! rule, so that surfaces have none.

mod cube_cases;

use kinetic_core::error::check_finite;
use kinetic_core::{Control, KineticError, Result};
use nalgebra::Point3;

use crate::scalar_grid::ScalarGrid;
use cube_cases::{CubeEdge, cube_cases};

/// A surface of triangles, in the frame of the grid that it was made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfaceMesh {
    /// Corners of triangles, m, each once.
    pub vertices: Vec<Point3<f64>>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The surface where the values of a grid, linear between neighbouring nodes, pass a level. Lower values are inside. Marching cubes
/// (Lorensen and Cline 1987), without the holes of the published cases (Dürst 1988).
///
/// It has one vertex on each edge of the grid from a node inside to one outside, and every edge of a triangle belongs to two that
/// face the same way, except on the border of the grid: what leaves the grid is open there. Nodes inside that touch across the
/// diagonal of a square are apart. The same grid gives the same bytes.
///
/// A value equal to the level is outside; the vertices on its edges lie at its node, where triangles may have no area. Where a
/// value is infinite, or both are so far apart that their difference is, the vertex lies in the middle of the edge.
///
/// ```
/// use kinetic_core::Control;
/// use kinetic_perception::{ScalarGrid, marching_cubes};
/// use nalgebra::{Point3, Vector3};
///
/// // One node inside, eight cubes around it.
/// let mut values = [1.0; 27];
/// values[13] = -1.0;
/// let grid = ScalarGrid::new(&values, [3; 3], &Point3::origin(), &Vector3::repeat(0.1))?;
/// let surface = marching_cubes(&grid, 0.0, &Control::default())?;
/// assert_eq!((surface.vertices.len(), surface.triangles.len()), (6, 8));
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
///
/// # Errors
/// [`KineticError::NotFinite`] for the level; [`KineticError::InvalidValue`] for a value that is NaN, with its node, and for more than
/// 2³² vertices; that of the control, which is looked at before each plane of nodes.
pub fn marching_cubes<T: Copy + Into<f64>>(
    grid: &ScalarGrid<'_, T>,
    level: f64,
    control: &Control,
) -> Result<SurfaceMesh> {
    check_finite("surface level", &[level])?;
    let mut scan = PlaneScan::new(grid, level);
    for x in 0..grid.nodes[0] {
        control.check(0)?;
        scan.read(x)?;
        for axis in [1, 2] {
            scan.cut_edges(axis, x)?;
        }
        if x > 0 {
            scan.cut_edges(0, x - 1)?;
            scan.cut_cubes();
        }
        scan.leave_plane();
    }
    Ok(SurfaceMesh { vertices: scan.crossings.vertices, triangles: scan.triangles })
}

/// The vertices found so far.
struct Crossings<'a, T> {
    grid: &'a ScalarGrid<'a, T>,
    level: f64,
    vertices: Vec<Point3<f64>>,
}

impl<T: Copy + Into<f64>> Crossings<'_, T> {
    /// Adds the vertex of the edge along an axis that begins at a node.
    fn add(&mut self, node: [usize; 3], axis: usize) -> Result<u32> {
        let Ok(index) = u32::try_from(self.vertices.len()) else {
            return Err(KineticError::invalid("vertices of a surface", self.vertices.len(), "at most 2³²"));
        };
        let mut end = node;
        end[axis] += 1;
        let mut along = node.map(|place| place as f64);
        along[axis] += share(self.grid.value(node), self.grid.value(end), self.level);
        self.vertices.push(self.grid.point(along));
        Ok(index)
    }
}

/// Part of the way from one value to another at which the level is; one is below the level, the other is not.
fn share(from: f64, to: f64, level: f64) -> f64 {
    let span = to - from;
    if span.is_finite() { (level - from) / span } else { 0.5 }
}

/// The cubes between two neighbouring planes of nodes along x, the near and the far one.
struct PlaneScan<'a, T> {
    crossings: Crossings<'a, T>,
    triangles: Vec<[u32; 3]>,
    /// Which nodes are inside, of the near and the far plane.
    inside: [Vec<bool>; 2],
    /// Vertices of edges by their first node: of those along x, then along y and z in the near plane and in the far one. What stands
    /// at edges without vertex is never read.
    edges: [Vec<u32>; 5],
    /// Four bits per node of a row, those of the cube's corners there.
    corners: Vec<u8>,
    cases: &'static [Vec<[CubeEdge; 3]>],
}

impl<'a, T: Copy + Into<f64>> PlaneScan<'a, T> {
    fn new(grid: &'a ScalarGrid<'a, T>, level: f64) -> Self {
        let [_, ny, nz] = grid.nodes;
        Self {
            crossings: Crossings { grid, level, vertices: Vec::new() },
            triangles: Vec::new(),
            inside: [0; 2].map(|_| vec![false; ny * nz]),
            edges: [0; 5].map(|_| vec![0; ny * nz]),
            corners: vec![0; nz],
            cases: cube_cases(),
        }
    }

    /// Reads a plane of nodes as the far one.
    fn read(&mut self, x: usize) -> Result<()> {
        let (grid, level) = (self.crossings.grid, self.crossings.level);
        let mut are_numbers = true;
        for (is_inside, value) in self.inside[1].iter_mut().zip(grid.plane(x)) {
            let value: f64 = (*value).into();
            *is_inside = value < level;
            are_numbers &= !value.is_nan();
        }
        if are_numbers { Ok(()) } else { Err(grid.not_a_number(x)) }
    }

    /// Finds the vertices of the edges along an axis that begin in a plane: in the far one, and of those along x in the near one.
    fn cut_edges(&mut self, axis: usize, x: usize) -> Result<()> {
        let [_, ny, nz] = self.crossings.grid.nodes;
        let Self { crossings, inside: [near, far], edges, .. } = self;
        let (from, to) = match axis {
            0 => (&near[..], &far[..]),
            1 => (&far[..], &far[nz..]),
            _ => (&far[..], &far[1..]),
        };
        let vertices = &mut edges[if axis == 0 { 0 } else { axis + 2 }];
        let (rows, columns) = (ny - usize::from(axis == 1), nz - usize::from(axis == 2));
        for y in 0..rows {
            let row = y * nz..y * nz + columns;
            if from[row.clone()] == to[row.clone()] {
                continue;
            }
            for (z, at) in row.enumerate().filter(|(_, at)| from[*at] != to[*at]) {
                vertices[at] = crossings.add([x, y, z], axis)?;
            }
        }
        Ok(())
    }

    /// Adds the triangles of all cubes between the planes.
    fn cut_cubes(&mut self) {
        let [_, ny, nz] = self.crossings.grid.nodes;
        for y in 0..ny - 1 {
            let first = y * nz;
            let [near, far] = &self.inside;
            let rows = [&near[first..], &far[first..], &near[first + nz..], &far[first + nz..]];
            for (z, corners) in self.corners.iter_mut().enumerate() {
                *corners = (0..4).fold(0, |bits, row| bits | u8::from(rows[row][z]) << row);
            }
            for (z, ends) in self.corners.windows(2).enumerate() {
                let case = usize::from(ends[0] | ends[1] << 4);
                let vertex = |edge: CubeEdge| self.edges[edge.buffer()][first + z + edge.offset(nz)];
                self.triangles.extend(self.cases[case].iter().map(|triangle| triangle.map(vertex)));
            }
        }
    }

    /// Makes the far plane the near one.
    fn leave_plane(&mut self) {
        self.inside.swap(0, 1);
        self.edges.swap(1, 3);
        self.edges.swap(2, 4);
    }
}
