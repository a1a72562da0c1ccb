//! Model predictive control. Oracles: differences of commands for limits, exact distances of the scene for clearances, and a servo
//! for what cannot be reached without looking ahead.

mod around;
mod input;
