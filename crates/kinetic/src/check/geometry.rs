//! Collision shapes: there for every part that moves, and their files found.

use kinetic_robot::{Geometry, GeometryShape, Link};

use super::{Check, Level, Report, Subject};

pub(super) const CHECK: Check = Check {
    id: "geometry",
    summary: "moving parts without collision shapes, meshes that are missing or unreadable",
    run,
};

fn run(subject: &Subject<'_>, report: &mut Report) {
    let before = report.findings.len();
    for link in &subject.robot.links {
        collision_meshes(link, report);
        visual_meshes(link, report);
    }
    if let (Err(error), true) = (&subject.scene, report.findings.len() == before) {
        CHECK.add(report, Level::Error, &*subject.robot.name, error.to_string());
    }
    bare_parts(subject, report);
}

fn collision_meshes(link: &Link, report: &mut Report) {
    for geometry in &link.collisions {
        if let GeometryShape::Mesh(mesh) = &geometry.shape
            && let Err(error) = mesh.load()
        {
            CHECK.add(report, Level::Error, &*link.name, format!("collision mesh \"{}\": {error}", mesh.uri));
        }
    }
}

/// Only looked for: drawings do not decide anything.
fn visual_meshes(link: &Link, report: &mut Report) {
    for geometry in &link.visuals {
        if let GeometryShape::Mesh(mesh) = &geometry.shape
            && let Err(error) = mesh.path()
        {
            CHECK.add(report, Level::Warning, &*link.name, format!("visual mesh \"{}\": {error}", mesh.uri));
        }
    }
}

/// A part is what hangs together by fixed joints; it needs a shape when it is drawn or has a mass.
fn bare_parts(subject: &Subject<'_>, report: &mut Report) {
    let robot = subject.robot;
    let mut part: Vec<usize> = (0..robot.links.len()).collect();
    for (index, link) in robot.links.iter().enumerate() {
        let fixed = link.parent_joint.filter(|joint| !robot.joints[*joint].joint_type.is_moving());
        if let Some(joint) = fixed {
            part[index] = part[robot.joints[joint].parent];
        }
    }
    for first in (1..robot.links.len()).filter(|link| part[*link] == *link) {
        let members = || (0..robot.links.len()).filter(|link| part[*link] == first);
        let has_shape = |link: usize| {
            !robot.links[link].collisions.is_empty()
                || robot.sphere_model.as_ref().is_some_and(|model| !model[link].is_empty())
        };
        let is_solid = |link: usize| is_solid(&robot.links[link]);
        if part[first] != part[0] && members().any(is_solid) && !members().any(has_shape) {
            let message = "moves and has no collision shape: nothing keeps it from hitting things".to_owned();
            CHECK.add(report, Level::Warning, subject.link(first), message);
        }
    }
}

fn is_solid(link: &Link) -> bool {
    let visuals: &[Geometry] = &link.visuals;
    !visuals.is_empty() || link.inertial.as_ref().is_some_and(|inertial| inertial.mass > 0.0)
}
