//! Measures of surfaces: open edges, parts, Euler characteristic, area and volume.

use std::collections::BTreeMap;

use kinetic_perception::SurfaceMesh;
use nalgebra::Vector3;

/// How often each edge is passed in its direction.
fn directed_edges(mesh: &SurfaceMesh) -> BTreeMap<[u32; 2], usize> {
    let mut found = BTreeMap::new();
    for [a, b, c] in &mesh.triangles {
        for edge in [[*a, *b], [*b, *c], [*c, *a]] {
            *found.entry(edge).or_insert(0) += 1;
        }
    }
    found
}

/// Edges that are not passed once in each direction.
pub(crate) fn open_edges(mesh: &SurfaceMesh) -> usize {
    let edges = directed_edges(mesh);
    edges.iter().filter(|([a, b], count)| **count != 1 || edges.get(&[*b, *a]) != Some(&1)).count()
}

/// Vertices less edges plus triangles, of a closed surface.
pub(crate) fn euler_characteristic(mesh: &SurfaceMesh) -> i64 {
    let count = |number: usize| i64::try_from(number).unwrap();
    count(mesh.vertices.len()) - count(directed_edges(mesh).len() / 2) + count(mesh.triangles.len())
}

/// Number of parts that hang together.
pub(crate) fn parts(mesh: &SurfaceMesh) -> usize {
    fn root(above: &[usize], mut item: usize) -> usize {
        while above[item] != item {
            item = above[item];
        }
        item
    }
    let mut above: Vec<usize> = (0..mesh.vertices.len()).collect();
    for triangle in &mesh.triangles {
        let roots = triangle.map(|index| root(&above, index as usize));
        let least = roots.into_iter().min().unwrap();
        roots.into_iter().chain(triangle.map(|index| index as usize)).for_each(|item| above[item] = least);
    }
    (0..above.len()).filter(|item| above[*item] == *item).count()
}

pub(crate) fn corners(mesh: &SurfaceMesh) -> impl Iterator<Item = [Vector3<f64>; 3]> {
    mesh.triangles.iter().map(|triangle| triangle.map(|index| mesh.vertices[index as usize].coords))
}

pub(crate) fn area(mesh: &SurfaceMesh) -> f64 {
    corners(mesh).map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum()
}

pub(crate) fn volume(mesh: &SurfaceMesh) -> f64 {
    corners(mesh).map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}
