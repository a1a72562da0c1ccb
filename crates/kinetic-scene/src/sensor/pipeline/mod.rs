//! Perception pipeline: named sensors that feed the objects of a live scene.
//!
//! The role of `MoveIt`'s occupancy map monitor with its updaters. A sensor has room for one measurement: a newer one replaces it, so
//! that a slow consumer never blocks a fast producer and works on what is newest. Measurements are registered by the frame tree at
//! their own time; one that is ahead of the transforms waits for them.

mod config;
mod expiry;
mod joint_history;
mod measurement;
mod statistics;
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use kinetic_core::error::check_finite;
use kinetic_core::{Clock, Control, FrameTree, KineticError, Pose, Result};
use kinetic_kinematics::update_frame_tree;
use kinetic_perception::{InsertionReport, PointCloudReport};
use nalgebra::Point3;

pub use config::{DepthCamera, SensorConfig, SensorOutput};
pub use measurement::Measurement;
pub use statistics::SensorStatistics;
pub use worker::PipelineWorker;

use super::known_bodies::KnownBodies;
use super::octree::OctreeOptions;
use super::point_cloud::PointCloudOptions;
use crate::live::LiveScene;
use crate::scene::Scene;
use joint_history::JointHistory;

/// Sensors, the frame tree that says where they are, and the scene that they feed. Clones are handles to the same pipeline.
///
/// ```
/// use std::sync::Arc;
/// use kinetic_core::{Control, FrameTree, Pose, SystemClock};
/// use kinetic_robot::Robot;
/// use kinetic_scene::{LiveScene, Measurement, PerceptionPipeline, Scene, SensorConfig};
///
/// let robot = Arc::new(Robot::from_name("ur5e")?);
/// let live = LiveScene::new(Scene::new(&robot)?);
/// let frames = Arc::new(FrameTree::with_history(10.0)?);
/// frames.set_static_transform(&robot.links[0].name, "lidar", Pose::from_xyz(0.0, 0.0, 1.0))?;
/// let pipeline = PerceptionPipeline::new(live.clone(), frames, Arc::new(SystemClock::default()))?;
/// pipeline.add_sensor("lidar", SensorConfig::cloud("lidar", "seen"))?;
/// pipeline.update_robot(&robot.neutral_configuration(), 5.0)?;
/// pipeline.push("lidar", Measurement::Points(vec![1.0, 0.0, -0.5]), 5.0)?;
/// assert_eq!(pipeline.process(&Control::default())?, ["lidar"]);
/// assert!(live.snapshot().objects().contains_key("seen"));
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Clone)]
pub struct PerceptionPipeline(Arc<SharedPipeline>);

struct SharedPipeline {
    live: LiveScene,
    frames: Arc<FrameTree>,
    clock: Arc<dyn Clock>,
    sensors: Mutex<BTreeMap<String, Sensor>>,
    joints: Mutex<JointHistory>,
    /// Counts measurements and joint values.
    arrivals: Mutex<u64>,
    /// Notified when one arrives.
    arrived: Condvar,
    /// Held while measurements are processed, so that those of one sensor are taken in order.
    processing: Mutex<()>,
}

struct Sensor {
    config: Arc<SensorConfig>,
    pending: Option<Stamped>,
    statistics: SensorStatistics,
}

/// A measurement and its time, s.
struct Stamped {
    stamp: f64,
    measurement: Measurement,
}

/// A measurement with what is known of its time.
struct Registered {
    name: String,
    config: Arc<SensorConfig>,
    taken: Stamped,
    root_from_sensor: Pose,
    robot_at: Option<Vec<f64>>,
}

/// Whether a measurement can be registered.
enum Readiness {
    Ready {
        root_from_sensor: Pose,
        robot_at: Option<Vec<f64>>,
    },
    /// Its time is still to come in the frame tree or in the joint history.
    Early,
    /// Its time is forgotten.
    Stale,
}

impl std::fmt::Debug for PerceptionPipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PerceptionPipeline").field("sensors", &self.sensors()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What the mutexes guard is whole after every statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PerceptionPipeline {
    /// A pipeline without sensors. The clock measures how long measurements take; stamps may be of any clock that the transforms and
    /// joint values share.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a tree without history: what was measured before the newest joint values would be stale.
    pub fn new(live: LiveScene, frames: Arc<FrameTree>, clock: Arc<dyn Clock>) -> Result<Self> {
        if frames.history() == 0.0 {
            let wanted = "a positive number of seconds, the longest by which a measurement may be late";
            return Err(KineticError::invalid("history of the frame tree", 0.0, wanted));
        }
        let joints = Mutex::new(JointHistory::new(&live.robot()));
        let (sensors, arrivals, arrived) = (Mutex::default(), Mutex::default(), Condvar::new());
        Ok(Self(Arc::new(SharedPipeline {
            live,
            frames,
            clock,
            sensors,
            joints,
            arrivals,
            arrived,
            processing: Mutex::default(),
        })))
    }

    /// The scene that the sensors feed.
    pub fn scene(&self) -> &LiveScene {
        &self.0.live
    }

    /// The tree of frames in which the sensors are.
    pub fn frames(&self) -> &Arc<FrameTree> {
        &self.0.frames
    }

    /// Adds a sensor.
    ///
    /// # Errors
    /// Those of [`SensorConfig::check`]; [`KineticError::LinkNotFound`] for a padding of no link; [`KineticError::InvalidValue`] for a name
    /// that a sensor has already, and for an object that another sensor feeds, unless both feed one map of the same resolution and sensor
    /// model.
    pub fn add_sensor(&self, name: &str, config: SensorConfig) -> Result<()> {
        config.check()?;
        config.known.check(&self.0.live.robot())?;
        self.0.live.read(|scene| scene.check_new_name(&config.object))?;
        let mut sensors = lock(&self.0.sensors);
        if name.is_empty() || sensors.contains_key(name) {
            return Err(KineticError::invalid(
                "sensor name",
                format!("\"{name}\""),
                "a new one of at least one letter",
            ));
        }
        let is_taken = |other: &Sensor| {
            let map = |output: &SensorOutput| match output {
                SensorOutput::Octree { octree, .. } => Some(*octree),
                SensorOutput::Cloud(_) => None,
            };
            let is_one_map = map(&config.output).is_some() && map(&config.output) == map(&other.config.output);
            other.config.object == config.object && !is_one_map
        };
        if sensors.values().any(is_taken) {
            let wanted =
                "an object that no other sensor feeds, or one map of the same resolution and sensor model for both";
            return Err(KineticError::invalid("object of a sensor", format!("\"{}\"", config.object), wanted));
        }
        let sensor = Sensor { config: Arc::new(config), pending: None, statistics: SensorStatistics::default() };
        sensors.insert(name.to_owned(), sensor);
        Ok(())
    }

    /// Removes a sensor; `false` when there is none of that name. What it has fed to the scene stays.
    pub fn remove_sensor(&self, name: &str) -> bool {
        lock(&self.0.sensors).remove(name).is_some()
    }

    /// Names of the sensors, sorted.
    pub fn sensors(&self) -> Vec<String> {
        lock(&self.0.sensors).keys().cloned().collect()
    }

    /// What became of the measurements of a sensor.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names of all sensors.
    pub fn statistics(&self, name: &str) -> Result<SensorStatistics> {
        let mut sensors = lock(&self.0.sensors);
        let sensor = sensor_of(&mut sensors, name)?;
        Ok(SensorStatistics { is_waiting: sensor.pending.is_some(), ..sensor.statistics.clone() })
    }

    /// Says where the joints of the robot were at a time (s): by values of the default group or of the whole robot. It moves the links
    /// in the frame tree and tells the filter where the robot was.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`]; [`KineticError::InvalidValue`] for a time that the history does
    /// not reach back to, as after a clock has been set back: then [`reset`](Self::reset) begins anew.
    pub fn update_robot(&self, q: &[f64], stamp: f64) -> Result<()> {
        check_finite("stamp", &[stamp])?;
        let robot = self.0.live.robot();
        let full = robot.full_configuration(&robot.groups[robot.default_group], q)?;
        let oldest = lock(&self.0.joints).span().map(|(_, last)| last - self.0.frames.history());
        if let Some(oldest) = oldest.filter(|oldest| stamp < *oldest) {
            let wanted =
                format!("at least {oldest} s, as far as joint values are kept; reset() after a clock was set back");
            return Err(KineticError::invalid("stamp of joint values", stamp, wanted));
        }
        update_frame_tree(&self.0.frames, &robot, &full, stamp)?;
        lock(&self.0.joints).insert(stamp, full, self.0.frames.history());
        self.arrive();
        Ok(())
    }

    /// Forgets all times: where the joints were, when sensors were heard last, and measurements that wait. Sensors, their counters and the
    /// objects of the scene stay. For clocks that were set back, with [`FrameTree::clear_dynamic`]. It waits for measurements that become part
    /// of the scene just now.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] inside an edit of this thread, which these measurements wait for.
    pub fn reset(&self) -> Result<()> {
        self.0.live.check_is_not_editing()?;
        let _processing = lock(&self.0.processing);
        *lock(&self.0.joints) = JointHistory::new(&self.0.live.robot());
        for sensor in lock(&self.0.sensors).values_mut() {
            sensor.statistics.dropped += u64::from(sensor.pending.take().is_some());
            sensor.statistics.last_stamp = None;
        }
        Ok(())
    }

    /// Delivers what a sensor measured at a time (s). It replaces a measurement of the sensor that was not yet looked at, unless that
    /// is newer, and is dropped where a newer one is part of the scene already; it never waits for what others do with the scene.
    /// After a clock has been set back, [`reset`](Self::reset) lets older times count.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`]; [`KineticError::NotFinite`] for the time; [`KineticError::DimensionMismatch`] or
    /// [`KineticError::InvalidValue`] for what the sensor cannot have measured.
    pub fn push(&self, sensor: &str, measurement: Measurement, stamp: f64) -> Result<()> {
        check_finite("stamp", &[stamp])?;
        let mut sensors = lock(&self.0.sensors);
        let sensor = sensor_of(&mut sensors, sensor)?;
        measurement.check(&sensor.config)?;
        sensor.statistics.received += 1;
        match &sensor.pending {
            Some(pending) if pending.stamp > stamp => sensor.statistics.dropped += 1,
            pending => {
                sensor.statistics.dropped += u64::from(pending.is_some());
                sensor.pending = Some(Stamped { stamp, measurement });
            }
        }
        drop(sensors);
        self.arrive();
        Ok(())
    }

    /// Makes all measurements that can be registered part of the scene, in order of their times and then of the names of sensors, and
    /// says which sensors they are of. What is refused is counted, and the scene stays as it was. Then it removes the objects whose
    /// time to live is over, by the newest time of a measurement or of joint values; none that a measurement of this call is part of.
    ///
    /// # Errors
    /// What [`Control::check`] says; measurements that were not yet looked at stay.
    pub fn process(&self, control: &Control) -> Result<Vec<String>> {
        let _processing = lock(&self.0.processing);
        let (mut done, mut fed) = (Vec::new(), BTreeSet::new());
        let mut ready = self.take_ready().into_iter();
        while let Some(registered) = ready.next() {
            match self.process_one(&registered, control) {
                Ok(true) => {
                    fed.insert(registered.config.object.clone());
                    done.push(registered.name);
                }
                Ok(false) => {}
                Err(over) => {
                    for unused in std::iter::once(registered).chain(ready) {
                        self.put_back(unused);
                    }
                    return Err(over);
                }
            }
        }
        self.remove_expired(&fed, control)?;
        Ok(done)
    }

    /// Wakes who waits for something to arrive.
    fn arrive(&self) {
        *lock(&self.0.arrivals) += 1;
        self.0.arrived.notify_all();
    }

    /// Takes the measurements that can be registered, in order.
    fn take_ready(&self) -> Vec<Registered> {
        let mut ready = Vec::new();
        for (name, sensor) in lock(&self.0.sensors).iter_mut() {
            let Some(pending) = sensor.pending.take() else { continue };
            if sensor.statistics.last_stamp.is_some_and(|last| pending.stamp < last) {
                sensor.statistics.dropped += 1;
                continue;
            }
            match self.readiness(&sensor.config, pending.stamp) {
                Ok(Readiness::Ready { root_from_sensor, robot_at }) => {
                    let config = Arc::clone(&sensor.config);
                    ready.push(Registered { name: name.clone(), config, taken: pending, root_from_sensor, robot_at });
                }
                Ok(Readiness::Early) => sensor.pending = Some(pending),
                Ok(Readiness::Stale) => sensor.statistics.stale += 1,
                Err(error) => sensor.statistics.refuse(&error),
            }
        }
        ready.sort_by(|a, b| a.taken.stamp.total_cmp(&b.taken.stamp).then_with(|| a.name.cmp(&b.name)));
        ready
    }

    fn readiness(&self, config: &SensorConfig, stamp: f64) -> Result<Readiness> {
        let robot = self.0.live.robot();
        let (root, frames) = (&robot.links[0].name, &self.0.frames);
        if frames.latest_common_time(root, &config.frame).is_some_and(|latest| stamp > latest) {
            return Ok(Readiness::Early);
        }
        let mut robot_at = None;
        if config.is_robot_filtered {
            let joints = lock(&self.0.joints);
            match joints.span() {
                Some((_, last)) if stamp <= last => robot_at = joints.at(stamp),
                _ => return Ok(Readiness::Early),
            }
            if robot_at.is_none() {
                return Ok(Readiness::Stale);
            }
        }
        match frames.lookup_transform_at(root, &config.frame, stamp) {
            Ok(root_from_sensor) => Ok(Readiness::Ready { root_from_sensor, robot_at }),
            Err(KineticError::InvalidValue { .. }) => Ok(Readiness::Stale),
            Err(error) => Err(error),
        }
    }

    /// Makes a measurement part of the scene, and counts it: `true`, or `false` where it was refused.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    fn process_one(&self, registered: &Registered, control: &Control) -> Result<bool> {
        control.check(0)?;
        let began = self.0.clock.now();
        let reports = registered.feed(&self.0.live, control);
        let duration = self.0.clock.now() - began;
        if reports.is_err() {
            control.check(0)?;
        }
        let is_fed = reports.is_ok();
        // The sensor may have been removed meanwhile.
        if let Some(sensor) = lock(&self.0.sensors).get_mut(&registered.name) {
            match reports {
                Ok(reports) => sensor.statistics.add(registered.taken.stamp, duration, reports),
                Err(error) => sensor.statistics.refuse(&error),
            }
        }
        Ok(is_fed)
    }

    /// Lets a measurement wait again, unless a newer one has arrived.
    fn put_back(&self, unused: Registered) {
        if let Some(sensor) = lock(&self.0.sensors).get_mut(&unused.name) {
            match &sensor.pending {
                Some(_) => sensor.statistics.dropped += 1,
                None => sensor.pending = Some(unused.taken),
            }
        }
    }
}

impl SensorStatistics {
    fn add(&mut self, stamp: f64, duration: f64, (cloud, insertion): Reports) {
        self.processed += 1;
        self.last_stamp = Some(stamp);
        self.last_duration = duration;
        self.longest_duration = self.longest_duration.max(duration);
        (self.last_cloud, self.last_insertion) = (cloud, insertion);
    }

    fn refuse(&mut self, error: &KineticError) {
        self.failed += 1;
        self.last_error = Some(error.to_string());
    }
}

type Reports = (PointCloudReport, Option<InsertionReport>);

impl Registered {
    /// Filters on a snapshot, and makes the object with its padding in one edit.
    fn feed(&self, live: &LiveScene, control: &Control) -> Result<Reports> {
        let Self { config, root_from_sensor, .. } = self;
        let points = self.taken.measurement.points(config.camera.as_ref(), control)?.into_iter();
        let known = KnownBodies { robot_at: self.robot_at.clone(), ..config.known.clone() };
        let snapshot = live.snapshot();
        match &config.output {
            SensorOutput::Cloud(filters) => {
                let options = PointCloudOptions { config: filters.clone(), known, root_from_sensor: *root_from_sensor };
                let cloud = snapshot.filtered_for(&config.object, points, &options, control)?;
                let edit = snapshot.cloud_edit(&config.object, &cloud)?;
                live.edit_within(control, |scene| {
                    edit.apply(scene, &config.object)?;
                    config.pad(scene)
                })?;
                Ok((cloud.report, None))
            }
            SensorOutput::Octree { octree, max_range, outliers } => {
                let options = OctreeOptions {
                    octree: *octree,
                    max_range: *max_range,
                    outliers: *outliers,
                    known,
                    root_from_points: *root_from_sensor,
                    sensor_origin: Point3::origin(),
                };
                let measured = snapshot.measured(points, &options, control)?;
                let report = live.edit_within(control, |scene| {
                    let report = scene.insert_measured(&config.object, &measured, &options, control)?;
                    config.pad(scene)?;
                    Ok(report)
                })?;
                Ok((report.cloud, Some(report.insertion)))
            }
        }
    }
}

impl SensorConfig {
    /// Pads the object by the margin at least: of several sensors that feed one map the largest margin counts. A padding that is
    /// stated already is no edit.
    fn pad(&self, scene: &mut Scene) -> Result<()> {
        let stated = scene.margins().paddings().find(|(name, _)| *name == self.object).map_or(0.0, |(_, value)| value);
        if self.margin > stated && scene.objects().contains_key(&self.object) {
            scene.set_padding(&self.object, self.margin)?;
        }
        Ok(())
    }
}

fn sensor_of<'a>(sensors: &'a mut BTreeMap<String, Sensor>, name: &str) -> Result<&'a mut Sensor> {
    if !sensors.contains_key(name) {
        return Err(KineticError::unknown_name("sensor", name, sensors.keys()));
    }
    sensors.get_mut(name).ok_or_else(|| KineticError::Other("a sensor was removed".to_owned()))
}
