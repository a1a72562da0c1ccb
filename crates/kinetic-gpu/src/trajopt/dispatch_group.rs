//! Seeds of several problems as the content of the buffers of a dispatch.

use std::ops::Range;
use std::sync::Arc;

use super::problem::SplineProblem;
use super::work::Work;
use crate::layout::{NO_SCENE, PLACED_FLOATS, SPLINE_SCENE_SIZES};

/// How much a dispatch may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Seeds.
    pub(super) seeds: usize,
    /// Numbers of a buffer.
    pub(super) floats: usize,
    /// Lanes of a workgroup.
    pub(super) lanes: usize,
}

/// Seeds of a part.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) work: usize,
    pub(super) seeds: Range<usize>,
    /// Which of the problems of the group is theirs.
    problem: usize,
}

/// Seeds that go down together. Their problems have sizes in common.
#[derive(Debug, Default)]
pub(super) struct DispatchGroup {
    pub(super) problems: Vec<Arc<SplineProblem>>,
    pub(super) pieces: Vec<Piece>,
    /// Numbers of its problems in the buffers of robots, worlds, fields and plans.
    floats: [usize; 4],
}

/// Numbers of a lane in the buffer of frames: frames, and a row per joint.
pub(super) fn lane_floats(problem: &SplineProblem) -> usize {
    problem.snapshot.packed.robot.num_frames() * PLACED_FLOATS + 4 * problem.sizes.dof
}

/// Numbers of a problem in the buffers of robots, worlds, fields and plans.
fn floats_of(problem: &SplineProblem) -> [usize; 4] {
    let scene = &problem.snapshot.packed;
    let [robot, world] = scene.num_elements();
    [4 * robot, 4 * world, scene.fields.len(), problem.plan.len()]
}

impl DispatchGroup {
    /// As many as there is room for of the seeds that are left, from `next` (a part and one of its seeds) on, which moves behind them.
    /// A seed that has no room alone is in a group of its own.
    pub(super) fn take(works: &[Work<'_>], next: &mut (usize, usize), room: Room) -> Self {
        let mut group = Self::default();
        while let Some(work) = works.get(next.0) {
            let left = work.seeds().saturating_sub(next.1);
            if left == 0 || !work.is_computed() {
                *next = (next.0 + 1, 0);
                continue;
            }
            let least = usize::from(group.pieces.is_empty());
            let count = left.min(group.room_for(&work.problem, room).max(least));
            if count == 0 {
                break;
            }
            group.add(next.0, &work.problem, next.1..next.1 + count);
            next.1 += count;
        }
        group
    }

    /// Number of its seeds.
    pub(super) fn seeds(&self) -> usize {
        self.pieces.iter().map(|piece| piece.seeds.len()).sum()
    }

    fn add(&mut self, work: usize, problem: &Arc<SplineProblem>, seeds: Range<usize>) {
        let problem = self.place_of(problem).unwrap_or_else(|| {
            self.floats = self.floats_with(problem);
            self.problems.push(Arc::clone(problem));
            self.problems.len() - 1
        });
        self.pieces.push(Piece { work, seeds, problem });
    }

    fn place_of(&self, problem: &Arc<SplineProblem>) -> Option<usize> {
        self.problems.iter().position(|known| Arc::ptr_eq(known, problem))
    }

    fn floats_with(&self, problem: &SplineProblem) -> [usize; 4] {
        let more = floats_of(problem);
        std::array::from_fn(|buffer| self.floats[buffer] + more[buffer])
    }

    /// How many seeds of a problem can be added.
    fn room_for(&self, problem: &Arc<SplineProblem>, room: Room) -> usize {
        let shape = |problem: &SplineProblem| (problem.sizes, lane_floats(problem), problem.options.iterations);
        if self.problems.first().is_some_and(|first| shape(first) != shape(problem)) {
            return 0;
        }
        let floats = self.place_of(problem).map_or_else(|| self.floats_with(problem), |_| self.floats);
        if floats.iter().any(|floats| *floats > room.floats) {
            return 0;
        }
        let sizes = problem.sizes;
        let largest = sizes.state_floats().max(room.lanes * lane_floats(problem)).max(sizes.answer_floats());
        let seeds = (room.floats - floats[3]) / sizes.seed_floats();
        room.seeds.min(room.floats / largest).min(seeds).saturating_sub(self.seeds())
    }

    /// Plans of the problems, then the seeds.
    pub(super) fn plans_and_seeds(&self, works: &[Work<'_>]) -> Vec<f32> {
        let plans = self.problems.iter().map(|problem| &problem.plan[..]);
        let seeds = self.pieces.iter().map(|piece| works[piece.work].packed(piece.seeds.clone()));
        plans.chain(seeds).collect::<Vec<_>>().concat()
    }

    /// What the shader reads as `sizes`: for each seed the place of the sizes of its scene, then those. `firsts` are the first elements of
    /// each problem in the arrays of robots, worlds and fields, and `steps` iterations and whether they are the first ones.
    pub(super) fn sizes(&self, works: &[Work<'_>], firsts: &[[usize; 3]], lanes: usize, steps: [u32; 2]) -> Vec<u32> {
        let seeds = self.seeds();
        let mut all = Vec::with_capacity(seeds + SPLINE_SCENE_SIZES * self.problems.len());
        for piece in &self.pieces {
            let at = seeds + SPLINE_SCENE_SIZES * piece.problem;
            let at = if works[piece.work].is_computed() { at } else { NO_SCENE };
            all.extend(piece.seeds.clone().map(|_| at as u32));
        }
        let seeds_at = self.problems.iter().map(|problem| problem.plan.len()).sum();
        let mut plan_at = 0;
        for (problem, [robot, world, fields]) in self.problems.iter().zip(firsts) {
            all.extend(scene_sizes(problem, lanes, steps, [seeds_at, *robot, *world, *fields, plan_at]));
            plan_at += problem.plan.len();
        }
        all
    }
}

/// Sizes of a scene for the shader, in its order. `firsts` are the first elements of all seeds, of the robot, world and fields, and of
/// the plan.
fn scene_sizes(
    problem: &SplineProblem,
    lanes: usize,
    steps: [u32; 2],
    [seeds_at, robot, world, fields, plan]: [usize; 5],
) -> impl Iterator<Item = u32> {
    let sizes = problem.sizes;
    let of_scene = problem.snapshot.packed.sizes(lanes, sizes.answer_floats());
    let steps = [sizes.control_points as u32, sizes.per_interval as u32].into_iter().chain(steps);
    let places = [sizes.joints_at(), sizes.inverse_at(), seeds_at, sizes.seed_floats(), sizes.state_floats()];
    let counts = [sizes.variables(), sizes.samples(), robot, world, fields, plan];
    let places = places.into_iter().chain(counts).map(|size| size as u32);
    of_scene.into_iter().chain(steps).chain(places)
}
