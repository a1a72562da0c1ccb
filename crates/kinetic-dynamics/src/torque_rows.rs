//! Torque limits along a path as rows for the time-optimal law (Bobrow, Dubowsky and Gibson 1985; Pham and Pham 2018).
//!
//! With `q = γ(s)`: `τ = M γ′ s̈ + (M γ″ + C(γ, γ′) γ′) ṡ² + D ṡ + g + f`, where `D` is viscous damping along the path (and what a
//! turning base adds), and `f` Coulomb friction, whose sign is that of γ′.

use kinetic_trajectory::totp::{PathPoint, PathRow};

use crate::data::Workspace;
use crate::model::DynamicsModel;
use crate::recursions::bodies_inverse;
use crate::tightening::Tightening;

/// Where a joint cannot be held.
#[derive(Debug, Clone)]
pub(crate) struct StaticExcess {
    pub(crate) joint: usize,
    pub(crate) effort: f64,
    pub(crate) position: Vec<f64>,
}

/// What τ consists of at a point of the path, one value per joint.
struct Terms {
    /// Factor of s̈.
    acceleration: Vec<f64>,
    /// Factor of ṡ².
    square: Vec<f64>,
    /// Factor of ṡ.
    speed: Vec<f64>,
    constant: Vec<f64>,
}

/// Writes the rows of points of a path.
pub(crate) struct TorqueRows<'a> {
    model: &'a DynamicsModel,
    /// Efforts that may be used.
    usable: &'a [f64],
    /// Largest joint speeds.
    velocity: &'a [f64],
    tightening: &'a Tightening,
    work: Workspace<f64>,
    /// The worst one that was met.
    pub(crate) excess: Option<StaticExcess>,
}

impl<'a> TorqueRows<'a> {
    pub(crate) fn new(
        model: &'a DynamicsModel,
        usable: &'a [f64],
        velocity: &'a [f64],
        tightening: &'a Tightening,
    ) -> Self {
        Self { model, usable, velocity, tightening, work: Workspace::new(model), excess: None }
    }

    /// Appends two rows per joint with a limit.
    pub(crate) fn append(&mut self, point: &PathPoint<'_>, rows: &mut Vec<PathRow>) {
        let terms = self.terms(point);
        let fastest = fastest(point.tangent, self.velocity);
        for (joint, &usable) in self.usable.iter().enumerate().filter(|(_, usable)| usable.is_finite()) {
            for sign in [1.0, -1.0] {
                let headroom = usable - sign * terms.constant[joint];
                if headroom < 0.0 {
                    self.note(joint, terms.constant[joint], point.position);
                }
                let headroom = headroom * self.tightening.factor(joint, sign, point.position);
                let (by_square, reserve) = drag_row(sign * terms.speed[joint], fastest, headroom);
                rows.push(PathRow {
                    acceleration: sign * terms.acceleration[joint],
                    speed: sign * terms.square[joint] + by_square,
                    constant: reserve,
                    limit: headroom,
                });
            }
        }
    }

    fn note(&mut self, joint: usize, effort: f64, position: &[f64]) {
        let share = |joint: usize, effort: f64| effort.abs() / self.usable[joint];
        if self.excess.as_ref().is_none_or(|worst| share(joint, effort) > share(worst.joint, worst.effort)) {
            self.excess = Some(StaticExcess { joint, effort, position: position.to_vec() });
        }
    }

    fn terms(&mut self, PathPoint { position, tangent, curvature, .. }: &PathPoint<'_>) -> Terms {
        let still = vec![0.0; tangent.len()];
        let back: Vec<f64> = tangent.iter().map(|value| -value).collect();
        let at_rest = self.bodies([position, &still, &still]);
        let pushed = self.bodies([position, &still, tangent]);
        let forth = self.bodies([position, tangent, curvature]);
        let back = self.bodies([position, &back, curvature]);
        let mut terms = Terms { acceleration: pushed, square: still.clone(), speed: still, constant: at_rest };
        for (joint, resistance) in self.model.resistances().iter().enumerate() {
            let still = terms.constant[joint];
            terms.acceleration[joint] += resistance.armature * tangent[joint] - still;
            terms.square[joint] = 0.5 * (forth[joint] + back[joint]) - still + resistance.armature * curvature[joint];
            terms.speed[joint] = 0.5 * (forth[joint] - back[joint]);
            if self.model.has_friction() {
                terms.speed[joint] += resistance.damping * tangent[joint];
                terms.constant[joint] += resistance.friction_towards(tangent[joint]);
            }
        }
        terms
    }

    fn bodies(&mut self, inputs: [&[f64]; 3]) -> Vec<f64> {
        let mut efforts = vec![0.0; self.model.dof()];
        bodies_inverse(self.model, &mut self.work.states, inputs, |_| (), &mut efforts);
        efforts
    }
}

/// Largest path speed that joint speeds allow.
fn fastest(tangent: &[f64], velocity: &[f64]) -> f64 {
    tangent.iter().zip(velocity).map(|(tangent, velocity)| velocity / tangent.abs()).fold(f64::INFINITY, f64::min)
}

/// `factor · ṡ ≤ a ṡ² + b` at all speeds up to `fastest`, as `(a, b)`: the chord of the root where the factor is negative, else
/// its tangent at half of the largest speed, or lower where that would use up more than half of the `headroom`.
fn drag_row(factor: f64, fastest: f64, headroom: f64) -> (f64, f64) {
    if factor == 0.0 || !fastest.is_finite() {
        (0.0, 0.0)
    } else if factor < 0.0 {
        (factor / fastest, 0.0)
    } else {
        let touching = (headroom / factor).clamp(1e-6 * fastest, 0.5 * fastest);
        (0.5 * factor / touching, 0.5 * factor * touching)
    }
}

#[cfg(test)]
mod tests {
    use super::drag_row;

    #[test]
    fn the_line_over_the_squared_speed_lies_above_the_drag() {
        for factor in [-3.0, -0.1, 0.0, 0.2, 5.0] {
            for headroom in [0.01, 1.0, 100.0] {
                let (a, b) = drag_row(factor, 2.0, headroom);
                for step in 0..=20 {
                    let speed = 0.1 * f64::from(step);
                    assert!(factor * speed <= a * speed * speed + b + 1e-12, "{factor} {headroom} {speed}");
                }
                assert!(b <= 0.5 * headroom + 1e-12);
            }
        }
    }
}
