//! How many questions narrow passages take: worlds whose answers are in closed form, planned with many seeds.
//!
//!     cargo bench -p kinetic-planning --bench narrow -- [--seeds 200] [--json]
//!
//! Counts depend on no clock. `--json` also prints the worlds, for planners of other libraries (`benches/narrow_peers.py`).
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]
#![allow(dead_code, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "worlds of the tests; places")]

#[path = "../tests/worlds.rs"]
mod worlds;

use kinetic_planning::{Algorithm, Problem, RrtConnect};
use worlds::{Obstacle, Query, World, bent_tunnel, boxed, cube, iterations, problem_set, wall_with_gap};

/// Iterations of one search.
const BUDGET: u64 = 300_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seeds =
        arguments.iter().position(|word| word == "--seeds").map_or(200, |at| arguments[at + 1].parse().unwrap());
    let rows: Vec<(Query, Vec<u64>, usize)> = queries().into_iter().map(|query| measured(query, seeds)).collect();
    if arguments.iter().any(|word| word == "--json") {
        let rows: Vec<String> = rows.iter().map(|(query, counts, failed)| json(query, counts, *failed)).collect();
        println!("[{}]", rows.join(",\n"));
        return;
    }
    println!("| world | median | 90 % | most | unsolved |\n|---|---|---|---|---|");
    for (query, counts, failed) in &rows {
        let at = |part: f64| counts[((counts.len() - 1) as f64 * part) as usize];
        println!("| {} | {} | {} | {} | {failed} |", query.name, at(0.5), at(0.9), at(1.0));
    }
}

/// The questions of each seed in order, and how many seeds found nothing.
fn measured(query: Query, seeds: u64) -> (Query, Vec<u64>, usize) {
    let mut failed = 0;
    let mut counts: Vec<u64> = (0..seeds)
        .map(|seed| {
            let mut world = query.world.clone();
            let problem = Problem::new(&query.space, &query.start, &query.goals, seed).unwrap();
            let plan = RrtConnect::default().plan(&problem, &mut world, &iterations(BUDGET));
            failed += usize::from(plan.is_err());
            world.checks
        })
        .collect();
    counts.sort_unstable();
    (query, counts, failed)
}

fn queries() -> Vec<Query> {
    let square = |name, world| Query { name, world, ..problem_set().swap_remove(1) };
    let mut queries = vec![
        square("gap of 0.3", wall_with_gap(1.5, 0.3)),
        square("gap of 0.1", wall_with_gap(1.5, 0.1)),
        square("gap of 0.03", wall_with_gap(1.5, 0.03)),
        Query { start: vec![-2.5, -2.5], ..square("start in a bent tunnel", bent_tunnel()) },
    ];
    queries.extend(problem_set().into_iter().filter(|query| ["corridor", "open box"].contains(&query.name)));
    queries.push(slot("long slot of 0.2, 2 joints", 2, 0.2, 2.0));
    queries.push(slot("long slot of 0.05, 2 joints", 2, 0.05, 2.0));
    queries.push(slot("slot of 0.2, 4 joints", 4, 0.2, 1.0));
    queries.push(slot("long slot of 0.3, 7 joints", 7, 0.3, 2.0));
    queries
}

/// A wall of a thickness with a slot of a width in the second joint.
fn slot(name: &'static str, dof: usize, width: f64, thickness: f64) -> Query {
    const AT: f64 = 0.8;
    let block = |from: f64, to: f64| {
        let (mut low, mut high) = (vec![-4.0; dof], vec![4.0; dof]);
        (low[0], high[0], low[1], high[1]) = (-0.5 * thickness, 0.5 * thickness, from, to);
        boxed(&low, &high)
    };
    let world = World::new(vec![block(-4.0, AT - 0.5 * width), block(AT + 0.5 * width, 4.0)]);
    let (mut start, mut goal) = (vec![-1.0; dof], vec![-1.0; dof]);
    (start[0], goal[0]) = (-2.5, 2.5);
    Query { name, space: cube(dof, 3.0), world, start, goals: vec![goal.into()] }
}

fn json(query: &Query, counts: &[u64], failed: usize) -> String {
    let boxes: Vec<String> = query
        .world
        .obstacles
        .iter()
        .map(|obstacle| match obstacle {
            Obstacle::Box { low, high } => format!("[{low:?}, {high:?}]"),
            Obstacle::Ball { .. } => unreachable!("worlds of boxes"),
        })
        .collect();
    format!(
        r#"{{"name": "{}", "half": {}, "boxes": [{}], "start": {:?}, "goal": {:?}, "questions": {counts:?}, "unsolved": {failed}}}"#,
        query.name,
        query.space.upper()[0],
        boxes.join(", "),
        query.start,
        &*query.goals[0],
    )
}
