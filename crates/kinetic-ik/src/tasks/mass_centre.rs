//! Centre-of-mass task.

use kinetic_core::error::check_finite;
use kinetic_core::{AxisMask, KineticError, Result};
use nalgebra::Vector3;

use super::model::Model;
use super::pose_task::positive;
use super::state::State;
use super::task::{Limit, Rows, Task};

/// A mass that the robot carries.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    /// Index of the link that carries it.
    pub link: usize,
    /// Its centre of mass in the link, m.
    pub link_from_centre: Vector3<f64>,
    /// Its mass, kg.
    pub mass: f64,
}

/// Brings the centre of gravity of the robot, with what it carries, to a point: `J = Σ mᵢ Jᵢ / M`.
#[derive(Debug, Clone, PartialEq)]
pub struct MassCentre {
    /// Name in reports.
    pub name: String,
    /// The point in the world, m.
    pub target: Vector3<f64>,
    /// Axes of the world along which it must agree: `xy` keeps it over a foot.
    pub mask: AxisMask,
    /// Payloads of the robot.
    pub payloads: Vec<Payload>,
    /// Largest distance left, m.
    pub threshold: f64,
}

impl MassCentre {
    /// Position of the centre of gravity in the world; NaN for a robot without mass.
    pub fn position(&self, state: &State<'_>) -> Vector3<f64> {
        let (mut sum, mut total) = (Vector3::zeros(), 0.0);
        for (link, centre, mass) in self.parts(state.model()) {
            sum += state.link(link).point(&centre) * mass;
            total += mass;
        }
        sum / total
    }

    fn parts<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = (usize, Vector3<f64>, f64)> + 'a {
        let carried = self.payloads.iter().map(|payload| (payload.link, payload.link_from_centre, payload.mass));
        model.masses.iter().copied().chain(carried)
    }
}

impl Task for MassCentre {
    fn name(&self) -> &str {
        &self.name
    }

    fn num_rows(&self) -> usize {
        self.mask.count()
    }

    fn limits(&self) -> Vec<Limit> {
        vec![Limit { what: "position", rows: 0..self.num_rows(), tolerance: self.threshold }]
    }

    fn evaluate(&self, state: &State<'_>, rows: &mut Rows<'_>) {
        let total: f64 = self.parts(state.model()).map(|(_, _, mass)| mass).sum();
        let error = self.target - self.position(state);
        rows.jacobian.fill(0.0);
        for (link, centre, mass) in self.parts(state.model()) {
            let point = state.link(link).point(&centre);
            state.point_jacobian(link, &point, &mut rows.scratch[..6 * rows.columns]);
            for (row, axis) in constrained(self.mask).enumerate() {
                for column in 0..rows.columns {
                    rows.jacobian[row * rows.columns + column] += rows.scratch[6 * column + axis] * mass / total;
                }
            }
        }
        for (row, axis) in constrained(self.mask).enumerate() {
            rows.error[row] = error[axis];
        }
    }

    fn check(&self, model: &Model) -> Result<()> {
        let name = format!("task \"{}\"", self.name);
        check_finite(&format!("target of {name}"), self.target.as_slice())?;
        for payload in &self.payloads {
            model.check_link(payload.link)?;
            check_finite(&format!("payload of {name}"), payload.link_from_centre.as_slice())?;
            if !(payload.mass > 0.0 && payload.mass.is_finite()) {
                return Err(KineticError::invalid(format!("payload of {name}"), payload.mass, "a positive mass, kg"));
            }
        }
        if self.num_rows() == 0 {
            return Err(KineticError::invalid(format!("mask of {name}"), "no axis", "at least one axis"));
        }
        if self.parts(model).next().is_none() {
            let wanted = "a robot whose links have masses, or a payload";
            return Err(KineticError::invalid(name, "a robot without mass", wanted));
        }
        positive(&self.name, &[self.threshold])
    }
}

fn constrained(mask: AxisMask) -> impl Iterator<Item = usize> {
    (0..3).filter(move |axis| mask.has(*axis))
}
