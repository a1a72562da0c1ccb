//! Spherical wrists: arms whose last three axes share a point; position first, then orientation.
//!
//! Pieper 1968. The target fixes the wrist point whatever the wrist joints are; three joints bring it there in up to four
//! branches, and each leaves an orientation that the wrist reaches in two.

use kinetic_kinematics::Rigid;
use nalgebra::{Matrix3, Vector3};

use super::cone::{Cone, across};
use super::shoulder::Shoulder;
use super::{Row, SixJointSolver};
use crate::analytic::constant::{Constant, Value, constants};
use crate::analytic::cos_sin::CosSin;
use crate::analytic::poe::{ProductOfExponentials, Screw};
use crate::analytic::policy::TolerancePolicy;

#[derive(Debug)]
pub(crate) struct SphericalWrist {
    shoulder: Shoulder,
    shoulder_axes: [Vector3<f64>; 3],
    wrist: Wrist,
    centre: Vector3<f64>,
}

constants!(SphericalWrist { shoulder, shoulder_axes, wrist, centre });

impl SphericalWrist {
    /// `None` for an arm that cannot reach a volume of poses: a wrist of parallel axes, an elbow that moves nothing.
    pub(crate) fn new(arm: &ProductOfExponentials, centre: Vector3<f64>, policy: &TolerancePolicy) -> Option<Self> {
        let screws = arm.screws();
        Some(Self {
            shoulder: Shoulder::new(&screws[..3], centre, policy)?,
            shoulder_axes: [screws[0].axis, screws[1].axis, screws[2].axis],
            wrist: Wrist::new(&screws[3..], policy)?,
            centre,
        })
    }
}

impl SixJointSolver for SphericalWrist {
    fn branches(&self, displacement: &Rigid, out: &mut Vec<Row>) {
        let [h1, h2, h3] = &self.shoulder_axes;
        for [a, b, c] in self.shoulder.solve(&displacement.point(&self.centre)).iter() {
            let turned = a.matrix(h1) * b.matrix(h2) * c.matrix(h3);
            self.wrist.solve(&(turned.tr_mul(&displacement.rotation)), |[d, e, f]| out.push([*a, *b, *c, d, e, f]));
        }
    }

    fn may_hide(&self, displacement: &Rigid) -> bool {
        self.shoulder.may_hide(&displacement.point(&self.centre))
    }

    fn constants(&self) -> Option<Value> {
        Some(self.value())
    }
}

/// Three axes through one point.
#[derive(Debug, Clone)]
pub(crate) struct Wrist {
    axes: [Vector3<f64>; 3],
    cone: Cone,
    /// Across the last axis.
    mark: Vector3<f64>,
    mark_turned: Vector3<f64>,
}

constants!(Wrist { axes, cone, mark, mark_turned });

impl Wrist {
    pub(crate) fn new(screws: &[Screw], policy: &TolerancePolicy) -> Option<Self> {
        let axes = [screws[0].axis, screws[1].axis, screws[2].axis];
        let mark = across(&axes[2]);
        let cone = Cone::new(axes[0], axes[1], axes[2], policy)?;
        Some(Self { axes, cone, mark, mark_turned: axes[2].cross(&mark) })
    }

    /// All angles with `R₁ R₂ R₃ = rotation`, at most two.
    #[inline]
    pub(crate) fn solve(&self, rotation: &Matrix3<f64>, mut found: impl FnMut([CosSin; 3])) {
        let direction = rotation * self.axes[2];
        let marked = rotation * self.mark;
        for middle in self.cone.middle_angles(&direction).iter() {
            // In a singular pose the first and the last turn are one; the last takes all of it.
            let first = self.cone.first_angle(*middle, &direction).unwrap_or(CosSin::ZERO);
            let mark = middle.inverse().rotate(&self.axes[1], &first.inverse().rotate(&self.axes[0], &marked));
            found([first, *middle, CosSin::from_direction(mark.dot(&self.mark), mark.dot(&self.mark_turned))]);
        }
    }
}
