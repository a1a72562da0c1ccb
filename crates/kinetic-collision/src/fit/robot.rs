//! Sphere models of whole robots.

use std::collections::BTreeMap;

use kinetic_core::error::Result;
use kinetic_core::{Pose, Shape};
use kinetic_robot::{GeometryShape, Link, Robot, TriangleMesh};

use super::config::SphereGenConfig;
use super::cover::{Cover, Covering};
use super::pieces::{PieceConfig, convex_pieces};
use super::simplify::{HullConfig, enclosing_hull};
use crate::aabb::Aabb;
use crate::self_pairs::Bodies;

/// A robot as a whole gets this part of a link's largest budget per rigid body: 8 by default.
const BODY_BUDGET_DIVISOR: usize = 4;
/// Halvings of the search for an excess that all links can have.
const EXCESS_HALVINGS_OF_ROBOT: usize = 12;
/// Spheres that are passed on between links at the end.
const MAX_EXCHANGES: usize = 10;
/// A mesh is cut into pieces while their gap is more than this part of its length; below 1 cm it never is.
const MAX_LOOSE_GAP_RATIO: f64 = 0.06;

/// Spheres that contain the links of a robot, each in its link's frame.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotSphereModel {
    /// One cover per link, in link order; links without geometry have no spheres.
    pub covers: Vec<Cover>,
}

impl RobotSphereModel {
    /// Spheres around all links, given where the largest excess is.
    ///
    /// No link has more than `config.max_spheres`, and the robot no more than a quarter of that for each of its rigid
    /// bodies (links that move together): 64 spheres for an arm of seven joints by default. At least one sphere is
    /// made per link with geometry. `total` replaces the budget of the whole robot.
    ///
    /// # Errors
    /// As [`link_shapes`], and for a configuration outside its domain.
    pub fn from_robot(robot: &Robot, config: &SphereGenConfig, total: Option<usize>) -> Result<Self> {
        config.check()?;
        let mut links = Vec::with_capacity(robot.links.len());
        for link in &robot.links {
            let shapes = link_shapes(link)?;
            let placed: Vec<_> = shapes.iter().map(|(pose, shape)| (pose.0, shape)).collect();
            links.push(FittedLink::new(Covering::from_shapes(&placed)?, shapes.is_empty()));
        }
        let has_geometry: Vec<bool> = links.iter().map(|link| !link.is_empty).collect();
        let bodies = Bodies::new(robot).count_of(&has_geometry);
        let total = total.unwrap_or((config.max_spheres / BODY_BUDGET_DIVISOR).max(1) * bodies);
        share_out(&mut links, config, total);
        Ok(Self { covers: links.into_iter().map(|mut link| link.cover().clone()).collect() })
    }
}

/// Convex shapes of a link with their poses, `link_from_shape`; what exact checks use.
///
/// A mesh becomes its hull, or up to 8 convex pieces where the hull is clearly loose (farther from the mesh than 1 cm
/// and 6 % of its length). Hulls with many vertices become hulls of at most 64, enlarged by a radius.
///
/// # Errors
/// What loading a mesh reports, [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a mesh without vertices.
pub fn link_shapes(link: &Link) -> Result<Vec<(Pose, Shape)>> {
    link_shapes_with(link, mesh_shapes)
}

/// As [`link_shapes`], with convex pieces of meshes from elsewhere, for example from a cache of those of [`mesh_shapes`].
///
/// # Errors
/// What loading a mesh reports, and what `mesh_shapes` does.
pub fn link_shapes_with(
    link: &Link,
    mut mesh_shapes: impl FnMut(&TriangleMesh) -> Result<Vec<Shape>>,
) -> Result<Vec<(Pose, Shape)>> {
    let mut shapes = Vec::new();
    for geometry in &link.collisions {
        let pieces = match &geometry.shape {
            GeometryShape::Shape(shape) => vec![shape.clone()],
            GeometryShape::Mesh(mesh) => mesh_shapes(&mesh.load()?)?,
        };
        shapes.extend(pieces.into_iter().map(|shape| (geometry.link_from_shape, shape)));
    }
    Ok(shapes)
}

/// The hull of a mesh, or its convex pieces where the hull is loose; see [`link_shapes`].
///
/// # Errors
/// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a mesh without vertices.
pub fn mesh_shapes(mesh: &TriangleMesh) -> Result<Vec<Shape>> {
    let bounds = Aabb::from_points(&mesh.vertices);
    let (Some(bounds), false) = (bounds, mesh.triangles.is_empty()) else {
        return Ok(vec![enclosing_hull(&mesh.vertices, &HullConfig::default())?]);
    };
    let default = PieceConfig::default();
    let tolerance = default.tolerance.max(MAX_LOOSE_GAP_RATIO * (bounds.max - bounds.min).max());
    let pieces = convex_pieces(mesh, &PieceConfig { tolerance, ..default })?;
    Ok(pieces.into_iter().map(|piece| piece.shape).collect())
}

/// A link with its number of spheres and the covers made so far.
struct FittedLink {
    covering: Covering,
    is_empty: bool,
    count: usize,
    covers: BTreeMap<usize, Cover>,
}

impl FittedLink {
    fn new(covering: Covering, is_empty: bool) -> Self {
        Self { covering, is_empty, count: usize::from(!is_empty), covers: BTreeMap::new() }
    }

    fn with_count(&mut self, count: usize) -> &Cover {
        let covering = &self.covering;
        self.covers.entry(count).or_insert_with(|| covering.with_count(count))
    }

    fn cover(&mut self) -> &Cover {
        self.with_count(self.count)
    }
}

/// Chooses the number of spheres of each link.
fn share_out(links: &mut [FittedLink], config: &SphereGenConfig, total: usize) {
    let counts = |excess: f64| {
        let likely = |link: &FittedLink| link.covering.likely_count(excess, config.max_spheres);
        let counts: Vec<usize> = links.iter().map(|link| likely(link).unwrap_or(config.max_spheres)).collect();
        (counts.iter().sum::<usize>() <= total).then_some(counts)
    };
    // The smallest excess for which the budget lasts; a metre is more than any link has.
    let (mut low, mut high) = (config.target_excess, 1.0);
    let mut chosen = counts(low);
    if chosen.is_none() {
        for _ in 0..EXCESS_HALVINGS_OF_ROBOT {
            let middle = 0.5 * (low + high);
            match counts(middle) {
                Some(found) => (high, chosen) = (middle, Some(found)),
                None => low = middle,
            }
        }
    }
    if let Some(counts) = chosen {
        links.iter_mut().zip(counts).filter(|(link, _)| !link.is_empty).for_each(|(link, n)| link.count = n.max(1));
    }
    exchange(links, config, total);
}

/// Gives spheres to the worst link: what is left of the budget, then those that another link can spare.
fn exchange(links: &mut [FittedLink], config: &SphereGenConfig, total: usize) {
    let mut used: usize = links.iter().map(|link| link.count).sum();
    let mut exchanges = MAX_EXCHANGES;
    let mut is_done = vec![false; links.len()];
    loop {
        let excesses: Vec<f64> = links.iter_mut().map(|link| link.cover().excess).collect();
        let open = (0..links.len()).filter(|i| !is_done[*i] && links[*i].count < config.max_spheres);
        let Some(worst) = open.max_by(|i, j| excesses[*i].total_cmp(&excesses[*j])) else { return };
        if excesses[worst] <= config.target_excess {
            return;
        }
        if used >= total {
            let Some(donor) = spare(links, worst, excesses[worst]).filter(|_| exchanges > 0) else { return };
            exchanges -= 1;
            links[donor].count -= 1;
            used -= 1;
        }
        // One more does not always help; two often do.
        let (count, room) = (links[worst].count, total - used);
        let more = (1..=room.min(2)).find(|n| links[worst].with_count(count + n).excess < excesses[worst]);
        match more {
            Some(more) => (links[worst].count, used) = (count + more, used + more),
            None => is_done[worst] = true,
        }
    }
}

/// The link that stays best with one sphere less, if that is better than an excess.
fn spare(links: &mut [FittedLink], other_than: usize, excess: f64) -> Option<usize> {
    let mut best = (excess, None);
    for (index, link) in links.iter_mut().enumerate().filter(|(index, link)| *index != other_than && link.count > 1) {
        let fewer = link.with_count(link.count - 1).excess;
        if fewer < 0.95 * best.0 {
            best = (fewer, Some(index));
        }
    }
    best.1
}
