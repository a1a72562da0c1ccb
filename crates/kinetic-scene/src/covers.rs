//! Spheres that contain the shapes of a link, found once per process: fitting them takes a tenth of a second per link, and
//! a program makes many scenes and planners around one robot.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic_collision::Sphere;
use kinetic_collision::fit::{self, SphereGenConfig};
use kinetic_core::{Pose, Result, Shape};

/// Links whose covers are remembered; the oldest is forgotten first. Some kilobytes each: vertices are shared.
const REMEMBERED: usize = 1024;

/// Shapes as they were given, and their cover.
struct Cover {
    shapes: Vec<(Pose, Shape)>,
    spheres: Arc<[Sphere]>,
}

static MEMORY: Mutex<VecDeque<Cover>> = Mutex::new(VecDeque::new());

/// Spheres that contain all shapes, by construction. Equal shapes have equal covers, remembered or not.
pub(crate) fn cover(shapes: &[(Pose, Shape)]) -> Result<Vec<Sphere>> {
    if let Some(spheres) = remembered(shapes) {
        return Ok(spheres.to_vec());
    }
    let placed: Vec<_> = shapes.iter().map(|(pose, shape)| (pose.0, shape)).collect();
    let spheres = fit::cover_all(&placed, &SphereGenConfig::default())?;
    let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    if memory.len() >= REMEMBERED {
        memory.pop_front();
    }
    memory.push_back(Cover { shapes: shapes.to_vec(), spheres: spheres.as_slice().into() });
    Ok(spheres)
}

fn remembered(shapes: &[(Pose, Shape)]) -> Option<Arc<[Sphere]>> {
    let memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    memory.iter().find(|cover| cover.shapes == shapes).map(|cover| Arc::clone(&cover.spheres))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_is_fitted() -> Result<()> {
        let boxed =
            |x| Ok::<_, kinetic_core::KineticError>((Pose::from_xyz(x, 0.0, 0.0), Shape::cuboid(0.3, 0.1, 0.1)?));
        let (here, there) = (vec![boxed(0.123)?], vec![boxed(0.123)?, boxed(0.5)?]);
        assert!(remembered(&here).is_none());
        let (first, both) = (cover(&here)?, cover(&there)?);
        assert_eq!(remembered(&here).as_deref(), Some(&*first));
        assert_eq!(cover(&here)?, first);
        assert_eq!(cover(&there)?, both);
        let placed: Vec<_> = here.iter().map(|(pose, shape)| (pose.0, shape)).collect();
        assert_eq!(first, fit::cover_all(&placed, &SphereGenConfig::default())?);
        assert_ne!(first, both);
        Ok(())
    }
}
