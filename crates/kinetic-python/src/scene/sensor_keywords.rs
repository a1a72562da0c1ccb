//! Keywords of the calls that put points of sensors into a scene.

use std::collections::BTreeMap;

use kinetic::core::{KineticError, Pose};
use kinetic::perception::{CameraModel, CropBox, Distortion, OctreeConfig, OutlierFilter, PointCloudConfig};
use kinetic::scene::{DepthCamera, KnownBodies, OctreeOptions, PointCloudOptions, SensorConfig, SensorOutput};
use nalgebra::Point3;

use crate::convert::{Call, Count, PoseArg, Real, Text, Texts, Triple, Vector, keywords};
use crate::error::Result;
use crate::scene::outlier_filter::PyOutlierFilter;

pub(crate) const ADD_POINTCLOUD: Call<(CloudKeywords, SensorPose)> = Call::with_positions("Scene.add_pointcloud", 2, 3);
pub(crate) const FILTER_POINTCLOUD: Call<(CloudKeywords, SensorPose)> =
    Call::with_positions("Scene.filter_pointcloud", 1, 3);
pub(crate) const UPDATE_FROM_DEPTH: Call<(DepthRange, CloudKeywords, DepthKeywords)> =
    Call::with_positions("Scene.update_from_depth", 7, 3);
pub(crate) const UPDATE_OCTREE: Call<OctreeKeywords> = Call::with_positions("Scene.update_octree", 3, 1);
pub(crate) const ADD_UNKNOWN_SPACE: Call<(RobotKeyword, PaddingKeywords)> = Call::new("Scene.add_unknown_space");
pub(crate) const ADD_SENSOR: Call<PipelineKeywords> = Call::new("PerceptionPipeline.add_sensor");

/// Filters of a cloud, and what the scene knows otherwise.
pub(crate) type CloudKeywords = (FilterKeywords, OutlierKeyword, (RobotKeyword, PaddingKeywords));

/// An update of an occupancy map.
pub(crate) type OctreeKeywords = (MapKeywords, OutlierKeyword, (RobotKeyword, PaddingKeywords, SensorPose));

/// A sensor of a pipeline.
pub(crate) type PipelineKeywords =
    (SensorKeywords, DepthRange, (DepthKeywords, FilterKeywords, (OutlierKeyword, MapKeywords, PaddingKeywords)));

keywords! {
    /// Filters of a cloud.
    pub(crate) struct FilterKeywords {
        sphere_radius: Real = Real(PointCloudConfig::default().sphere_radius),
        max_points: Option<Count> = PointCloudConfig::default().max_points.map(Count),
        voxel_size: Option<Real> = None,
        crop: Option<(Triple, Triple)> = None,
        hysteresis: bool = false,
    }
}

keywords! {
    /// What an occupancy map begins with, and how far it sees.
    pub(crate) struct MapKeywords {
        resolution: Real = Real(0.02),
        max_range: Option<Real> = None,
    }
}

keywords! {
    /// Measurement errors.
    pub(crate) struct OutlierKeyword {
        outliers: Option<PyOutlierFilter> = None,
    }
}

keywords! {
    /// Where the robot was.
    pub(crate) struct RobotKeyword {
        robot_at: Option<Vector> = None,
    }
}

keywords! {
    /// How near points on the robot and on objects are that the scene knows otherwise.
    pub(crate) struct PaddingKeywords {
        robot_padding: Real = Real(KnownBodies::default().robot_padding),
        link_paddings: BTreeMap<String, Real> = BTreeMap::new(),
        objects: Texts = Texts::default(),
        object_padding: Real = Real(KnownBodies::default().object_padding),
    }
}

keywords! {
    /// What a sensor of a pipeline is.
    pub(crate) struct SensorKeywords {
        camera: Option<Vector> = None,
        output: Text = Text("cloud".to_owned()),
        filter_robot: bool = true,
        margin: Real = Real(0.0),
        time_to_live: Option<Real> = None,
    }
}

keywords! {
    /// Where the sensor was.
    pub(crate) struct SensorPose {
        pose: Option<PoseArg> = None,
    }
}

keywords! {
    /// Depths that count.
    pub(crate) struct DepthRange {
        min_depth: Real = Real(0.1),
        max_depth: Real = Real(5.0),
    }
}

keywords! {
    /// What a camera does to depths and rays.
    pub(crate) struct DepthKeywords {
        depth_scale: Real = Real(0.001),
        distortion: Option<Vector> = None,
        fisheye: bool = false,
        flying_pixel_ratio: Option<Real> = None,
    }
}

impl PaddingKeywords {
    pub(crate) fn bodies(self, robot_at: Option<Vector>) -> KnownBodies {
        KnownBodies {
            robot_at: robot_at.map(|q| q.0),
            robot_padding: self.robot_padding.0,
            link_paddings: self.link_paddings.into_iter().map(|(link, padding)| (link, padding.0)).collect(),
            objects: self.objects.0,
            object_padding: self.object_padding.0,
        }
    }
}

impl OutlierKeyword {
    fn filter(self) -> Option<OutlierFilter> {
        self.outliers.map(|filter| filter.0)
    }
}

impl FilterKeywords {
    fn config(self, outliers: OutlierKeyword) -> PointCloudConfig {
        let crop = self.crop.map(|(min, max)| CropBox { min: Point3::from(min.0), max: Point3::from(max.0) });
        PointCloudConfig {
            sphere_radius: self.sphere_radius.0,
            crop,
            outliers: outliers.filter(),
            voxel_size: self.voxel_size.map(|size| size.0),
            max_points: self.max_points.map(|count| count.0),
            hysteresis: self.hysteresis,
        }
    }
}

impl MapKeywords {
    fn octree(&self) -> OctreeConfig {
        OctreeConfig { resolution: self.resolution.0, ..OctreeConfig::default() }
    }

    fn range(&self) -> f64 {
        self.max_range.as_ref().map_or(f64::INFINITY, |range| range.0)
    }
}

/// The options of a cloud in the frame of a pose.
pub(crate) fn cloud_options(
    (filter, outliers, (robot, paddings)): CloudKeywords,
    pose: Option<PoseArg>,
) -> PointCloudOptions {
    let (config, known) = (filter.config(outliers), paddings.bodies(robot.robot_at));
    PointCloudOptions { config, known, root_from_sensor: pose_or_root(pose) }
}

/// The options of an update of a map by a sensor at a place.
pub(crate) fn octree_options(
    (map, outliers, (robot, paddings, sensor)): OctreeKeywords,
    sensor_origin: &Triple,
) -> OctreeOptions {
    OctreeOptions {
        octree: map.octree(),
        max_range: map.range(),
        outliers: outliers.filter(),
        known: paddings.bodies(robot.robot_at),
        root_from_points: pose_or_root(sensor.pose),
        sensor_origin: sensor_origin.0.into(),
    }
}

/// A sensor in a frame that feeds an object.
pub(crate) fn sensor_config(
    (sensor, range, (lens, filter, (outliers, map, paddings))): PipelineKeywords,
    frame: String,
    object: String,
) -> Result<SensorConfig> {
    check_is_used(&sensor, &lens, &filter, &map)?;
    let camera = match sensor.camera.as_ref().map(|camera| &camera.0[..]) {
        None => None,
        Some([fx, fy, cx, cy]) => Some(DepthCamera {
            model: lens.camera([*fx, *fy, *cx, *cy])?,
            depth_scale: lens.depth_scale.0,
            min_depth: range.min_depth.0,
            max_depth: range.max_depth.0,
            flying_pixel_ratio: lens.flying_pixel_ratio.map(|ratio| ratio.0),
        }),
        Some(given) => {
            let wanted = "fx, fy, cx and cy (pixels), or None for a sensor of points";
            return Err(KineticError::invalid("camera", format!("{} numbers", given.len()), wanted).into());
        }
    };
    let output = match &sensor.output.0[..] {
        "cloud" => SensorOutput::Cloud(filter.config(outliers)),
        "octree" => SensorOutput::Octree { octree: map.octree(), max_range: map.range(), outliers: outliers.filter() },
        other => return Err(KineticError::invalid("output", format!("\"{other}\""), "\"cloud\" or \"octree\"").into()),
    };
    Ok(SensorConfig {
        frame,
        camera,
        object,
        output,
        is_robot_filtered: sensor.filter_robot,
        known: paddings.bodies(None),
        margin: sensor.margin.0,
        time_to_live: sensor.time_to_live.map(|time| time.0),
    })
}

/// Refuses what a sensor of such a kind would not look at.
fn check_is_used(
    sensor: &SensorKeywords,
    lens: &DepthKeywords,
    filter: &FilterKeywords,
    map: &MapKeywords,
) -> Result<()> {
    let (is_map, has_camera) = (sensor.output.0 == "octree", sensor.camera.is_some());
    let unused = [
        ("crop", is_map && filter.crop.is_some(), "None where the output is an octree"),
        ("voxel_size", is_map && filter.voxel_size.is_some(), "None where the output is an octree"),
        ("hysteresis", is_map && filter.hysteresis, "False where the output is an octree"),
        ("max_range", !is_map && map.max_range.is_some(), "None where the output is a cloud"),
        ("distortion", !has_camera && lens.distortion.is_some(), "None where there is no camera"),
        ("fisheye", !has_camera && lens.fisheye, "False where there is no camera"),
        ("flying_pixel_ratio", !has_camera && lens.flying_pixel_ratio.is_some(), "None where there is no camera"),
    ];
    match unused.into_iter().find(|(_, is_given, _)| *is_given) {
        Some((name, _, wanted)) => {
            Err(KineticError::invalid(name, "an option that this sensor has no use for", wanted).into())
        }
        None => Ok(()),
    }
}

fn pose_or_root(pose: Option<PoseArg>) -> Pose {
    pose.map_or_else(Pose::identity, |pose| pose.0)
}

impl DepthKeywords {
    /// The camera with these focal lengths and this principal point.
    pub(crate) fn camera(&self, [fx, fy, cx, cy]: [f64; 4]) -> Result<CameraModel> {
        let distortion = match (self.distortion.as_ref().map(|given| &given.0[..]), self.fisheye) {
            (None, false) => Distortion::None,
            (None, true) => Distortion::Fisheye { k: [0.0; 4] },
            (Some([a, b, c, d]), true) => Distortion::Fisheye { k: [*a, *b, *c, *d] },
            (Some([k1, k2, p1, p2]), false) => Distortion::BrownConrady { k: [*k1, *k2, 0.0], p: [*p1, *p2] },
            (Some([k1, k2, p1, p2, k3]), false) => Distortion::BrownConrady { k: [*k1, *k2, *k3], p: [*p1, *p2] },
            (Some(given), is_fisheye) => {
                let wanted = if is_fisheye { "k1, k2, k3, k4" } else { "k1, k2, p1, p2 and perhaps k3" };
                return Err(KineticError::invalid("distortion", format!("{} numbers", given.len()), wanted).into());
            }
        };
        Ok(CameraModel { fx, fy, cx, cy, distortion })
    }
}
