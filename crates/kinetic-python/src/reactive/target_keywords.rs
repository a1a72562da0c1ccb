//! Keywords of `Mpc` and `TargetServo`.

use kinetic::core::{KineticError, Result as CoreResult};
use kinetic::reactive::{Approach, MpcConfig, OnStuck, ServoConfig, TargetServoConfig};

use crate::convert::{Call, Count, Real, Seed, Text, keywords};
use crate::error::Result;
use crate::reactive::keywords::ServoKeywords;

pub(crate) const NEW_MPC: Call<(MpcKeywords, SharedKeywords, ServoKeywords)> =
    Call::with_positions("Mpc.__new__", 2, 1);
pub(crate) const NEW_TARGET_SERVO: Call<(TargetKeywords, (MpcKeywords, SharedKeywords), ServoKeywords)> =
    Call::new("TargetServo.__new__");

keywords! {
    /// Of the rollouts: what is not given has its default.
    pub(crate) struct MpcKeywords {
        horizon: Option<Count> = None,
        step: Option<Real> = None,
        period: Option<Real> = None,
        samples: Option<Count> = None,
        spans: Option<Count> = None,
        noise: Option<Real> = None,
        temperature: Option<Real> = None,
        clearance: Option<Real> = None,
        clearance_weight: Option<Real> = None,
        smoothness_weight: Option<Real> = None,
        limit_weight: Option<Real> = None,
    }
}

keywords! {
    /// Of both classes.
    pub(crate) struct SharedKeywords {
        rotation_weight: Option<Real> = None,
        seed: Seed = Seed(0),
    }
}

keywords! {
    /// Of getting to a target, and of plans.
    pub(crate) struct TargetKeywords {
        on_stuck: Text = Text("plan".to_owned()),
        approach: Text = Text("servo".to_owned()),
        stuck_after: Option<Real> = None,
        progress: Option<Real> = None,
        position_tolerance: Option<Real> = None,
        rotation_tolerance: Option<Real> = None,
        plan_clearance: Option<Real> = None,
        plan_timeout: Option<Real> = None,
        max_plans: Option<Count> = None,
    }
}

/// Options of the servo, where nothing else is said with the slowdown distance of an arm that goes past obstacles.
fn servo(keywords: &ServoKeywords) -> Result<ServoConfig> {
    let mut config = keywords.config()?;
    if keywords.slowdown_distance.is_none() {
        config.slowdown_distance = MpcConfig::default().servo.slowdown_distance.max(config.stop_distance);
    }
    Ok(config)
}

fn set_reals<const N: usize>(values: [(&Option<Real>, &mut f64); N]) {
    for (given, option) in values {
        if let Some(given) = given {
            *option = given.0;
        }
    }
}

fn set_counts<const N: usize>(values: [(&Option<Count>, &mut usize); N]) {
    for (given, option) in values {
        if let Some(given) = given {
            *option = given.0;
        }
    }
}

impl MpcKeywords {
    /// Options of an `Mpc`.
    pub(crate) fn config(&self, shared: &SharedKeywords, of_servo: &ServoKeywords) -> Result<MpcConfig> {
        let mut config = MpcConfig { servo: servo(of_servo)?, seed: shared.seed.0, ..MpcConfig::default() };
        set_counts([
            (&self.horizon, &mut config.horizon),
            (&self.samples, &mut config.samples),
            (&self.spans, &mut config.spans),
        ]);
        set_reals([
            (&self.step, &mut config.step),
            (&self.period, &mut config.period),
            (&self.noise, &mut config.noise),
            (&self.temperature, &mut config.temperature),
            (&shared.rotation_weight, &mut config.rotation_weight),
            (&self.clearance, &mut config.clearance),
            (&self.clearance_weight, &mut config.clearance_weight),
            (&self.smoothness_weight, &mut config.smoothness_weight),
            (&self.limit_weight, &mut config.limit_weight),
        ]);
        Ok(config)
    }

    /// The first option that is given.
    fn first_given(&self) -> Option<&'static str> {
        let counts = [("horizon", &self.horizon), ("samples", &self.samples), ("spans", &self.spans)];
        let reals = [
            ("step", &self.step),
            ("period", &self.period),
            ("noise", &self.noise),
            ("temperature", &self.temperature),
            ("clearance", &self.clearance),
            ("clearance_weight", &self.clearance_weight),
            ("smoothness_weight", &self.smoothness_weight),
            ("limit_weight", &self.limit_weight),
        ];
        let counts = counts.into_iter().filter(|(_, given)| given.is_some()).map(|(name, _)| name);
        counts.chain(reals.into_iter().filter(|(_, given)| given.is_some()).map(|(name, _)| name)).next()
    }
}

impl TargetKeywords {
    /// Options of a `TargetServo`.
    pub(crate) fn config(
        &self,
        mpc: &MpcKeywords,
        shared: &SharedKeywords,
        of_servo: &ServoKeywords,
    ) -> Result<TargetServoConfig> {
        let mut config = TargetServoConfig {
            approach: self.approach(mpc, shared, of_servo)?,
            on_stuck: OnStuck::by_name(&self.on_stuck.0)?,
            seed: shared.seed.0,
            ..TargetServoConfig::default()
        };
        set_counts([(&self.max_plans, &mut config.max_plans)]);
        set_reals([
            (&self.stuck_after, &mut config.stuck_after),
            (&self.progress, &mut config.progress),
            (&shared.rotation_weight, &mut config.rotation_weight),
            (&self.position_tolerance, &mut config.position_tolerance),
            (&self.rotation_tolerance, &mut config.rotation_tolerance),
            (&self.plan_clearance, &mut config.plan_clearance),
            (&self.plan_timeout, &mut config.plan_timeout),
        ]);
        Ok(config)
    }

    fn approach(&self, mpc: &MpcKeywords, shared: &SharedKeywords, of_servo: &ServoKeywords) -> Result<Approach> {
        match self.approach.0.as_str() {
            "servo" => {
                without_rollouts(mpc)?;
                Ok(Approach::Servo(servo(of_servo)?))
            }
            "mpc" => Ok(Approach::Mpc(mpc.config(shared, of_servo)?)),
            other => Err(KineticError::unknown_name("approach", other, ["servo", "mpc"]).into()),
        }
    }
}

/// Refuses options of rollouts where there are none.
fn without_rollouts(mpc: &MpcKeywords) -> CoreResult<()> {
    match mpc.first_given() {
        None => Ok(()),
        Some(name) => Err(KineticError::invalid(name, "given", "no option of rollouts unless approach is \"mpc\"")),
    }
}
