//! Voxels as boxes, merged greedily along the axes.

use nalgebra::{Point3, Vector3};

use crate::aabb::Aabb;

/// A block of cells: first and last index along each axis.
type VoxelBlock = [[i32; 2]; 3];

/// Boxes that cover the same points as the cells, which are ascending. Runs along z are joined first, then equal runs
/// along y, then equal walls along x.
pub(super) fn boxes(cells: &[[i32; 3]], resolution: f64) -> Vec<Aabb> {
    let mut blocks: Vec<VoxelBlock> = cells.iter().map(|cell| cell.map(|index| [index, index])).collect();
    for axis in [2, 1, 0] {
        blocks = joined(blocks, axis);
    }
    let corner = |block: &VoxelBlock, end: usize| {
        Point3::from(Vector3::from_fn(|axis, _| f64::from(block[axis][end]) + end as f64) * resolution)
    };
    blocks.iter().map(|block| Aabb::new(corner(block, 0), corner(block, 1))).collect()
}

/// Joins blocks that continue each other along an axis and agree across it.
fn joined(mut blocks: Vec<VoxelBlock>, axis: usize) -> Vec<VoxelBlock> {
    let across = |block: &VoxelBlock| [block[(axis + 1) % 3], block[(axis + 2) % 3]];
    blocks.sort_unstable_by_key(|block| (across(block), block[axis]));
    let mut kept: Vec<VoxelBlock> = Vec::with_capacity(blocks.len());
    for block in blocks {
        match kept.last_mut() {
            Some(last) if across(last) == across(&block) && last[axis][1] + 1 == block[axis][0] => {
                last[axis][1] = block[axis][1];
            }
            _ => kept.push(block),
        }
    }
    kept
}
