//! Spheres in parallel arrays (structure of arrays), and the spheres of a robot placed with its links.

use kinetic_core::error::check_len;
use kinetic_core::{Pose, Result};
use nalgebra::Point3;

use crate::aabb::Aabb;
use crate::fit::RobotSphereModel;
use crate::obstacles::ObstacleSet;

/// Spheres in parallel arrays, m, each with the id of its owner.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpheresSoA {
    /// Coordinates of the centres.
    pub x: Vec<f64>,
    /// As `x`.
    pub y: Vec<f64>,
    /// As `x`.
    pub z: Vec<f64>,
    /// Radii.
    pub radius: Vec<f64>,
    /// Ids.
    pub id: Vec<u32>,
}

impl SpheresSoA {
    /// No spheres.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sphere.
    pub fn push(&mut self, x: f64, y: f64, z: f64, radius: f64, id: u32) {
        self.x.push(x);
        self.y.push(y);
        self.z.push(z);
        self.radius.push(radius);
        self.id.push(id);
    }

    /// Number of spheres.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// True without spheres.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Centre of a sphere.
    pub fn center(&self, index: usize) -> Point3<f64> {
        Point3::new(self.x[index], self.y[index], self.z[index])
    }

    /// The smallest box around all spheres; `None` without spheres.
    pub fn bounding_box(&self) -> Option<Aabb> {
        let around = |index: usize| {
            let center = self.center(index);
            Aabb::new(center, center).grown(self.radius[index])
        };
        (0..self.len()).map(around).reduce(|all, next| all.union(&next))
    }

    /// True when a sphere of this set comes within `margin` of one of another.
    pub fn any_overlap(&self, other: &Self, margin: f64) -> bool {
        (0..self.len()).any(|i| (0..other.len()).any(|j| self.gap(i, other, j) <= margin))
    }

    /// Least signed distance to the spheres of another set, with the indices of the two; `None` when either is empty.
    pub fn min_distance(&self, other: &Self) -> Option<(f64, usize, usize)> {
        let pairs = (0..self.len()).flat_map(|i| (0..other.len()).map(move |j| (i, j)));
        pairs.map(|(i, j)| (self.gap(i, other, j), i, j)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn gap(&self, index: usize, other: &Self, at: usize) -> f64 {
        let (dx, dy, dz) = (self.x[index] - other.x[at], self.y[index] - other.y[at], self.z[index] - other.z[at]);
        (dx * dx + dy * dy + dz * dz).sqrt() - self.radius[index] - other.radius[at]
    }
}

/// The spheres of a robot, placed by the poses of its links. They contain the links, so that what is clear of them is
/// clear of the robot; what touches them may be clear still, which a checker of a scene decides.
#[derive(Debug, Clone)]
pub struct RobotSpheres {
    /// Centre and radius in the link's frame, link after link.
    local: Vec<(Point3<f64>, f64)>,
    /// Range of each link's spheres.
    first: Vec<usize>,
    /// The placed spheres; ids are link indices.
    placed: SpheresSoA,
}

impl RobotSphereModel {
    /// The spheres with memory of their own for placing them; at first with all links at the identity.
    pub fn create_runtime(&self) -> RobotSpheres {
        let (mut local, mut first, mut placed) = (Vec::new(), vec![0], SpheresSoA::new());
        for (link, cover) in self.covers.iter().enumerate() {
            for sphere in &cover.spheres {
                local.push((sphere.center, sphere.radius));
                placed.push(sphere.center.x, sphere.center.y, sphere.center.z, sphere.radius, link as u32);
            }
            first.push(local.len());
        }
        RobotSpheres { local, first, placed }
    }
}

impl RobotSpheres {
    /// Moves the spheres to where the links are: one pose per link of the robot, `root_from_link`.
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for another number of poses; [`NotFinite`](kinetic_core::KineticError::NotFinite).
    pub fn update(&mut self, link_poses: &[Pose]) -> Result<()> {
        check_len("link poses", link_poses.len(), self.first.len() - 1)?;
        for pose in link_poses {
            pose.check_finite("link pose")?;
        }
        for (index, (center, _)) in self.local.iter().enumerate() {
            let placed = link_poses[self.placed.id[index] as usize].0 * center;
            (self.placed.x[index], self.placed.y[index], self.placed.z[index]) = (placed.x, placed.y, placed.z);
        }
        Ok(())
    }

    /// The placed spheres; ids are link indices.
    pub fn spheres(&self) -> &SpheresSoA {
        &self.placed
    }

    /// Pairs of links (ascending) whose spheres come within `margin` of each other, but for those in `skip`.
    pub fn self_collision(&self, skip: &[(usize, usize)], margin: f64) -> Vec<(usize, usize)> {
        let near = |pair: &(usize, usize)| self.link_distance(pair.0, pair.1).is_some_and(|gap| gap <= margin);
        self.pairs(skip).filter(near).collect()
    }

    /// The least signed distance between spheres of two links, with the links; `None` when no pair is left.
    pub fn min_self_distance(&self, skip: &[(usize, usize)]) -> Option<(f64, (usize, usize))> {
        let gap = |pair: (usize, usize)| Some((self.link_distance(pair.0, pair.1)?, pair));
        self.pairs(skip).filter_map(gap).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// True when a sphere comes within `margin` of an obstacle.
    pub fn collides_with(&self, obstacles: &ObstacleSet, margin: f64) -> bool {
        let near = |index: usize| obstacles.has_within(&self.placed.center(index), self.placed.radius[index], margin);
        (0..self.placed.len()).any(near)
    }

    /// Least signed distance to obstacles, m, with link and obstacle; negative is penetration, `None` where there is
    /// nothing on either side.
    pub fn min_distance(&self, obstacles: &ObstacleSet) -> Option<(f64, usize, u32)> {
        let mut best: Option<(f64, usize, u32)> = None;
        for index in 0..self.placed.len() {
            let cutoff = best.map_or(f64::INFINITY, |best| best.0);
            let found = obstacles.min_distance(&self.placed.center(index), self.placed.radius[index], cutoff);
            if let Some((distance, obstacle)) = found {
                best = Some((distance, self.placed.id[index] as usize, obstacle));
            }
        }
        best
    }

    fn pairs<'a>(&'a self, skip: &'a [(usize, usize)]) -> impl Iterator<Item = (usize, usize)> + 'a {
        let links = self.first.len() - 1;
        let all = (0..links).flat_map(move |a| (a + 1..links).map(move |b| (a, b)));
        all.filter(move |(a, b)| !skip.contains(&(*a, *b)) && !skip.contains(&(*b, *a)))
    }

    fn link_distance(&self, a: usize, b: usize) -> Option<f64> {
        let of = |link: usize| self.first[link]..self.first[link + 1];
        let gaps = of(a).flat_map(|i| of(b).map(move |j| (i, j)));
        gaps.map(|(i, j)| self.placed.gap(i, &self.placed, j)).min_by(f64::total_cmp)
    }
}
