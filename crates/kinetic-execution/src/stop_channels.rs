//! The second channels to the robots of an execution.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::config::WatchdogAction;
use crate::driver::{StopRequest, StopSink};
use crate::shared::Shared;

/// One for all joints, and those of groups.
pub(crate) struct StopChannels {
    whole: Option<Arc<dyn StopSink>>,
    groups: Vec<GroupChannel>,
}

struct GroupChannel {
    joints: Vec<usize>,
    sink: Option<Arc<dyn StopSink>>,
    is_used: AtomicBool,
}

impl StopChannels {
    /// `groups` are the joints of each group in the trajectory, and its channel.
    pub(crate) fn new(
        whole: Option<Arc<dyn StopSink>>,
        groups: impl Iterator<Item = (Vec<usize>, Option<Arc<dyn StopSink>>)>,
    ) -> Self {
        let channel = |(joints, sink)| GroupChannel { joints, sink, is_used: AtomicBool::new(false) };
        Self { whole, groups: groups.map(channel).collect() }
    }

    /// True when every joint has one.
    pub(crate) fn reach_all(&self) -> bool {
        self.whole.is_some() || (!self.groups.is_empty() && self.groups.iter().all(|group| group.sink.is_some()))
    }

    /// True when the joints of one group can be stopped without the others.
    pub(crate) fn are_separate(&self) -> bool {
        self.whole.is_none()
    }

    /// Stops all robots.
    pub(crate) fn stop(&self, action: WatchdogAction, shared: &Shared) {
        let positions = shared.positions();
        if let Some(sink) = &self.whole {
            sink.stop(&StopRequest { action, positions: &positions });
        }
        self.groups.iter().for_each(|group| group.stop(action, &positions));
    }

    /// Stops the robot of one group.
    pub(crate) fn stop_group(&self, group: usize, action: WatchdogAction, shared: &Shared) {
        if let Some(group) = self.groups.get(group) {
            group.stop(action, &shared.positions());
        }
    }
}

impl GroupChannel {
    /// Stops it once.
    fn stop(&self, action: WatchdogAction, positions: &[f64]) {
        let Some(sink) = &self.sink else { return };
        if !self.is_used.swap(true, Ordering::SeqCst) {
            let positions: Vec<f64> = self.joints.iter().map(|joint| positions[*joint]).collect();
            sink.stop(&StopRequest { action, positions: &positions });
        }
    }
}
