//! Mass properties: missing, impossible, or out of proportion to the link's shapes.

use kinetic_robot::{Inertial, Link};

use super::sizes::{Extent, extent};
use super::{Check, Level, Report, Subject};

pub(super) const CHECK: Check =
    Check { id: "inertia", summary: "masses and tensors that are missing, impossible or out of proportion", run };

/// Density of the box around a link, kg/m³: foam to tungsten.
const DENSITY: (f64, f64) = (1.0, 20_000.0);

/// Moments are given with few digits; the triangle inequality may be off by this share of the largest.
const TRIANGLE_ROOM: f64 = 1e-3;

fn run(subject: &Subject<'_>, report: &mut Report) {
    let robot = subject.robot;
    if robot.links.iter().all(|link| link.inertial.is_none()) {
        let message = "no link has mass properties: dynamics is not available".to_owned();
        CHECK.add(report, Level::Note, &*robot.name, message);
        return;
    }
    for (index, link) in robot.links.iter().enumerate() {
        let shape = subject.scene.as_ref().ok().and_then(|scene| extent(&scene.geometry().links()[index]));
        match &link.inertial {
            None => missing(subject, index, shape.is_some(), report),
            Some(inertial) => {
                if values(link, inertial, report) {
                    proportions(link, inertial, shape, report);
                }
            }
        }
    }
}

/// Massless helper frames are common; a solid part that moves has a mass.
fn missing(subject: &Subject<'_>, link: usize, has_shape: bool, report: &mut Report) {
    let moves =
        subject.robot.links[link].parent_joint.is_some_and(|joint| subject.robot.joints[joint].joint_type.is_moving());
    if moves && has_shape {
        let message = "has collision shapes and moves, but no mass".to_owned();
        CHECK.add(report, Level::Warning, subject.link(link), message);
    }
}

/// What no rigid body has. Returns whether the numbers can be compared with the shapes.
fn values(link: &Link, inertial: &Inertial, report: &mut Report) -> bool {
    let mass = inertial.mass;
    if mass < 0.0 || !mass.is_finite() {
        CHECK.add(report, Level::Error, &*link.name, format!("mass is {mass} kg"));
        return false;
    }
    let mut moments: [f64; 3] = inertial.inertia.symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let [small, middle, large] = moments;
    if mass == 0.0 {
        if large != 0.0 {
            let message = "has moments of inertia, but a mass of 0".to_owned();
            CHECK.add(report, Level::Warning, &*link.name, message);
        }
        return false;
    }
    if small <= 0.0 {
        let message = format!("principal moments {small:.3e}, {middle:.3e}, {large:.3e} kg m² are not all positive");
        CHECK.add(report, Level::Error, &*link.name, message);
        return false;
    }
    if small + middle < large * (1.0 - TRIANGLE_ROOM) {
        let message = format!(
            "principal moments {small:.3e}, {middle:.3e}, {large:.3e} kg m² belong to no body: \
             the largest exceeds the sum of the others"
        );
        CHECK.add(report, Level::Warning, &*link.name, message);
    }
    true
}

fn proportions(link: &Link, inertial: &Inertial, shape: Option<Extent>, report: &mut Report) {
    let Some(shape) = shape else { return };
    let density = inertial.mass / shape.volume();
    if !(DENSITY.0..=DENSITY.1).contains(&density) {
        let message = format!(
            "{} kg in a box of {:.3e} m³ is {density:.3e} kg/m³; are mass or shapes in other units?",
            inertial.mass,
            shape.volume()
        );
        CHECK.add(report, Level::Warning, &*link.name, message);
    }
    // No point of a body is farther from its centre of mass than the body is long.
    let gyration = (inertial.inertia.symmetric_eigenvalues().max() / inertial.mass).sqrt();
    let size = shape.diagonal();
    if gyration > size {
        let message = format!("radius of gyration {gyration:.3} m exceeds the size of its shapes, {size:.3} m");
        CHECK.add(report, Level::Warning, &*link.name, message);
    }
    let center = inertial.link_from_com.translation();
    let off = shape.distance(&center);
    if off > size {
        let message = format!("centre of mass lies {off:.3} m outside of its shapes, which are {size:.3} m large");
        CHECK.add(report, Level::Warning, &*link.name, message);
    }
}
