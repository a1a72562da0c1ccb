//! Queries whose shortest paths are known: in closed form, or by a visibility graph.

use std::f64::consts::{FRAC_PI_3, PI};

use kinetic_core::rng::SeededRng;
use kinetic_planning::Space;

use crate::worlds::{Obstacle, Query, World, boxed, cube};

pub(crate) fn query(name: &'static str, space: Space, world: World, start: &[f64], goal: &[f64]) -> Query {
    Query { name, space, world, start: start.to_vec(), goals: vec![goal.into()] }
}

/// Around a wall by its two upper corners.
pub(crate) fn wall() -> (Query, f64) {
    let world = World::new(vec![boxed(&[-0.2, -4.0], &[0.2, 1.0])]);
    let shortest = 2.0 * (1.8_f64.powi(2) + 2.0_f64.powi(2)).sqrt() + 0.4;
    (query("wall", cube(2, 3.0), world, &[-2.0, -1.0], &[2.0, -1.0]), shortest)
}

/// Around a ball in the middle: two tangents of √3 and a sixth of the circle, whatever the dimension.
pub(crate) fn ball(dof: usize) -> (Query, f64) {
    let world = World::new(vec![Obstacle::Ball { centre: vec![0.0; dof], radius: 1.0 }]);
    let (mut start, mut goal) = (vec![0.0; dof], vec![0.0; dof]);
    (start[0], goal[0]) = (-2.0, 2.0);
    (query("ball", cube(dof, 3.0), world, &start, &goal), 2.0 * 3.0_f64.sqrt() + FRAC_PI_3)
}

/// Around a ball of radius 2 from 2.2 before it to 2.2 behind it: two tangents and the arc between them, whatever the dimension.
pub(crate) fn large_ball(dof: usize) -> (Query, f64) {
    let (radius, distance) = (2.0_f64, 2.2_f64);
    let world = World::new(vec![Obstacle::Ball { centre: vec![0.0; dof], radius }]);
    let (mut start, mut goal) = (vec![0.0; dof], vec![0.0; dof]);
    (start[0], goal[0]) = (-distance, distance);
    let tangent = (distance * distance - radius * radius).sqrt();
    let shortest = 2.0 * tangent + radius * (PI - 2.0 * (radius / distance).acos());
    (query("large ball", cube(dof, 3.0), world, &start, &goal), shortest)
}

/// A maze of walls at random places across a square, from left to right, with its shortest path; `None` where it has none, or
/// where the shortest passes a gap so narrow that samples are rare in it: finding that is another matter than shortening.
pub(crate) fn maze(seed: u64) -> Option<(Query, f64)> {
    let mut rng = SeededRng::new(seed);
    let mut boxes = Vec::new();
    for column in 0..4 {
        let x = -1.8 + f64::from(column) * 1.2;
        let gap = rng.uniform(-2.2, 2.2);
        boxes.push(([x - 0.1, -4.0], [x + 0.1, gap - 0.3]));
        boxes.push(([x - 0.1, gap + 0.3], [x + 0.1, 4.0]));
    }
    for _ in 0..6 {
        let (x, y) = (rng.uniform(-2.5, 2.5), rng.uniform(-2.5, 2.5));
        boxes.push(([x - 0.2, y - 0.2], [x + 0.2, y + 0.2]));
    }
    let (start, goal) = ([-2.8, rng.uniform(-2.5, 2.5)], [2.8, rng.uniform(-2.5, 2.5)]);
    let shortest = visibility_graph(&boxes, start, goal, 3.0)?;
    let wider = |(low, high): &([f64; 2], [f64; 2])| (low.map(|value| value - 0.08), high.map(|value| value + 0.08));
    let wider: Vec<_> = boxes.iter().map(wider).collect();
    if visibility_graph(&wider, start, goal, 3.0)? > 1.05 * shortest {
        return None;
    }
    let world = World::new(boxes.iter().map(|(low, high)| boxed(low, high)).collect());
    Some((query("maze", cube(2, 3.0), world, &start, &goal), shortest))
}

/// Length of the shortest path among boxes inside a square, by Dijkstra's algorithm (1959) on the visibility graph of their
/// corners: shortest paths among polygons turn at corners only (Lozano-Pérez and Wesley 1979). `None` where there is none.
pub(crate) fn visibility_graph(
    boxes: &[([f64; 2], [f64; 2])],
    start: [f64; 2],
    goal: [f64; 2],
    half: f64,
) -> Option<f64> {
    visibility_graph_in(boxes, [start, goal], half, f64::hypot)
}

/// As [`visibility_graph`], in any norm: a straight line is a shortest one in all of them.
pub(crate) fn visibility_graph_in(
    boxes: &[([f64; 2], [f64; 2])],
    [start, goal]: [[f64; 2]; 2],
    half: f64,
    norm: impl Fn(f64, f64) -> f64,
) -> Option<f64> {
    // Corners are moved outwards by this much, so that they see along their own sides.
    const OUTWARDS: f64 = 1e-9;
    let corners = boxes.iter().flat_map(|(low, high)| {
        let (low, high) = (low.map(|value| value - OUTWARDS), high.map(|value| value + OUTWARDS));
        [low, high, [low[0], high[1]], [high[0], low[1]]]
    });
    let is_free =
        |p: &[f64; 2]| p.iter().all(|value| value.abs() <= half) && !boxes.iter().any(|it| crosses(it, *p, *p));
    let points: Vec<[f64; 2]> = [start, goal].into_iter().chain(corners).filter(is_free).collect();
    if points.first() != Some(&start) || points.get(1) != Some(&goal) {
        return None;
    }
    let mut costs = vec![f64::INFINITY; points.len()];
    let mut is_done = vec![false; points.len()];
    costs[0] = 0.0;
    loop {
        let open = (0..points.len()).filter(|index| !is_done[*index] && costs[*index].is_finite());
        let next = open.min_by(|a, b| costs[*a].total_cmp(&costs[*b]))?;
        if next == 1 {
            return Some(costs[1]);
        }
        is_done[next] = true;
        for other in 0..points.len() {
            if !boxes.iter().any(|it| crosses(it, points[next], points[other])) {
                let [dx, dy] = [0, 1].map(|axis| points[other][axis] - points[next][axis]);
                costs[other] = costs[other].min(costs[next] + norm(dx, dy));
            }
        }
    }
}

/// Whether a segment meets a box, by clipping (Liang and Barsky 1984).
fn crosses((low, high): &([f64; 2], [f64; 2]), from: [f64; 2], to: [f64; 2]) -> bool {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let step = to[axis] - from[axis];
        for (p, q) in [(-step, from[axis] - low[axis]), (step, high[axis] - from[axis])] {
            if p == 0.0 && q < 0.0 {
                return false;
            }
            if p < 0.0 {
                first = first.max(q / p);
            } else if p > 0.0 {
                last = last.min(q / p);
            }
        }
    }
    first <= last
}
