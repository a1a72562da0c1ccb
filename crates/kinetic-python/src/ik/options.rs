//! Options of inverse kinematics by keyword: the same names in every call, read in one place.

use std::str::FromStr;
use std::sync::Arc;

use kinetic::core::{KineticError, StopFlag, SystemClock};
use kinetic::kinematics::ik::{IKConfig, IKSolver};
use kinetic::kinematics::{PathMethod, PathTolerance};
use kinetic::scene::{Margins, Scene};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::convert::{Count, PerJoint, Real, Seed, Text, Vector, about, given_twice, unexpected};
use crate::error::{Error, Result};
use crate::ik::cone::ConeArg;
use crate::ik::path_tolerance::PathTolerances;
use crate::scene::PyScene;

/// An option.
#[derive(Clone, Copy, PartialEq)]
enum Key {
    Solver,
    Mode,
    NullSpace,
    MaxIterations,
    NumRestarts,
    PositionTolerance,
    OrientationTolerance,
    CheckLimits,
    RngSeed,
    RaiseOnFailure,
    ToolAxis,
    Damping,
    Timeout,
    SwivelSamples,
    Samples,
    Turns,
    Scene,
    CollisionMargin,
    SelfMargin,
    Method,
    MaxJointStep,
    Tolerance,
}

/// The options by name; the first ten are those that `ik_config` takes by position too, with the seed after the second.
const KEYS: [(&str, Key); 22] = [
    ("solver", Key::Solver),
    ("mode", Key::Mode),
    ("null_space", Key::NullSpace),
    ("max_iterations", Key::MaxIterations),
    ("num_restarts", Key::NumRestarts),
    ("position_tolerance", Key::PositionTolerance),
    ("orientation_tolerance", Key::OrientationTolerance),
    ("check_limits", Key::CheckLimits),
    ("rng_seed", Key::RngSeed),
    ("raise_on_failure", Key::RaiseOnFailure),
    ("tool_axis", Key::ToolAxis),
    ("damping", Key::Damping),
    ("timeout", Key::Timeout),
    ("swivel_samples", Key::SwivelSamples),
    ("samples", Key::Samples),
    ("turns", Key::Turns),
    ("scene", Key::Scene),
    ("collision_margin", Key::CollisionMargin),
    ("self_margin", Key::SelfMargin),
    ("method", Key::Method),
    ("max_joint_step", Key::MaxJointStep),
    ("tolerance", Key::Tolerance),
];

/// Options by position, and where among them the seed stands.
const IN_ORDER: &[(&str, Key)] = KEYS.split_at(10).0;
const SEED_AT: usize = 2;

/// A call by its name in Python, and the options that it takes.
pub(crate) struct IkCall {
    name: &'static str,
    options: &'static [Key],
}

const OF_SEARCH: [Key; 12] = [
    Key::Solver,
    Key::Mode,
    Key::NullSpace,
    Key::MaxIterations,
    Key::NumRestarts,
    Key::PositionTolerance,
    Key::OrientationTolerance,
    Key::CheckLimits,
    Key::RngSeed,
    Key::ToolAxis,
    Key::Damping,
    Key::Timeout,
];
/// What every search for configurations takes, and what is for one configuration.
const OF_ONE: [Key; 13] = {
    let mut options = [Key::RaiseOnFailure; 13];
    options.split_at_mut(12).0.copy_from_slice(&OF_SEARCH);
    options
};
/// What every search takes, and a scene.
const OF_BATCH: [Key; 15] = {
    let mut options = [Key::Scene; 15];
    let (of_search, of_scene) = options.split_at_mut(12);
    of_search.copy_from_slice(&OF_SEARCH);
    of_scene.copy_from_slice(&[Key::Scene, Key::CollisionMargin, Key::SelfMargin]);
    options
};
const OF_CACHE: [Key; 8] = [
    Key::Mode,
    Key::MaxIterations,
    Key::NumRestarts,
    Key::PositionTolerance,
    Key::OrientationTolerance,
    Key::CheckLimits,
    Key::RngSeed,
    Key::Timeout,
];
const OF_BRANCHES: [Key; 8] = [
    Key::CheckLimits,
    Key::SwivelSamples,
    Key::Samples,
    Key::Turns,
    Key::Scene,
    Key::CollisionMargin,
    Key::SelfMargin,
    Key::Timeout,
];
const OF_PATH: [Key; 8] = [
    Key::Method,
    Key::MaxJointStep,
    Key::Tolerance,
    Key::RngSeed,
    Key::Scene,
    Key::CollisionMargin,
    Key::SelfMargin,
    Key::Timeout,
];

pub(crate) const IK: IkCall = IkCall { name: "ik", options: &OF_ONE };
pub(crate) const IK_CONFIG: IkCall = IkCall { name: "ik_config", options: &OF_ONE };
pub(crate) const IK_BATCH: IkCall = IkCall { name: "ik_batch", options: &OF_BATCH };
pub(crate) const BATCH_IK: IkCall = IkCall { name: "batch_ik", options: &OF_BATCH };
pub(crate) const IK_DISTINCT: IkCall = IkCall { name: "ik_distinct", options: &OF_SEARCH };
pub(crate) const IK_ALL: IkCall = IkCall { name: "ik_all", options: &OF_BRANCHES };
pub(crate) const IK_PATH: IkCall = IkCall { name: "ik_path", options: &OF_PATH };
pub(crate) const CACHE_SOLVE: IkCall = IkCall { name: "solve", options: &OF_CACHE };

/// Options of inverse kinematics; what a call does not take is as it was.
pub(crate) struct IkOptions {
    pub(crate) config: IKConfig,
    pub(crate) raise_on_failure: bool,
    pub(crate) swivel_samples: Option<Count>,
    pub(crate) samples: Option<Count>,
    pub(crate) turns: bool,
    pub(crate) scene: Option<Scene>,
    pub(crate) margins: Margins,
    pub(crate) method: PathMethod,
    pub(crate) max_joint_step: Option<PerJoint>,
    pub(crate) tolerance: Vec<PathTolerance>,
    damping: Option<Real>,
}

impl IkOptions {
    /// Reads keywords over the options that a call begins with.
    ///
    /// # Errors
    /// `TypeError` for a keyword that the call does not take, and what the values are refused with.
    pub(crate) fn read(call: &IkCall, config: IKConfig, keywords: Option<&Bound<'_, PyDict>>) -> Result<Self> {
        let mut options = Self::new(config);
        options.read_keywords(call, keywords)?;
        options.finished()
    }

    /// As [`read`](Self::read) for `ik_config`, whose options may stand by position, the seed among them.
    pub(crate) fn read_with_positions(
        config: IKConfig,
        positions: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let mut options = Self::new(config);
        options.read_positions(positions, keywords)?;
        options.read_keywords(&IK_CONFIG, keywords)?;
        options.finished()
    }

    fn read_positions(&mut self, positions: &Bound<'_, PyTuple>, keywords: Option<&Bound<'_, PyDict>>) -> Result<()> {
        let most = IN_ORDER.len() + 1;
        if positions.len() > most {
            let (most, given) = (most + 1, positions.len() + 1);
            let text = format!("ik_config() takes at most {most} positional arguments ({given} given)");
            return Err(PyTypeError::new_err(text).into());
        }
        for (index, value) in positions.iter().enumerate() {
            if index == SEED_AT {
                if self.config.seed.is_some() {
                    return Err(twice("seed"));
                }
                self.config.seed = value.extract::<Option<Vector>>()?.map(|seed| seed.0.into());
                continue;
            }
            let (name, key) = IN_ORDER[if index < SEED_AT { index } else { index - 1 }];
            if keywords.is_some_and(|keywords| keywords.contains(name).unwrap_or(false)) {
                return Err(twice(name));
            }
            self.set(key, &value).map_err(|error| about(value.py(), name, error.into()))?;
        }
        Ok(())
    }

    fn new(config: IKConfig) -> Self {
        Self {
            config,
            raise_on_failure: true,
            swivel_samples: None,
            samples: None,
            turns: false,
            scene: None,
            margins: Margins::ZERO,
            method: PathMethod::default(),
            max_joint_step: None,
            tolerance: Vec::new(),
            damping: None,
        }
    }

    fn read_keywords(&mut self, call: &IkCall, keywords: Option<&Bound<'_, PyDict>>) -> Result<()> {
        for (name, value) in keywords.into_iter().flatten() {
            let Some((name, key)) = named_option(&name)?.filter(|(_, key)| call.options.contains(key)) else {
                return Err(unexpected_option(call, &name));
            };
            self.set(key, &value).map_err(|error| about(value.py(), name, error.into()))?;
        }
        Ok(())
    }

    fn set(&mut self, key: Key, value: &Bound<'_, PyAny>) -> Result<()> {
        let config = &mut self.config;
        match key {
            Key::Solver => config.solver = named(value)?,
            Key::Mode => config.mode = named(value)?,
            Key::NullSpace => config.null_space = if value.is_none() { None } else { Some(named(value)?) },
            Key::MaxIterations => config.max_iterations = value.extract::<Count>()?.0,
            Key::NumRestarts => config.num_restarts = value.extract::<Count>()?.0,
            Key::PositionTolerance => config.position_tolerance = value.extract::<Real>()?.0,
            Key::OrientationTolerance => config.orientation_tolerance = value.extract::<Real>()?.0,
            Key::CheckLimits => config.check_limits = value.extract()?,
            Key::RngSeed => config.rng_seed = value.extract::<Option<Seed>>()?.map_or(0, |seed| seed.0),
            Key::RaiseOnFailure => self.raise_on_failure = value.extract()?,
            Key::ToolAxis => config.tool_axis = value.extract::<Option<ConeArg>>()?.map(|cone| cone.0),
            Key::Damping => self.damping = value.extract()?,
            Key::Timeout => config.stop = flag(value.extract()?)?,
            Key::SwivelSamples => self.swivel_samples = value.extract()?,
            Key::Samples => self.samples = value.extract()?,
            Key::Turns => self.turns = value.extract()?,
            Key::Scene if value.is_none() => self.scene = None,
            Key::Scene => self.scene = Some(value.cast::<PyScene>().map_err(PyErr::from)?.get().now()),
            Key::CollisionMargin => self.margins.world = value.extract::<Real>()?.0,
            Key::SelfMargin => self.margins.own = value.extract::<Real>()?.0,
            Key::Method => self.method = named(value)?,
            Key::MaxJointStep => self.max_joint_step = value.extract()?,
            Key::Tolerance => {
                self.tolerance = value.extract::<Option<PathTolerances>>()?.map_or_else(Vec::new, |all| all.0);
            }
        }
        Ok(())
    }

    /// What follows from several options.
    fn finished(mut self) -> Result<Self> {
        if let Some(damping) = &self.damping {
            let IKSolver::DLS { .. } = self.config.solver else {
                let given = self.config.solver.id();
                return Err(
                    KineticError::invalid("solver with a damping", given, "dls, which is what is damped").into()
                );
            };
            self.config.solver = IKSolver::DLS { damping: damping.0 };
        }
        Ok(self)
    }
}

fn named<T: FromStr<Err = KineticError>>(value: &Bound<'_, PyAny>) -> Result<T> {
    Ok(value.extract::<Text>()?.0.parse()?)
}

/// The stop flag of a call that ends after so many seconds; None for a call that takes its time.
pub(crate) fn flag(timeout: Option<Real>) -> Result<StopFlag> {
    let Some(Real(seconds)) = timeout else { return Ok(StopFlag::default()) };
    if !(seconds > 0.0) {
        return Err(KineticError::invalid("timeout", seconds, "a positive number of seconds").into());
    }
    Ok(StopFlag::default().with_timeout(Arc::new(SystemClock::default()), seconds))
}

/// The option of a name. Names of keywords are interned, so that one look at their addresses finds nearly all.
fn named_option(name: &Bound<'_, PyAny>) -> Result<Option<(&'static str, Key)>> {
    static INTERNED: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();
    let py = name.py();
    let intern = || KEYS.iter().map(|(name, _)| PyString::intern(py, name).unbind()).collect();
    if let Some(index) = INTERNED.get_or_init(py, intern).iter().position(|known| known.is(name)) {
        return Ok(Some(KEYS[index]));
    }
    let name = name.extract::<Text>()?.0;
    Ok(KEYS.iter().find(|(known, _)| *known == name).copied())
}

fn unexpected_option(call: &IkCall, name: &Bound<'_, PyAny>) -> Error {
    let known = KEYS.iter().filter(|(_, key)| call.options.contains(key)).map(|(name, _)| *name);
    unexpected(call.name, &name.to_string(), known).into()
}

fn twice(name: &str) -> Error {
    given_twice("ik_config", name).into()
}
