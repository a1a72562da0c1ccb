//! Twin of `shaders/trajopt.wgsl`: L-BFGS (Liu and Nocedal 1989) on the control points of a spline.

use super::reduction::{Lanes, dot, reduced};
use super::spline_cost::{SampleRows, SplineArrays};
use crate::layout::{JOINT_FLOATS, LEAST_CURVATURE, MAX_LANES, MEMORY, SPLINE_HEAD};

/// The state of a seed.
#[derive(Debug, Clone)]
pub(crate) struct SplineDescent<'a> {
    arrays: SplineArrays<'a>,
    samples: SampleRows,
    x: Vec<f32>,
    gradient: Vec<f32>,
    change: Vec<f32>,
    difference: Vec<f32>,
    direction: Vec<f32>,
    product: Vec<f32>,
    steps: Vec<f32>,
    differences: Vec<f32>,
    inverses: [f32; MEMORY],
    next: usize,
    answer: Vec<f32>,
}

impl<'a> SplineDescent<'a> {
    /// At the first deviation of the seed.
    pub(crate) fn new(arrays: SplineArrays<'a>, num_frames: usize) -> Self {
        let n = arrays.sizes.variables();
        let zeros = || vec![0.0; n];
        let first = (arrays.sizes.control_points + 2) * arrays.sizes.dof;
        let x = arrays.seed[first..first + n].to_vec();
        Self {
            arrays,
            samples: arrays.rows(num_frames),
            answer: [&[0.0; SPLINE_HEAD], &x[..]].concat(),
            x,
            gradient: zeros(),
            change: zeros(),
            difference: zeros(),
            direction: zeros(),
            product: zeros(),
            steps: vec![0.0; n * MEMORY],
            differences: vec![0.0; n * MEMORY],
            inverses: [0.0; MEMORY],
            next: 0,
        }
    }

    /// At most so many iterations; cost, least slack, iterations and whether all samples are free, then the deviation.
    pub(crate) fn run(mut self, iterations: u32) -> Vec<f32> {
        for iteration in 0..iterations {
            if self.iterate(iteration == 0) {
                break;
            }
        }
        self.answer
    }

    /// Cost, least slack and gradient of the deviation that it is at.
    #[cfg(test)]
    pub(crate) fn evaluated(mut self) -> ([f32; 2], Vec<f32>) {
        (self.evaluate(), self.gradient)
    }

    fn evaluate(&mut self) -> [f32; 2] {
        self.arrays.evaluate(&self.x, &mut self.samples, [&mut self.gradient, &mut self.difference])
    }

    /// True when the trajectory is free.
    fn iterate(&mut self, is_first: bool) -> bool {
        let [cost, slack] = self.evaluate();
        let is_free = slack > self.arrays.plan[1];
        self.answer[2] += 1.0;
        if is_first || is_free || cost < self.answer[0] {
            (self.answer[0], self.answer[1]) = (cost, slack);
            self.answer[SPLINE_HEAD..].copy_from_slice(&self.x);
        }
        if is_free {
            self.answer[3] = 1.0;
            return true;
        }
        self.remember();
        self.find_direction();
        self.step();
        false
    }

    fn slot(&self, slot: usize) -> std::ops::Range<usize> {
        slot * self.x.len()..(slot + 1) * self.x.len()
    }

    /// Remembers the last change, where the curvature along it is positive; the change before the first step is zero.
    fn remember(&mut self) {
        let curvature = dot(&self.change, &self.difference);
        let lengths = dot(&self.change, &self.change).sqrt() * dot(&self.difference, &self.difference).sqrt();
        if curvature > LEAST_CURVATURE * lengths {
            let place = self.slot(self.next);
            self.steps[place.clone()].copy_from_slice(&self.change);
            self.differences[place].copy_from_slice(&self.difference);
            self.inverses[self.next] = 1.0 / curvature;
            self.next = (self.next + 1) % MEMORY;
        }
    }

    /// The two-loop recursion (Nocedal and Wright 2006, algorithm 7.4). What is not yet known has an inverse curvature of 0, and adds
    /// nothing.
    fn find_direction(&mut self) {
        self.direction.iter_mut().zip(&self.gradient).for_each(|(to, from)| *to = -from);
        let mut shares = [0.0; MEMORY];
        for age in 1..=MEMORY {
            let slot = (self.next + MEMORY - age) % MEMORY;
            let place = self.slot(slot);
            shares[slot] = self.inverses[slot] * dot(&self.steps[place.clone()], &self.direction);
            add(&mut self.direction, -shares[slot], &self.differences[place]);
        }
        let scale = self.scale();
        for variable in 0..self.x.len() {
            self.product[variable] = scale * self.preconditioned(variable, &self.direction);
        }
        for age in (1..=MEMORY).rev() {
            let slot = (self.next + MEMORY - age) % MEMORY;
            let place = self.slot(slot);
            let back = self.inverses[slot] * dot(&self.differences[place.clone()], &self.product);
            add(&mut self.product, shares[slot] - back, &self.steps[place]);
        }
    }

    /// The scale of the initial inverse Hessian that fits the last change; 1 where none is known.
    fn scale(&self) -> f32 {
        let slot = (self.next + MEMORY - 1) % MEMORY;
        let difference = &self.differences[self.slot(slot)];
        let mut lanes: Lanes = [[0.0; 2]; MAX_LANES];
        for (variable, value) in difference.iter().enumerate() {
            lanes[variable % MAX_LANES][0] += value * self.preconditioned(variable, difference);
        }
        let length = self.inverses[slot] * reduced(lanes)[0];
        if length > 0.0 { 1.0 / length } else { 1.0 }
    }

    /// A row of the initial inverse Hessian, up to its scale, times a vector.
    fn preconditioned(&self, variable: usize, vector: &[f32]) -> f32 {
        let sizes = self.arrays.sizes;
        let (row, joint) = (variable / sizes.dof, variable % sizes.dof);
        let first = sizes.inverse_at() + row * sizes.control_points;
        let mut sum = 0.0;
        for column in 0..sizes.control_points {
            sum += self.arrays.plan[first + column] * vector[column * sizes.dof + joint];
        }
        sum * self.arrays.plan[sizes.joints_at() + JOINT_FLOATS * joint + 2]
    }

    /// One step, no control point farther than the options say, inside the bounds of the joints.
    fn step(&mut self) {
        let (sizes, plan) = (self.arrays.sizes, self.arrays.plan);
        let mut lanes: Lanes = [[0.0; 2]; MAX_LANES];
        for (row, change) in self.product.chunks_exact(sizes.dof).enumerate() {
            let mut squares = 0.0;
            for (joint, value) in change.iter().enumerate() {
                let weighted = value * plan[sizes.joints_at() + JOINT_FLOATS * joint];
                squares += weighted * weighted;
            }
            lanes[row % MAX_LANES][1] = lanes[row % MAX_LANES][1].max(squares);
        }
        let largest = reduced(lanes)[1].sqrt();
        let shorter = if largest > plan[2] { plan[2] / largest } else { 1.0 };
        let bounds = &self.arrays.seed[(2 * sizes.control_points + 2) * sizes.dof..];
        for variable in 0..self.x.len() {
            let (before, joint) = (self.x[variable], variable % sizes.dof);
            let base = self.arrays.seed[variable + sizes.dof];
            let [low, high] = [bounds[joint] - base, bounds[sizes.dof + joint] - base];
            self.x[variable] = (before + shorter * self.product[variable]).max(low).min(high);
            self.change[variable] = self.x[variable] - before;
        }
    }
}

fn add(to: &mut [f32], factor: f32, from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}
