//! The triangles of a cube for each of the 256 patterns of corners inside, derived and not listed.
//!
//! On each face the surface cuts off every run of corners inside by a segment of its own, so that two diagonal corners are apart.
//! Seen from the cube behind the face the runs are the same and the segments run the other way. Each edge with a vertex lies on two
//! faces; on one a segment ends there and on the other one begins, so that the segments form closed loops.
//!
//! A loop is cut into triangles along diagonals that lie in no face, because the cube behind could choose the same one, and an
//! edge would have four triangles.

use std::sync::LazyLock;

/// Number of patterns.
const PATTERNS: usize = 256;

/// An edge of a cube. Corners have the numbers 0 to 7: bit 0 is set for those at the upper end along x, bit 1 along y, bit 2 along z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CubeEdge {
    axis: usize,
    /// The corner at the lower end.
    corner: usize,
}

impl CubeEdge {
    /// The edge between two corners that differ in one bit.
    fn between(a: usize, b: usize) -> Self {
        let axis = [1, 2, 4].iter().position(|bit| *bit == a ^ b).unwrap_or(0);
        Self { axis, corner: a & b }
    }

    /// Its number among 24 places, of which half are used.
    fn index(self) -> usize {
        8 * self.axis + self.corner
    }

    /// Whether some face of the cube has both edges.
    fn shares_face(self, other: Self) -> bool {
        let is_across = |axis: usize| axis != self.axis && axis != other.axis;
        (0..3).any(|axis| is_across(axis) && (self.corner ^ other.corner) >> axis & 1 == 0)
    }

    /// Which of five kinds of edges between two planes it is: 0 along x, then along y and z in the near plane and in the far one.
    pub(super) fn buffer(self) -> usize {
        self.axis + 2 * (self.corner & 1)
    }

    /// How many nodes of a plane its lower end comes after the first corner of the cube, with rows of `nz` nodes.
    pub(super) fn offset(self, nz: usize) -> usize {
        (self.corner >> 1 & 1) * nz + (self.corner >> 2)
    }
}

/// The triangles of each pattern; bit `k` of a pattern is set when corner `k` is inside. Counter-clockwise seen from outside.
pub(super) fn cube_cases() -> &'static [Vec<[CubeEdge; 3]>] {
    static CASES: LazyLock<Vec<Vec<[CubeEdge; 3]>>> = LazyLock::new(|| (0..PATTERNS).map(triangles).collect());
    &CASES
}

fn triangles(pattern: usize) -> Vec<[CubeEdge; 3]> {
    // Every loop has such diagonals: the tests of all patterns would find the hole of one without.
    loops(pattern).iter().filter_map(|around| triangulated(around)).flatten().collect()
}

/// The loops of a pattern.
fn loops(pattern: usize) -> Vec<Vec<CubeEdge>> {
    let mut next = segments(pattern);
    let mut found = Vec::new();
    for first in 0..next.len() {
        let (mut around, mut at) = (Vec::new(), first);
        while let Some(following) = next[at].take() {
            around.push(following);
            at = following.index();
        }
        found.push(around);
    }
    found.retain(|around| !around.is_empty());
    found
}

/// For the number of each edge where a segment begins, where it ends.
fn segments(pattern: usize) -> [Option<CubeEdge>; 24] {
    let mut next = [None; 24];
    for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
        let corners = face(axis, side);
        let is_inside = |k: usize| pattern >> corners[k % 4] & 1 == 1;
        let edge = |k: usize| CubeEdge::between(corners[k % 4], corners[(k + 1) % 4]);
        // Where the way around the face enters a run of corners inside, a segment begins; where it leaves the run, it ends.
        for enters in (0..4).filter(|k| !is_inside(*k) && is_inside(k + 1)) {
            next[edge(enters).index()] = (enters + 1..enters + 4).find(|k| !is_inside(k + 1)).map(edge);
        }
    }
    next
}

/// The corners of a face, counter-clockwise seen from outside of the cube.
fn face(axis: usize, side: usize) -> [usize; 4] {
    let (right, up) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    let around = if side == 1 { [0, right, right | up, up] } else { [0, up, right | up, right] };
    around.map(|corner| corner | side << axis)
}

/// Triangles of a loop whose inner edges lie in no face; `None` when there are none.
fn triangulated(around: &[CubeEdge]) -> Option<Vec<[CubeEdge; 3]>> {
    let last = around.len() - 1;
    if last < 2 {
        return Some(Vec::new());
    }
    let is_allowed = |a: usize, b: usize| b - a == 1 || !around[a].shares_face(around[b]);
    (1..last).filter(|apex| is_allowed(0, *apex) && is_allowed(*apex, last)).find_map(|apex| {
        let mut found = triangulated(&around[..=apex])?;
        found.push([around[0], around[apex], around[last]]);
        found.extend(triangulated(&around[apex..])?);
        Some(found)
    })
}
