//! Does a branch close forward kinematics? And Newton's method for those that nearly do.

use nalgebra::{Matrix3, SMatrix, SVector};

use super::poe::{ProductOfExponentials, Screw, inverse};
use super::six::Row;
use super::turn::Turn;
use crate::rigid::Rigid;

/// Forward kinematics of six rotating joints with angles given as turns.
///
/// Denavit–Hartenberg 1955: between neighbouring axes along their common normal, which takes half the arithmetic of a
/// general transform.
#[derive(Debug, Clone)]
pub(crate) struct Closure {
    /// The frame of the first joint: z along its axis.
    base: Rigid,
    /// From each joint's frame to the next one's.
    links: [Link; 5],
    /// From the last joint's frame to what closes.
    end: Rigid,
}

#[derive(Debug, Clone, Copy)]
enum Link {
    /// Turn by the joint angle and `offset` about z, `lift` along z, `length` along x, `twist` about x.
    Normal { offset: Turn, lift: f64, length: f64, twist: Turn },
    /// Axes so nearly parallel that their common normal is far away: turn by the joint angle, then this.
    General(Rigid),
}

impl Link {
    /// From the frame of one joint at zero to an axis; also that axis's frame.
    fn to(frame: &Rigid, next: &Screw) -> (Self, Rigid) {
        let (x, z) = (frame.rotation.column(0).into_owned(), frame.z_axis());
        let between = next.point - frame.translation;
        let normal = z.cross(&next.axis);
        let sine = normal.norm();
        let flat = between - z * z.dot(&between);
        let (direction, lift) = if sine >= CLEARLY_CROSSED {
            (normal / sine, between.cross(&next.axis).dot(&normal) / (sine * sine))
        } else if sine <= f64::EPSILON && flat.norm() >= 1e-9 {
            // Parallel axes have many common normals: the one at hand.
            (flat.normalize(), 0.0)
        } else {
            let across = super::six::across(&next.axis);
            let rotation = Matrix3::from_columns(&[across, next.axis.cross(&across), next.axis]);
            let reached = Rigid { rotation, translation: next.point };
            return (Self::General(inverse(frame).then(&reached)), reached);
        };
        let twist = Turn::towards(z.dot(&next.axis), direction.dot(&normal));
        let offset = Turn::towards(x.dot(&direction), z.cross(&x).dot(&direction));
        let link = Self::Normal { offset, lift, length: direction.dot(&between), twist };
        (link, link.apply(frame, Turn::ZERO))
    }

    #[inline]
    fn apply(&self, frame: &Rigid, turn: Turn) -> Rigid {
        let (offset, lift, length, twist) = match self {
            Self::Normal { offset, lift, length, twist } => (offset, lift, length, twist),
            Self::General(link) => return rotated(frame, turn).then(link),
        };
        let turn = turn.then(*offset);
        let (x, y, z) = (frame.rotation.column(0), frame.rotation.column(1), frame.rotation.column(2));
        let (along, across) = (x * turn.cos + y * turn.sin, y * turn.cos - x * turn.sin);
        let translation = frame.translation + z * *lift + along * *length;
        let (y, z) = (across * twist.cos + z * twist.sin, z * twist.cos - across * twist.sin);
        Rigid { rotation: Matrix3::from_columns(&[along, y, z]), translation }
    }
}

/// Sine from which the common normal of two axes is near and well determined.
const CLEARLY_CROSSED: f64 = 1e-2;

/// Poses of the joints' frames along a branch.
#[derive(Debug, Clone)]
pub(crate) struct Along {
    frames: [Rigid; 7],
    row: Option<Row>,
}

impl Along {
    pub(crate) fn new() -> Self {
        Self { frames: [Rigid::identity(); 7], row: None }
    }
}

impl Closure {
    /// Closes at the pose of the tool.
    pub(crate) fn of_tool(arm: &ProductOfExponentials) -> Self {
        Self::to(arm, arm.home())
    }

    /// Closes at the displacement of the last joint.
    pub(crate) fn of_displacement(arm: &ProductOfExponentials) -> Self {
        Self::to(arm, &Rigid::identity())
    }

    fn to(arm: &ProductOfExponentials, end: &Rigid) -> Self {
        let screws = arm.screws();
        let x = super::six::across(&screws[0].axis);
        let rotation = Matrix3::from_columns(&[x, screws[0].axis.cross(&x), screws[0].axis]);
        let base = Rigid { rotation, translation: screws[0].point };
        let mut frame = base;
        let links = std::array::from_fn(|joint| {
            let (link, next) = Link::to(&frame, &screws[joint + 1]);
            frame = next;
            link
        });
        Self { base, links, end: inverse(&frame).then(end) }
    }

    /// Frobenius norm of reached minus wanted pose (4 × 4; lengths in m). Joints that the branch shares with the one
    /// before it are not computed again.
    #[inline]
    pub(crate) fn residual(&self, row: &Row, target: &Rigid, along: &mut Along) -> f64 {
        let shared = along.row.as_ref().map_or(0, |last| row.iter().zip(last).take_while(|(a, b)| a == b).count());
        self.walk(row, shared, along);
        let reached = along.frames[6];
        ((reached.rotation - target.rotation).norm_squared()
            + (reached.translation - target.translation).norm_squared())
        .sqrt()
    }

    #[inline]
    fn walk(&self, row: &Row, shared: usize, along: &mut Along) {
        for joint in shared..6 {
            let still = if joint == 0 { self.base } else { along.frames[joint - 1] };
            along.frames[joint] = match self.links.get(joint) {
                Some(link) => link.apply(&still, row[joint]),
                None => rotated(&still, row[joint]).then(&self.end),
            };
        }
        along.frames[6] = along.frames[5];
        along.row = Some(*row);
    }

    /// The branch after at most `steps` damped Newton steps, or as it was when they do not bring it nearer.
    pub(crate) fn polished(&self, row: Row, target: &Rigid, steps: usize) -> Row {
        let mut along = Along::new();
        let (mut best, mut least) = (row, self.residual(&row, target, &mut along));
        let mut row = row;
        for _ in 0..steps {
            if least <= GOOD {
                break;
            }
            row = self.step(&row, target, &along);
            let residual = self.residual(&row, target, &mut along);
            if !residual.is_finite() {
                break;
            }
            let is_settled = residual >= least && least <= SETTLED;
            if residual < least {
                (best, least) = (row, residual);
            }
            if is_settled {
                break;
            }
        }
        best
    }

    fn step(&self, row: &Row, target: &Rigid, along: &Along) -> Row {
        let reached = &along.frames[6];
        let turned = (0..3).map(|axis| reached.rotation.column(axis).cross(&target.rotation.column(axis)));
        let rotation = turned.fold(nalgebra::Vector3::zeros(), |sum, part| sum + part) * 0.5;
        let shift = target.translation - reached.translation;
        let error = SVector::<f64, 6>::new(shift.x, shift.y, shift.z, rotation.x, rotation.y, rotation.z);
        let mut jacobian = SMatrix::<f64, 6, 6>::zeros();
        for joint in 0..6 {
            // The frame before the joint turns has the joint's axis and origin.
            let frame = if joint == 0 { self.base } else { along.frames[joint - 1] };
            let z = frame.z_axis();
            jacobian.fixed_view_mut::<3, 1>(0, joint).copy_from(&z.cross(&(reached.translation - frame.translation)));
            jacobian.fixed_view_mut::<3, 1>(3, joint).copy_from(&z);
        }
        // Damped by the error, so that singular poses are approached and good ones keep quadratic convergence.
        let mut normal = jacobian.tr_mul(&jacobian);
        let damping = (error.norm_squared() * DAMPING).max(LEAST_DAMPING);
        for joint in 0..6 {
            normal[(joint, joint)] += damping;
        }
        let Some(factor) = normal.cholesky() else { return *row };
        let step = factor.solve(&jacobian.tr_mul(&error));
        let scale = (LARGEST_STEP / step.amax()).min(1.0);
        std::array::from_fn(|joint| row[joint].then(Turn::of(step[joint] * scale)))
    }
}

/// A residual that another step would not better.
const GOOD: f64 = 2e-14;
/// Below this a step that betters nothing shows that rounding is reached.
const SETTLED: f64 = 1e-11;
/// Damping per squared error.
const DAMPING: f64 = 1e-2;
/// Keeps the factorisation definite at singularities.
const LEAST_DAMPING: f64 = 1e-14;
/// Linearisation holds to about here, rad.
const LARGEST_STEP: f64 = 0.3;

#[inline]
fn rotated(frame: &Rigid, turn: Turn) -> Rigid {
    let (x, y) = (frame.rotation.column(0), frame.rotation.column(1));
    let columns = [x * turn.cos + y * turn.sin, y * turn.cos - x * turn.sin, frame.rotation.column(2).into_owned()];
    Rigid { rotation: Matrix3::from_columns(&columns), translation: frame.translation }
}
