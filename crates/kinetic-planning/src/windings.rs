//! Values of turning joints that are full turns apart.
//!
//! One rule for all goals. A bounded joint ends exactly at the value of a joint goal. A joint without limits ends at an
//! equivalent value: the one nearest to the start, unless the way there goes round the other side; the
//! [result](crate::PlanningResult::goal_turns) says by how many turns. Goals of a tool, and joint goals with turns, may end
//! at any full turns of bounded joints inside their limits.

use std::f64::consts::TAU;

use kinetic_core::JointValues;
use kinetic_kinematics::KinematicChain;

/// Rounding of a turned value at a limit, rad.
const LIMIT_ROUNDING_RAD: f64 = 1e-9;

/// The configurations that differ from `q` by full turns of bounded turning joints, inside the limits, nearest to `from`
/// (Euclidean) first; at most `most` of them. `q` itself need not be inside. Joints without limits stay as they are.
pub(crate) fn equivalents(chain: &KinematicChain, q: &[f64], from: &[f64], most: usize) -> Vec<JointValues> {
    // Squares of distances add up joint by joint, so that the nearest of a prefix are all that its nearest ends need.
    let mut nearest: Vec<(f64, Vec<f64>)> = vec![(0.0, Vec::with_capacity(q.len()))];
    for (joint, value) in q.iter().enumerate() {
        let values = turned(chain, joint, *value, from[joint], most);
        let longer = |(square, prefix): &(f64, Vec<f64>)| {
            let (square, prefix) = (*square, prefix.clone());
            values
                .iter()
                .map(move |value| {
                    let prefix = prefix.iter().chain([value]).copied().collect::<Vec<_>>();
                    (square + (value - from[joint]).powi(2), prefix)
                })
                .collect::<Vec<_>>()
        };
        nearest = nearest.iter().flat_map(longer).collect();
        // Stable: of equally near ones the first stays first.
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        nearest.truncate(most);
    }
    nearest.into_iter().map(|(_, q)| JointValues(q)).collect()
}

/// The equivalents of one value inside the limits, nearest to `from` first.
fn turned(chain: &KinematicChain, joint: usize, value: f64, from: f64, most: usize) -> Vec<f64> {
    let (low, high) = chain.bounds()[joint];
    if !(chain.is_rotation(joint) && low.is_finite() && high.is_finite()) {
        return vec![value];
    }
    let (first, last) =
        (((low - LIMIT_ROUNDING_RAD - value) / TAU).ceil(), ((high + LIMIT_ROUNDING_RAD - value) / TAU).floor());
    let nearest = ((from - value) / TAU).round().max(first).min(last);
    // Outwards from the nearest turn, as far as there are any.
    let outwards = (0..).map(|step: u32| f64::from(step.div_ceil(2)) * if step % 2 == 1 { 1.0 } else { -1.0 });
    let turns = outwards.map(|step| nearest + step).take(2 * most + 1).filter(|turn| (first..=last).contains(turn));
    let at = |turn: f64| if turn == 0.0 { value } else { value + turn * TAU };
    let mut values: Vec<f64> = turns.map(at).collect();
    values.sort_by(|a, b| (a - from).abs().total_cmp(&(b - from).abs()));
    values.truncate(most);
    values
}

/// By how many full turns each joint of `reached` is away from `given`.
pub(crate) fn between(given: &[f64], reached: &[f64]) -> Vec<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "a number of turns, far below what an integer holds")]
    let turns = |(given, reached): (&f64, &f64)| ((reached - given) / TAU).round() as i64;
    given.iter().zip(reached).map(turns).collect()
}

#[cfg(test)]
mod tests {
    use kinetic_core::rng::SeededRng;
    use kinetic_robot::Robot;

    use super::*;

    #[test]
    fn the_nearest_equivalents_are_those_of_all_combinations() {
        let robot = Robot::from_name("ur5e").expect("a built-in robot");
        let chain = KinematicChain::auto_detect(&robot).expect("a chain");
        let group = &robot.groups[robot.default_group];
        for seed in 0..50 {
            let mut rng = SeededRng::new(seed);
            let (q, from) = (robot.random_configuration(group, &mut rng), robot.random_configuration(group, &mut rng));
            // Every combination of -2 to 2 turns, three of which fit at most into 4π.
            let mut all = Vec::new();
            for code in 0..5_u32.pow(6) {
                let turn = |joint: u32| f64::from(code / 5_u32.pow(joint) % 5) - 2.0;
                let turned: Vec<f64> = (0..6).map(|joint| q[joint as usize] + TAU * turn(joint)).collect();
                let is_inside =
                    turned.iter().zip(chain.bounds()).all(|(value, (low, high))| (*low..=*high).contains(value));
                if is_inside {
                    all.push(turned.iter().zip(from.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt());
                }
            }
            all.sort_by(f64::total_cmp);
            let found = equivalents(&chain, &q, &from, 20);
            assert_eq!(found.len(), all.len().min(20), "seed {seed}");
            for (found, wanted) in found.iter().zip(all) {
                let distance = found.iter().zip(from.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                assert!((distance - wanted).abs() < 1e-12, "seed {seed}");
            }
        }
    }
}
