#![doc = include_str!("../README.md")]

mod aba;
mod batch;
mod body;
mod carrier;
mod cholesky;
mod columns;
mod composites;
mod coriolis_matrix;
mod crba;
mod data;
mod derivatives;
mod effort_bounds;
mod energy;
mod external;
mod feasibility;
mod forward;
mod functions;
mod gravity;
mod interval;
mod inverse;
mod manipulability;
mod mass_matrix;
mod model;
mod normal_form;
mod payload;
mod quantity;
mod recursions;
mod resistance;
mod retiming;
mod rnea;
mod scalar;
mod spatial;
mod state;
mod tightening;
mod torque_limited;
mod torque_peak;
mod torque_rows;
mod turn;
mod vectors;
mod version;
mod wide;
mod wrench_derivatives;
mod wrenches;

pub use data::DynamicsData;
pub use derivatives::Derivatives;
pub use external::{ExternalWrench, WrenchAxes};
pub use feasibility::{EffortViolation, check_trajectory_feasibility};
pub use functions::{
    Neighbours, articulated_body_from_chain, coriolis, forward_dynamics, gravity_compensation, inverse_dynamics,
    mass_matrix, torque_vector,
};
pub use kinetic_core::{MountedPayload, Payload};
pub use model::{BaseMotion, DynamicsModel, STANDARD_GRAVITY};
pub use resistance::Resistance;
pub use torque_limited::TorqueLimits;
pub use torque_peak::{TorquePeak, torque_peak};
