//! Ways that follow the poses from where the arm stands, each step as short as it can be.

use super::Row;
use super::follower::Follower;
use super::knots::{anywhere, beside, knots, turned};
use super::way::{Setting, Way};
use crate::path::PathOptions;

/// Configurations of the first pose that are followed, beside the start or, without one, anywhere; at most.
const FIRSTS: usize = 8;
/// Steps from knot to knot at least, where there are so many poses.
const BETWEEN: usize = 4;

/// Ways through poses between which the tool moves by at most `motion`, m and rad added: from the start and from beside it,
/// or from random configurations of the first pose.
pub(super) fn ways<const D: usize>(
    setting: &Setting<'_>,
    follower: &mut Follower<'_>,
    motion: f64,
    options: &PathOptions,
) -> Vec<Way> {
    let found = match setting.start {
        Some(start) => beside::<D>(&start, &setting.targets[0], follower),
        None => anywhere(follower.chain(), &setting.targets[0], options),
    };
    let stride = found.len().div_ceil(FIRSTS).max(1);
    let others = found.iter().step_by(stride).map(|sample| turned(&sample.row, &sample.turns));
    let firsts: Vec<Row> = setting.start.into_iter().chain(others).collect();
    let knots = knots(setting.targets, motion);
    firsts.into_iter().filter_map(|first| way(setting, follower, &knots, first)).collect()
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
