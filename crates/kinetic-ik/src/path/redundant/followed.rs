//! Ways that follow the poses from where the arm stands, each step as short as it can be.

use super::Row;
use super::follower::Follower;
use super::knots::{Sample, turned};
use super::way::{Setting, Way};

/// Configurations of the first pose that are followed, where there is no start; at most.
const FIRSTS: usize = 8;
/// Steps from knot to knot at least, where there are so many poses.
const BETWEEN: usize = 4;

/// The way with the smallest steps among those from the start or, without one, from configurations of the first pose;
/// `None` where none goes on inside the limits.
pub(super) fn best(
    setting: &Setting<'_>,
    follower: &mut Follower<'_>,
    knots: &[usize],
    firsts: &[Sample],
) -> Option<Way> {
    let stride = firsts.len().div_ceil(FIRSTS).max(1);
    let others = firsts.iter().step_by(stride).filter(|_| setting.start.is_none());
    let firsts: Vec<Row> =
        setting.start.into_iter().chain(others.map(|sample| turned(&sample.row, &sample.turns))).collect();
    let ways = firsts.into_iter().filter_map(|first| way(setting, follower, knots, first));
    ways.map(|way| (way.cost(setting), way)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, way)| way)
}

/// The way from one configuration; `None` where it does not go on inside the limits.
fn way(setting: &Setting<'_>, follower: &mut Follower<'_>, knots: &[usize], mut row: Row) -> Option<Way> {
    let mut way = Way { knots: Vec::with_capacity(knots.len()), rows: Vec::with_capacity(knots.len()) };
    let mut at = 0;
    for knot in knots {
        let stride = (knot - at).div_ceil(BETWEEN).max(1);
        while at < *knot {
            at = (at + stride).min(*knot);
            if !follower.project(&setting.targets[at], &mut row) || setting.stop.is_stopped() {
                return None;
            }
        }
        // The first pose is its own knot.
        if at == 0 && !follower.project(&setting.targets[0], &mut row) {
            return None;
        }
        way.knots.push(*knot);
        way.rows.push(row);
    }
    Some(way)
}
