//! Calls a generated solver: one request per line of standard input, one answer per line of standard output.
//!
//! Request: respect_limits, allow_refinement, max_solutions or -1, 16 numbers of the pose, how many the seed has, these,
//! and values of the self-motion or none.
//! Answer: for each solution its residual and joint values, all with the digits that give them back.

mod solver;

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.expect("text");
        let numbers: Vec<f64> = line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let pose: solver::Pose = std::array::from_fn(|row| std::array::from_fn(|column| numbers[3 + 4 * row + column]));
        let options = solver::Options {
            respect_limits: numbers[0] != 0.0,
            allow_refinement: numbers[1] != 0.0,
            max_solutions: (numbers[2] >= 0.0).then_some(numbers[2] as usize),
            q_seed: numbers[20..20 + numbers[19] as usize].try_into().ok(),
            #[cfg(swept)]
            at: Some(&numbers[20 + numbers[19] as usize..]).filter(|at| !at.is_empty()).map(|at| at.try_into().expect("values")),
            ..solver::Options::default()
        };
        match solver::explain(&pose, &options) {
            Err(error) => println!("{error:?}"),
            Ok((solutions, story)) => {
                assert_eq!(story.final_count, solutions.len());
                let rows = solutions.iter().map(|found| format!("{:?} {:?}", found.fk_residual, found.q));
                let counts = [story.raw_candidates, story.dropped_by_limits, story.dropped_by_max_solutions];
                let words: Vec<String> = std::iter::once(format!("{counts:?}")).chain(rows).collect();
                println!("{}", words.join(" ").replace(['[', ']', ','], ""));
            }
        }
    }
    // Forward kinematics agrees with itself: a solver that cannot say where its tool is would be of little use.
    assert!(solver::fk(&[0.1; solver::DOF]).iter().flatten().all(|value| value.is_finite()));
}
