//! Riemannian motion policies.

mod axioms;
mod input;
mod moving_obstacles;
mod reach;
mod still_obstacles;
mod support;
