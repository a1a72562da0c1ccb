//! Keywords of the calls of `DifferentialIK`.

use kinetic::core::AxisMask;
use kinetic::reactive::differential_ik::{
    DifferentialIkOptions, OutsideLimits, SingularityDamping, VELOCITY_SOLVERS, VelocityContext,
};

use crate::convert::{Call, MaskArg, Matrix, PoseArg, Real, Text, Vector, keywords};
use crate::error::Result;

pub(crate) const NEW_DIFFERENTIAL_IK: Call<DifferentialIkKeywords> = Call::new("DifferentialIK.__new__");
pub(crate) const TWIST: Call<(ComponentKeywords, ContextKeywords)> = Call::new("DifferentialIK.twist");
pub(crate) const TASKS: Call<(TaskKeywords, ContextKeywords)> = Call::new("DifferentialIK.tasks");

keywords! {
    /// Of the constructor.
    pub(crate) struct DifferentialIkKeywords {
        group: Option<Text> = None,
        method: Text = Text(VELOCITY_SOLVERS[0].name.to_owned()),
        period: Real = Real(0.01),
        velocity_scale: Real = Real(1.0),
        acceleration_scale: Real = Real(1.0),
        outside_limits: Text = Text(OutsideLimits::default().name().to_owned()),
        singular_value: Real = Real(0.05),
        damping: Real = Real(0.05),
    }
}

impl DifferentialIkKeywords {
    pub(crate) fn options(&self) -> Result<DifferentialIkOptions> {
        Ok(DifferentialIkOptions {
            method: self.method.0.clone(),
            period: self.period.0,
            velocity_scale: self.velocity_scale.0,
            acceleration_scale: self.acceleration_scale.0,
            outside_limits: self.outside_limits.0.parse()?,
            damping: SingularityDamping { singular_value: self.singular_value.0, damping: self.damping.0 },
        })
    }
}

keywords! {
    /// Which components of a twist are commanded, and along which axes.
    pub(crate) struct ComponentKeywords {
        frame: Text = Text("base".to_owned()),
        position_mask: MaskArg = MaskArg(AxisMask::ALL),
        rotation_mask: MaskArg = MaskArg(AxisMask::ALL),
    }
}

keywords! {
    /// What is special to tasks.
    pub(crate) struct TaskKeywords {
        gain: Real = Real(1.0),
        world_from_root: Option<PoseArg> = None,
    }
}

keywords! {
    /// What holds besides the wish.
    pub(crate) struct ContextKeywords {
        posture: Option<Vector> = None,
        previous: Option<Vector> = None,
        rows: Option<Matrix> = None,
        row_bounds: Option<Vector> = None,
        row_weights: Option<Vector> = None,
    }
}

impl ContextKeywords {
    pub(crate) fn context(&self, dof: usize) -> Result<VelocityContext<'_>> {
        if let Some(rows) = &self.rows {
            rows.check_columns("inequality row", dof)?;
        }
        Ok(VelocityContext {
            posture: self.posture.as_ref().map(|posture| posture.0.as_slice()),
            previous: self.previous.as_ref().map(|previous| previous.0.as_slice()),
            rows: self.rows.as_ref().map_or(&[], |rows| rows.values.as_slice()),
            row_bounds: values(self.row_bounds.as_ref()),
            row_weights: values(self.row_weights.as_ref()),
        })
    }
}

fn values(vector: Option<&Vector>) -> &[f64] {
    vector.map_or(&[], |vector| vector.0.as_slice())
}
