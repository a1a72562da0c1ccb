//! Point clouds as objects of a scene.

use kinetic_core::error::check_len;
use kinetic_core::{Control, Pose, Result, Shape};
use kinetic_perception::{DepthImage, FilteredCloud, PointCloudConfig, PointCloudReport};
use nalgebra::{Isometry3, Point3};

use super::known_bodies::{KnownBodies, PlacedKnownBodies};
use crate::content::Object;
use crate::live::LiveScene;
use crate::scene::Scene;

/// How the points of a sensor become an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PointCloudOptions {
    /// Filters and radius.
    pub config: PointCloudConfig,
    /// What the scene knows otherwise.
    pub known: KnownBodies,
    /// Pose of the frame of the points in the robot's root frame: of the sensor, when the points were measured.
    pub root_from_sensor: Pose,
}

impl Scene {
    /// Filters the points of a sensor (its frame, m), without those of known bodies. The result is in the robot's root frame.
    ///
    /// # Errors
    /// Those of [`PointCloudConfig::filtered`]; unknown links and objects; those of the configuration at which the robot stood.
    pub fn filter_pointcloud(
        &self,
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        options: &PointCloudOptions,
        control: &Control,
    ) -> Result<FilteredCloud> {
        self.filtered_after(&[], points, options, control)
    }

    /// As [`filter_pointcloud`](Self::filter_pointcloud), for the object of a name.
    pub(super) fn filtered_for(
        &self,
        name: &str,
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        options: &PointCloudOptions,
        control: &Control,
    ) -> Result<FilteredCloud> {
        self.filtered_after(self.cloud(name).map_or(&[], |(points, _)| points), points, options, control)
    }

    fn filtered_after(
        &self,
        before: &[Point3<f64>],
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        options: &PointCloudOptions,
        control: &Control,
    ) -> Result<FilteredCloud> {
        options.root_from_sensor.check_finite("pose of the sensor")?;
        let mut known = PlacedKnownBodies::new(self, &options.known)?;
        let Isometry3 { rotation, translation } = options.root_from_sensor.0;
        // A matrix takes half of the operations of a quaternion.
        let rotation = rotation.to_rotation_matrix();
        let placed = points.map(|point| translation * (rotation * point));
        options.config.filtered(placed, before, &mut |point| known.contain(point), control)
    }

    /// Points of the cloud of a name in the robot's root frame, and their radius; `None` where there is none, or one that was moved.
    fn cloud(&self, name: &str) -> Option<(&[Point3<f64>], f64)> {
        let object = self.objects().get(name).filter(|object| object.pose == Pose::identity())?;
        if let Shape::PointCloud { points, radius } = &object.shape { Some((points, *radius)) } else { None }
    }

    /// Adds the points of a sensor (its frame, m) as one object, or replaces the object of that name. When the filters leave no
    /// point, there is no object of that name afterwards; when they leave the points that it has, the scene stays as it was, with
    /// its version. So it does on an error.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use kinetic_robot::Robot;
    /// use kinetic_scene::{PointCloudOptions, Scene};
    /// use nalgebra::{Isometry3, Point3};
    ///
    /// let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
    /// let wall: Vec<_> = (0..2_500).map(|i| Point3::new(0.5, f64::from(i % 50) * 0.01, f64::from(i / 50) * 0.01)).collect();
    /// let report = scene.add_pointcloud("wall", &wall, &PointCloudOptions::default())?;
    /// assert_eq!((report.kept, report.radius), (2_500, 0.01));
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// As [`filter_pointcloud`](Self::filter_pointcloud) and [`add`](Self::add).
    pub fn add_pointcloud(
        &mut self,
        name: &str,
        points: &[Point3<f64>],
        options: &PointCloudOptions,
    ) -> Result<PointCloudReport> {
        self.check_new_name(name)?;
        let cloud = self.filtered_for(name, points.iter().copied(), options, &Control::default())?;
        self.cloud_edit(name, &cloud)?.apply(self, name)?;
        Ok(cloud.report)
    }

    /// Adds the surfaces of a depth image as one object, as [`add_pointcloud`](Self::add_pointcloud) does; `options` state the pose
    /// of the camera's optical frame. Pixels without a measurement do not count in the report.
    ///
    /// # Errors
    /// As [`DepthImage::points`] and [`add_pointcloud`](Self::add_pointcloud); an image without any measurement is refused.
    pub fn update_from_depth(
        &mut self,
        name: &str,
        image: &DepthImage<'_>,
        options: &PointCloudOptions,
    ) -> Result<PointCloudReport> {
        self.add_pointcloud(name, &image.points(&Control::default())?, options)
    }

    /// What filtered points change about the object of a name. It is prepared here, before others have to wait for an edit.
    pub(super) fn cloud_edit(&self, name: &str, cloud: &FilteredCloud) -> Result<CloudEdit> {
        if self.cloud(name) == Some((&cloud.points[..], cloud.report.radius)) {
            return Ok(CloudEdit::Nothing);
        }
        let Some(shape) = cloud.shape()? else { return Ok(CloudEdit::Remove) };
        Ok(CloudEdit::Replace(Object::new(shape, Pose::identity())?))
    }
}

/// What a measurement changes about an object.
pub(super) enum CloudEdit {
    Nothing,
    Replace(Object),
    Remove,
}

impl CloudEdit {
    /// Edits the object of a name.
    pub(super) fn apply(self, scene: &mut Scene, name: &str) -> Result<()> {
        match self {
            Self::Nothing => Ok(()),
            Self::Replace(object) => scene.add_object(name, object),
            Self::Remove => {
                scene.check_new_name(name)?;
                scene.remove(name);
                Ok(())
            }
        }
    }
}

impl LiveScene {
    /// As [`Scene::add_pointcloud`], for points from anywhere. Filters work on a snapshot, and the object is prepared before
    /// the edit begins.
    ///
    /// # Errors
    /// As [`Scene::filter_pointcloud`] and [`Scene::add`], and those of [`edit_within`](Self::edit_within).
    pub fn add_pointcloud(
        &self,
        name: &str,
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        options: &PointCloudOptions,
        control: &Control,
    ) -> Result<PointCloudReport> {
        let snapshot = self.snapshot();
        snapshot.check_new_name(name)?;
        let cloud = snapshot.filtered_for(name, points, options, control)?;
        let edit = snapshot.cloud_edit(name, &cloud)?;
        self.edit_within(control, |scene| edit.apply(scene, name))?;
        Ok(cloud.report)
    }

    /// As [`Scene::update_from_depth`], with the filters of [`add_pointcloud`](Self::add_pointcloud).
    ///
    /// # Errors
    /// As [`DepthImage::points`] and [`add_pointcloud`](Self::add_pointcloud).
    pub fn update_from_depth(
        &self,
        name: &str,
        image: &DepthImage<'_>,
        options: &PointCloudOptions,
        control: &Control,
    ) -> Result<PointCloudReport> {
        self.add_pointcloud(name, image.points(control)?.into_iter(), options, control)
    }
}

/// Points of rows of three coordinates, of either precision.
///
/// # Errors
/// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) for values that are not whole rows.
pub fn points_of<T: Copy + Into<f64>>(values: &[T]) -> Result<impl ExactSizeIterator<Item = Point3<f64>> + '_> {
    check_len("coordinates of points", values.len(), values.len().next_multiple_of(3))?;
    Ok(values.chunks_exact(3).map(|row| Point3::new(row[0].into(), row[1].into(), row[2].into())))
}
