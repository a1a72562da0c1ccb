//! `Robot`: its links, joints and end effectors as data.

use kinetic::robot::{EndEffector, Geometry, GeometryShape, Joint, Link, Material, Robot};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts};
use crate::error::Result;
use crate::geometry::shape::PyShape;
use crate::robot::PyRobot;

#[pymethods]
impl PyRobot {
    /// All joints of the robot, fixed ones included, parents first.
    ///
    /// Each a dict with `name`; `type`: "revolute", "prismatic", "continuous" or "fixed"; the links `parent` and `child`;
    /// `parent_from_joint` (4, 4): the child's frame in the parent's at joint value 0, m; `axis` (3,): direction of motion in
    /// the joint frame; `limits` (lower, upper), rad or m, infinite where there are none, None for fixed joints; and `mimic`
    /// (joint, multiplier, offset) of a joint that follows another, else None; `damping` (N m s/rad or N s/m), `friction` (N m
    /// or N) and `armature`, the rotor inertia as the joint feels it (kg m² or kg), 0 where the model states none.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let robot = &self.model().robot;
        let joints: Result<Vec<_>> = robot.joints.iter().map(|joint| joint_facts(py, robot, joint)).collect();
        Ok(Dicts::new(py, joints?)?)
    }

    /// All links of the robot, the root first.
    ///
    /// Each a dict with `name`; `parent_joint`, None for the root; `mass`, kg, None where the model states none; `visuals` and
    /// `collisions`: lists of dicts with `link_from_shape` (4, 4), m; `shape`, a `Shape`, or None for a mesh; `mesh`, its name
    /// as written, and `scale` (3,), or None; and `material`, None or a dict with `name`, `color` (red, green, blue, opacity)
    /// and `texture`, None where not stated.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let robot = &self.model().robot;
        let links: Result<Vec<_>> = robot.links.iter().map(|link| link_facts(py, robot, link)).collect();
        Ok(Dicts::new(py, links?)?)
    }

    /// Places on the robot that hold tools or objects, as the kinetic.toml or SRDF names them.
    ///
    /// Each a dict with `name`; `parent_link`, which it is mounted on; `parent_group`, which moves it, and `group` of its own
    /// joints, None where not stated; and `grasp_frame` (4, 4): where it holds things, in `parent_link`, m. A kinetic.toml
    /// that states `tcp_xyz` makes that the `tcp` of the group that moves it.
    #[getter]
    fn end_effectors<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let robot = &self.model().robot;
        let places = robot.end_effectors.iter().map(|place| end_effector_facts(py, robot, place));
        Ok(Dicts::new(py, places.collect::<Result<Vec<_>>>()?)?)
    }
}

fn joint_facts<'py>(py: Python<'py>, robot: &Robot, joint: &Joint) -> Result<Dict<'py>> {
    let limits = joint.limits.as_ref().map(|limits| (limits.lower, limits.upper));
    let leader = joint.mimic.map(|mimic| (robot.joints[mimic.joint].name.clone(), mimic.multiplier, mimic.offset));
    let facts = Dict::new(py)
        .with("name", &joint.name)?
        .with("type", joint.joint_type.name())?
        .with("parent", &robot.links[joint.parent].name)?
        .with("child", &robot.links[joint.child].name)?
        .with("parent_from_joint", Array::pose(py, &joint.parent_from_joint)?)?
        .with("axis", Array::vector(py, joint.axis.as_slice())?)?;
    let facts = facts.with("limits", limits)?.with("mimic", leader)?.with("damping", joint.dynamics.damping)?;
    Ok(facts.with("friction", joint.dynamics.friction)?.with("armature", joint.dynamics.armature)?)
}

fn link_facts<'py>(py: Python<'py>, robot: &Robot, link: &Link) -> Result<Dict<'py>> {
    let all = |shapes: &[Geometry]| -> Result<Dicts<'py>> {
        Ok(Dicts::new(py, shapes.iter().map(|shape| geometry_facts(py, shape)).collect::<Result<Vec<_>>>()?)?)
    };
    Ok(Dict::new(py)
        .with("name", &link.name)?
        .with("parent_joint", link.parent_joint.map(|joint| robot.joints[joint].name.clone()))?
        .with("mass", link.inertial.as_ref().map(|inertial| inertial.mass))?
        .with("visuals", all(&link.visuals)?)?
        .with("collisions", all(&link.collisions)?)?)
}

fn geometry_facts<'py>(py: Python<'py>, geometry: &Geometry) -> Result<Dict<'py>> {
    let facts = Dict::new(py).with("link_from_shape", Array::pose(py, &geometry.link_from_shape)?)?;
    let facts = match &geometry.shape {
        GeometryShape::Shape(shape) => {
            facts.with("shape", PyShape(shape.clone()))?.with("mesh", py.None())?.with("scale", py.None())?
        }
        GeometryShape::Mesh(mesh) => facts
            .with("shape", py.None())?
            .with("mesh", &mesh.uri)?
            .with("scale", Array::vector(py, mesh.scale.as_slice())?)?,
    };
    let material = geometry.material.as_ref().map(|material| material_facts(py, material)).transpose()?;
    Ok(facts.with("material", material)?)
}

fn material_facts<'py>(py: Python<'py>, material: &Material) -> Result<Dict<'py>> {
    let color = material.color.map(|[red, green, blue, opacity]| (red, green, blue, opacity));
    Ok(Dict::new(py).with("name", &material.name)?.with("color", color)?.with("texture", material.texture.as_ref())?)
}

fn end_effector_facts<'py>(py: Python<'py>, robot: &Robot, place: &EndEffector) -> Result<Dict<'py>> {
    let group = |group: Option<usize>| group.map(|group| robot.groups[group].name.clone());
    Ok(Dict::new(py)
        .with("name", &place.name)?
        .with("parent_link", &robot.links[place.parent_link].name)?
        .with("parent_group", group(place.parent_group))?
        .with("group", group(place.group))?
        .with("grasp_frame", Array::pose(py, &place.grasp_frame)?)?)
}
