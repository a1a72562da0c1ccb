//! Outlier filters of point clouds, with the definitions of the Point Cloud Library (Rusu and Cousins 2011).

use std::thread::scope;

use kinetic_core::parallel::processors;
use kinetic_core::{Control, KineticError, Result};
use nalgebra::Point3;

use crate::bounded_points::BoundedPoints;
use crate::neighbor_tree::NeighborTree;
use crate::voxel_grid::CellGroups;

/// Part of the edge of a cell by which it is smaller or larger than a distance, because cells are found by rounded numbers; and how many
/// cells from the origin that is enough.
const CELL_ROUNDING: f64 = 1e-9;
const MOST_EXACT_CELLS: f64 = 1e6;

/// Neighbours up to which the points around a cell are looked at one by one.
const MOST_OTHERS_BY_CELLS: usize = 64;

/// Searches for neighbours per look at the control.
const SEARCHES_PER_CHECK: usize = 4096;

/// Which points are taken for measurement errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutlierFilter {
    /// Points whose mean distance from their nearest neighbours exceeds the mean of all points' by more than some standard
    /// deviations.
    Statistical {
        /// Number of neighbours, without the point itself.
        neighbors: usize,
        /// Number of standard deviations.
        std_ratio: f64,
    },
    /// Points that have fewer than some neighbours within a radius.
    Radius {
        /// Radius, m.
        radius: f64,
        /// Number of neighbours that a point needs, without itself.
        min_neighbors: usize,
    },
}

impl OutlierFilter {
    /// Refuses values outside their domain.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no neighbours, a negative number of deviations, or a radius that is not positive.
    pub fn check(&self) -> Result<()> {
        let (name, count, length, wanted) = match *self {
            Self::Statistical { neighbors, std_ratio } => {
                ("neighbors", neighbors, ("std_ratio", std_ratio, std_ratio >= 0.0), "a number of at least 0")
            }
            Self::Radius { radius, min_neighbors } => {
                ("min_neighbors", min_neighbors, ("radius", radius, radius > 0.0), "a positive number (m)")
            }
        };
        if count == 0 {
            return Err(KineticError::invalid(format!("outliers: {name}"), count, "an integer of at least 1"));
        }
        if !(length.1.is_finite() && length.2) {
            return Err(KineticError::invalid(format!("outliers: {}", length.0), length.1, wanted));
        }
        Ok(())
    }

    /// Whether each point is none.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    pub fn inliers(&self, points: &[Point3<f64>], control: &Control) -> Result<Vec<bool>> {
        match *self {
            Self::Radius { radius, min_neighbors } => within_radius(points, radius, min_neighbors, control),
            Self::Statistical { neighbors, std_ratio } => {
                let tree = NeighborTree::new(points);
                let mean = |number: u32, point: &Point3<f64>, squared: &mut Vec<f64>| {
                    tree.nearest_squared_into(point, neighbors, Some(number), squared);
                    squared.iter().map(|squared| squared.sqrt()).sum::<f64>() / squared.len().max(1) as f64
                };
                let means = each(&tree, control, mean)?;
                let count = means.len().max(1) as f64;
                let average = means.iter().sum::<f64>() / count;
                // The variance of the sample, as the library has it.
                let squares: f64 = means.iter().map(|mean| (mean - average).powi(2)).sum();
                let limit = average + std_ratio * (squares / (count - 1.0).max(1.0)).sqrt();
                Ok(means.iter().map(|mean| *mean <= limit).collect())
            }
        }
    }
}

/// Whether each point has at least so many others within a radius: by cells where points are dense, and by a tree of the points near
/// the others.
fn within_radius(points: &[Point3<f64>], radius: f64, min_neighbors: usize, control: &Control) -> Result<Vec<bool>> {
    let found = by_cells(points, radius, min_neighbors, control)?;
    let mut inliers = found.unwrap_or_else(|| vec![false; points.len()]);
    let near = near_others(points, radius, &inliers);
    let tree = NeighborTree::new(&near.iter().map(|index| points[*index as usize]).collect::<Vec<_>>());
    let found = each(&tree, control, |number, point, _| {
        inliers[near[number as usize] as usize]
            || tree.count_within(point, radius, min_neighbors, Some(number)) >= min_neighbors
    })?;
    near.iter().zip(found).for_each(|(index, is_inlier)| inliers[*index as usize] = is_inlier);
    Ok(inliers)
}

/// Points that certainly have at least so many others within a radius, by cells with the radius as diagonal; `None` where rounding
/// moves points by a part of a cell that counts.
fn by_cells(points: &[Point3<f64>], radius: f64, others: usize, control: &Control) -> Result<Option<Vec<bool>>> {
    let edge = radius / 3.0_f64.sqrt() * (1.0 - CELL_ROUNDING);
    let all = BoundedPoints::new(points);
    if !(all.farthest() / edge < MOST_EXACT_CELLS) {
        return Ok(None);
    }
    let Ok(groups) = CellGroups::new(&all, edge) else { return Ok(None) };
    let mut found = groups.are_crowded(others);
    if are_most(&found) && others <= MOST_OTHERS_BY_CELLS {
        groups.find_with_others(points, (radius, others), &mut found, control)?;
    }
    Ok(Some(found))
}

/// Whether at least half of some are true.
fn are_most(values: &[bool]) -> bool {
    2 * values.iter().filter(|value| **value).count() >= values.len()
}

/// Numbers of the points that may be within a radius of one that is no inlier so far.
fn near_others(points: &[Point3<f64>], radius: f64, inliers: &[bool]) -> Vec<u32> {
    let all = || (0..points.len() as u32).collect();
    if !are_most(inliers) {
        return all();
    }
    let groups = CellGroups::new(&BoundedPoints::new(points), radius * (1.0 + CELL_ROUNDING));
    groups.map_or_else(|_| all(), |groups| groups.around(|index| !inliers[index]))
}

/// A value for each point of a tree, by its number, on all processors; it does not depend on how many there are. Each thread has a
/// vector to work with. Points are taken leaf after leaf, since neighbours have neighbours in common.
fn each<T: Default + Copy + Send>(
    tree: &NeighborTree,
    control: &Control,
    value: impl Fn(u32, &Point3<f64>, &mut Vec<f64>) -> T + Sync,
) -> Result<Vec<T>> {
    let (points, numbers) = tree.leaves();
    let mut of_leaves = vec![T::default(); points.len()];
    let part = points.len().div_ceil(processors()).max(SEARCHES_PER_CHECK);
    let work = |(points, numbers): (&[Point3<f64>], &[u32]), values: &mut [T]| {
        let mut memory = Vec::new();
        for (index, ((point, number), out)) in points.iter().zip(numbers).zip(values).enumerate() {
            if index % SEARCHES_PER_CHECK == 0 {
                control.check(0)?;
            }
            *out = value(*number, point, &mut memory);
        }
        Ok(())
    };
    scope(|scope| {
        let parts = points.chunks(part).zip(numbers.chunks(part)).zip(of_leaves.chunks_mut(part));
        let spawned: Vec<_> = parts.map(|(part, values)| scope.spawn(move || work(part, values))).collect();
        spawned.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err(KineticError::Other("a thread of a filter panicked".to_owned())))
        })
    })?;
    let mut values = vec![T::default(); points.len()];
    numbers.iter().zip(of_leaves).for_each(|(number, value)| values[*number as usize] = value);
    Ok(values)
}
