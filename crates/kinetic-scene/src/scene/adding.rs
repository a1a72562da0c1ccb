//! Convenience methods for adding objects of the usual shapes.

use kinetic_core::{Pose, Result, Shape};

use super::Scene;

impl Scene {
    /// Adds a box by its full lengths along x, y and z (m), as [`Shape::box_from_size`] takes them, or replaces the
    /// object of that name; the pose of its middle is in the robot's root frame. [`add_cuboid`](Self::add_cuboid) takes
    /// half of them.
    ///
    /// # Errors
    /// As [`add`](Self::add), and [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for lengths that are not positive.
    pub fn add_box(&mut self, name: &str, size: [f64; 3], pose: impl Into<Pose>) -> Result<()> {
        let [x, y, z] = size;
        self.add(name, Shape::box_from_size(x, y, z)?, pose)
    }

    /// As [`add_box`](Self::add_box), by half of the lengths, as [`Shape::cuboid`] takes them.
    ///
    /// # Errors
    /// As [`add_box`](Self::add_box).
    pub fn add_cuboid(&mut self, name: &str, half_extents: [f64; 3], pose: impl Into<Pose>) -> Result<()> {
        let [x, y, z] = half_extents;
        self.add(name, Shape::cuboid(x, y, z)?, pose)
    }

    /// Adds a sphere (radius in m), or replaces the object of that name; `center` is in the robot's root frame, m.
    ///
    /// # Errors
    /// As [`add`](Self::add), and [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for a radius that is not positive.
    pub fn add_sphere(&mut self, name: &str, radius: f64, center: [f64; 3]) -> Result<()> {
        let [x, y, z] = center;
        self.add(name, Shape::sphere(radius)?, Pose::from_xyz(x, y, z))
    }

    /// Adds a cylinder with its axis along z of `pose` (sizes in m), or replaces the object of that name; the pose of
    /// its middle is in the robot's root frame.
    ///
    /// # Errors
    /// As [`add`](Self::add), and [`InvalidValue`](kinetic_core::KineticError::InvalidValue) for sizes that are not positive.
    pub fn add_cylinder(&mut self, name: &str, radius: f64, half_height: f64, pose: impl Into<Pose>) -> Result<()> {
        self.add(name, Shape::cylinder(radius, half_height)?, pose)
    }
}
