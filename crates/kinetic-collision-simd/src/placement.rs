//! Forward kinematics of several configurations, one per lane: placed frames, bodies and spheres, with motion bounds.

use kinetic_kinematics::Motion;

use crate::item::Batch;
use crate::model::cluster::Cluster;
use crate::model::{Column, KernelBody, KernelFrame, KernelModel};
use crate::motion::BATCH;
use crate::rounding::squared;
use crate::tolerance::{DIFFERENCE_ROUNDING_RATIO, SUM_WIDENING_FACTOR};
use crate::trig::{reduced_angle, sin_cos};
use crate::vector::{Lanes, Point, prevent_loop_vectorization};

/// Placed frames and spheres of one chunk of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Placement<L> {
    radius: Vec<L>,
    frames: Vec<PlacedFrame<L>>,
    joints: Vec<Joint<L>>,
    /// Joint values per frame: angles in [-π, π], displacements of prismatic joints in metres.
    pub(crate) angles: Vec<L>,
    pub(crate) centers: Vec<Point<L>>,
    motion_bounds: Vec<L>,
    pub(crate) cluster_centers: Vec<Point<L>>,
    /// Motion bounds that hold in every configuration: those of clusters, then those of the relative motions of cluster
    /// pairs.
    pub(crate) bounds: Vec<f32>,
    pub(crate) spheres: Vec<Point<L>>,
    /// Counts the placed chunks. A body whose stamp equals it is placed for the current one.
    placing: u32,
    body_is_placed: Vec<u32>,
    spheres_are_placed: Vec<u32>,
    /// Bound on the displacement by all prismatic joints together, m.
    pub(crate) displacement: f32,
    /// Obstacles whose boxes are near a body.
    pub(crate) near: Vec<u32>,
    /// Cluster pairs whose clusters are near each other.
    pub(crate) near_cluster_pairs: Vec<u32>,
    /// Spheres that are near a cluster.
    pub(crate) near_spheres: Vec<u32>,
    /// Per cluster pair, the square of the distance of the centres up to which the pair has to be tested.
    pub(crate) cluster_pair_limits: Vec<f32>,
    /// The prismatic displacement for which these limits were computed without motion; NaN when they include motion.
    displacement_of_limits: f32,
    /// Pairs of body and obstacle that are near each other.
    pub(crate) world: Vec<(u32, u32)>,
}

/// Axes and origin of a frame in the root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedFrame<L> {
    /// An array, because it is indexed by an address; compilers select among fields lane by lane.
    axes: [Point<L>; 3],
    origin: Point<L>,
}

impl<L: Lanes> PlacedFrame<L> {
    /// The root frame. Its lanes are filled without arithmetic.
    fn identity() -> Self {
        let mut axes = [Point::<L>::ZERO; 3];
        let [Point { x, .. }, Point { y, .. }, Point { z, .. }] = &mut axes;
        for one in [x, y, z] {
            one.lanes_mut().fill(1.0);
        }
        Self { axes, origin: Point::ZERO }
    }

    /// Direction in the root of a column that is fixed in this frame.
    #[inline(always)]
    fn direction(&self, column: &Column) -> Point<L> {
        match column {
            Column::Axis(axis, is_negative) => {
                let direction = self.axes[*axis];
                if *is_negative { direction.negated() } else { direction }
            }
            Column::General([x, y, z]) => {
                let [along_x, along_y, along_z] = &self.axes;
                Point::ZERO.along_fixed(*along_x, *x).along_fixed(*along_y, *y).along_fixed(*along_z, *z)
            }
        }
    }

    /// Transforms a point from the root into this frame.
    #[inline(always)]
    fn local(&self, point: Point<L>) -> Point<L> {
        let apart = point.minus(self.origin);
        let [x, y, z] = &self.axes;
        Point { x: x.dot(apart), y: y.dot(apart), z: z.dot(apart) }
    }

    /// Transforms a point from this frame into the root.
    #[inline(always)]
    pub(crate) fn point(&self, [x, y, z]: [f32; 3]) -> Point<L> {
        let [along_x, along_y, along_z] = &self.axes;
        self.origin.along_fixed(*along_x, x).along_fixed(*along_y, y).along_fixed(*along_z, z)
    }

    /// Places the child frame, given the value of its joint.
    #[inline(always)]
    fn child(&self, frame: &KernelFrame, joint: Joint<L>) -> Self {
        // By reference, because compilers split copies of columns into lanes and reassemble them.
        let [x, y, z] = &frame.columns;
        let (x, y, z) = (self.direction(x), self.direction(y), self.direction(z));
        let mut origin = self.origin;
        let [along_x, along_y, along_z] = frame.translation;
        if along_x != 0.0 {
            origin = origin.along_fixed(self.axes[0], along_x);
        }
        if along_y != 0.0 {
            origin = origin.along_fixed(self.axes[1], along_y);
        }
        if along_z != 0.0 {
            origin = origin.along_fixed(self.axes[2], along_z);
        }
        let Joint { first, second } = joint;
        match frame.motion {
            Motion::Translation => Self { axes: [x, y, z], origin: origin.along(z, first) },
            Motion::Rotation => {
                Self { axes: [x.times(second).along(y, first), y.times(second).along(x, L::ZERO - first), z], origin }
            }
        }
    }
}

/// Sine and cosine of a revolute joint, or the displacement of a prismatic one, m, and 0.
#[derive(Debug, Clone, Copy)]
struct Joint<L> {
    first: L,
    second: L,
}

impl<L: Lanes> Joint<L> {
    const ZERO: Self = Self { first: L::ZERO, second: L::ZERO };

    /// The joint's values, with angles in [-π, π], and the joint there. Of `values`, those of its variable, the first
    /// ones count.
    #[inline(always)]
    fn at(frame: &KernelFrame, values: &[f64; BATCH]) -> (L, Self) {
        // Indexed instead of zipped: compilers peel the first iteration of a zip off the loop.
        let mut value = [0.0; BATCH];
        match frame.motion {
            Motion::Translation => {
                for lane in 0..L::WIDTH {
                    value[lane] = (frame.multiplier * values[lane] + frame.offset) as f32;
                }
                let first = L::first_of(&value);
                (first, Self { first, second: L::ZERO })
            }
            Motion::Rotation => {
                for lane in 0..L::WIDTH {
                    value[lane] = reduced_angle(frame.multiplier * values[lane] + frame.offset);
                }
                let angle = L::first_of(&value);
                let (first, second) = sin_cos(angle);
                (angle, Self { first, second })
            }
        }
    }
}

impl<L: Lanes> Placement<L> {
    pub(crate) fn new(model: &KernelModel) -> Self {
        Self {
            radius: vec![L::ZERO; model.num_variables],
            frames: vec![PlacedFrame::identity(); model.frames.len() + 1],
            joints: vec![Joint::ZERO; model.frames.len()],
            angles: vec![L::ZERO; model.frames.len()],
            centers: vec![Point::ZERO; model.bodies.len()],
            motion_bounds: vec![L::ZERO; model.num_motion_bounds],
            cluster_centers: vec![Point::ZERO; model.clusters.len()],
            bounds: vec![0.0; model.bounds.len()],
            spheres: vec![Point::ZERO; model.num_spheres],
            placing: 0,
            body_is_placed: vec![0; model.bodies.len()],
            spheres_are_placed: vec![0; model.bodies.len()],
            displacement: 0.0,
            near: Vec::new(),
            near_cluster_pairs: vec![0; model.cluster_pairs.len()],
            near_spheres: vec![0; model.max_candidates],
            cluster_pair_limits: vec![0.0; model.cluster_pairs.len()],
            displacement_of_limits: f32::NAN,
            world: Vec::new(),
        }
    }

    /// Places the frames of a chunk of intervals, the lanes `first, first + stride, …` of a batch, with their half-widths.
    #[inline(always)]
    pub(crate) fn place(&mut self, model: &KernelModel, batch: &Batch, first: usize, stride: usize) {
        for (variable, radius) in self.radius.iter_mut().enumerate() {
            prevent_loop_vectorization();
            for (lane, radius) in radius.lanes_mut().iter_mut().enumerate() {
                *radius = batch.radius[variable][first + lane * stride];
            }
        }
        self.place_frames(model, batch, first, stride);
    }

    /// Places the frames of a chunk of configurations, the lanes `first, first + stride, …` of a batch.
    #[inline(always)]
    pub(crate) fn place_frames(&mut self, model: &KernelModel, batch: &Batch, first: usize, stride: usize) {
        self.displacement = 0.0;
        // Joints are computed before frames, because they do not depend on each other, while every frame depends on its
        // parent.
        for ((frame, joint), angle) in model.frames.iter().zip(&mut self.joints).zip(&mut self.angles) {
            prevent_loop_vectorization();
            let all = &batch.q[frame.variable];
            let mut picked;
            let values = if stride == 1 && first == 0 {
                all
            } else {
                picked = [0.0; BATCH];
                for lane in 0..L::WIDTH {
                    picked[lane] = all[first + lane * stride];
                }
                &picked
            };
            if frame.motion == Motion::Translation {
                let mut largest = 0.0_f64;
                for value in &values[..L::WIDTH] {
                    largest = if value.abs() > largest { value.abs() } else { largest };
                }
                self.displacement += (frame.multiplier.abs() * largest + frame.offset.abs()) as f32;
            }
            (*angle, *joint) = Joint::at(frame, values);
        }
        for (index, (frame, joint)) in model.frames.iter().zip(&self.joints).enumerate() {
            prevent_loop_vectorization();
            self.frames[index + 1] = self.frames[frame.parent].child(frame, *joint);
        }
        self.placing = self.placing.wrapping_add(1);
        if self.placing == 0 {
            self.placing = 1;
            self.body_is_placed.fill(0);
            self.spheres_are_placed.fill(0);
        }
    }

    /// Computes the motion bounds of all clusters for boxes of these half-widths, and the distance limits of cluster pairs.
    #[inline(always)]
    pub(crate) fn bound_motions(&mut self, model: &KernelModel, widths: Option<&[f32]>) {
        match widths {
            Some(widths) => {
                model.bounds.sum_up(widths, self.displacement, &mut self.bounds);
                self.displacement_of_limits = f32::NAN;
            }
            // Without motion the limits depend only on the prismatic displacement, which is 0 for most robots.
            None if self.displacement_of_limits.to_bits() == self.displacement.to_bits() => return,
            None => {
                self.bounds.fill(0.0);
                self.displacement_of_limits = self.displacement;
            }
        }
        let bounds = &self.bounds[model.clusters.len()..];
        let limits = model.cluster_pair_near.iter().zip(&model.cluster_pair_per_displacement);
        for (((near, per_displacement), bound), limit) in limits.zip(bounds).zip(&mut self.cluster_pair_limits) {
            *limit = squared(per_displacement.mul_add(self.displacement, *near) + bound);
        }
    }

    /// Motion bounds of the two clusters of every cluster pair relative to each other.
    #[inline(always)]
    pub(crate) fn bounds_of_cluster_pairs(&self, model: &KernelModel) -> &[f32] {
        &self.bounds[model.clusters.len()..]
    }

    #[inline(always)]
    pub(crate) fn place_cluster(&mut self, model: &KernelModel, index: usize) {
        let cluster = &model.clusters[index];
        let center = self.frames[cluster.frame].point(cluster.center);
        self.cluster_centers[index] = center;
        if let [body] = cluster.bodies[..] {
            self.centers[body] = center;
            self.body_is_placed[body] = self.placing;
        }
    }

    /// A placed frame.
    #[inline(always)]
    pub(crate) fn frame(&self, frame: usize) -> &PlacedFrame<L> {
        &self.frames[frame]
    }

    /// Transforms a point from a frame into the root.
    #[inline(always)]
    pub(crate) fn point_of(&self, frame: usize, point: [f32; 3]) -> Point<L> {
        self.frames[frame].point(point)
    }

    /// Transforms a point from the root into a frame.
    #[inline(always)]
    pub(crate) fn in_frame(&self, frame: usize, point: Point<L>) -> Point<L> {
        self.frames[frame].local(point)
    }

    #[inline(always)]
    pub(crate) fn cluster_pad(&self, cluster: &Cluster) -> f32 {
        (cluster.roundoff + DIFFERENCE_ROUNDING_RATIO) * (cluster.extent + self.displacement)
    }

    #[inline(always)]
    pub(crate) fn place_center(&mut self, model: &KernelModel, body: usize) {
        if std::mem::replace(&mut self.body_is_placed[body], self.placing) == self.placing {
            return;
        }
        let this = &model.bodies[body];
        self.centers[body] = self.frames[this.frame].point(this.center);
    }

    /// Places the centre of a body and computes its motion bounds, joint by joint.
    #[inline(always)]
    pub(crate) fn place_body(&mut self, model: &KernelModel, body: usize) {
        if std::mem::replace(&mut self.body_is_placed[body], self.placing) == self.placing {
            return;
        }
        let this = &model.bodies[body];
        let center = self.frames[this.frame].point(this.center);
        self.centers[body] = center;
        let mut moved = L::ZERO;
        for (slot, ancestor) in this.ancestors.iter().enumerate() {
            let width = self.radius[ancestor.variable].scale(ancestor.rate);
            moved = match ancestor.motion {
                Motion::Translation => moved + width,
                Motion::Rotation => {
                    let frame = &self.frames[ancestor.frame];
                    let arm = frame.axes[2].cross(center.minus(frame.origin)).norm_squared().sqrt();
                    (arm.offset(this.swing) + moved).mul_add(width.min(L::splat(2.0)), moved)
                }
            };
            self.motion_bounds[this.first_motion_bound + slot] = moved;
        }
    }

    #[inline(always)]
    pub(crate) fn place_spheres(&mut self, model: &KernelModel, body: usize) {
        if std::mem::replace(&mut self.spheres_are_placed[body], self.placing) == self.placing {
            return;
        }
        let this = &model.bodies[body];
        let frame = &self.frames[this.frame];
        let placed = &mut self.spheres[this.first_sphere..this.first_sphere + this.spheres.len()];
        for (placed, (center, _)) in placed.iter_mut().zip(&this.spheres) {
            prevent_loop_vectorization();
            *placed = frame.point(*center);
        }
    }

    /// Motion bound of a body by all its joints, widened for the rounding of the bound itself.
    #[inline(always)]
    pub(crate) fn motion_bound(&self, body: &KernelBody) -> L {
        match body.ancestors.len() {
            0 => L::ZERO,
            count => self.motion_bounds[body.first_motion_bound + count - 1].scale(SUM_WIDENING_FACTOR),
        }
    }

    #[inline(always)]
    pub(crate) fn bound(&self, index: Option<usize>) -> L {
        match index {
            Some(index) => self.motion_bounds[index],
            None => L::ZERO,
        }
    }

    /// Bound on the rounding of a placed point of a body, m.
    #[inline(always)]
    pub(crate) fn rounding(&self, body: &KernelBody) -> f32 {
        body.roundoff * (body.extent + self.displacement)
    }
}
