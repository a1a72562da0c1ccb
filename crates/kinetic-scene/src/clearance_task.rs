//! Clearance tasks: distances in multi-task inverse kinematics.
//!
//! Every pair of links, and every link against the world (its obstacle that is tightest), is a row: `∂d/∂q · step =
//! keep + band − d` while the distance `d` is below `keep + band`, and free above. A row is met from `d = keep` on, so
//! that the band is room in which a solution settles instead of ending on the wrong side of the threshold by rounding.
//! The gradient of the distance is that of its witness points (see `exact/gradient.rs`).

use std::sync::Arc;

use kinetic_collision::exact::{self, Body, Separation};
use kinetic_core::{KineticError, Pair, Result};
use kinetic_ik::tasks::{Limit, Model, Rows, State, Task};
use nalgebra::{Isometry3, Rotation3, UnitQuaternion, Vector3};

use crate::builder::{Builder, Carrier};
use crate::margins::Margins;
use crate::scene::Scene;

/// The pairs of a collision avoidance task, with the distance to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Avoidance {
    /// Distance to keep from objects, and between chosen pairs, m; where the scene states a larger one, that.
    pub distance: f64,
    /// Width of the band above that distance in which the task is active, m.
    pub band: f64,
    /// Whether links and attached bodies keep the distance from the objects of the scene.
    pub world: bool,
    /// Pairs of links, carried bodies and objects that keep `distance` besides. `None` for all self-collision pairs
    /// that are checked, with the required clearance of the scene instead of `distance`: links of an arm may be closer
    /// to each other in every configuration than the distance that is wanted from a table.
    pub pairs: Option<Vec<Pair>>,
}

impl Default for Avoidance {
    fn default() -> Self {
        Self { distance: 0.02, band: 0.005, world: true, pairs: None }
    }
}

/// Task that keeps links, attached bodies and objects apart. Objects have their poses in the scene when the root of the
/// robot is at the identity.
#[derive(Debug, Clone)]
pub struct ClearanceTask {
    name: String,
    bodies: Vec<Solid>,
    rows: Vec<ClearanceRow>,
    band: f64,
}

/// The solid of a link, an attached body or an object.
#[derive(Debug, Clone)]
struct Solid {
    /// The link that carries it; `None` for an object.
    link: Option<usize>,
    /// Convex pieces in the link, or in the world.
    pieces: Vec<(Arc<Body>, Isometry3<f64>)>,
}

/// A row of the task: a body and the solids that it is compared with, of which the tightest one makes the row.
#[derive(Debug, Clone)]
struct ClearanceRow {
    body: usize,
    others: Vec<(usize, f64)>,
}

impl ClearanceTask {
    /// The task for the default group of a scene's robot, as the scene is now.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a distance or band that is negative, zero or not finite, or for a pair that
    /// cannot be moved; [`KineticError::ObjectNotFound`] for a name that nothing has.
    pub fn new(scene: &Scene, avoidance: &Avoidance) -> Result<Self> {
        let Avoidance { distance, band, .. } = *avoidance;
        if !(distance >= 0.0 && distance.is_finite()) {
            return Err(KineticError::invalid("distance to keep", distance, "a finite number of at least 0 (m)"));
        }
        if !(band > 0.0 && band.is_finite()) {
            return Err(KineticError::invalid("band of a clearance task", band, "a positive finite number (m)"));
        }
        let group = &scene.robot().groups[scene.robot().default_group];
        let builder = Builder::new(&scene.content, group, Margins::ZERO)?;
        let mut rows = if avoidance.world { world_rows(&builder, distance) } else { Vec::new() };
        match &avoidance.pairs {
            None => rows.extend(own_rows(&builder)),
            Some(pairs) => {
                for pair in pairs {
                    rows.push(chosen_row(scene, &builder, pair, distance)?);
                }
            }
        }
        Ok(Self { name: "clearance".to_owned(), bodies: solids(scene, &builder), rows, band })
    }

    /// The tightest solid of a row: its slack, its index and the witness points.
    fn tightest(&self, row: &ClearanceRow, state: &State<'_>) -> Option<(f64, usize, Separation)> {
        let mut best: Option<(f64, usize, Separation)> = None;
        for (other, keep) in &row.others {
            let most = best.as_ref().map_or(self.band, |best| best.0) + keep;
            if let Some(found) = separation(&self.bodies[row.body], &self.bodies[*other], state, most) {
                best = Some((found.distance - keep, *other, found));
            }
        }
        best
    }
}

impl Task for ClearanceTask {
    fn name(&self) -> &str {
        &self.name
    }

    fn num_rows(&self) -> usize {
        self.rows.len()
    }

    fn limits(&self) -> Vec<Limit> {
        let limit = |row| Limit { what: "clearance", rows: row..row + 1, tolerance: self.band };
        (0..self.rows.len()).map(limit).collect()
    }

    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>) {
        for (index, row) in self.rows.iter().enumerate() {
            rows.free(index);
            let Some((slack, other, separation)) = self.tightest(row, state) else { continue };
            rows.error[index] = self.band - slack;
            let (point_a, point_b) = (&separation.point_a.coords, &separation.point_b.coords);
            add_speed(&self.bodies[row.body], point_a, &-separation.normal, state, rows, index);
            add_speed(&self.bodies[other], point_b, &separation.normal, state, rows, index);
        }
    }

    fn check(&self, model: &Model) -> Result<()> {
        self.bodies.iter().filter_map(|body| body.link).try_for_each(|link| model.check_link(link))
    }
}

/// Adds to a row the derivative of a body point's position along a direction.
fn add_speed(
    body: &Solid,
    point: &Vector3<f64>,
    direction: &Vector3<f64>,
    state: &State<'_>,
    rows: &mut Rows<'_>,
    row: usize,
) {
    let Some(link) = body.link else { return };
    let columns = rows.columns;
    state.point_jacobian(link, point, &mut rows.scratch[..6 * columns]);
    for column in 0..columns {
        let linear = Vector3::from_column_slice(&rows.scratch[6 * column..6 * column + 3]);
        rows.jacobian[row * columns + column] += linear.dot(direction);
    }
}

fn separation(a: &Solid, b: &Solid, state: &State<'_>, cutoff: f64) -> Option<Separation> {
    let (world_from_a, world_from_b) = (a.frame(state), b.frame(state));
    let mut best: Option<Separation> = None;
    for (body_a, a_from_piece) in &a.pieces {
        let pose_a = world_from_a * a_from_piece;
        for (body_b, b_from_piece) in &b.pieces {
            let limit = best.map_or(cutoff, |best| best.distance);
            let found = exact::distance(body_a, &pose_a, body_b, &(world_from_b * b_from_piece), limit);
            best = match (best, found) {
                (Some(best), Some(found)) if found.distance >= best.distance => Some(best),
                (best, None) => best,
                (_, found) => found,
            };
        }
    }
    best
}

impl Solid {
    fn frame(&self, state: &State<'_>) -> Isometry3<f64> {
        let Some(link) = self.link else { return Isometry3::identity() };
        let world_from_link = state.link(link);
        let rotation = Rotation3::from_matrix_unchecked(world_from_link.rotation);
        Isometry3::from_parts(world_from_link.translation.into(), UnitQuaternion::from_rotation_matrix(&rotation))
    }
}

/// The bodies of a builder, then its obstacles.
fn solids(scene: &Scene, builder: &Builder<'_>) -> Vec<Solid> {
    let of_carrier = |(index, carrier): (usize, &Carrier)| {
        let name = &builder.bodies[index].name;
        let (link, geometry) = match carrier {
            Carrier::Link(link) => (*link, &scene.geometry().links()[*link]),
            Carrier::Attached { link, .. } => (*link, scene.attached()[name].geometry()),
        };
        let pieces = geometry.pieces().iter().map(|(body, pose)| (Arc::clone(body), pose.0)).collect();
        Solid { link: Some(link), pieces }
    };
    let objects = builder
        .world
        .iter()
        .map(|object| Solid { link: None, pieces: vec![(Arc::clone(&object.body), object.world_from_body)] });
    builder.carriers.iter().enumerate().map(of_carrier).chain(objects).collect()
}

/// Per body that the group moves, one row against all objects.
fn world_rows(builder: &Builder<'_>, distance: f64) -> Vec<ClearanceRow> {
    let count = builder.bodies.len();
    let row = |(body, this): (usize, &kinetic_collision_simd::MovingBody)| {
        let others = this.obstacles(&builder.sets).map(|id| (count + id as usize, distance.max(this.margin_to(id))));
        ClearanceRow { body, others: others.collect() }
    };
    builder.bodies.iter().enumerate().map(row).filter(|row| !row.others.is_empty()).collect()
}

/// One row per self-collision pair that is checked.
fn own_rows(builder: &Builder<'_>) -> Vec<ClearanceRow> {
    let mut rows = Vec::new();
    for b in 0..builder.bodies.len() {
        for a in 0..b {
            if builder.why_unchecked(a, b).is_none() {
                rows.push(ClearanceRow { body: a, others: vec![(b, builder.required_between(a, b).total())] });
            }
        }
    }
    rows
}

fn chosen_row(scene: &Scene, builder: &Builder<'_>, pair: &Pair, distance: f64) -> Result<ClearanceRow> {
    let (a, b) = (index_of(scene, builder, &pair.link)?, index_of(scene, builder, &pair.other)?);
    let count = builder.bodies.len();
    let (body, other) = if a < count { (a, b) } else { (b, a) };
    let frame = |index: usize| if index < count { builder.bodies[index].frame } else { 0 };
    if body >= count || frame(body) == frame(other) {
        let given = format!("\"{}\" and \"{}\"", pair.link, pair.other);
        return Err(KineticError::invalid("pair to keep apart", given, "two things that the group moves apart"));
    }
    let required = if other < count {
        builder.required_between(body, other)
    } else {
        builder.required_from(body, (other - count) as u32)
    };
    Ok(ClearanceRow { body, others: vec![(other, distance.max(required.total()))] })
}

/// Position of a name among bodies and objects.
fn index_of(scene: &Scene, builder: &Builder<'_>, name: &str) -> Result<usize> {
    scene.check_known(name)?;
    let bodies = builder.bodies.iter().map(|body| &body.name);
    let found = bodies.chain(builder.world.iter().map(|object| &object.name)).position(|known| known == name);
    found.ok_or_else(|| KineticError::invalid("pair to keep apart", name, "a link with geometry, a body or an object"))
}
