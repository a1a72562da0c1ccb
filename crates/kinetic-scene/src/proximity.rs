//! Proximity queries: every pair closer than a distance, with witness points and the derivative by the joints.
//!
//! Servo loops, policies and optimisers need them at each step. Convex pieces are measured in single precision with
//! [`SINGLE_PRECISION_ERROR`](kinetic_collision_simd::separation::SINGLE_PRECISION_ERROR), starting from the result of
//! the last query about the pair, bodies that are spheres in closed form. Pieces that overlap or are not convex are measured by the
//! exact tier.

use kinetic_collision::Separation;
use kinetic_collision_simd::{PieceDistance, SelfPair};
use kinetic_core::Pair;
use kinetic_kinematics::{JointProgram, Rigid};
use nalgebra::{Point3, Vector3};

use crate::checker::Checker;
use crate::exact::{ClosestPoints, PlacedModel};
use crate::margins::{Margins, Side};

/// The tier that measures distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DistancePrecision {
    /// Single precision where it is certain to the stated error.
    #[default]
    Single,
    /// As `Single`, but what that cannot measure, as scans, is bounded by the spheres that contain the body: a distance that is at most
    /// the true one of bodies that are apart, and negative for others. For searches, which need a distance soon rather than exactly.
    Bounded,
    /// The exact tier for every pair.
    Exact,
}

/// Two bodies that are closer than the distance of the query. Points and normal are in the robot's root frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProximityPair {
    /// Row of the configuration in a batch; 0 for a single one.
    pub configuration: usize,
    /// Number of the link or attached body; see [`Checker::body_name`].
    pub body: usize,
    /// The other body or obstacle.
    pub other: ProximityPartner,
    /// Signed distance, m; negative is penetration.
    pub distance: f64,
    /// Required clearance of the pair, paddings included, m.
    pub margin: f64,
    /// Witness point on the body.
    pub point_on_body: Point3<f64>,
    /// Witness point on the other.
    pub point_on_other: Point3<f64>,
    /// Unit vector from the body to the other.
    pub normal: Vector3<f64>,
}

/// The second body of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProximityPartner {
    /// A link or attached body; see [`Checker::body_name`].
    Body(usize),
    /// An object of the scene; see [`Checker::obstacle_name`].
    Obstacle(usize),
}

/// Result of a proximity query; reused, so that queries allocate nothing once it has grown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Proximity {
    pairs: Vec<ProximityPair>,
    /// One row per pair.
    gradients: Vec<f64>,
    dof: usize,
}

/// A proximity query of a scene, with the names of the pairs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NamedProximity {
    /// The pairs and their derivatives.
    pub found: Proximity,
    /// Names of each pair.
    pub names: Vec<Pair>,
}

impl NamedProximity {
    pub(crate) fn new(found: Proximity, checker: &Checker) -> Self {
        let names = found.pairs.iter().map(|pair| checker.proximity_names(pair)).collect();
        Self { found, names }
    }

    /// Appends the pairs of further configurations, the first of which is number `first`.
    pub fn append(&mut self, more: Self, first: usize) {
        self.found.dof = more.found.dof;
        self.found.append(&more.found, first);
        self.names.extend(more.names);
    }
}

impl Proximity {
    /// The pairs, by configuration: those of a body with obstacles, bodies in ascending order, then those of two bodies.
    pub fn pairs(&self) -> &[ProximityPair] {
        &self.pairs
    }

    /// Derivative of the distance of a pair by the joint values of the group, m/rad or m/m.
    ///
    /// # Panics
    /// For a pair that there is not.
    pub fn gradient(&self, pair: usize) -> &[f64] {
        assert!(pair < self.pairs.len(), "a pair of the answer");
        &self.gradients[pair * self.dof..(pair + 1) * self.dof]
    }

    /// All derivatives, one row per pair.
    pub fn gradients(&self) -> &[f64] {
        &self.gradients
    }

    /// Removes the pairs, and keeps the allocated memory.
    pub fn clear(&mut self, dof: usize) {
        self.pairs.clear();
        self.gradients.clear();
        self.dof = dof;
    }

    /// Appends the pairs of other configurations, which are numbered on from `first`.
    pub(crate) fn append(&mut self, other: &Self, first: usize) {
        let moved = |pair: &ProximityPair| ProximityPair { configuration: pair.configuration + first, ..*pair };
        self.pairs.extend(other.pairs.iter().map(moved));
        self.gradients.extend_from_slice(&other.gradients);
    }
}

impl Checker {
    /// Writes all pairs that are closer than their required clearance plus `within` (m) at `q`: one number, or one towards the world and one
    /// in self-collision, of which `−∞` leaves the pairs of a side out. They include pairs whose required clearance is proven inside the
    /// joint limits, but not those that cannot touch in any configuration.
    ///
    /// Distances in single precision start from the result of the last query about the pair, so that a result depends
    /// on earlier queries, within the stated error, unless they are [forgotten](Self::forget). Overlapping pairs are measured by
    /// the exact tier, which allocates.
    pub fn proximity(
        &mut self,
        q: &[f64],
        within: impl Into<Margins>,
        precision: DistancePrecision,
        out: &mut Proximity,
    ) {
        self.tiers.continuous.checks += 1;
        out.clear(self.dof());
        self.add_proximity(0, q, within.into(), precision, out);
    }

    /// Appends the pairs of one configuration of a batch.
    pub(crate) fn add_proximity(
        &mut self,
        configuration: usize,
        q: &[f64],
        within: Margins,
        precision: DistancePrecision,
        out: &mut Proximity,
    ) {
        self.tiers.exact.add_proximity((configuration, q), within, precision, out);
    }

    /// Names of the two bodies of a pair.
    pub fn proximity_names(&self, pair: &ProximityPair) -> Pair {
        let other = match pair.other {
            ProximityPartner::Body(other) => self.body_name(other),
            ProximityPartner::Obstacle(obstacle) => self.obstacle_name(obstacle),
        };
        Pair::new(self.body_name(pair.body), other)
    }

    /// False where this checker knows the required clearance of a pair as proven at every configuration inside the joint limits.
    /// What is known depends on how the checker was made, distances do not.
    pub fn may_touch(&self, pair: &ProximityPair) -> bool {
        let ProximityPartner::Body(other) = pair.other else { return true };
        let model = &self.tiers.exact.model;
        let checked = &model.pairs[..model.checked_pairs];
        checked.iter().any(|checked| (checked.a, checked.b) == (pair.body, other))
    }

    /// The joints of its configurations. The root is that of the robot; joints outside the group are constants.
    pub fn program(&self) -> &JointProgram {
        &self.tiers.exact.model.program
    }

    /// The frame of [`program`](Self::program) that a link or attached body is fixed on; 0 for one that does not move.
    ///
    /// # Panics
    /// For a body that there is not.
    pub fn body_frame(&self, body: usize) -> usize {
        self.tiers.exact.model.bodies[body].frame
    }

    /// Adds `sign` times the Jacobian of a point that is fixed on a body, at the configuration of the last proximity query, to
    /// `out`: three rows, x, y and z in the root frame, of one column per variable, m/rad or m/m.
    ///
    /// # Panics
    /// For a body that there is not.
    pub fn add_point_jacobian(&self, body: usize, point: &Point3<f64>, sign: f64, out: &mut [f64]) {
        for (row, direction) in out.chunks_exact_mut(self.dof()).zip([Vector3::x(), Vector3::y(), Vector3::z()]) {
            self.tiers.exact.add_speed(body, point, &(sign * direction), row);
        }
    }

    /// Whether a body is attached to a link rather than a link.
    ///
    /// # Panics
    /// For a body that there is not.
    pub fn is_attached(&self, body: usize) -> bool {
        self.tiers.exact.model.links[body].is_none()
    }

    /// Whether bodies are attached.
    pub fn has_attached(&self) -> bool {
        self.tiers.exact.model.links.iter().any(Option::is_none)
    }

    /// Poses of the frames at the configuration of the last proximity query, `root_from_frame`, the root's first.
    pub fn placed_frames(&self) -> &[Rigid] {
        &self.tiers.exact.frames
    }

    /// Name of a link or attached body.
    ///
    /// # Panics
    /// For a body that there is not.
    pub fn body_name(&self, body: usize) -> &str {
        &self.tiers.exact.model.bodies[body].name
    }

    /// Name of an object.
    ///
    /// # Panics
    /// For an object that there is not.
    pub fn obstacle_name(&self, obstacle: usize) -> &str {
        &self.tiers.exact.model.world[obstacle].name
    }
}

impl From<Separation> for ClosestPoints {
    fn from(separation: Separation) -> Self {
        Self { distance: separation.distance, point: separation.point_a, normal: separation.normal }
    }
}

impl PlacedModel {
    fn add_proximity(
        &mut self,
        (configuration, q): (usize, &[f64]),
        within: Margins,
        precision: DistancePrecision,
        out: &mut Proximity,
    ) {
        self.place_frames(q);
        let is_wanted = |side: Side| within.of(side) != f64::NEG_INFINITY;
        let bodies = if is_wanted(Side::World) { self.model.bodies.len() } else { 0 };
        for body in 0..bodies {
            self.add_obstacles_of(body, configuration, within.world, precision, out);
        }
        let pairs = if is_wanted(Side::Own) { self.pair_order.len() } else { 0 };
        for index in 0..pairs {
            let pair = self.model.pairs[self.pair_order[index] as usize];
            if let Some(found) = self.closest_bodies(pair, within.own + pair.margin, precision) {
                self.push(configuration, (pair.a, ProximityPartner::Body(pair.b)), pair.margin, found, out);
            }
        }
    }

    fn add_obstacles_of(
        &mut self,
        body: usize,
        configuration: usize,
        within: f64,
        precision: DistancePrecision,
        out: &mut Proximity,
    ) {
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        self.list_near_obstacles(body, within, &mut near);
        for obstacle in &near {
            let margin = self.model.bodies[body].margin_to(*obstacle);
            if let Some(found) = self.closest_to_obstacle(body, *obstacle, within + margin, precision) {
                let partner = ProximityPartner::Obstacle(*obstacle as usize);
                self.push(configuration, (body, partner), margin, found, out);
            }
        }
        self.near = near;
    }

    /// Closest points of a body and an obstacle; `None` when they are farther apart than the cutoff.
    fn closest_to_obstacle(
        &mut self,
        body: usize,
        obstacle: u32,
        cutoff: f64,
        precision: DistancePrecision,
    ) -> Option<ClosestPoints> {
        let mut best: Option<ClosestPoints> = None;
        if precision != DistancePrecision::Exact {
            if let Some(found) = self.spheres_to_obstacle(body, obstacle) {
                return (found.distance <= cutoff).then_some(found);
            }
            for piece in 0..self.model.bodies[body].pieces.len() {
                let limit = best.map_or(cutoff, |best| best.distance);
                match self.piece_to_obstacle((body, piece), obstacle, limit) {
                    PieceDistance::Beyond => {}
                    PieceDistance::Apart { distance, point_a, normal } => {
                        best = Some(ClosestPoints { distance, point: point_a + normal * distance, normal: -normal });
                    }
                    PieceDistance::Unknown => {
                        if precision == DistancePrecision::Bounded
                            && let Some(bound) = self.nearest_sphere(body, obstacle)
                        {
                            return (bound.distance <= cutoff).then_some(bound);
                        }
                        return self.separation_from_obstacle(body, obstacle, cutoff).map(ClosestPoints::from);
                    }
                }
            }
            return best.filter(|best| best.distance <= cutoff);
        }
        self.separation_from_obstacle(body, obstacle, cutoff).map(ClosestPoints::from)
    }

    /// Closest points of two bodies; `None` when they are farther apart than the cutoff.
    fn closest_bodies(&mut self, pair: SelfPair, cutoff: f64, precision: DistancePrecision) -> Option<ClosestPoints> {
        let SelfPair { a, b, .. } = pair;
        let apart = (self.ball_center(a) - self.ball_center(b)).norm();
        if apart - self.model.bodies[a].radius - self.model.bodies[b].radius > cutoff {
            return None;
        }
        let mut best: Option<ClosestPoints> = None;
        if precision == DistancePrecision::Exact {
            return self.separation_of_bodies(a, b, cutoff).map(ClosestPoints::from);
        }
        if let Some(found) = self.spheres_to_spheres(a, b) {
            return (found.distance <= cutoff).then_some(found);
        }
        for piece_a in 0..self.model.bodies[a].pieces.len() {
            for piece_b in 0..self.model.bodies[b].pieces.len() {
                let limit = best.map_or(cutoff, |best| best.distance);
                match self.piece_to_piece((a, piece_a), (b, piece_b), limit) {
                    PieceDistance::Beyond => {}
                    PieceDistance::Apart { distance, point_a, normal } => {
                        best = Some(ClosestPoints { distance, point: point_a, normal });
                    }
                    PieceDistance::Unknown => return self.separation_of_bodies(a, b, cutoff).map(ClosestPoints::from),
                }
            }
        }
        best.filter(|best| best.distance <= cutoff)
    }

    fn push(
        &self,
        configuration: usize,
        (body, other): (usize, ProximityPartner),
        margin: f64,
        found: ClosestPoints,
        out: &mut Proximity,
    ) {
        let ClosestPoints { distance, point, normal } = found;
        let point_on_other = point + normal * distance;
        let begin = out.gradients.len();
        out.gradients.resize(begin + out.dof, 0.0);
        let gradient = &mut out.gradients[begin..];
        self.add_speed(body, &point, &-normal, gradient);
        if let ProximityPartner::Body(other) = other {
            self.add_speed(other, &point_on_other, &normal, gradient);
        }
        out.pairs.push(ProximityPair {
            configuration,
            body,
            other,
            distance,
            margin,
            point_on_body: point,
            point_on_other,
            normal,
        });
    }
}
