//! What the stubs state of calls whose keywords are read from `**options`.

use pyo3::prelude::*;

use crate::convert::Dict;
use crate::ik::manipulator_keywords::MANIPULATOR_SOLVE;
use crate::planning::device::WITH_DEVICE;
use crate::planning::keywords::{NEW_DUAL_ARM_PLANNER, NEW_PLANNER, PLAN, PLAN_BATCH, PLANNER_PLAN, PLANNER_PROBLEM};
use crate::planning::regions::{CONVEX_DECOMPOSITION, DECOMPOSITION_OF};
use crate::planning::roadmap::{BUILD_ROADMAP, PROVE_ROADMAP};
use crate::reactive::keywords::{NEW_DIFFERENTIAL_IK, NEW_SERVO, SERVO_TWIST, TASKS, TWIST};
use crate::reactive::target_keywords::{NEW_MPC, NEW_TARGET_SERVO};
use crate::scene::keywords::INVERSE_KINEMATICS;
use crate::scene::sensor_keywords::{
    ADD_POINTCLOUD, ADD_SENSOR, ADD_UNKNOWN_SPACE, FILTER_POINTCLOUD, UPDATE_FROM_DEPTH, UPDATE_OCTREE,
};
use crate::tasks::keywords::{ADD_ORIENTATION, ADD_POSE, ADD_POSITION, BATCH_INVERSE_KINEMATICS, SOLVE};
use crate::trajectory::keywords::{STATE_TO_STATE, TIME_OPTIMAL_WITHIN, TIME_PARAMETERIZE};

/// The options of calls by name, as parameters with types and defaults: what `tools/check_stubs.py` puts into the stubs.
#[pyfunction]
pub(crate) fn _stub_keywords(py: Python<'_>) -> PyResult<Dict<'_>> {
    let calls = [
        ADD_ORIENTATION.stub(),
        ADD_POINTCLOUD.stub(),
        ADD_POSE.stub(),
        ADD_POSITION.stub(),
        ADD_SENSOR.stub(),
        ADD_UNKNOWN_SPACE.stub(),
        BATCH_INVERSE_KINEMATICS.stub(),
        CONVEX_DECOMPOSITION.stub(),
        DECOMPOSITION_OF.stub(),
        FILTER_POINTCLOUD.stub(),
        INVERSE_KINEMATICS.stub(),
        MANIPULATOR_SOLVE.stub(),
        NEW_DIFFERENTIAL_IK.stub(),
        NEW_SERVO.stub(),
        SERVO_TWIST.stub(),
        NEW_MPC.stub(),
        NEW_TARGET_SERVO.stub(),
        NEW_DUAL_ARM_PLANNER.stub(),
        NEW_PLANNER.stub(),
        PLAN.stub(),
        PLAN_BATCH.stub(),
        PLANNER_PLAN.stub(),
        PLANNER_PROBLEM.stub(),
        BUILD_ROADMAP.stub(),
        PROVE_ROADMAP.stub(),
        SOLVE.stub(),
        STATE_TO_STATE.stub(),
        TASKS.stub(),
        TIME_OPTIMAL_WITHIN.stub(),
        TIME_PARAMETERIZE.stub(),
        TWIST.stub(),
        UPDATE_FROM_DEPTH.stub(),
        UPDATE_OCTREE.stub(),
        WITH_DEVICE.stub(),
    ];
    calls.into_iter().try_fold(Dict::new(py), |dict, (name, keywords)| dict.with(name, keywords))
}
