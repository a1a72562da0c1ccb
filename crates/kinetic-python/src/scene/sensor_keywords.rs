//! Keywords of the calls that put points of sensors into a scene.

use std::collections::BTreeMap;

use kinetic::core::{KineticError, Pose};
use kinetic::perception::{CameraModel, CropBox, Distortion, PointCloudConfig};
use kinetic::scene::{KnownBodies, PointCloudOptions};
use nalgebra::Point3;

use crate::convert::{Call, Count, PoseArg, Real, Texts, Triple, Vector, keywords};
use crate::error::Result;
use crate::scene::outlier_filter::PyOutlierFilter;

pub(crate) const ADD_POINTCLOUD: Call<(CloudKeywords, SensorPose)> = Call::with_positions("Scene.add_pointcloud", 2, 3);
pub(crate) const FILTER_POINTCLOUD: Call<(CloudKeywords, SensorPose)> =
    Call::with_positions("Scene.filter_pointcloud", 1, 3);
pub(crate) const UPDATE_FROM_DEPTH: Call<(DepthRange, CloudKeywords, DepthKeywords)> =
    Call::with_positions("Scene.update_from_depth", 7, 3);

keywords! {
    /// Filters of a cloud, and what the scene knows otherwise.
    pub(crate) struct CloudKeywords {
        sphere_radius: Real = Real(PointCloudConfig::default().sphere_radius),
        max_points: Option<Count> = PointCloudConfig::default().max_points.map(Count),
        voxel_size: Option<Real> = None,
        crop: Option<(Triple, Triple)> = None,
        outliers: Option<PyOutlierFilter> = None,
        robot_at: Option<Vector> = None,
        robot_padding: Real = Real(KnownBodies::default().robot_padding),
        link_paddings: BTreeMap<String, Real> = BTreeMap::new(),
        objects: Texts = Texts::default(),
        object_padding: Real = Real(KnownBodies::default().object_padding),
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

impl CloudKeywords {
    pub(crate) fn options(self, pose: Option<PoseArg>) -> PointCloudOptions {
        let crop = self.crop.map(|(min, max)| CropBox { min: Point3::from(min.0), max: Point3::from(max.0) });
        let config = PointCloudConfig {
            sphere_radius: self.sphere_radius.0,
            crop,
            outliers: self.outliers.map(|filter| filter.0),
            voxel_size: self.voxel_size.map(|size| size.0),
            max_points: self.max_points.map(|count| count.0),
        };
        let known = KnownBodies {
            robot_at: self.robot_at.map(|q| q.0),
            robot_padding: self.robot_padding.0,
            link_paddings: self.link_paddings.into_iter().map(|(link, padding)| (link, padding.0)).collect(),
            objects: self.objects.0,
            object_padding: self.object_padding.0,
        };
        let root_from_sensor = pose.map_or_else(Pose::identity, |pose| pose.0);
        PointCloudOptions { config, known, root_from_sensor }
    }
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
