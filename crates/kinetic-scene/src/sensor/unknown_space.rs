//! Space that no sensor has seen, as an object.

use kinetic_core::{Control, KineticError, Pose, Result};
use nalgebra::{Point3, Vector3};

use super::known_bodies::{KnownBodies, PlacedKnownBodies};
use crate::content::Object;
use crate::live::LiveScene;
use crate::scene::Scene;

/// Cells between two looks at the control.
const CELLS_PER_LOOK: usize = 1 << 12;

impl Scene {
    /// Makes the unknown cells of a map in the box between two corners (root frame, m) an object, or replaces the object of that name,
    /// and says how many cells it has: what no sensor has seen counts as occupied. Later updates of the map do not change it.
    ///
    /// Cells within the padding of the robot, of what it carries and of known objects are left out: a camera does not see into them,
    /// and the scene knows what is there. Without a cell there is no object of that name.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] for a map; those of [`Octree::unknown_list`](kinetic_perception::Octree::unknown_list), of
    /// [`add`](Self::add), of the control, and of the configuration at which the robot stood; [`KineticError::InvalidValue`] for the
    /// name of a map. The scene is then as before.
    pub fn add_unknown_space(
        &mut self,
        name: &str,
        octree: &str,
        [low, high]: [Point3<f64>; 2],
        known: &KnownBodies,
        control: &Control,
    ) -> Result<usize> {
        self.check_new_name(name)?;
        if self.octrees().any(|(map, _)| map == name) {
            return Err(KineticError::invalid("object name", format!("{name:?}"), "one that no map has"));
        }
        let map = self.octree(octree)?;
        let resolution = map.config().resolution;
        let mut known = PlacedKnownBodies::new(self, &known.grown(resolution * 0.75_f64.sqrt()))?;
        let center =
            |cell: &[i32; 3]| Point3::from(Vector3::from(cell.map(|index| f64::from(index) + 0.5)) * resolution);
        let mut cells = map.unknown_list(&low, &high)?;
        control.check(0)?;
        let (mut looked_at, mut is_over) = (0_usize, false);
        cells.retain(|cell| {
            looked_at += 1;
            is_over = is_over || (looked_at.is_multiple_of(CELLS_PER_LOOK) && control.is_over(0));
            is_over || !known.contain(&center(cell))
        });
        control.check(0)?;
        let shape = if cells.is_empty() { None } else { Some(map.shape_of(&cells)?) };
        let object = shape.map(|shape| Object::new(shape, Pose::identity())).transpose()?;
        if object.is_some() || self.objects().contains_key(name) {
            self.put_object(name, object);
        }
        Ok(cells.len())
    }
}

impl LiveScene {
    /// As [`Scene::add_unknown_space`].
    ///
    /// # Errors
    /// As [`Scene::add_unknown_space`], and those of [`edit_within`](Self::edit_within).
    pub fn add_unknown_space(
        &self,
        name: &str,
        octree: &str,
        corners: [Point3<f64>; 2],
        known: &KnownBodies,
        control: &Control,
    ) -> Result<usize> {
        self.edit_within(control, |scene| scene.add_unknown_space(name, octree, corners, known, control))
    }
}

impl KnownBodies {
    /// The same bodies with all paddings larger by a distance, m.
    fn grown(&self, by: f64) -> Self {
        let link_paddings = self.link_paddings.iter().map(|(link, padding)| (link.clone(), padding + by)).collect();
        let (robot_padding, object_padding) = (self.robot_padding + by, self.object_padding + by);
        Self { robot_padding, link_paddings, object_padding, ..self.clone() }
    }
}
