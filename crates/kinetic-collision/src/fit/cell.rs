//! Convex polyhedra that can be cut by planes.

use nalgebra::{Point3, Vector3};

use crate::hull::Hull;

/// A convex polyhedron as corners and face loops; flat, straight and single-point ones are allowed.
///
/// Every edge occurs once in each direction. Cutting keeps it so by counting, not by measuring: the side of each corner
/// is computed once, the point on a cut edge is made once per edge, and the edges of the new face follow from the
/// loops. Rounding can move a corner by its last digit, but cannot lose one.
#[derive(Debug, Clone)]
pub(super) struct PolyhedronCell {
    pub(super) corners: Vec<Point3<f64>>,
    loops: Loops,
}

/// Lists of corner indices, one behind the other.
#[derive(Debug, Clone, Default)]
struct Loops {
    corners: Vec<usize>,
    /// End of each list.
    ends: Vec<usize>,
}

impl Loops {
    /// Ends the list under construction; an empty one leaves no trace.
    fn close(&mut self) {
        if self.corners.len() > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(self.corners.len());
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.corners[start..*end])
    }
}

impl PolyhedronCell {
    /// The solid of a hull.
    pub(super) fn new(hull: &Hull) -> Self {
        let corners = hull.vertices().to_vec();
        let mut loops = Loops::default();
        if hull.dimension() < 2 {
            loops.corners.extend(0..corners.len());
            loops.close();
        }
        for face in hull.faces() {
            loops.corners.extend(face);
            loops.close();
        }
        Self { corners, loops }
    }

    /// The part with `normal · x ≤ offset`; `None` when nothing is left.
    pub(super) fn below(self, normal: &Vector3<f64>, offset: f64) -> Option<Self> {
        let heights: Vec<f64> = self.corners.iter().map(|corner| normal.dot(&corner.coords) - offset).collect();
        if heights.iter().all(|height| *height <= 0.0) {
            return Some(self);
        }
        if heights.iter().all(|height| *height > 0.0) {
            return None;
        }
        let mut cut = Cut::new(&self, heights);
        for face in self.loops.iter() {
            cut.clip(face);
        }
        cut.close_cap();
        Some(Self { corners: cut.corners, loops: cut.loops })
    }
}

/// A cut in progress.
struct Cut<'a> {
    cell: &'a PolyhedronCell,
    /// Height of every old corner over the plane.
    heights: Vec<f64>,
    corners: Vec<Point3<f64>>,
    loops: Loops,
    /// New index of every old corner that was used so far.
    kept: Vec<Option<usize>>,
    /// Cut edges by their old ends, lower first, with the index of the point on them.
    crossings: Vec<((usize, usize), usize)>,
    /// Edges of the new face.
    cap: Vec<(usize, usize)>,
}

impl<'a> Cut<'a> {
    fn new(cell: &'a PolyhedronCell, heights: Vec<f64>) -> Self {
        let kept = vec![None; cell.corners.len()];
        let (corners, loops, crossings, cap) = (Vec::new(), Loops::default(), Vec::new(), Vec::new());
        Self { cell, heights, corners, loops, kept, crossings, cap }
    }

    /// Adds the part of a face loop below the plane.
    fn clip(&mut self, face: &[usize]) {
        let (mut leaving, mut first_entry) = (None, None);
        for (place, &from) in face.iter().enumerate() {
            let to = face[if place + 1 == face.len() { 0 } else { place + 1 }];
            if self.is_below(from) {
                let corner = self.keep(from);
                self.loops.corners.push(corner);
            }
            if self.is_below(from) == self.is_below(to) {
                continue;
            }
            let crossing = self.crossing(from, to);
            self.loops.corners.push(crossing);
            // The loop runs along the plane from where it left to where it enters; the new face runs back.
            if self.is_below(from) {
                leaving = Some(crossing);
            } else if let Some(left) = leaving.take() {
                self.cap.push((crossing, left));
            } else {
                first_entry = Some(crossing);
            }
        }
        if let (Some(entry), Some(left)) = (first_entry, leaving) {
            self.cap.push((entry, left));
        }
        self.loops.close();
    }

    fn is_below(&self, corner: usize) -> bool {
        self.heights[corner] <= 0.0
    }

    fn keep(&mut self, corner: usize) -> usize {
        *self.kept[corner].get_or_insert_with(|| {
            self.corners.push(self.cell.corners[corner]);
            self.corners.len() - 1
        })
    }

    fn crossing(&mut self, from: usize, to: usize) -> usize {
        let edge = (from.min(to), from.max(to));
        if let Some((_, point)) = self.crossings.iter().find(|item| item.0 == edge) {
            return *point;
        }
        let (a, b) = (self.heights[edge.0], self.heights[edge.1]);
        let (start, end) = (self.cell.corners[edge.0], self.cell.corners[edge.1]);
        self.corners.push(start + (end - start) * (a / (a - b)));
        self.crossings.push((edge, self.corners.len() - 1));
        self.corners.len() - 1
    }

    /// Chains the edges of the new face; more than one ring, or rings of one or two points, come from flat cells.
    fn close_cap(&mut self) {
        while let Some((start, mut reached)) = self.cap.pop() {
            let begin = self.loops.corners.len();
            self.loops.corners.push(start);
            while reached != start {
                self.loops.corners.push(reached);
                let Some(next) = self.cap.iter().position(|edge| edge.0 == reached) else { break };
                reached = self.cap.swap_remove(next).1;
            }
            if self.loops.corners.len() - begin > 2 {
                self.loops.close();
            } else {
                self.loops.corners.truncate(begin);
            }
        }
    }
}
