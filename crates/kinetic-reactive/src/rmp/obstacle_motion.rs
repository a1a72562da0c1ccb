//! Velocities of obstacles, from the edits of a scene.
//!
//! A scene says where objects are, not how fast they move. The velocity of an object is that between its last two poses, and 0
//! once it has stood still for longer than it moved before.

use kinetic_core::Pose;
use kinetic_scene::{LiveChecker, Refresh};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// Longest time between two poses that counts as a motion, s: that of a slow camera. Longer rests say nothing about the speed now.
const LONGEST_INTERVAL_S: f64 = 0.1;
/// An object stands still after this many times the interval of its last move.
const INTERVALS_TO_REST: f64 = 2.5;
/// What is faster was put elsewhere rather than moved, m/s.
const FASTEST_MOTION_M_S: f64 = 3.0;

/// The motions of all obstacles of a scene.
#[derive(Debug, Default)]
pub(super) struct ObstacleMotions {
    tracks: Vec<Track>,
    /// Time since the policy was made, s.
    now: f64,
}

#[derive(Debug, Clone)]
struct Track {
    name: String,
    pose: Pose,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    /// When the pose was last another one, s.
    changed: f64,
    /// Time between the last two poses, s.
    interval: f64,
}

impl Track {
    fn new(name: &str, pose: &Pose, now: f64) -> Self {
        let zero = Vector3::zeros();
        Self { name: name.to_owned(), pose: *pose, linear: zero, angular: zero, changed: now, interval: 0.0 }
    }

    fn move_to(&mut self, pose: &Pose, now: f64, dt: f64) {
        self.interval = (now - self.changed).clamp(dt, LONGEST_INTERVAL_S.max(dt));
        let linear = (pose.translation() - self.pose.translation()) / self.interval;
        let turn = (pose.rotation() * self.pose.rotation().inverse()).scaled_axis();
        let is_motion = linear.norm() <= FASTEST_MOTION_M_S;
        self.linear = if is_motion { linear } else { Vector3::zeros() };
        self.angular = if is_motion { turn / self.interval } else { Vector3::zeros() };
        (self.pose, self.changed) = (*pose, now);
    }

    fn rest_after(&mut self, now: f64) {
        if now - self.changed > INTERVALS_TO_REST * self.interval {
            (self.linear, self.angular) = (Vector3::zeros(), Vector3::zeros());
        }
    }
}

impl ObstacleMotions {
    /// Takes over the poses after a refresh, `dt` after the last one.
    pub(super) fn update(&mut self, refresh: Refresh, scene: &LiveChecker, dt: f64) {
        self.now += dt;
        let now = self.now;
        match refresh {
            Refresh::Unchanged if !self.tracks.is_empty() => {}
            Refresh::Moved if !self.tracks.is_empty() => {
                for (track, (_, pose)) in self.tracks.iter_mut().zip(scene.obstacles()) {
                    if track.pose != *pose {
                        track.move_to(pose, now, dt);
                    }
                }
            }
            _ => self.match_names(scene, dt),
        }
        self.tracks.iter_mut().for_each(|track| track.rest_after(now));
    }

    fn match_names(&mut self, scene: &LiveChecker, dt: f64) {
        let (old, now) = (std::mem::take(&mut self.tracks), self.now);
        self.tracks.extend(scene.obstacles().map(|(name, pose)| {
            // Both are in name order.
            let Ok(known) = old.binary_search_by(|track| track.name.as_str().cmp(name)) else {
                return Track::new(name, pose, now);
            };
            let mut track = old[known].clone();
            if track.pose != *pose {
                track.move_to(pose, now, dt);
            }
            track
        }));
    }

    /// Time since the policy was made, s.
    pub(super) fn now(&self) -> f64 {
        self.now
    }

    /// Whether any obstacle moves.
    pub(super) fn is_any_moving(&self) -> bool {
        self.tracks.iter().any(|track| track.linear != Vector3::zeros() || track.angular != Vector3::zeros())
    }

    /// Pose of an obstacle at a time, at its velocity.
    pub(super) fn pose_at(&self, obstacle: usize, time: f64) -> Pose {
        let Track { pose, linear, angular, changed, .. } = &self.tracks[obstacle];
        let ahead = time - changed;
        let turn = UnitQuaternion::from_scaled_axis(angular * ahead);
        let moved = Translation3::from(pose.translation() + linear * ahead);
        Pose(Isometry3::from_parts(moved, turn * pose.rotation()))
    }

    /// Velocity of a point of an obstacle, m/s, in the root.
    pub(super) fn velocity_at(&self, obstacle: usize, point: &Point3<f64>) -> Vector3<f64> {
        let track = &self.tracks[obstacle];
        track.linear + track.angular.cross(&(point.coords - track.pose.translation()))
    }
}
