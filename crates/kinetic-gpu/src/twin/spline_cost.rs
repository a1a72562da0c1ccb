//! Twin of `shaders/spline_cost.wgsl`: the cost of a B-spline and its gradient.

use nalgebra::Vector3;

use super::distances::{direction_or, length};
use super::fk_collide::SceneArrays;
use super::kinematics::{PlacedFrame, index, place_frames, scalar};
use super::reduction::{Lanes, reduced};
use crate::layout::{
    BODY_STRIDE, FRAME_STRIDE, MAX_LANES, OBSTACLE_STRIDE, PLACE_FLOATS, PLAN_HEAD, SLOWEST, UNCHECKED,
};
use crate::spline_sizes::{SUPPORT, SplineSizes};

/// The arrays of an optimisation, as the shader sees them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SplineArrays<'a> {
    pub(crate) scene: SceneArrays<'a>,
    pub(crate) sizes: SplineSizes,
    pub(crate) plan: &'a [f32],
    /// The numbers of one seed.
    pub(crate) seed: &'a [f32],
}

/// What the samples of a trajectory cost.
#[derive(Debug, Clone, Default)]
pub(crate) struct SampleRows {
    placed: Vec<PlacedFrame>,
    q: Vec<f32>,
    /// Velocity and acceleration of each joint.
    motion: Vec<[f32; 2]>,
    /// Functional gradient at each sample.
    push: Vec<f32>,
    costs: Vec<f32>,
    slacks: Vec<f32>,
}

/// A witness point, and the frame that carries it.
type Carried = (usize, Vector3<f32>);

/// What is near at a sample.
struct Near<'a> {
    cost: f32,
    slack: f32,
    push: &'a mut [f32],
}

impl SplineArrays<'_> {
    /// Memory for the samples.
    pub(crate) fn rows(&self, num_frames: usize) -> SampleRows {
        let (samples, dof) = (self.sizes.samples(), self.sizes.dof);
        SampleRows {
            placed: vec![PlacedFrame::root(); num_frames],
            q: vec![0.0; dof],
            motion: vec![[0.0; 2]; dof],
            push: vec![0.0; samples * dof],
            costs: vec![0.0; samples],
            slacks: vec![0.0; samples],
        }
    }

    /// Cost and least slack of a trajectory; the gradient is written, and by how much it changed.
    pub(crate) fn evaluate(
        &self,
        x: &[f32],
        rows: &mut SampleRows,
        [gradient, difference]: [&mut [f32]; 2],
    ) -> [f32; 2] {
        for sample in 0..self.sizes.samples() {
            self.add_sample(sample, x, rows);
        }
        let mut lanes: Lanes = [[0.0, -self.clearance()]; MAX_LANES];
        for variable in 0..x.len() {
            let smooth = self.acceleration(variable, x);
            let value = smooth + self.push_of(variable, rows);
            difference[variable] = value - gradient[variable];
            gradient[variable] = value;
            lanes[variable % MAX_LANES][0] += 0.5 * smooth * x[variable];
        }
        for (sample, (cost, slack)) in rows.costs.iter().zip(&rows.slacks).enumerate() {
            let lane = &mut lanes[sample % MAX_LANES];
            lane[0] += self.step() * cost;
            lane[1] = lane[1].max(-slack);
        }
        let [cost, worst] = reduced(lanes);
        [cost, -worst]
    }

    fn clearance(&self) -> f32 {
        self.plan[0]
    }

    fn step(&self) -> f32 {
        self.plan[3]
    }

    /// Weight of a control point at a place in an interval, in the position or one of its derivatives.
    fn place_weight(&self, place: usize, derivative: usize, offset: usize) -> f32 {
        self.plan[PLAN_HEAD + PLACE_FLOATS * place + SUPPORT * derivative + offset]
    }

    /// Value of a joint at a control point, ends included.
    fn control_value(&self, row: usize, joint: usize, x: &[f32]) -> f32 {
        let dof = self.sizes.dof;
        let base = self.seed[row * dof + joint];
        if (1..=self.sizes.control_points).contains(&row) { base + x[(row - 1) * dof + joint] } else { base }
    }

    /// Position, velocity and acceleration of a joint at a sample.
    fn joint_motion(&self, sample: usize, joint: usize, x: &[f32]) -> [f32; 3] {
        let (interval, place) = ((sample + 1) / self.sizes.per_interval, (sample + 1) % self.sizes.per_interval);
        let mut sums = [0.0; 3];
        for offset in 0..SUPPORT {
            let row = self.sizes.row(interval, offset);
            let value = self.control_value(row, joint, x);
            for (derivative, sum) in sums.iter_mut().enumerate() {
                *sum += self.place_weight(place, derivative, offset) * value;
            }
        }
        sums
    }

    fn add_sample(&self, sample: usize, x: &[f32], rows: &mut SampleRows) {
        let dof = self.sizes.dof;
        for joint in 0..dof {
            let [q, velocity, acceleration] = self.joint_motion(sample, joint, x);
            rows.q[joint] = q;
            rows.motion[joint] = [velocity, acceleration];
        }
        place_frames(self.scene.frames, &rows.q, &mut rows.placed);
        let push = &mut rows.push[sample * dof..(sample + 1) * dof];
        push.fill(0.0);
        let mut near = Near { cost: 0.0, slack: self.clearance(), push };
        self.add_world(&rows.placed, &rows.motion, &mut near);
        self.add_pairs(&rows.placed, &rows.motion, &mut near);
        (rows.costs[sample], rows.slacks[sample]) = (near.cost, near.slack);
    }

    fn add_world(&self, placed: &[PlacedFrame], motion: &[[f32; 2]], near: &mut Near<'_>) {
        let obstacles = self.scene.obstacles.len() / OBSTACLE_STRIDE;
        for first in 0..self.scene.bodies.len() / BODY_STRIDE {
            let body = self.scene.body(first);
            let frame = &placed[body.frame];
            let center = frame.moved(&body.center);
            for second in 0..obstacles {
                let (obstacle, margin) = (self.scene.obstacle(second), self.scene.margins[first * obstacles + second]);
                if margin >= UNCHECKED || obstacle.distance(&center) - body.radius - margin >= self.clearance() {
                    continue;
                }
                let (mut least, mut point) = (self.clearance(), center);
                for sphere in body.spheres.clone() {
                    let (center, radius) = self.scene.sphere(sphere);
                    let moved = frame.moved(&center);
                    let slack = obstacle.distance(&moved) - radius - margin;
                    if slack < least {
                        (least, point) = (slack, moved);
                    }
                }
                if least < self.clearance() {
                    let direction = obstacle.gradient(&point);
                    let witnesses = [(body.frame, point), (0, point)];
                    self.add_near(placed, motion, (least, direction), witnesses, near);
                }
            }
        }
    }

    fn add_pairs(&self, placed: &[PlacedFrame], motion: &[[f32; 2]], near: &mut Near<'_>) {
        for pair in 0..self.scene.pairs.len() {
            let (a, b, margin) = self.scene.pair(pair);
            let (frame_a, frame_b) = (&placed[a.frame], &placed[b.frame]);
            let center_b = frame_b.moved(&b.center);
            let between = length(&(frame_a.moved(&a.center) - center_b));
            if between - a.radius - b.radius - margin >= self.clearance() {
                continue;
            }
            let (mut least, mut points) = (self.clearance(), [Vector3::zeros(); 2]);
            for sphere in a.spheres.clone() {
                let (center, radius) = self.scene.sphere(sphere);
                let p = frame_a.moved(&center);
                if length(&(p - center_b)) - radius - b.radius - margin >= least {
                    continue;
                }
                for other in b.spheres.clone() {
                    let (other_center, other_radius) = self.scene.sphere(other);
                    let other = frame_b.moved(&other_center);
                    let slack = length(&(p - other)) - radius - other_radius - margin;
                    if slack < least {
                        (least, points) = (slack, [p, other]);
                    }
                }
            }
            if least < self.clearance() {
                let direction = direction_or(&(points[0] - points[1]), Vector3::z());
                let witnesses = [(a.frame, points[0]), (b.frame, points[1])];
                self.add_near(placed, motion, (least, direction), witnesses, near);
            }
        }
    }

    /// Adds cost and functional gradient of a pair (Zucker et al. 2013, equations 19 and 20).
    fn add_near(
        &self,
        placed: &[PlacedFrame],
        motion: &[[f32; 2]],
        (slack, direction): (f32, Vector3<f32>),
        [a, b]: [Carried; 2],
        near: &mut Near<'_>,
    ) {
        near.slack = near.slack.min(slack);
        let [cost, slope] = hinge(slack, self.clearance());
        let [velocity_a, acceleration_a] = self.point_motion(placed, motion, a);
        let [velocity_b, acceleration_b] = self.point_motion(placed, motion, b);
        let velocity = velocity_a - velocity_b;
        let speed = length(&velocity);
        near.cost += cost * speed;
        if speed < SLOWEST {
            return;
        }
        let unit = velocity / speed;
        let across = |v: Vector3<f32>| v - unit * scalar(&unit, &v);
        let force = across(direction * slope) * speed - across(acceleration_a - acceleration_b) * (cost / speed);
        self.add_push(placed, a, &force, near.push);
        self.add_push(placed, b, &-force, near.push);
    }

    /// Velocity and acceleration of a point that a frame carries, from the frame to the root. `outer` is the velocity that the joints
    /// beyond a joint give: what the joint turns of it is half of their part in the acceleration.
    fn point_motion(
        &self,
        placed: &[PlacedFrame],
        motion: &[[f32; 2]],
        (carrier, point): Carried,
    ) -> [Vector3<f32>; 2] {
        let (mut outer, mut acceleration) = (Vector3::zeros(), Vector3::zeros());
        let mut k = carrier;
        while k != 0 {
            let [parent, slides, variable, multiplier] = self.scene.frames[(k - 1) * FRAME_STRIDE + 3];
            let (axis, [rate, change]) = (placed[k].column(2), motion[index(variable)]);
            let mut column = axis;
            if slides < 0.5 {
                column = axis.cross(&(point - placed[k].origin()));
                let turned = axis * (multiplier * rate);
                acceleration += turned.cross(&(column * (multiplier * rate) + outer * 2.0));
            }
            acceleration += column * (multiplier * change);
            outer += column * (multiplier * rate);
            k = index(parent);
        }
        [outer, acceleration]
    }

    /// Adds force · dp/dq for a point that a frame carries: the product with the transposed Jacobian.
    fn add_push(&self, placed: &[PlacedFrame], (carrier, point): Carried, force: &Vector3<f32>, push: &mut [f32]) {
        let mut k = carrier;
        while k != 0 {
            let [parent, slides, variable, multiplier] = self.scene.frames[(k - 1) * FRAME_STRIDE + 3];
            let axis = placed[k].column(2);
            let column = if slides < 0.5 { axis.cross(&(point - placed[k].origin())) } else { axis };
            push[index(variable)] += multiplier * scalar(force, &column);
            k = index(parent);
        }
    }

    /// What the samples that a control point bends push it.
    fn push_of(&self, variable: usize, rows: &SampleRows) -> f32 {
        let (dof, per_interval) = (self.sizes.dof, self.sizes.per_interval);
        let (row, joint) = (variable / dof + 1, variable % dof);
        let first = ((row - 1) * per_interval).max(1);
        let end = ((row + 3) * per_interval).min(self.sizes.steps());
        let mut sum = 0.0;
        for time in first..end {
            let offset = row + 2 - time / per_interval;
            let weight = self.place_weight(time % per_interval, 0, offset);
            sum += self.step() * weight * rows.push[(time - 1) * dof + joint];
        }
        sum
    }
}

/// What a slack costs, and the derivative: linear where it is missing, quadratic up to the clearance, 0 beyond (Zucker et al. 2013,
/// equation 21).
fn hinge(slack: f32, clearance: f32) -> [f32; 2] {
    if slack < 0.0 {
        return [0.5 * clearance - slack, -1.0];
    }
    let left = (clearance - slack).max(0.0);
    [0.5 * left * left / clearance, -left / clearance]
}
