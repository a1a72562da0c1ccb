//! Twin of `shaders/tightest_pair.wgsl` and `shaders/fk_collide.wgsl`.

use nalgebra::Vector3;

use super::distances::{ObstacleRow, direction_or, length};
use super::kinematics::{PlacedFrame, index, place_frames, scalar, vector};
use crate::layout::{
    BODY_STRIDE, FAR, FRAME_STRIDE, Four, NEAREST_FLOATS, OBSTACLE_STRIDE, PAIR_NONE, PAIR_OWN, PAIR_WORLD, UNCHECKED,
};

/// The arrays of a scene, as the shader sees them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SceneArrays<'a> {
    pub(crate) frames: &'a [Four],
    pub(crate) bodies: &'a [Four],
    pub(crate) spheres: &'a [Four],
    pub(crate) pairs: &'a [Four],
    pub(crate) obstacles: &'a [Four],
    pub(crate) margins: &'a [f32],
    pub(crate) fields: &'a [f32],
}

/// The tightest pair so far: two indices of its kind, and the spheres that are nearest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tightest {
    pub(crate) slack: f32,
    kind: usize,
    first: usize,
    second: usize,
    sphere: usize,
    other: usize,
}

/// A body: its frame, its bounding sphere, and the range of its spheres.
pub(crate) struct BodyRow {
    pub(crate) frame: usize,
    pub(crate) center: Vector3<f32>,
    pub(crate) radius: f32,
    pub(crate) spheres: std::ops::Range<usize>,
}

impl SceneArrays<'_> {
    /// The answer of one configuration: slack, kind of pair, two indices, and the gradient where there is room for it.
    pub(crate) fn answer(&self, q: &[f32], placed: &mut [PlacedFrame], out: &mut [f32]) {
        place_frames(self.frames, q, placed);
        let best = self.tightest(placed);
        let (answer, gradient) = out.split_at_mut(NEAREST_FLOATS);
        answer.copy_from_slice(&[best.slack, best.kind as f32, best.first as f32, best.second as f32]);
        gradient.fill(0.0);
        if !gradient.is_empty() {
            self.add_gradients(placed, &best, gradient);
        }
    }

    /// The tightest pair where the frames are placed.
    pub(crate) fn tightest(&self, placed: &[PlacedFrame]) -> Tightest {
        let mut best = Tightest { slack: FAR, kind: PAIR_NONE, first: 0, second: 0, sphere: 0, other: 0 };
        self.check_world(placed, &mut best);
        self.check_pairs(placed, &mut best);
        best
    }

    pub(crate) fn body(&self, body: usize) -> BodyRow {
        let [ball, [frame, first, count, _]] = [0, 1].map(|place| self.bodies[body * BODY_STRIDE + place]);
        let first = index(first);
        BodyRow { frame: index(frame), center: vector(ball), radius: ball[3], spheres: first..first + index(count) }
    }

    pub(crate) fn sphere(&self, sphere: usize) -> (Vector3<f32>, f32) {
        let sphere = self.spheres[sphere];
        (vector(sphere), sphere[3])
    }

    pub(crate) fn pair(&self, pair: usize) -> (BodyRow, BodyRow, f32) {
        let [a, b, margin, _] = self.pairs[pair];
        (self.body(index(a)), self.body(index(b)), margin)
    }

    pub(crate) fn obstacle(&self, obstacle: usize) -> ObstacleRow<'_> {
        ObstacleRow { row: &self.obstacles[obstacle * OBSTACLE_STRIDE..], fields: self.fields }
    }

    fn check_world(&self, placed: &[PlacedFrame], best: &mut Tightest) {
        let obstacles = self.obstacles.len() / OBSTACLE_STRIDE;
        for first in 0..self.bodies.len() / BODY_STRIDE {
            let body = self.body(first);
            let frame = &placed[body.frame];
            let center = frame.moved(&body.center);
            for second in 0..obstacles {
                let margin = self.margins[first * obstacles + second];
                let obstacle = self.obstacle(second);
                if margin >= UNCHECKED || obstacle.distance(&center) - body.radius - margin >= best.slack {
                    continue;
                }
                for index in body.spheres.clone() {
                    let (center, radius) = self.sphere(index);
                    let slack = obstacle.distance(&frame.moved(&center)) - radius - margin;
                    if slack < best.slack {
                        *best = Tightest { slack, kind: PAIR_WORLD, first, second, sphere: index, other: 0 };
                    }
                }
            }
        }
    }

    fn check_pairs(&self, placed: &[PlacedFrame], best: &mut Tightest) {
        for first in 0..self.pairs.len() {
            let (a, b, margin) = self.pair(first);
            let (frame_a, frame_b) = (&placed[a.frame], &placed[b.frame]);
            let between = length(&(frame_a.moved(&a.center) - frame_b.moved(&b.center)));
            if between - a.radius - b.radius - margin >= best.slack {
                continue;
            }
            for sphere in a.spheres.clone() {
                let (center, radius) = self.sphere(sphere);
                let p = frame_b.local(&frame_a.moved(&center));
                if length(&(p - b.center)) - radius - b.radius - margin >= best.slack {
                    continue;
                }
                for other in b.spheres.clone() {
                    let (other_center, other_radius) = self.sphere(other);
                    let slack = length(&(p - other_center)) - radius - other_radius - margin;
                    if slack < best.slack {
                        *best = Tightest { slack, kind: PAIR_OWN, first, second: 0, sphere, other };
                    }
                }
            }
        }
    }

    /// Adds the derivatives of the slack of a pair by the variables.
    pub(crate) fn add_gradients(&self, placed: &[PlacedFrame], best: &Tightest, gradient: &mut [f32]) {
        if best.kind == PAIR_WORLD {
            let carrier = self.body(best.first).frame;
            let p = placed[carrier].moved(&self.sphere(best.sphere).0);
            self.add_gradient(placed, carrier, (&p, &self.obstacle(best.second).gradient(&p)), gradient);
        } else if best.kind == PAIR_OWN {
            let (a, b, _) = self.pair(best.first);
            let pa = placed[a.frame].moved(&self.sphere(best.sphere).0);
            let pb = placed[b.frame].moved(&self.sphere(best.other).0);
            let apart = direction_or(&(pa - pb), Vector3::z());
            self.add_gradient(placed, a.frame, (&pa, &apart), gradient);
            self.add_gradient(placed, b.frame, (&pb, &-apart), gradient);
        }
    }

    /// Adds force · dp/dq for a point that a frame carries: the product with the transposed Jacobian.
    fn add_gradient(
        &self,
        placed: &[PlacedFrame],
        carrier: usize,
        (point, force): (&Vector3<f32>, &Vector3<f32>),
        gradient: &mut [f32],
    ) {
        let mut k = carrier;
        while k != 0 {
            let ([parent, slides, variable, multiplier], frame) = (self.frames[(k - 1) * FRAME_STRIDE + 3], &placed[k]);
            let axis = frame.column(2);
            let velocity = if slides < 0.5 { axis.cross(&(point - frame.origin())) } else { axis };
            gradient[index(variable)] += multiplier * scalar(force, &velocity);
            k = index(parent);
        }
    }
}
