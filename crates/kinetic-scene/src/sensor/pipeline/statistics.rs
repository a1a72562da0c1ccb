//! What became of the measurements of a sensor.

use kinetic_perception::{InsertionReport, PointCloudReport};

/// Counts of a sensor since it was added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SensorStatistics {
    /// Measurements that were delivered.
    pub received: u64,
    /// Measurements that became part of the scene.
    pub processed: u64,
    /// Measurements for which a newer one was there before they were looked at.
    pub dropped: u64,
    /// Measurements from before what the frame tree and the joint history remember.
    pub stale: u64,
    /// Measurements that were refused while they were looked at.
    pub failed: u64,
    /// How often its object was removed since its time to live was over.
    pub expired: u64,
    /// Whether a measurement waits to be looked at, or for transforms and joint values of its time.
    pub is_waiting: bool,
    /// The last refusal.
    pub last_error: Option<String>,
    /// Time of the last measurement that became part of the scene, s.
    pub last_stamp: Option<f64>,
    /// How long the last one took, s.
    pub last_duration: f64,
    /// How long the slowest one took, s.
    pub longest_duration: f64,
    /// What the filters did with the last one.
    pub last_cloud: PointCloudReport,
    /// What the map did with the last one, for a sensor that feeds one.
    pub last_insertion: Option<InsertionReport>,
}
