//! Seeds of many problems on a device.

use std::sync::Arc;

use kinetic_scene::SplineProposal;

use super::dispatch_group::{DispatchGroup, Room, lane_floats};
use super::problem::SplineProblem;
use super::text;
use super::work::{Part, Work};
use crate::adapter::AdapterKind;
use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
use crate::layout::{FAR, MEMORY, NO_SCENE};

/// Buffers that the shader reads: sizes, robots, plans and seeds, worlds, fields.
const TRAJOPT_INPUTS: usize = 5;
/// Iterations of a dispatch at most, so that calls can be ended.
const ITERATIONS_PER_DISPATCH: usize = 10;
/// Samples that a dispatch looks at on GPUs with memory of their own, so that it ends long before the watchdogs of drivers.
const MAX_SAMPLES: usize = 1 << 20;
/// Samples of a dispatch on other hardware, which is slower by an order of magnitude.
const MAX_SAMPLES_OF_INTEGRATED: usize = 1 << 17;
/// Samples of a dispatch on a software adapter.
const MAX_SAMPLES_OF_SOFTWARE: usize = 1 << 13;

/// One workgroup per seed, and in a dispatch seeds of several problems, each in its scene.
#[derive(Debug)]
pub(super) struct GpuDescent {
    kernel: Kernel,
    /// The problems whose scenes are on the device, with their first elements in the arrays of robots, worlds and fields. None after an
    /// upload that failed half-way.
    resident: Vec<(Arc<SplineProblem>, [usize; 3])>,
}

impl GpuDescent {
    /// Compiles the shader, which takes drivers up to seconds.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn new(device: &Arc<GpuDevice>) -> GpuResult<Self> {
        let mut kernel = Kernel::new(device, "trajopt", &text(), TRAJOPT_INPUTS)?;
        // Some drivers compile at the first dispatch: one without anything to compute.
        kernel.upload(0, &[NO_SCENE as u32])?;
        (1..TRAJOPT_INPUTS).try_for_each(|binding| kernel.upload::<f32>(binding, &[]))?;
        kernel.reserve(1, &[1, 1])?;
        kernel.advance(1)?;
        Ok(Self { kernel, resident: Vec::new() })
    }

    pub(super) fn device(&self) -> &Arc<GpuDevice> {
        self.kernel.device()
    }

    /// Optimises all seeds of some parts. Errors of the device are those of all parts that it has not finished.
    pub(super) fn run(&mut self, parts: &[Part<'_>]) -> Vec<GpuResult<Vec<SplineProposal>>> {
        let mut works: Vec<Work<'_>> = parts.iter().map(Work::new).collect();
        let mut next = (0, 0);
        while let Some(first) = works.get(next.0) {
            let room = self.room(&first.problem);
            let group = DispatchGroup::take(&works, &mut next, room);
            if let Err(error) = self.descend(&group, &mut works) {
                group.pieces.iter().for_each(|piece| works[piece.work].fail(&error));
            }
        }
        works.into_iter().map(Work::finish).collect()
    }

    /// All iterations of a group.
    fn descend(&mut self, group: &DispatchGroup, works: &mut [Work<'_>]) -> GpuResult<()> {
        let Some(first) = group.problems.first() else { return Ok(()) };
        let firsts = self.upload(&group.problems)?;
        self.kernel.upload(2, &group.plans_and_seeds(works))?;
        let (sizes, seeds, iterations) = (first.sizes, group.seeds(), first.options.iterations as usize);
        let lanes = seeds * self.device().lanes() as usize;
        let scratch = [seeds * sizes.state_floats(), lanes * lane_floats(first)];
        self.kernel.reserve(seeds * sizes.answer_floats(), &scratch)?;
        let most = group.problems.iter().map(|problem| self.iterations_of_dispatch(problem)).min();
        let (most, mut answers) = (most.unwrap_or(1), Vec::new());
        for done in (0..iterations).step_by(most) {
            let going_on = group.pieces.iter().filter(|piece| works[piece.work].goes_on(done as u64)).count();
            if going_on == 0 {
                return Ok(());
            }
            let steps = [most.min(iterations - done) as u32, u32::from(done == 0)];
            self.kernel.upload(0, &group.sizes(works, &firsts, lanes, steps))?;
            if done + most < iterations {
                self.kernel.advance(seeds)?;
            } else {
                self.kernel.run_groups(seeds, seeds * sizes.answer_floats(), &mut answers)?;
            }
        }
        let mut rest = &answers[..];
        for piece in &group.pieces {
            let (own, others) = rest.split_at(piece.seeds.len() * sizes.answer_floats());
            let work = &mut works[piece.work];
            work.add(own);
            if own.chunks_exact(sizes.answer_floats()).any(|answer| answer[1] <= -FAR) {
                work.fail(&self.device().unfinished(work.problem.snapshot.packed.num_obstacles()));
            }
            rest = others;
        }
        Ok(())
    }

    /// Brings the scenes of problems to the device, where it has not all of them; their first elements in the arrays.
    ///
    /// # Errors
    /// As [`Kernel::upload`].
    pub(super) fn upload(&mut self, problems: &[Arc<SplineProblem>]) -> GpuResult<Vec<[usize; 3]>> {
        if let Some(firsts) = problems.iter().map(|problem| self.firsts_of(problem)).collect() {
            return Ok(firsts);
        }
        self.resident.clear();
        let (mut robots, mut worlds, mut fields) = (Vec::new(), Vec::new(), Vec::new());
        let mut firsts = Vec::with_capacity(problems.len());
        for scene in problems.iter().map(|problem| &problem.snapshot.packed) {
            firsts.push([robots.len(), worlds.len(), fields.len()]);
            robots.extend(scene.robot_elements());
            worlds.extend(scene.world_elements());
            fields.extend_from_slice(&scene.fields);
        }
        self.kernel.upload(1, &robots)?;
        self.kernel.upload(3, &worlds)?;
        self.kernel.upload(4, &fields)?;
        self.resident = problems.iter().cloned().zip(firsts.iter().copied()).collect();
        Ok(firsts)
    }

    fn firsts_of(&self, problem: &Arc<SplineProblem>) -> Option<[usize; 3]> {
        let resident = self.resident.iter().find(|(resident, _)| Arc::ptr_eq(resident, problem));
        resident.map(|(_, firsts)| *firsts)
    }

    /// Samples that a dispatch looks at, at most.
    fn samples_of_dispatch(&self) -> usize {
        match self.device().info().kind {
            AdapterKind::DiscreteGpu => MAX_SAMPLES,
            AdapterKind::Software => MAX_SAMPLES_OF_SOFTWARE,
            _ => MAX_SAMPLES_OF_INTEGRATED,
        }
    }

    /// What ends in time and, on a software adapter, before its loops do: where few pairs are near, half of them are for those.
    fn iterations_of_dispatch(&self, problem: &SplineProblem) -> usize {
        let lanes = self.device().lanes() as usize;
        let samples_of_lane = problem.sizes.samples().div_ceil(lanes);
        let loops = loops_of_descent(problem, lanes) + 2 * samples_of_lane * problem.snapshot.packed.loops_per_query();
        let most = (self.device().max_loops() / loops).min(ITERATIONS_PER_DISPATCH);
        (self.samples_of_dispatch() / problem.sizes.samples()).min(most).max(1)
    }

    /// What ends in time and buffers hold.
    fn room(&self, problem: &SplineProblem) -> Room {
        let samples = problem.sizes.samples() * self.iterations_of_dispatch(problem);
        Room {
            seeds: self.samples_of_dispatch() / samples,
            floats: usize::try_from(self.device().max_buffer_bytes()).unwrap_or(usize::MAX) / size_of::<f32>(),
            lanes: self.device().lanes() as usize,
        }
    }
}

/// Loops of a lane in an iteration that do not look at the scene: the two-loop recursion with its sums, products with the inverse of the
/// metric, what samples push control points, and the samples of the spline.
fn loops_of_descent(problem: &SplineProblem, lanes: usize) -> usize {
    let sizes = problem.sizes;
    let (variables, samples) = (sizes.variables().div_ceil(lanes), sizes.samples().div_ceil(lanes));
    let recursion = 2 * MEMORY * (8 + 2 * variables) + 100;
    recursion + variables * (2 * sizes.control_points + 4 * sizes.per_interval + 20) + samples * 6 * (sizes.dof + 1)
}
