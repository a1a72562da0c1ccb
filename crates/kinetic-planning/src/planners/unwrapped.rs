//! Paths through configurations whose continuous joints are some turns apart.

use kinetic_core::{Result, Trajectory};

use crate::space::Space;

/// A path through configurations, continuous joints unwrapped from the first.
pub(super) fn unwrapped_path<'q>(space: &Space, waypoints: impl Iterator<Item = &'q [f64]>) -> Result<Trajectory> {
    let mut path = Trajectory::with_dof(space.dof());
    let (mut last, mut unwrapped): (Option<Vec<f64>>, Vec<f64>) = (None, vec![0.0; space.dof()]);
    for q in waypoints {
        space.unwrap_into(last.as_deref().unwrap_or(q), q, &mut unwrapped);
        path.push_waypoint(&unwrapped)?;
        last.get_or_insert_with(Vec::new).clone_from(&unwrapped);
    }
    Ok(path)
}
