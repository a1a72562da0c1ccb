//! Occupancy maps as objects of a scene: what sensors saw before is remembered.

use std::sync::Arc;

use kinetic_core::{Control, KineticError, Pose, Result};
use kinetic_perception::{InsertionReport, Octree, OctreeConfig, OutlierFilter, PointCloudConfig, PointCloudReport};
use nalgebra::Point3;

use super::known_bodies::KnownBodies;
use super::point_cloud::PointCloudOptions;
use crate::content::Object;
use crate::live::LiveScene;
use crate::scene::Scene;

/// How the points of a sensor change a map.
#[derive(Debug, Clone, PartialEq)]
pub struct OctreeOptions {
    /// Resolution and sensor model of a map that begins with these points; one that exists keeps its own.
    pub octree: OctreeConfig,
    /// Points farther from the sensor do not occupy cells, m; what lies before them is cleared up to this range.
    pub max_range: f64,
    /// What counts as a measurement error.
    pub outliers: Option<OutlierFilter>,
    /// What the scene knows otherwise.
    pub known: KnownBodies,
    /// Pose of the frame of the points in the robot's root frame.
    pub root_from_points: Pose,
    /// Where the sensor was, in the frame of the points, m.
    pub sensor_origin: Point3<f64>,
}

impl Default for OctreeOptions {
    fn default() -> Self {
        Self {
            octree: OctreeConfig::default(),
            max_range: f64::INFINITY,
            outliers: None,
            known: KnownBodies::default(),
            root_from_points: Pose::identity(),
            sensor_origin: Point3::origin(),
        }
    }
}

/// What became of the points of an update.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OctreeReport {
    /// What the filters did.
    pub cloud: PointCloudReport,
    /// What the map did with the points that were left.
    pub insertion: InsertionReport,
}

/// Points that the filters have left (root frame), and where the sensor was.
pub(super) struct Measured {
    points: Vec<Point3<f64>>,
    origin: Point3<f64>,
    report: PointCloudReport,
}

impl Scene {
    /// Inserts the points of a sensor (m) into the map of a name, which is made where there is none, and makes its occupied cells the
    /// object of that name: cells with points become more occupied, those between them and the sensor more free. Points on the robot
    /// and on known objects change nothing. While no cell is occupied there is no object, but there is a map.
    ///
    /// Any other edit of the object makes it an ordinary one, and the map is forgotten. On an error the scene stays as it was.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use kinetic_core::Control;
    /// use kinetic_robot::Robot;
    /// use kinetic_scene::{OctreeOptions, Scene};
    /// use nalgebra::Point3;
    ///
    /// let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
    /// let wall: Vec<_> = (0..400).map(|i| Point3::new(0.81, f64::from(i % 20) * 0.02, f64::from(i / 20) * 0.02)).collect();
    /// let camera = OctreeOptions { sensor_origin: Point3::new(0.01, 0.01, 1.01), ..OctreeOptions::default() };
    /// scene.update_octree("map", wall.iter().copied(), &camera, &Control::default())?;
    /// assert!(scene.octree("map")?.is_occupied(&wall[0]));
    /// assert_eq!((scene.num_octrees(), scene.objects().len()), (1, 1));
    /// # Ok::<(), kinetic_core::KineticError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`PointCloudConfig::filtered`], [`Octree::insert_cloud`] and [`add`](Self::add); unknown links and objects; more than
    /// 2²⁶ occupied cells.
    pub fn update_octree(
        &mut self,
        name: &str,
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        options: &OctreeOptions,
        control: &Control,
    ) -> Result<OctreeReport> {
        self.check_new_name(name)?;
        let measured = self.measured(points, options, control)?;
        self.insert_measured(name, &measured, options, control)
    }

    /// The map of a name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] with the names of all maps.
    pub fn octree(&self, name: &str) -> Result<&Octree> {
        self.content
            .octrees
            .get(name)
            .map(Arc::as_ref)
            .ok_or_else(|| KineticError::unknown_name("octree", name, self.content.octrees.keys()))
    }

    /// Makes a map the map of a name, and its occupied cells the object of that name.
    ///
    /// # Errors
    /// Those of [`add`](Self::add); more than 2²⁶ occupied cells.
    pub fn set_octree(&mut self, name: &str, octree: Octree) -> Result<()> {
        self.check_new_name(name)?;
        self.put_octree(name, octree)
    }

    /// Number of maps.
    pub fn num_octrees(&self) -> usize {
        self.content.octrees.len()
    }

    /// The maps with their names, in order of names.
    pub fn octrees(&self) -> impl Iterator<Item = (&str, &Octree)> {
        self.content.octrees.iter().map(|(name, octree)| (name.as_str(), octree.as_ref()))
    }

    pub(super) fn measured(
        &self,
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        options: &OctreeOptions,
        control: &Control,
    ) -> Result<Measured> {
        // A box around points would keep the rays of farther ones from clearing what lies inside, and merging is what cells do.
        let config = PointCloudConfig {
            outliers: options.outliers,
            crop: None,
            voxel_size: None,
            max_points: None,
            ..PointCloudConfig::default()
        };
        let filters =
            PointCloudOptions { config, known: options.known.clone(), root_from_sensor: options.root_from_points };
        let cloud = self.filter_pointcloud(points, &filters, control)?;
        let origin = options.root_from_points.0 * options.sensor_origin;
        Ok(Measured { points: cloud.points, origin, report: cloud.report })
    }

    pub(super) fn insert_measured(
        &mut self,
        name: &str,
        measured: &Measured,
        options: &OctreeOptions,
        control: &Control,
    ) -> Result<OctreeReport> {
        self.check_new_name(name)?;
        let mut octree = match self.content.octrees.get(name) {
            Some(octree) => Octree::clone(octree),
            None => Octree::new(options.octree)?,
        };
        let insertion = octree.insert_cloud(&measured.points, &measured.origin, options.max_range, control)?;
        self.put_octree(name, octree)?;
        Ok(OctreeReport { cloud: measured.report, insertion })
    }

    /// Sets the map of a name and the object that it is. An object that is the same stays, with what is prepared for it.
    fn put_octree(&mut self, name: &str, octree: Octree) -> Result<()> {
        let cells = octree.occupied_cells()?;
        let shape = if cells.is_empty() { None } else { Some(octree.shape_of(&cells)?) };
        let is_same = match (self.content.objects.get(name), &shape) {
            (Some(object), Some(shape)) => object.shape == *shape && object.pose == Pose::identity(),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            let object = shape.map(|shape| Object::new(shape, Pose::identity())).transpose()?;
            self.put_object(name, object);
        }
        Arc::make_mut(&mut self.content.octrees).insert(name.to_owned(), Arc::new(octree));
        Ok(())
    }

    /// Makes the object of a name an ordinary one.
    pub(crate) fn forget_octree(&mut self, name: &str) {
        if self.content.octrees.contains_key(name) {
            Arc::make_mut(&mut self.content.octrees).remove(name);
        }
    }
}

impl LiveScene {
    /// As [`Scene::update_octree`]. Filters work on a snapshot; the map is changed within the edit, so that none of several sensors is
    /// lost. A change of the map that changes no occupied cell is no new revision.
    ///
    /// # Errors
    /// As [`Scene::update_octree`], and those of [`edit_within`](Self::edit_within).
    pub fn update_octree(
        &self,
        name: &str,
        points: impl ExactSizeIterator<Item = Point3<f64>>,
        options: &OctreeOptions,
        control: &Control,
    ) -> Result<OctreeReport> {
        let snapshot = self.snapshot();
        snapshot.check_new_name(name)?;
        let measured = snapshot.measured(points, options, control)?;
        self.edit_within(control, |scene| scene.insert_measured(name, &measured, options, control))
    }
}
