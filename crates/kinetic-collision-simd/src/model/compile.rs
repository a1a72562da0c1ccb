//! Compilation of a collision model to the kernel model: frames, bodies, pairs, clusters and obstacles.

use std::sync::Arc;

use kinetic_core::ContentHash;
use kinetic_kinematics::{Frame, JointProgram, Motion};
use nalgebra::Vector3;

use super::constant_distance::constant_distance_spheres;
use super::motion_bound::Bounds;
use super::obstacle::KernelObstacle;
use super::obstacle_tree::ObstacleTree;
use super::reachable::{is_reachable, reachable_obstacles};
use super::{Ancestor, Column, KernelBody, KernelFrame, KernelModel, KernelPair, NO_BALL};
use crate::collision_model::{CollisionModel, MovingBody, SelfPair};
use crate::distance_table::{DistanceTable, JointedClusters};
use crate::rounding::{downward, single, upward};
use crate::sphere_distances::SphereDistances;
use crate::stored_results::StoredResults;
use crate::tolerance::{LARGEST_COORDINATE_M_RAD, ROUNDOFFS_PER_FRAME, UNIT_ROUNDOFF};

impl KernelModel {
    pub(crate) fn new(input: &CollisionModel) -> Self {
        let mut model = Self::without_tables(input);
        model.distance_tables = DistanceTable::of(model.jointed_clusters(input), StoredResults::of(&input.precomputed));
        model
    }

    /// Per cluster pair, the input of its distance table; `None` where it cannot have one.
    fn jointed_clusters(&self, input: &CollisionModel) -> impl Iterator<Item = Option<JointedClusters>> {
        self.cluster_pairs.iter().map(|cluster_pair| JointedClusters::of(input, self, cluster_pair))
    }

    /// Computes the distance tables anew: their keys and bytes.
    pub(crate) fn find_tables(input: &CollisionModel) -> Vec<(ContentHash, Vec<u8>)> {
        let model = Self::without_tables(input);
        DistanceTable::find(model.jointed_clusters(input))
    }

    fn without_tables(input: &CollisionModel) -> Self {
        let CollisionModel { program, bodies, pairs, .. } = input;
        let mut model = Self::empty(input);
        let mut lists = Vec::new();
        for body in bodies {
            let tree = model.tree(reachable_obstacles(input, body), &mut lists);
            model.add_body(program, body, tree);
        }
        let checked = &pairs[..input.checked_pairs];
        model.is_representable = model.has_small_extents();
        for pair in checked {
            let kernel_pair = model.pair(program, bodies, pair);
            let kernel_pair = model.with_meetings(kernel_pair, pair, input.distances_of_spheres(pair));
            model.pairs.push(kernel_pair);
        }
        model.add_clusters(input);
        model.add_cluster_pairs();
        model.bounds = Bounds::new(&model);
        model
    }

    /// A model with frames and obstacles, without bodies.
    fn empty(input: &CollisionModel) -> Self {
        let CollisionModel { program, bodies, pairs, world, .. } = input;
        Self {
            frames: program.frames().iter().map(frame).collect(),
            bodies: Vec::with_capacity(bodies.len()),
            pairs: Vec::new(),
            meetings: Vec::new(),
            clusters: Vec::new(),
            cluster_of: Vec::new(),
            cluster_pairs: Vec::new(),
            distance_tables: Vec::new(),
            cluster_pair_near: Vec::new(),
            cluster_pair_per_displacement: Vec::new(),
            body_pairs: Vec::new(),
            candidates: Vec::new(),
            partners: Vec::new(),
            partner_radii: Vec::new(),
            max_candidates: 0,
            cluster_pair_of: Vec::new(),
            radii: Vec::new(),
            inner_radii: Vec::new(),
            numbered_pairs: pairs.len(),
            obstacles: world.iter().map(KernelObstacle::of_body).collect(),
            trees: Vec::new(),
            num_spheres: 0,
            num_motion_bounds: 0,
            bounds: Bounds::default(),
            num_variables: program.num_variables(),
            is_representable: false,
        }
    }

    fn add_body(&mut self, program: &JointProgram, body: &MovingBody, tree: usize) {
        let ancestors: Vec<Ancestor> = ancestors(program, body);
        let chain_length: f64 =
            body.ancestors.iter().map(|index| program.frames()[index - 1].parent_from_frame.translation.norm()).sum();
        let extent = (chain_length + body.center.norm() + body.radius) as f32;
        let kernel_body = KernelBody {
            frame: body.frame,
            center: single(&body.center),
            radius: upward(body.radius),
            swing: upward(body.spheres.iter().map(|(center, _)| (center - body.center).norm()).fold(0.0, f64::max)),
            spheres: body.spheres.iter().map(|(center, radius)| (single(center), upward(*radius))).collect(),
            first_sphere: self.num_spheres,
            first_motion_bound: self.num_motion_bounds,
            margin: largest_margin(body),
            margins: body.margins.iter().map(|margin| upward(*margin)).collect(),
            roundoff: UNIT_ROUNDOFF * ROUNDOFFS_PER_FRAME * (ancestors.len() + 2) as f32,
            extent,
            is_exact: body.spheres_are_exact,
            has_inner_ball: body.inner_radii.iter().any(|radius| *radius >= 0.0),
            tree,
            ancestors,
        };
        self.num_spheres += kernel_body.spheres.len();
        self.num_motion_bounds += kernel_body.ancestors.len();
        self.radii.extend(kernel_body.spheres.iter().map(|(_, radius)| *radius));
        self.inner_radii.extend(body.inner_radii.iter().map(|radius| inner_radius(*radius)));
        self.bodies.push(kernel_body);
    }

    /// Replaces the obstacles by those of `input`, in which each body requires the same clearance from all of them.
    pub(crate) fn set_obstacles(&mut self, input: &CollisionModel) {
        self.obstacles.clear();
        self.obstacles.extend(input.world.iter().map(KernelObstacle::of_body));
        self.trees.clear();
        let mut lists = Vec::new();
        for (index, body) in input.bodies.iter().enumerate() {
            // Bodies on one frame share the tree of their reachable obstacles.
            let neighbour = (0..index).find(|other| self.bodies[*other].frame == body.frame);
            let tree = match neighbour {
                Some(neighbour) => self.bodies[neighbour].tree,
                None => self.tree(reachable_obstacles(input, body), &mut lists),
            };
            let this = &mut self.bodies[index];
            (this.tree, this.margin) = (tree, largest_margin(body));
        }
        self.is_representable = self.has_small_extents();
        self.set_obstacles_of_clusters();
    }

    /// Moves an obstacle to its pose in `input`. False when the model has to be compiled anew: because another body can
    /// now reach the obstacle, or because the pose is too far away for single precision.
    pub(crate) fn move_obstacle(&mut self, input: &CollisionModel, obstacle: u32) -> bool {
        let moved = KernelObstacle::of_body(&input.world[obstacle as usize]);
        let corners = (moved.lower, moved.upper);
        self.obstacles[obstacle as usize] = moved;
        for (number, tree) in self.trees.iter_mut().enumerate() {
            let mut bodies = (0..self.bodies.len()).filter(|body| self.bodies[*body].tree == number);
            let is_new = |body| is_reachable(input, &input.bodies[body], obstacle);
            if !Arc::make_mut(tree).refit(obstacle, corners) && bodies.any(is_new) {
                return false;
            }
        }
        self.is_representable && self.obstacles[obstacle as usize].extent < LARGEST_COORDINATE_M_RAD as f32
    }

    /// Index of the tree of some obstacles, shared by bodies with the same ones. `lists` are the obstacles of the trees.
    fn tree(&mut self, obstacles: Vec<u32>, lists: &mut Vec<Vec<u32>>) -> usize {
        if let Some(known) = lists.iter().position(|ids| *ids == obstacles) {
            return known;
        }
        self.trees.push(Arc::new(ObstacleTree::new(&self.obstacles, &obstacles)));
        lists.push(obstacles);
        lists.len() - 1
    }

    fn pair(&self, program: &JointProgram, bodies: &[MovingBody], pair: &SelfPair) -> KernelPair {
        let motion_bound =
            |body: usize, below: usize| (below > 0).then(|| self.bodies[body].first_motion_bound + below - 1);
        let (constant_of_a, constant_of_b) = constant_distance_spheres(program, bodies, pair);
        let ends = [(pair.a, pair.below.0, constant_of_a), (pair.b, pair.below.1, constant_of_b)];
        let [(small, below_small, constant_of_small), (large, below_large, constant_of_large)] =
            if bodies[pair.a].radius <= bodies[pair.b].radius { ends } else { [ends[1], ends[0]] };
        KernelPair {
            small,
            large,
            motion_bound_of_small: motion_bound(small, below_small),
            motion_bound_of_large: motion_bound(large, below_large),
            margin: upward(pair.margin),
            first_meeting: None,
            constant_of_small,
            constant_of_large,
        }
    }

    /// Records which spheres of a pair may touch. Spheres that cannot touch any other are skipped like those at
    /// constant distance.
    fn with_meetings(
        &mut self,
        kernel_pair: KernelPair,
        pair: &SelfPair,
        distances: Option<&SphereDistances>,
    ) -> KernelPair {
        let (large, small) =
            (self.bodies[kernel_pair.large].spheres.len(), self.bodies[kernel_pair.small].spheres.len());
        let Some(distances) = distances.filter(|_| large <= 64 && small <= 64) else { return kernel_pair };
        let is_far = |of_large: usize, of_small: usize| {
            let (a, b) = if pair.a == kernel_pair.large { (of_large, of_small) } else { (of_small, of_large) };
            distances.distance(a, b) > kernel_pair.margin
        };
        let first_meeting = Some(self.meetings.len());
        let mut constant_of_large = kernel_pair.constant_of_large;
        for of_large in 0..large {
            let meets = (0..small).filter(|of_small| !is_far(of_large, *of_small));
            let meets = meets.fold(0_u64, |bits, of_small| bits | 1 << of_small);
            constant_of_large |= u64::from(meets == 0) << of_large;
            self.meetings.push(meets);
        }
        KernelPair { first_meeting, constant_of_large, ..kernel_pair }
    }

    fn has_small_extents(&self) -> bool {
        let limit = LARGEST_COORDINATE_M_RAD as f32;
        self.bodies.iter().all(|body| body.extent < limit) && self.obstacles.iter().all(|o| o.extent < limit)
    }
}

/// The largest clearance that a body requires from an obstacle.
fn largest_margin(body: &MovingBody) -> f32 {
    body.world.iter().map(|group| upward(group.margin)).reduce(f32::max).unwrap_or(0.0)
}

fn inner_radius(radius: f64) -> f32 {
    if radius >= 0.0 { downward(radius) } else { NO_BALL }
}

fn frame(frame: &Frame) -> KernelFrame {
    let rotation = &frame.parent_from_frame.rotation;
    KernelFrame {
        parent: frame.parent,
        columns: std::array::from_fn(|k| column(&rotation.column(k).into_owned())),
        translation: single(&frame.parent_from_frame.translation),
        motion: frame.motion,
        variable: frame.variable,
        multiplier: frame.multiplier,
        offset: frame.offset,
    }
}

fn column(column: &Vector3<f64>) -> Column {
    match (0..3).find(|k| column[*k].abs() == 1.0) {
        Some(axis) => Column::Axis(axis, column[axis] < 0.0),
        None => Column::General(single(column)),
    }
}

/// The joints above a body, nearest first, with their lever arms. The distance of a sphere's centre from the origin of
/// an ancestor is at most its distance from the origin of its own frame plus the lengths of the translations between
/// the frames. The joint axis is the z axis of a frame, so that the x and y coordinates of the next origin give its
/// distance from the axis.
fn ancestors(program: &JointProgram, body: &MovingBody) -> Vec<Ancestor> {
    let farthest = |distance: fn(&Vector3<f64>) -> f64| {
        body.spheres.iter().map(|(center, _)| distance(center)).fold(0.0, f64::max)
    };
    let (mut from_origin, mut from_axis) = (farthest(Vector3::norm), farthest(|center| center.xy().norm()));
    let mut ancestors = Vec::with_capacity(body.ancestors.len());
    for index in &body.ancestors {
        let frame = &program.frames()[index - 1];
        let rate = frame.multiplier.abs();
        let arm = match frame.motion {
            Motion::Translation => rate,
            Motion::Rotation => rate * from_axis,
        };
        let arm = upward(arm * (1.0 + 1e-6));
        let rate = upward(rate);
        ancestors.push(Ancestor { frame: *index, variable: frame.variable, rate, motion: frame.motion, arm });
        let translation = &frame.parent_from_frame.translation;
        from_axis = translation.xy().norm() + from_origin;
        from_origin += translation.norm();
    }
    ancestors
}
