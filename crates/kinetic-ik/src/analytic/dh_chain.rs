//! Denavit–Hartenberg chains: the pose residual of a branch, and Newton's method for branches that nearly reach the target.

use kinetic_kinematics::Rigid;
use nalgebra::{Matrix3, SMatrix, SVector};

use super::cos_sin::CosSin;
use super::poe::{Screw, inverse};
use crate::analytic::constant::{Constant, Value, constants};

/// Forward kinematics of `N` rotating joints with angles given by cosine and sine.
///
/// Denavit & Hartenberg 1955: between neighbouring axes along their common normal, which takes half the arithmetic of a
/// general transform.
#[derive(Debug, Clone)]
pub(crate) struct DhChain<const N: usize> {
    /// The frame of the first joint: z along its axis.
    pub(super) base: Rigid,
    /// From each joint's frame to the next one's; the last is not used.
    pub(super) links: [Link; N],
    /// From the last joint's frame to the frame that has to reach the target.
    pub(super) end: Rigid,
}

constants!(DhChain<3> { base, links, end });
constants!(DhChain<4> { base, links, end });
constants!(DhChain<6> { base, links, end });
constants!(DhChain<7> { base, links, end });

#[derive(Debug, Clone, Copy)]
pub(super) enum Link {
    /// Denavit–Hartenberg parameters: the joint angle and `theta` about z, `d` along z, `a` along x, `alpha` about x.
    Normal { theta: CosSin, d: f64, a: f64, alpha: CosSin },
    /// Axes so nearly parallel that their common normal is far away: turn by the joint angle, then this.
    General(Rigid),
}

impl Constant for Link {
    fn value(&self) -> Value {
        match self {
            Self::General(link) => Value::Variant("Link::General", vec![link.value()]),
            Self::Normal { theta, d, a, alpha } => Value::Record(
                "Link::Normal",
                vec![("theta", theta.value()), ("d", d.value()), ("a", a.value()), ("alpha", alpha.value())],
            ),
        }
    }
}

impl Link {
    /// From the frame of one joint at zero to an axis; also that axis's frame.
    fn to(frame: &Rigid, next: &Screw) -> (Self, Rigid) {
        let (x, z) = (frame.rotation.column(0).into_owned(), frame.z_axis());
        let between = next.point - frame.translation;
        let normal = z.cross(&next.axis);
        let sine = normal.norm();
        let flat = between - z * z.dot(&between);
        let (direction, d) = if sine >= CROSSED_AXES_SINE {
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
        let alpha = CosSin::from_direction(z.dot(&next.axis), direction.dot(&normal));
        let theta = CosSin::from_direction(x.dot(&direction), z.cross(&x).dot(&direction));
        let link = Self::Normal { theta, d, a: direction.dot(&between), alpha };
        (link, link.apply(frame, CosSin::ZERO))
    }

    #[inline]
    fn apply(&self, frame: &Rigid, turn: CosSin) -> Rigid {
        let (theta, d, a, alpha) = match self {
            Self::Normal { theta, d, a, alpha } => (theta, d, a, alpha),
            Self::General(link) => return rotated(frame, turn).then(link),
        };
        let turn = turn.then(*theta);
        let (x, y, z) = (frame.rotation.column(0), frame.rotation.column(1), frame.rotation.column(2));
        let (along, across) = (x * turn.cos + y * turn.sin, y * turn.cos - x * turn.sin);
        let translation = frame.translation + z * *d + along * *a;
        let (y, z) = (across * alpha.cos + z * alpha.sin, z * alpha.cos - across * alpha.sin);
        Rigid { rotation: Matrix3::from_columns(&[along, y, z]), translation }
    }
}

/// Sine from which the common normal of two axes is near and well determined.
const CROSSED_AXES_SINE: f64 = 1e-2;

/// Poses of the joints' frames at a branch, of which the next branch reuses those of its first joints.
#[derive(Debug, Clone)]
pub(crate) struct FrameCache<const N: usize> {
    /// After each joint and its link.
    frames: [Rigid; N],
    row: Option<[CosSin; N]>,
}

impl<const N: usize> FrameCache<N> {
    pub(crate) fn new() -> Self {
        Self { frames: [Rigid::identity(); N], row: None }
    }
}

impl<const N: usize> DhChain<N> {
    /// `end` is the pose at zero of the frame that has to reach the target: the tool, or the base for a target that is the
    /// displacement of the last joint.
    pub(crate) fn of(screws: &[Screw; N], end: &Rigid) -> Self {
        let x = super::six::across(&screws[0].axis);
        let rotation = Matrix3::from_columns(&[x, screws[0].axis.cross(&x), screws[0].axis]);
        let base = Rigid { rotation, translation: screws[0].point };
        let mut frame = base;
        let links = std::array::from_fn(|joint| {
            let Some(screw) = screws.get(joint + 1) else { return Link::General(Rigid::identity()) };
            let (link, next) = Link::to(&frame, screw);
            frame = next;
            link
        });
        Self { base, links, end: inverse(&frame).then(end) }
    }

    /// Pose of the last joint's frame in the base when `target` is reached.
    #[inline]
    pub(crate) fn base_from_last(&self, target: &Rigid) -> Rigid {
        target.then(&inverse(&self.end))
    }

    /// Frobenius norm of reached minus wanted pose (4 × 4; lengths in m); the wanted pose is given by the last joint's frame.
    /// Joints that the branch shares with the one before it are not computed again.
    #[inline]
    pub(crate) fn residual(&self, row: &[CosSin; N], base_from_last: &Rigid, cache: &mut FrameCache<N>) -> f64 {
        self.update(row, cache);
        let reached = &cache.frames[N - 1];
        let turned = reached.rotation - base_from_last.rotation;
        let moved = reached.translation - base_from_last.translation + turned * self.end.translation;
        (turned.norm_squared() + moved.norm_squared()).sqrt()
    }

    /// Pose that the end frame reaches at a branch.
    pub(crate) fn reached(&self, row: &[CosSin; N], cache: &mut FrameCache<N>) -> Rigid {
        self.update(row, cache);
        cache.frames[N - 1].then(&self.end)
    }

    /// The frames of the joints after their rotations and links.
    #[inline]
    fn update(&self, row: &[CosSin; N], cache: &mut FrameCache<N>) {
        let shared = cache.row.as_ref().map_or(0, |last| row.iter().zip(last).take_while(|(a, b)| a == b).count());
        for joint in shared..N {
            let still = if joint == 0 { &self.base } else { &cache.frames[joint - 1] };
            let next = match self.links.get(joint).filter(|_| joint + 1 < N) {
                Some(link) => link.apply(still, row[joint]),
                None => rotated(still, row[joint]),
            };
            cache.frames[joint] = next;
        }
        cache.row = Some(*row);
    }

    /// The branch after at most `steps` damped Newton steps; unchanged when they do not bring it nearer to the target.
    pub(crate) fn polished(&self, row: [CosSin; N], target: &Rigid, steps: usize) -> [CosSin; N] {
        self.polished_holding(row, &[false; N], target, steps)
    }

    /// As [`polished`](Self::polished), with joints that stay where they are.
    pub(crate) fn polished_holding(
        &self,
        row: [CosSin; N],
        held: &[bool; N],
        target: &Rigid,
        steps: usize,
    ) -> [CosSin; N] {
        let (mut cache, base_from_last) = (FrameCache::new(), self.base_from_last(target));
        let (mut best, mut least) = (row, self.residual(&row, &base_from_last, &mut cache));
        let mut row = row;
        for _ in 0..steps {
            if least <= CONVERGED_RESIDUAL {
                break;
            }
            row = self.step(&row, held, target, &cache);
            let residual = self.residual(&row, &base_from_last, &mut cache);
            if !residual.is_finite() {
                break;
            }
            let has_converged = residual >= least && least <= ROUNDING_RESIDUAL;
            if residual < least {
                (best, least) = (row, residual);
            }
            if has_converged {
                break;
            }
        }
        best
    }

    fn step(&self, row: &[CosSin; N], held: &[bool; N], target: &Rigid, cache: &FrameCache<N>) -> [CosSin; N] {
        let reached = cache.frames[N - 1].then(&self.end);
        let turned = (0..3).map(|axis| reached.rotation.column(axis).cross(&target.rotation.column(axis)));
        let rotation = turned.fold(nalgebra::Vector3::zeros(), |sum, part| sum + part) * 0.5;
        let shift = target.translation - reached.translation;
        let error = SVector::<f64, 6>::new(shift.x, shift.y, shift.z, rotation.x, rotation.y, rotation.z);
        let mut jacobian = SMatrix::<f64, 6, N>::zeros();
        for joint in (0..N).filter(|joint| !held[*joint]) {
            // The frame before the joint turns has the joint's axis and origin.
            let frame = if joint == 0 { self.base } else { cache.frames[joint - 1] };
            let z = frame.z_axis();
            jacobian.fixed_view_mut::<3, 1>(0, joint).copy_from(&z.cross(&(reached.translation - frame.translation)));
            jacobian.fixed_view_mut::<3, 1>(3, joint).copy_from(&z);
        }
        // Damped by the error, so that singular poses are approached and good ones keep quadratic convergence.
        let mut normal = jacobian.tr_mul(&jacobian);
        let damping = (error.norm_squared() * DAMPING_PER_SQUARED_ERROR).max(LEAST_NEWTON_DAMPING);
        for joint in 0..N {
            normal[(joint, joint)] += damping;
        }
        let Some(factor) = normal.cholesky() else { return *row };
        let step = factor.solve(&jacobian.tr_mul(&error));
        let scale = (LARGEST_NEWTON_STEP_RAD / step.amax()).min(1.0);
        std::array::from_fn(|joint| row[joint].then(CosSin::from_angle(step[joint] * scale)))
    }
}

/// A residual that another step would not better.
const CONVERGED_RESIDUAL: f64 = 2e-14;
/// Below this a step that betters nothing shows that rounding is reached.
const ROUNDING_RESIDUAL: f64 = 1e-11;
/// Damping per squared error.
pub(super) const DAMPING_PER_SQUARED_ERROR: f64 = 1e-2;
/// Keeps the factorisation definite at singularities.
pub(super) const LEAST_NEWTON_DAMPING: f64 = 1e-14;
/// Linearisation holds to about here, rad.
pub(super) const LARGEST_NEWTON_STEP_RAD: f64 = 0.3;

#[inline]
fn rotated(frame: &Rigid, turn: CosSin) -> Rigid {
    let (x, y) = (frame.rotation.column(0), frame.rotation.column(1));
    let columns = [x * turn.cos + y * turn.sin, y * turn.cos - x * turn.sin, frame.rotation.column(2).into_owned()];
    Rigid { rotation: Matrix3::from_columns(&columns), translation: frame.translation }
}
