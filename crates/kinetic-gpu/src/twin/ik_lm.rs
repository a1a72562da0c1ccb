//! Twin of `shaders/ik_lm.wgsl` with `shaders/ik_pose.wgsl` or `shaders/ik_clearance.wgsl`.

use nalgebra::Vector3;

use super::fk_collide::{SceneArrays, Tightest};
use super::kinematics::{PlacedFrame, index, place_frames, scalar};
use crate::layout::{
    CLEAR_SLACK, FIRST_DAMPING, FRAME_STRIDE, Four, HALF_TURN, LEAST_DAMPING, MOST_DAMPING, SOLVED_COST, UNBOUNDED,
};

/// Elements of the pose of a target.
pub(crate) const POSE_ROWS: usize = 3;

/// Residuals: three of the position, three of the rotation, one of the clearance.
const ROWS: usize = 7;
/// Residuals without a scene.
const POSE_RESIDUALS: usize = 6;

/// The arrays of an arm, as the shader sees them, and the sizes that steer it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArmArrays<'a> {
    pub(crate) frames: &'a [Four],
    /// The rows of `frame_from_tip`, then its frame.
    pub(crate) tip: &'a [Four],
    /// Lower and upper limit.
    pub(crate) limits: &'a [Four],
    pub(crate) iterations: usize,
    pub(crate) random_seed: u32,
    /// The scene, and the iterations that look at the clearance in it.
    pub(crate) scene: Option<(SceneArrays<'a>, usize)>,
}

/// Intermediate results of a thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct IkMemory {
    placed: Vec<PlacedFrame>,
    q: Vec<f32>,
    weights: Vec<f32>,
    columns: Vec<[Vector3<f32>; 2]>,
    /// Derivatives of the slack.
    slopes: Vec<f32>,
    /// The tightest pair, while the clearance is looked at.
    tightest: Option<Tightest>,
}

#[derive(Debug, Clone, Copy)]
struct TipError {
    linear: Vector3<f32>,
    angular: Vector3<f32>,
    /// Clearance that is missing, m.
    missing: f32,
    cost: f32,
}

impl TipError {
    fn residuals(&self) -> [f32; ROWS] {
        let (l, a) = (&self.linear, &self.angular);
        [l.x, l.y, l.z, a.x, a.y, a.z, self.missing]
    }
}

impl ArmArrays<'_> {
    /// The answer from one start of a target (its rows, then its first start): squared error, then the configuration.
    pub(crate) fn answer(&self, target: &[Four], (pose, start): (u32, u32), memory: &mut IkMemory, out: &mut [f32]) {
        let (cost, best) = out.split_at_mut(1);
        memory.placed.resize(self.frames.len() / FRAME_STRIDE + 1, PlacedFrame::root());
        memory.weights.resize(best.len(), 1.0);
        memory.columns.resize(best.len(), [Vector3::zeros(); 2]);
        memory.slopes.resize(best.len(), 0.0);
        memory.q = (0..best.len()).map(|variable| self.start_value(target, (pose, start), variable)).collect();
        best.copy_from_slice(&memory.q);
        let clear_iterations = self.scene.map_or(0, |(_, iterations)| iterations);
        let mut keeps_clear = clear_iterations > 0;
        let mut error = self.place(target, keeps_clear, memory);
        let (mut damping, mut is_new) = (FIRST_DAMPING, true);
        for iteration in 0..self.iterations {
            if error.cost < SOLVED_COST {
                break;
            }
            if keeps_clear && iteration == clear_iterations {
                keeps_clear = false;
                memory.q.copy_from_slice(best);
                error = self.place(target, keeps_clear, memory);
                (damping, is_new) = (FIRST_DAMPING, true);
            }
            if is_new {
                self.fill_jacobian(&error, memory);
                self.weigh(best, &error, memory);
            }
            self.step(best, &self.solve(memory, &error, damping), memory);
            let tried = self.place(target, keeps_clear, memory);
            is_new = tried.cost < error.cost;
            if is_new {
                best.copy_from_slice(&memory.q);
                error = tried;
                damping = (damping * 0.2).max(LEAST_DAMPING);
            } else {
                damping = (damping * 5.0).min(MOST_DAMPING);
            }
        }
        cost[0] = error.cost;
    }

    fn start_value(&self, target: &[Four], (pose, start): (u32, u32), variable: usize) -> f32 {
        let [lower, upper, ..] = self.limits[variable];
        if start == 0 {
            return target[POSE_ROWS + variable / 4][variable % 4];
        }
        let bits = hash(variable as u32 ^ hash(start ^ hash(pose ^ hash(self.random_seed))));
        let unit = (bits >> 8) as f32 * 0.000_000_059_604_645;
        if upper - lower < UNBOUNDED {
            return lower + (upper - lower) * unit;
        }
        let (low, high) = (lower.max(-HALF_TURN), upper.min(HALF_TURN));
        low + (high - low) * unit
    }

    fn tip(&self, memory: &IkMemory) -> PlacedFrame {
        memory.placed[index(self.tip[3][0])].fixed_in(self.tip)
    }

    /// Places the frames; offset, and axis times twice the sine of half the angle, from the tip to the target.
    fn place(&self, target: &[Four], keeps_clear: bool, memory: &mut IkMemory) -> TipError {
        place_frames(self.frames, &memory.q, &mut memory.placed);
        let (tip, wanted) = (self.tip(memory), PlacedFrame::of_rows(&target[..POSE_ROWS]));
        let [x, y, z] = [0, 1, 2].map(|axis| tip.column(axis).cross(&wanted.column(axis)));
        let trace = tip.trace_with(&wanted);
        let linear = wanted.origin() - tip.origin();
        let angular = (x + y + z) * (0.5 * (2.0 / (0.5 * (trace + 1.0)).max(0.000_001)).sqrt());
        let scene = self.scene.filter(|_| keeps_clear);
        memory.tightest = scene.map(|(scene, _)| scene.tightest(&memory.placed));
        let missing = memory.tightest.as_ref().map_or(0.0, |pair| (CLEAR_SLACK - pair.slack).max(0.0));
        let cost = scalar(&linear, &linear) + scalar(&angular, &angular) + missing * missing;
        TipError { linear, angular, missing, cost }
    }

    fn fill_jacobian(&self, error: &TipError, memory: &mut IkMemory) {
        memory.columns.fill([Vector3::zeros(); 2]);
        memory.slopes.fill(0.0);
        let tip = self.tip(memory).origin();
        for (frame, rows) in memory.placed[1..].iter().zip(self.frames.chunks_exact(FRAME_STRIDE)) {
            let [_, slides, variable, multiplier] = rows[3];
            let z = frame.column(2) * multiplier;
            let [linear, angular] = &mut memory.columns[index(variable)];
            if slides > 0.5 {
                *linear += z;
            } else {
                *linear += z.cross(&(tip - frame.origin()));
                *angular += z;
            }
        }
        if let (true, Some((scene, _)), Some(pair)) = (error.missing > 0.0, self.scene, &memory.tightest) {
            scene.add_gradients(&memory.placed, pair, &mut memory.slopes);
        }
    }

    fn weigh(&self, q: &[f32], error: &TipError, memory: &mut IkMemory) {
        for (variable, [linear, angular]) in memory.columns.iter().enumerate() {
            let slope = scalar(linear, &error.linear)
                + scalar(angular, &error.angular)
                + memory.slopes[variable] * error.missing;
            let [lower, upper, ..] = self.limits[variable];
            let is_held = (q[variable] <= lower && slope < 0.0) || (q[variable] >= upper && slope > 0.0);
            memory.weights[variable] = if is_held { 0.0 } else { 1.0 };
        }
    }

    /// The solution of (J W J' + damping) y = e by Cholesky's method.
    fn solve(&self, memory: &IkMemory, error: &TipError, damping: f32) -> [f32; ROWS] {
        let rows = if self.scene.is_some() { ROWS } else { POSE_RESIDUALS };
        let mut m = [[0.0; ROWS]; ROWS];
        (0..rows).for_each(|i| m[i][i] = damping);
        for (([l, a], slope), weight) in memory.columns.iter().zip(&memory.slopes).zip(&memory.weights) {
            let column = [l.x, l.y, l.z, a.x, a.y, a.z, *slope];
            for i in 0..rows {
                for j in 0..=i {
                    m[i][j] += weight * column[i] * column[j];
                }
            }
        }
        let mut y = error.residuals();
        for i in 0..rows {
            for j in 0..=i {
                let sum = (0..j).fold(m[i][j], |sum, k| sum - m[i][k] * m[j][k]);
                m[i][j] = if i == j { sum.max(0.000_000_000_001).sqrt() } else { sum / m[j][j] };
            }
            y[i] = (0..i).fold(y[i], |sum, k| sum - m[i][k] * y[k]) / m[i][i];
        }
        for i in (0..rows).rev() {
            y[i] = (i + 1..rows).fold(y[i], |sum, k| sum - m[k][i] * y[k]) / m[i][i];
        }
        y
    }

    fn step(&self, q: &[f32], y: &[f32; ROWS], memory: &mut IkMemory) {
        let (linear, angular) = (Vector3::new(y[0], y[1], y[2]), Vector3::new(y[3], y[4], y[5]));
        for (variable, column) in memory.columns.iter().enumerate() {
            let along = scalar(&column[0], &linear) + scalar(&column[1], &angular) + memory.slopes[variable] * y[6];
            let [lower, upper, ..] = self.limits[variable];
            memory.q[variable] = (q[variable] + memory.weights[variable] * along).max(lower).min(upper);
        }
    }
}

/// PCG (O'Neill 2014) as a hash (Jarzynski and Olano 2020).
fn hash(value: u32) -> u32 {
    let state = value.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}
