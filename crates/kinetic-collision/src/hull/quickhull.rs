//! Quickhull (Barber, Dobkin, Huhdanpaa 1996) for points that span space.

use nalgebra::{Point3, Vector3};

use super::flat::PointFrame;
use super::polytope::{Insertion, Polytope};
use super::{Hull, containing_planes};

/// The hull of points that span space; `None` when rounding left no clean surface at this flatness.
pub(super) fn solid(points: &[Point3<f64>], frame: &PointFrame, flatness: f64) -> Option<Hull> {
    let tolerance = flatness * frame.extent();
    // Relative to one of the points, so that a hull far from the origin keeps its digits.
    let origin = points[frame.corners()[0]];
    let local: Vec<Vector3<f64>> = points.iter().map(|point| point - origin).collect();
    let polytope = Polytope::tetrahedron(local, frame.corners(), tolerance)?;
    let polytope = expand(polytope, tolerance)?;
    Some(collect(&polytope, points, frame.extent()))
}

/// Inserts, face by face, the highest point above it until none is left outside.
fn expand(mut polytope: Polytope, tolerance: f64) -> Option<Polytope> {
    let mut outside: Vec<Vec<usize>> = vec![Vec::new(); polytope.faces.len()];
    assign(&polytope, (0..polytope.points.len()).collect(), 0, tolerance, &mut outside);
    let mut face = 0;
    while face < outside.len() {
        if outside[face].is_empty() {
            face += 1;
            continue;
        }
        let highest = highest(&polytope, face, &outside[face])?;
        let Insertion::Grown { first, hidden } = polytope.insert(highest, face) else { return None };
        outside.resize(polytope.faces.len(), Vec::new());
        let mut orphans = Vec::new();
        for index in hidden {
            orphans.append(&mut outside[index]);
        }
        orphans.retain(|point| *point != highest);
        assign(&polytope, orphans, first, tolerance, &mut outside);
        face += 1;
    }
    Some(polytope)
}

fn highest(polytope: &Polytope, face: usize, candidates: &[usize]) -> Option<usize> {
    let height = |point: &usize| polytope.faces[face].height(&polytope.points[*point]);
    candidates.iter().copied().max_by(|a, b| height(a).total_cmp(&height(b)))
}

/// Gives every point to the first face from `first` on that sees it; points that none sees are inside.
fn assign(polytope: &Polytope, points: Vec<usize>, first: usize, tolerance: f64, outside: &mut [Vec<usize>]) {
    for point in points {
        let above = |face: &usize| polytope.faces[*face].height(&polytope.points[point]) > tolerance;
        if let Some(face) = (first..polytope.faces.len()).find(above) {
            outside[face].push(point);
        }
    }
}

/// The surface with its vertices renumbered.
fn collect(polytope: &Polytope, points: &[Point3<f64>], extent: f64) -> Hull {
    let mut number = vec![usize::MAX; points.len()];
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for (_, face) in polytope.alive() {
        faces.push(face.vertices.map(|vertex| {
            if number[vertex] == usize::MAX {
                number[vertex] = vertices.len();
                vertices.push(points[vertex]);
            }
            number[vertex]
        }));
    }
    let planes = containing_planes(polytope.alive().map(|(_, face)| face.normal), points);
    Hull::new(vertices, faces, planes, (3, extent))
}
