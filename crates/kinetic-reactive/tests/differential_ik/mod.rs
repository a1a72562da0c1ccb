//! Differential inverse kinematics. Oracles: nalgebra's singular values and pseudo-inverses, active sets one by one, finite
//! differences of forward kinematics, motions integrated cycle by cycle.

mod front;
mod problems;
mod singularities;
mod velocity_bounds;
