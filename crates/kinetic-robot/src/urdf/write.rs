//! A robot as a URDF document.

use std::fmt::Write as _;
use std::path::Path;

use kinetic_core::{JointLimits, KineticError, Pose, Result, Shape, files};

use crate::mesh::MeshRef;
use crate::model::{Geometry, GeometryShape, Inertial, Joint, JointType, Link, Material};
use crate::robot::Robot;

impl Robot {
    /// The robot as a URDF document: links with mass properties and shapes, joints with limits, dynamics and followers. Numbers
    /// are written so that they are read back bit for bit; rotations become roll, pitch and yaw, to rounding.
    ///
    /// A link with a collision shape that URDF has no element for (a hull, a triangle mesh without a file) is written with the
    /// balls of [`sphere_model`](Self::sphere_model), which cover it; visuals of such shapes are left out. Meshes are named by
    /// the path where they are found, else as they were. Limits of acceleration and jerk are attributes that
    /// [`from_urdf`](Self::from_urdf) reads and others pass over. Planning groups, named poses, tools and rotor inertias have no
    /// place in the format.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] naming the link whose collision shapes can be written in neither way.
    pub fn to_urdf(&self) -> Result<String> {
        let mut out = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(&self.name));
        for (index, link) in self.links.iter().enumerate() {
            self.write_link(&mut out, index, link)?;
        }
        for joint in &self.joints {
            self.write_joint(&mut out, joint);
        }
        out.push_str("</robot>\n");
        Ok(out)
    }

    /// Writes [`to_urdf`](Self::to_urdf) to a file.
    ///
    /// # Errors
    /// As `to_urdf`, and [`KineticError::Io`].
    pub fn save_urdf(&self, path: impl AsRef<Path>) -> Result<()> {
        files::write(path, self.to_urdf()?)
    }

    fn write_link(&self, out: &mut String, index: usize, link: &Link) -> Result<()> {
        // Writing into a string does not fail.
        let _ = writeln!(out, "  <link name=\"{}\">", escaped(&link.name));
        if let Some(inertial) = &link.inertial {
            write_inertial(out, inertial);
        }
        for visual in &link.visuals {
            if let Some(element) = element(&visual.shape) {
                write_geometry(out, "visual", visual, &element);
            }
        }
        let elements: Option<Vec<String>> = link.collisions.iter().map(|geometry| element(&geometry.shape)).collect();
        match elements {
            // The shapes of a link without others are its balls.
            Some(elements) if elements.is_empty() => write_balls(out, self.balls_of(index)),
            Some(elements) => {
                for (geometry, element) in link.collisions.iter().zip(&elements) {
                    write_geometry(out, "collision", geometry, element);
                }
            }
            None if self.balls_of(index).is_empty() => {
                let wanted = "shapes of URDF (box, cylinder, sphere, capsule, mesh of a file), or a sphere model";
                return Err(KineticError::invalid(
                    format!("collision shapes of link \"{}\"", link.name),
                    "others",
                    wanted,
                ));
            }
            None => write_balls(out, self.balls_of(index)),
        }
        out.push_str("  </link>\n");
        Ok(())
    }

    /// The balls that cover a link; none where the robot has no model of them.
    fn balls_of(&self, link: usize) -> &[[f64; 4]] {
        self.sphere_model.as_ref().and_then(|model| model.get(link)).map_or(&[], Vec::as_slice)
    }

    fn write_joint(&self, out: &mut String, joint: &Joint) {
        let (name, kind) = (escaped(&joint.name), joint.joint_type.name());
        let [parent, child] = [joint.parent, joint.child].map(|link| escaped(&self.links[link].name));
        let _ = writeln!(
            out,
            "  <joint name=\"{name}\" type=\"{kind}\">\n    {}\n    <parent link=\"{parent}\"/>\n    <child link=\"{child}\"/>",
            origin(&joint.parent_from_joint)
        );
        if joint.joint_type != JointType::Fixed {
            let axis = &joint.axis;
            let _ = writeln!(out, "    <axis xyz=\"{:?} {:?} {:?}\"/>", axis.x, axis.y, axis.z);
        }
        // Those of the joint itself, or what a configuration says instead.
        if let Some(limits) = joint.variable.map(|variable| &self.joint_limits[variable]).or(joint.limits.as_ref()) {
            write_limits(out, limits, joint.joint_type);
        }
        if let Some(mimic) = &joint.mimic {
            let leader = escaped(&self.joints[mimic.joint].name);
            let (multiplier, offset) = (mimic.multiplier, mimic.offset);
            let _ =
                writeln!(out, "    <mimic joint=\"{leader}\" multiplier=\"{multiplier:?}\" offset=\"{offset:?}\"/>");
        }
        let (damping, friction) = (joint.dynamics.damping, joint.dynamics.friction);
        if damping != 0.0 || friction != 0.0 {
            let _ = writeln!(out, "    <dynamics damping=\"{damping:?}\" friction=\"{friction:?}\"/>");
        }
        out.push_str("  </joint>\n");
    }
}

fn write_balls(out: &mut String, balls: &[[f64; 4]]) {
    for [x, y, z, radius] in balls {
        let _ = writeln!(
            out,
            "    <collision><origin xyz=\"{x:?} {y:?} {z:?}\"/><geometry><sphere radius=\"{radius:?}\"/></geometry></collision>"
        );
    }
}

fn write_inertial(out: &mut String, inertial: &Inertial) {
    let tensor = &inertial.inertia;
    let _ = writeln!(
        out,
        "    <inertial>\n      {}\n      <mass value=\"{:?}\"/>\n      <inertia ixx=\"{:?}\" ixy=\"{:?}\" ixz=\"{:?}\" iyy=\"{:?}\" \
         iyz=\"{:?}\" izz=\"{:?}\"/>\n    </inertial>",
        origin(&inertial.link_from_com),
        inertial.mass,
        tensor[(0, 0)],
        tensor[(0, 1)],
        tensor[(0, 2)],
        tensor[(1, 1)],
        tensor[(1, 2)],
        tensor[(2, 2)]
    );
}

fn write_geometry(out: &mut String, tag: &str, geometry: &Geometry, element: &str) {
    let _ =
        writeln!(out, "    <{tag}>\n      {}\n      <geometry>{element}</geometry>", origin(&geometry.link_from_shape));
    if let Some(material) = &geometry.material {
        write_material(out, material);
    }
    let _ = writeln!(out, "    </{tag}>");
}

fn write_material(out: &mut String, material: &Material) {
    let _ = write!(out, "      <material name=\"{}\">", escaped(&material.name));
    if let Some([r, g, b, a]) = material.color {
        let _ = write!(out, "<color rgba=\"{r:?} {g:?} {b:?} {a:?}\"/>");
    }
    if let Some(texture) = &material.texture {
        let _ = write!(out, "<texture filename=\"{}\"/>", escaped(texture));
    }
    out.push_str("</material>\n");
}

/// The element of a shape, where URDF has one.
fn element(shape: &GeometryShape) -> Option<String> {
    match shape {
        GeometryShape::Mesh(mesh) => Some(mesh_element(mesh)),
        GeometryShape::Shape(Shape::Sphere { radius }) => Some(format!("<sphere radius=\"{radius:?}\"/>")),
        GeometryShape::Shape(Shape::Cuboid { half_extents: half }) => {
            Some(format!("<box size=\"{:?} {:?} {:?}\"/>", 2.0 * half.x, 2.0 * half.y, 2.0 * half.z))
        }
        GeometryShape::Shape(Shape::Cylinder { radius, half_height }) => {
            Some(format!("<cylinder radius=\"{radius:?}\" length=\"{:?}\"/>", 2.0 * half_height))
        }
        GeometryShape::Shape(Shape::Capsule { radius, half_height }) => {
            Some(format!("<capsule radius=\"{radius:?}\" length=\"{:?}\"/>", 2.0 * half_height))
        }
        GeometryShape::Shape(_) => None,
    }
}

fn mesh_element(mesh: &MeshRef) -> String {
    let found = mesh.path().ok().and_then(|path| path.to_str().map(str::to_owned));
    let (name, scale) = (found.unwrap_or_else(|| mesh.uri.clone()), &mesh.scale);
    format!("<mesh filename=\"{}\" scale=\"{:?} {:?} {:?}\"/>", escaped(&name), scale.x, scale.y, scale.z)
}

fn write_limits(out: &mut String, limits: &JointLimits, kind: JointType) {
    out.push_str("    <limit");
    if kind != JointType::Continuous {
        let _ = write!(out, " lower=\"{}\" upper=\"{}\"", number(limits.lower), number(limits.upper));
    }
    // 0 means unknown.
    let effort = if limits.effort.is_finite() { limits.effort } else { 0.0 };
    let _ = write!(out, " effort=\"{effort:?}\" velocity=\"{:?}\"", limits.velocity);
    for (name, value) in [("acceleration", limits.acceleration), ("jerk", limits.jerk)] {
        if let Some(value) = value {
            let _ = write!(out, " {name}=\"{value:?}\"");
        }
    }
    out.push_str("/>\n");
}

/// Infinity as readers of numbers in C take it.
fn number(value: f64) -> String {
    if value.is_infinite() { if value > 0.0 { "inf" } else { "-inf" }.to_owned() } else { format!("{value:?}") }
}

fn origin(pose: &Pose) -> String {
    let (t, (roll, pitch, yaw)) = (pose.translation(), pose.rpy());
    format!("<origin xyz=\"{:?} {:?} {:?}\" rpy=\"{roll:?} {pitch:?} {yaw:?}\"/>", t.x, t.y, t.z)
}

/// A text inside an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
