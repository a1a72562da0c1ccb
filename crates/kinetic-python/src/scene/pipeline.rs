//! `PerceptionPipeline`: named sensors that feed a scene.

use std::sync::{Arc, Mutex};

use kinetic::core::SystemClock;
use kinetic::scene::{Measurement, PerceptionPipeline, PipelineWorker, SensorStatistics};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Depth, Dict, Points, Real, Text, Vector, slice};
use crate::error::Result;
use crate::geometry::frame_tree::PyFrameTree;
use crate::interrupt::{interruptible, locked, stoppable};
use crate::scene::PyScene;
use crate::scene::octree::insertion_dict;
use crate::scene::sensor::report_dict;
use crate::scene::sensor_keywords::{ADD_SENSOR, sensor_config};

/// Named sensors that feed the objects of a scene, at their own rates.
///
/// A sensor has room for one measurement: a newer one replaces it, so that a slow consumer never blocks a fast producer and works on
/// what is newest; what is replaced is counted. Each measurement is registered by the frame tree at its own time, and points on the
/// robot are dropped by its joint values at that time. One that is ahead of the transforms or of the joint values waits for them.
///
/// Args:
///     scene: The scene that is fed; planners, servos and others take its snapshots meanwhile.
///     frames: The tree of frames in which sensors are, with a history that is longer than the latency of the sensors. The links of
///         the robot are put into it by `update_robot`.
///
/// Raises:
///     InputError: A tree without history: what was measured before the newest joint values would be stale.
///
/// Example:
///     >>> import kinetic
///     >>> scene, frames = kinetic.Scene("ur5e"), kinetic.FrameTree(history=10.0)
///     >>> frames.set_static("base_link", "lidar", kinetic.Pose.from_xyz(0.0, 0.0, 1.0))
///     >>> pipeline = kinetic.PerceptionPipeline(scene, frames)
///     >>> pipeline.add_sensor("lidar", frame="lidar", object="seen")
///     >>> pipeline.update_robot([0.0] * 6, timestamp=5.0)
///     >>> pipeline.push_points("lidar", [[1.0, 0.0, -0.5]], timestamp=5.0)
///     >>> pipeline.process(), scene.objects
///     (['lidar'], ['seen'])
#[pyclass(frozen, module = "kinetic", name = "PerceptionPipeline")]
pub(crate) struct PyPerceptionPipeline {
    pipeline: PerceptionPipeline,
    worker: Mutex<Option<PipelineWorker>>,
}

#[pymethods]
impl PyPerceptionPipeline {
    #[new]
    fn __new__(scene: &Bound<'_, PyScene>, frames: &Bound<'_, PyFrameTree>) -> Result<Self> {
        let (live, frames) = (scene.get().live().clone(), Arc::clone(&frames.get().0));
        let pipeline = PerceptionPipeline::new(live, frames, Arc::new(SystemClock::default()))?;
        Ok(Self { pipeline, worker: Mutex::default() })
    }

    /// Adds a sensor.
    ///
    /// Args:
    ///     name: A new name.
    ///     frame: Frame of its measurements in the frame tree; for a camera its optical frame (x right, y down, z forward). The
    ///         sensor is at its origin.
    ///     object: Object of the scene that its measurements become. Several sensors of one resolution may feed one map.
    ///     camera: fx, fy, cx, cy of a depth camera, pixels; None for a sensor of points.
    ///     output: "cloud", the points of the last measurement, or "octree", an occupancy map of all of them.
    ///     filter_robot: Drop points on the robot; it needs `update_robot`.
    ///     margin: Least padding of the object, m: errors of calibration, noise and latency as one number.
    ///     time_to_live: How long the object stays without a measurement, s, by the newest time of a measurement or of joint values;
    ///         None for ever. An object that several sensors feed stays as long as one of them lets it.
    ///     min_depth: As for `Scene.update_from_depth`, as `max_depth`, `depth_scale`, `distortion`, `fisheye` and
    ///         `flying_pixel_ratio`.
    ///     sphere_radius: As for `Scene.add_pointcloud`, as `max_points`, `voxel_size`, `crop` and `hysteresis`; for
    ///         clouds.
    ///     outliers: As for `Scene.add_pointcloud`, as the paddings and `objects`.
    ///     resolution: As for `Scene.update_octree`, as `max_range`; for maps.
    ///
    /// Raises:
    ///     InputError: A name or an object that is taken, or an option that cannot be used.
    #[pyo3(
        signature = (name, frame, object, **options),
        text_signature = "($self, name, frame, object, *, camera=None, output='cloud', filter_robot=True, margin=0.0, \
                          time_to_live=None, min_depth=0.1, max_depth=5.0, depth_scale=0.001, distortion=None, fisheye=False, \
                          flying_pixel_ratio=None, sphere_radius=0.01, max_points=100000, voxel_size=None, crop=None, \
                          hysteresis=False, outliers=None, resolution=0.02, max_range=None, robot_padding=0.03, \
                          link_paddings={}, objects=(), object_padding=0.03)"
    )]
    fn add_sensor(&self, name: Text, frame: Text, object: Text, options: Option<&Bound<'_, PyDict>>) -> Result<()> {
        let config = sensor_config(ADD_SENSOR.read(options)?, frame.0, object.0)?;
        Ok(self.pipeline.add_sensor(&name.0, config)?)
    }

    /// Removes a sensor; False when there is none of that name. What it has fed to the scene stays.
    fn remove_sensor(&self, name: Text) -> bool {
        self.pipeline.remove_sensor(&name.0)
    }

    /// Names of the sensors, sorted.
    #[getter]
    fn sensors(&self) -> Vec<String> {
        self.pipeline.sensors()
    }

    /// Says where the joints were: it moves the links in the frame tree and tells the filter where the robot was.
    ///
    /// Args:
    ///     q: Joint values of the default group of the scene's robot, or of the whole robot.
    ///     timestamp: When they were true, s.
    ///
    /// Raises:
    ///     InputError: Values of another length or NaN, and a time that the history of the frame tree does not reach back to, as after a clock
    ///         was set back: then `reset` begins anew.
    fn update_robot(&self, q: Vector, timestamp: Real) -> Result<()> {
        Ok(self.pipeline.update_robot(&q.0, timestamp.0)?)
    }

    /// Forgets all times: where the joints were, when sensors were heard last, and measurements that wait. Sensors, their counters and the
    /// objects of the scene stay. For clocks that were set back, with `FrameTree.clear_dynamic`.
    ///
    /// Raises:
    ///     InputError: Inside an edit of the scene by this thread, which measurements may be waiting for.
    fn reset(&self, py: Python<'_>) -> Result<()> {
        Ok(py.detach(|| self.pipeline.reset())?)
    }

    /// Delivers a depth image, which is copied. It replaces one of the sensor that was not yet looked at, unless that is newer.
    ///
    /// Args:
    ///     sensor: Name of a sensor with a camera.
    ///     depth: Depths along the optical axis (H, W): float32 or float64 in m, or uint16 in units of the camera.
    ///     timestamp: When the image was taken, s.
    ///
    /// Raises:
    ///     InputError: An unknown sensor, one without a camera, or an array that is no image.
    fn push_depth(&self, py: Python<'_>, sensor: Text, depth: Depth<'_>, timestamp: Real) -> Result<()> {
        let size = [depth.shape()[0], depth.shape()[1]];
        let measurement = match &depth {
            Depth::Integers(array) => Measurement::DepthIntegers { values: slice!(array).to_vec(), size },
            Depth::Metres(array) => Measurement::DepthMetres { values: slice!(array).to_vec(), size },
        };
        Ok(py.detach(|| self.pipeline.push(&sensor.0, measurement, timestamp.0))?)
    }

    /// Delivers points, which are copied in single precision. They replace those of the sensor that were not yet looked at, unless
    /// these are newer.
    ///
    /// Args:
    ///     sensor: Name of a sensor.
    ///     points: Points (N, 3) in the frame of the sensor, m, as for `Scene.add_pointcloud`.
    ///     timestamp: When they were measured, s.
    ///
    /// Raises:
    ///     InputError: An unknown sensor, or an array that is none of points.
    fn push_points(&self, py: Python<'_>, sensor: Text, points: Points<'_>, timestamp: Real) -> Result<()> {
        let values = match &points {
            Points::Single(array) => slice!(array).to_vec(),
            Points::Double(array) => slice!(array).iter().map(|value| *value as f32).collect(),
        };
        Ok(py.detach(|| self.pipeline.push(&sensor.0, Measurement::Points(values), timestamp.0))?)
    }

    /// Makes all measurements that can be registered part of the scene, in order of their times, and returns the names of their
    /// sensors. What is refused is counted, and the scene stays as it was. Then objects whose time to live is over go. Ctrl-C stops it.
    fn process(&self, py: Python<'_>) -> Result<Vec<String>> {
        self.pipeline.scene().check_is_not_editing()?;
        let (stop, control) = stoppable();
        Ok(interruptible(py, &stop, || self.pipeline.process(&control))??)
    }

    /// Starts a thread that processes measurements as they arrive, until `stop`. It is started once.
    fn start(&self, py: Python<'_>) -> Result<()> {
        let mut worker = locked(py, &self.worker)?;
        if worker.is_none() {
            *worker = Some(self.pipeline.start()?);
        }
        Ok(())
    }

    /// Ends the thread that `start` has started, and gives up the measurement that it works on.
    fn stop(&self, py: Python<'_>) -> Result<()> {
        let worker = locked(py, &self.worker)?.take();
        Ok(py.detach(|| worker.map_or(Ok(()), PipelineWorker::stop))?)
    }

    /// Whether the thread runs.
    #[getter]
    fn is_running(&self, py: Python<'_>) -> Result<bool> {
        Ok(locked(py, &self.worker)?.as_ref().is_some_and(PipelineWorker::is_running))
    }

    /// What became of the measurements of a sensor since it was added: `received`, `processed`, `dropped` (a newer one was there
    /// before they were looked at), `stale` (from before what is remembered), `failed` with `last_error`, `expired` (how often its object
    /// was removed since its time to live was over), `is_waiting`, and of the last one that was processed `last_timestamp`,
    /// `last_duration` (s), `longest_duration` (s), `last_cloud` and `last_insertion`.
    ///
    /// Raises:
    ///     InputError: There is no sensor of that name.
    fn statistics<'py>(&self, py: Python<'py>, name: Text) -> Result<Dict<'py>> {
        let SensorStatistics {
            received,
            processed,
            dropped,
            stale,
            failed,
            expired,
            is_waiting,
            last_error,
            last_stamp,
            last_duration,
            longest_duration,
            last_cloud,
            last_insertion,
        } = self.pipeline.statistics(&name.0)?;
        let insertion = last_insertion.as_ref().map(|report| insertion_dict(py, report)).transpose()?;
        Ok(Dict::new(py)
            .with("received", received)?
            .with("processed", processed)?
            .with("dropped", dropped)?
            .with("stale", stale)?
            .with("failed", failed)?
            .with("expired", expired)?
            .with("is_waiting", is_waiting)?
            .with("last_error", last_error)?
            .with("last_timestamp", last_stamp)?
            .with("last_duration", last_duration)?
            .with("longest_duration", longest_duration)?
            .with("last_cloud", report_dict(py, last_cloud)?)?
            .with("last_insertion", insertion)?)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Result<Bound<'_, Self>> {
        slf.get().start(slf.py())?;
        Ok(slf)
    }

    #[pyo3(signature = (exception_type=None, exception=None, traceback=None))]
    fn __exit__(
        &self,
        py: Python<'_>,
        exception_type: Option<&Bound<'_, PyAny>>,
        exception: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> Result<()> {
        let _ = (exception_type, exception, traceback);
        self.stop(py)
    }

    fn __repr__(&self) -> String {
        format!("<PerceptionPipeline of {} sensors>", self.pipeline.sensors().len())
    }
}
