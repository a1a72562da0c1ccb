//! `Scene`: point clouds and depth images of sensors.

use kinetic::perception::{DepthImage, DepthValues, PointCloudReport};
use kinetic::scene::{PointCloudOptions, points_of};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{Array, Depth, Dict, Points, PoseArg, Real, Text, over_values, slice};
use crate::error::Result;
use crate::interrupt::{interruptible_if, stoppable};
use crate::scene::PyScene;
use crate::scene::sensor_keywords::{ADD_POINTCLOUD, FILTER_POINTCLOUD, UPDATE_FROM_DEPTH, cloud_options};

/// Points up to which filters without neighbours take some milliseconds.
const MAX_POINTS_WITHOUT_SIGNAL_CHECK: usize = 200_000;

pub(super) fn report_dict(py: Python<'_>, report: PointCloudReport) -> PyResult<Dict<'_>> {
    Dict::new(py)
        .with("given", report.given)?
        .with("not_finite", report.not_finite)?
        .with("cropped", report.cropped)?
        .with("excluded", report.excluded)?
        .with("outliers", report.outliers)?
        .with("merged", report.merged)?
        .with("kept", report.kept)?
        .with("carried_over", report.carried_over)?
        .with("radius", report.radius)
}

fn is_long(points: usize, options: &PointCloudOptions) -> bool {
    options.config.outliers.is_some() || points > MAX_POINTS_WITHOUT_SIGNAL_CHECK
}

#[pymethods]
impl PyScene {
    /// Adds measured points as one object, or replaces the object of that name: a ball around each point.
    ///
    /// Every query, planner and proof sees the object, as any other. What passes on its way is counted: points that are not
    /// finite, outside of `crop`, on the robot or on a known object, and outliers are dropped; points that are merged enlarge the
    /// radius by the largest distance of a point from the one that stands for it, so that nothing is uncovered. When no point is
    /// left, there is no object of that name afterwards.
    ///
    /// Args:
    ///     name: Name that no link and no attached body has.
    ///     points: Points (N, 3), or (H, W, 3) of an organised cloud, m: float32 and float64 arrays are read where they lie. Also
    ///         a structured array with the fields x, y and z, and objects with `points` or `vertices`, as Open3D and trimesh have.
    ///     sphere_radius: Radius of the balls, m; at least half of the distance between neighbouring points, so that surfaces have
    ///         no holes.
    ///     max_points: Where more are left, points are merged until they are no more; None for no limit.
    ///     voxel_size: Merge the points in each cell of a grid with edges of this length, m.
    ///     crop: Lowest and highest corner (3,) of a box in the robot's root frame; points outside are dropped.
    ///     hysteresis: With `voxel_size`: the middle of a cell stands for its points, and a cell of the object of that name stays
    ///         while a point lies in one of the 27 cells around it, so that the noise of a sensor soon changes nothing and a scene that
    ///         stands still keeps its version. The radius grows by half of the diagonal of a cell.
    ///     outliers: Points that this `OutlierFilter` takes for measurement errors are dropped.
    ///     robot_at: Joint values of the group, or of the whole robot, when the points were measured: points on its links and on
    ///         what it carries are dropped. None for a robot that is not in view.
    ///     robot_padding: Points within this distance of the robot are on it, m.
    ///     link_paddings: Other such distances by the names of links, m, for cables and covers.
    ///     objects: Names of objects whose points are dropped, because their shapes are known.
    ///     object_padding: Points within this distance of such an object are on it, m.
    ///     pose: Pose of the sensor when the points were measured, 4×4; points are in its frame. None for the root frame.
    ///
    /// Returns:
    ///     What became of the points: `given`, `not_finite`, `cropped`, `excluded` (on the robot or a known object), `outliers`,
    ///     `merged`, `kept`, of these `carried_over` (by hysteresis, without a point), and the `radius` of the balls.
    ///
    /// Raises:
    ///     InputError: No finite point (a blind sensor frees no space), or an option that cannot be used. The scene is as before.
    #[pyo3(
        signature = (name, points, *positions, **options),
        text_signature = "($self, name, points, sphere_radius=0.01, max_points=100000, voxel_size=None, *, crop=None, \
                          hysteresis=False, outliers=None, robot_at=None, robot_padding=0.03, link_paddings={}, objects=(), \
                          object_padding=0.03, pose=None)"
    )]
    fn add_pointcloud<'py>(
        &self,
        py: Python<'py>,
        name: Text,
        points: Points<'py>,
        positions: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Dict<'py>> {
        let (cloud, sensor) = ADD_POINTCLOUD.read_with(positions, options)?;
        let (options, (stop, control)) = (cloud_options(cloud, sensor.pose), stoppable());
        let (live, name, options) = (self.live_for_edit()?, &name.0[..], &options);
        let report = over_values!(&points, values => {
            let add = || live.add_pointcloud(name, points_of(values)?, options, &control);
            interruptible_if(py, live.is_being_edited() || is_long(values.len() / 3, options), &stop, add)?
        })?;
        Ok(report_dict(py, report)?)
    }

    /// What `add_pointcloud` would add: the points that are left (N, 3) in the robot's root frame, and what became of the others.
    #[pyo3(
        signature = (points, *positions, **options),
        text_signature = "($self, points, sphere_radius=0.01, max_points=100000, voxel_size=None, *, crop=None, \
                          hysteresis=False, outliers=None, robot_at=None, robot_padding=0.03, link_paddings={}, objects=(), \
                          object_padding=0.03, pose=None)"
    )]
    fn filter_pointcloud<'py>(
        &self,
        py: Python<'py>,
        points: Points<'py>,
        positions: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<(Array<'py>, Dict<'py>)> {
        let (cloud, sensor) = FILTER_POINTCLOUD.read_with(positions, options)?;
        let (options, (stop, control)) = (cloud_options(cloud, sensor.pose), stoppable());
        let (scene, options) = (self.now(), &options);
        let cloud = over_values!(&points, values => {
            let filter = || scene.filter_pointcloud(points_of(values)?, options, &control);
            interruptible_if(py, is_long(values.len() / 3, options), &stop, filter)?
        })?;
        let values: Vec<f64> = cloud.points.iter().flat_map(|point| point.coords.data.0[0]).collect();
        Ok((Array::new(py, &[cloud.points.len(), 3], &values)?, report_dict(py, cloud.report)?))
    }

    /// Adds the surfaces of a depth image as one object, or replaces the object of that name, as `add_pointcloud` does.
    ///
    /// Args:
    ///     name: Name that no link and no attached body has.
    ///     depth: Depths along the optical axis (H, W): float32 or float64 in m, or uint16 in units of `depth_scale`. 0, NaN and
    ///         infinity mean that nothing was measured.
    ///     fx: Focal length along x, pixels.
    ///     fy: Focal length along y, pixels.
    ///     cx: Principal point along x, pixels; the centre of the first pixel is at 0.
    ///     cy: Principal point along y, pixels.
    ///     camera_pose: Pose of the optical frame (x right, y down, z forward) when the image was taken, 4×4.
    ///     min_depth: Nearer depths do not count, m.
    ///     max_depth: Farther depths do not count, m.
    ///     sphere_radius: See `add_pointcloud`, as all other options that are not named here.
    ///     depth_scale: Length of a unit of integer depths, m.
    ///     distortion: Coefficients of the lens as OpenCV has them: k1, k2, p1, p2 and perhaps k3.
    ///     fisheye: An equidistant fisheye with the coefficients k1, k2, k3, k4.
    ///     flying_pixel_ratio: Drop pixels that differ by more than this part of their depth from both neighbours in a row or a
    ///         column: what is measured between foreground and background.
    ///
    /// Returns:
    ///     As `add_pointcloud`; `given` counts pixels with a depth that counts.
    ///
    /// Raises:
    ///     InputError: As `add_pointcloud`; an image of another shape or type, and intrinsics of no camera.
    #[pyo3(
        signature = (name, depth, fx, fy, cx, cy, camera_pose, *positions, **options),
        text_signature = "($self, name, depth, fx, fy, cx, cy, camera_pose, min_depth=0.1, max_depth=5.0, \
                          sphere_radius=0.01, *, max_points=100000, voxel_size=None, crop=None, \
                          hysteresis=False, outliers=None, robot_at=None, robot_padding=0.03, link_paddings={}, objects=(), \
                          object_padding=0.03, depth_scale=0.001, distortion=None, fisheye=False, flying_pixel_ratio=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn update_from_depth<'py>(
        &self,
        py: Python<'py>,
        name: Text,
        depth: Depth<'py>,
        fx: Real,
        fy: Real,
        cx: Real,
        cy: Real,
        camera_pose: PoseArg,
        positions: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> Result<Dict<'py>> {
        let (range, cloud, lens) = UPDATE_FROM_DEPTH.read_with(positions, options)?;
        let (options, (stop, control)) = (cloud_options(cloud, Some(camera_pose)), stoppable());
        let (height, width) = (depth.shape()[0], depth.shape()[1]);
        let values = match &depth {
            Depth::Integers(array) => DepthValues::Integers(slice!(array), lens.depth_scale.0),
            Depth::Metres(array) => DepthValues::Metres(slice!(array)),
        };
        let image = DepthImage {
            values,
            width,
            height,
            camera: lens.camera([fx.0, fy.0, cx.0, cy.0])?,
            min_depth: range.min_depth.0,
            max_depth: range.max_depth.0,
            flying_pixel_ratio: lens.flying_pixel_ratio.map(|ratio| ratio.0),
        };
        let live = self.live_for_edit()?;
        let add = || live.update_from_depth(&name.0, &image, &options, &control);
        let is_long = live.is_being_edited() || is_long(width * height, &options);
        let report = interruptible_if(py, is_long, &stop, add)??;
        Ok(report_dict(py, report)?)
    }
}
