//! Mass, centre of gravity and its Jacobian.

use kinetic_core::error::check_len;
use kinetic_core::{AxisMask, KineticError, Result};
use nalgebra::{DMatrix, Matrix3, Vector3};

use super::{FrameVelocity, TreeKinematics};
use crate::inertia::{SpatialInertia, steiner};
use crate::program::Motion;
use crate::rigid::Rigid;

/// Mass properties of the whole robot in one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Total mass, kg.
    pub mass: f64,
    /// Centre of gravity in the root, m.
    pub com: Vector3<f64>,
    /// Inertia tensor about the centre of gravity in the root's axes, kg m².
    pub inertia: Matrix3<f64>,
}

impl TreeKinematics {
    /// Spatial inertia of every frame, the root's first, in the frame's coordinates: what the links fixed on it weigh.
    pub fn frame_inertias(&self) -> &[SpatialInertia] {
        &self.masses
    }

    /// The same with a body fixed to a link, given in the link's frame: what the robot carries.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`].
    pub fn with_body(mut self, link: &str, body: &SpatialInertia) -> Result<Self> {
        let (frame, frame_from_link) = self.program().link(self.link_index(link)?);
        let carried = body.transformed(frame_from_link);
        self.masses[frame] += carried;
        Ok(self)
    }

    /// Total mass, kg.
    pub fn mass(&self) -> f64 {
        self.masses.iter().map(|frame| frame.mass).sum()
    }

    /// Centre of gravity of the whole robot in its root, m.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when no link has a mass, and those of [`place`](Self::place).
    pub fn com(&self, q: &[f64]) -> Result<Vector3<f64>> {
        self.com_at(&self.placed(q)?)
    }

    /// As [`com`](Self::com) without allocation, from poses that [`place`](Self::place) wrote.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when no link has a mass, [`KineticError::DimensionMismatch`].
    pub fn com_at(&self, frames: &[Rigid]) -> Result<Vector3<f64>> {
        check_len("frame buffer", frames.len(), self.program().num_frames())?;
        Ok(self.first_moment(frames) / self.positive_mass()?)
    }

    /// Velocity of the centre of gravity in the root's axes, m/s, without allocation, from poses and velocities of the
    /// frames.
    ///
    /// # Errors
    /// As [`com_at`](Self::com_at).
    pub fn com_velocity_at(&self, frames: &[Rigid], velocities: &[FrameVelocity]) -> Result<Vector3<f64>> {
        check_len("frame buffer", frames.len(), self.program().num_frames())?;
        check_len("velocities of the frames", velocities.len(), frames.len())?;
        let momentum = |((inertia, pose), velocity): ((&SpatialInertia, &Rigid), &FrameVelocity)| {
            velocity.linear * inertia.mass + velocity.angular.cross(&(pose.rotation * inertia.moment))
        };
        let total: Vector3<f64> = self.masses.iter().zip(frames).zip(velocities).map(momentum).sum();
        Ok(total / self.positive_mass()?)
    }

    /// Mass, centre of gravity and inertia of the whole robot, as if it were rigid.
    ///
    /// # Errors
    /// As [`com`](Self::com).
    pub fn mass_properties(&self, q: &[f64]) -> Result<MassProperties> {
        let (mass, frames) = (self.positive_mass()?, self.placed(q)?);
        let com = self.first_moment(&frames) / mass;
        let mut inertia = Matrix3::zeros();
        for (pose, part) in frames.iter().zip(&self.masses).filter(|(_, part)| part.mass > 0.0) {
            // To the part's own centre of mass, and from there to that of the robot.
            let own_com = part.moment / part.mass;
            let own = part.inertia - steiner(part.mass, &own_com);
            inertia += pose.rotation * own * pose.rotation.transpose();
            inertia += steiner(part.mass, &(pose.point(&own_com) - com));
        }
        Ok(MassProperties { mass, com, inertia })
    }

    /// Jacobian of the centre of gravity, 3 × [`num_columns`](Self::num_columns), in the root's axes.
    ///
    /// # Errors
    /// As [`com`](Self::com).
    pub fn com_jacobian(&self, q: &[f64]) -> Result<DMatrix<f64>> {
        let mut out = DMatrix::zeros(3, self.num_columns());
        self.com_jacobian_into(&self.placed(q)?, AxisMask::ALL, 0, &mut out)?;
        Ok(out)
    }

    /// Writes the rows of the Jacobian of the centre of gravity that count into `out`, from column `first_column` on;
    /// other columns stay as they are. `frames` comes from [`place`](Self::place).
    ///
    /// `J = Σ mᵢ Jᵢ / M` over everything with a mass `mᵢ`, `Jᵢ` the Jacobian of its centre (Sugihara, Nakamura and Inoue
    /// 2002, "Realtime humanoid motion generation through ZMP manipulation").
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when no link has a mass, [`KineticError::DimensionMismatch`] when
    /// `out` has other rows or too few columns.
    pub fn com_jacobian_into(
        &self,
        frames: &[Rigid],
        rows: AxisMask,
        first_column: usize,
        out: &mut DMatrix<f64>,
    ) -> Result<()> {
        let total = self.positive_mass()?;
        check_len("frame buffer", frames.len(), self.program().num_frames())?;
        check_len("rows of the Jacobian", out.nrows(), rows.count())?;
        let end = first_column.saturating_add(self.num_columns());
        if out.ncols() < end {
            return Err(KineticError::DimensionMismatch {
                context: "columns of the Jacobian".to_owned(),
                expected: format!("at least {end}"),
                got: out.ncols(),
            });
        }
        out.columns_mut(first_column, self.num_columns()).fill(0.0);
        self.mass_moved(frames, total, &mut |index, moved| {
            let counted = (0..3).filter(|axis| rows.has(*axis));
            counted.enumerate().for_each(|(row, axis)| out[(row, first_column + index)] += moved[axis] / total);
        });
        Ok(())
    }

    /// Calls `add(column, Σ mᵢ ẋᵢ)` with what a unit velocity of a column moves, once or more for each column.
    fn mass_moved(&self, frames: &[Rigid], total: f64, add: &mut dyn FnMut(usize, Vector3<f64>)) {
        let base = self.base();
        let moment = self.first_moment(frames);
        for index in 0..base.dof() {
            let (axis, turns) = base.motion(index);
            add(index, if turns { axis.cross(&moment) } else { axis * total });
        }
        for carrier in 1..frames.len() {
            let (mass, moment) = (self.masses[carrier].mass, self.moment_of(frames, carrier));
            let mut current = carrier;
            while current != 0 {
                let (frame, pose) = (&self.program().frames()[current - 1], &frames[current]);
                let z = pose.z_axis() * frame.multiplier;
                let value = match frame.motion {
                    Motion::Rotation => z.cross(&(moment - pose.translation * mass)),
                    Motion::Translation => z * mass,
                };
                add(base.dof() + frame.variable, value);
                current = frame.parent;
            }
        }
    }

    fn first_moment(&self, frames: &[Rigid]) -> Vector3<f64> {
        (0..frames.len()).map(|index| self.moment_of(frames, index)).sum()
    }

    fn moment_of(&self, frames: &[Rigid], index: usize) -> Vector3<f64> {
        let SpatialInertia { mass, moment, .. } = &self.masses[index];
        frames[index].rotation * moment + frames[index].translation * *mass
    }

    fn positive_mass(&self) -> Result<f64> {
        let mass = self.mass();
        if mass > 0.0 {
            return Ok(mass);
        }
        let wanted = "links with inertial properties; the model states none, so it has no centre of gravity";
        Err(KineticError::invalid("mass of the robot, kg", mass, wanted))
    }
}
