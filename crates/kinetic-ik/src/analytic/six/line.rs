//! Lines under rigid motion, as vectors on which a rotation acts linearly.

use kinetic_kinematics::Rigid;
use nalgebra::{SVector, Vector3};

use crate::analytic::constant::constants;
use crate::analytic::cos_sin::CosSin;
use crate::analytic::poe::Screw;

/// The fourteen functions of a line whose values after a motion are linear in their values before it and 1.
pub(super) type Functions = SVector<f64, 14>;

/// A point and the direction of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) point: Vector3<f64>,
    pub(super) direction: Vector3<f64>,
}

constants!(Line { point, direction });

impl Line {
    pub(super) fn of(screw: &Screw) -> Self {
        Self { point: screw.point, direction: screw.axis }
    }

    pub(super) fn moved(&self, motion: &Rigid) -> Self {
        Self { point: motion.point(&self.point), direction: motion.rotation * self.direction }
    }

    pub(super) fn turned(&self, screw: &Screw, turn: CosSin) -> Self {
        self.moved(&screw.turned(turn))
    }

    /// p, p·p, l, p·l, p×l, (p·p) l − 2 (p·l) p: the left-hand sides of Raghavan & Roth 1993, for any origin.
    pub(super) fn functions(&self) -> Functions {
        let (p, l) = (&self.point, &self.direction);
        let (pp, pl, moment) = (p.norm_squared(), p.dot(l), p.cross(l));
        let mirrored = l * pp - p * (2.0 * pl);
        let mut out = Functions::zeros();
        for axis in 0..3 {
            out[axis] = p[axis];
            out[4 + axis] = l[axis];
            out[8 + axis] = moment[axis];
            out[11 + axis] = mirrored[axis];
        }
        (out[3], out[7]) = (pp, pl);
        out
    }
}

/// Three turns that determine a function `a + b cos θ + c sin θ`.
pub(super) fn nodes() -> [CosSin; 3] {
    let sin = 0.75_f64.sqrt();
    [CosSin::ZERO, CosSin { cos: -0.5, sin }, CosSin { cos: -0.5, sin: -sin }]
}

/// Weight of the value at node `node` in coefficient `part` (1, cosine, sine).
pub(super) fn weight(part: usize, node: usize) -> f64 {
    let turn = nodes()[node];
    [1.0, 2.0 * turn.cos, 2.0 * turn.sin][part] / 3.0
}
