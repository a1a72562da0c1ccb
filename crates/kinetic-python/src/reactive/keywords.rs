//! Keywords of the calls of `DifferentialIK` and `Servo`.

use kinetic::core::AxisMask;
use kinetic::reactive::ServoConfig;
use kinetic::reactive::differential_ik::{
    DifferentialIkOptions, OutsideLimits, SingularityDamping, VELOCITY_SOLVERS, VelocityContext,
};

use crate::convert::{Call, MaskArg, Matrix, PoseArg, Real, Text, Vector, keywords};
use crate::error::Result;

pub(crate) const NEW_DIFFERENTIAL_IK: Call<DifferentialIkKeywords> = Call::new("DifferentialIK.__new__");
pub(crate) const NEW_SERVO: Call<ServoKeywords> = Call::new("Servo.__new__");
pub(crate) const SERVO_TWIST: Call<ComponentKeywords> = Call::new("Servo.send_twist");
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
        regularization: Real = Real(0.0),
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
            regularization: self.regularization.0,
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
            bias: &[],
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

keywords! {
    /// Of `Servo`: what is not given has the value of the preset.
    pub(crate) struct ServoKeywords {
        group: Option<Text> = None,
        preset: Text = Text("teleop".to_owned()),
        rate_hz: Option<Real> = None,
        method: Option<Text> = None,
        singularity_threshold: Option<Real> = None,
        singularity_damping: Option<Real> = None,
        lockup_time: Option<Real> = None,
        pose_tracking_gain: Option<Real> = None,
        slowdown_distance: Option<Real> = None,
        stop_distance: Option<Real> = None,
        self_slowdown_distance: Option<Real> = None,
        self_stop_distance: Option<Real> = None,
        velocity_limits: Option<Vector> = None,
        acceleration_limits: Option<Vector> = None,
        jerk_limits: Option<Vector> = None,
        max_delta_per_tick: Option<Real> = None,
        command_timeout: Option<Real> = None,
        tracking_error: Option<Real> = None,
        obstacle_speed: Option<Real> = None,
        command_latency: Option<Real> = None,
        filter: Option<Text> = None,
        filter_cutoff: Option<Real> = None,
        filter_beta: Option<Real> = None,
        filter_speed_cutoff: Option<Real> = None,
        blend_time: Option<Real> = None,
    }
}

impl ServoKeywords {
    fn set_numbers(&self, config: &mut ServoConfig) {
        let numbers = [
            (&self.rate_hz, &mut config.rate_hz),
            (&self.singularity_threshold, &mut config.singularity_threshold),
            (&self.singularity_damping, &mut config.singularity_damping),
            (&self.lockup_time, &mut config.lockup_time),
            (&self.pose_tracking_gain, &mut config.pose_tracking_gain),
            (&self.slowdown_distance, &mut config.slowdown_distance),
            (&self.stop_distance, &mut config.stop_distance),
            (&self.self_slowdown_distance, &mut config.self_slowdown_distance),
            (&self.self_stop_distance, &mut config.self_stop_distance),
            (&self.max_delta_per_tick, &mut config.max_delta_per_tick),
            (&self.command_timeout, &mut config.command_timeout),
            (&self.tracking_error, &mut config.tracking_error),
            (&self.obstacle_speed, &mut config.obstacle_speed),
            (&self.command_latency, &mut config.command_latency),
            (&self.filter_cutoff, &mut config.filter_cutoff),
            (&self.filter_beta, &mut config.filter_beta),
            (&self.filter_speed_cutoff, &mut config.filter_speed_cutoff),
            (&self.blend_time, &mut config.blend_time),
        ];
        for (given, option) in numbers {
            if let Some(given) = given {
                *option = given.0;
            }
        }
    }

    pub(crate) fn config(&self) -> Result<ServoConfig> {
        let mut config = ServoConfig::preset(&self.preset.0)?;
        self.set_numbers(&mut config);
        let lists = [
            (&self.velocity_limits, &mut config.velocity_limits),
            (&self.acceleration_limits, &mut config.acceleration_limits),
            (&self.jerk_limits, &mut config.jerk_limits),
        ];
        for (given, option) in lists {
            if let Some(given) = given {
                option.clone_from(&given.0);
            }
        }
        let names = [(&self.method, &mut config.method), (&self.filter, &mut config.filter)];
        for (given, option) in names {
            if let Some(given) = given {
                option.clone_from(&given.0);
            }
        }
        Ok(config)
    }
}
