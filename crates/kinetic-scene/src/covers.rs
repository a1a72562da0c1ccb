//! Spheres that contain the shapes of a link, found once per user: fitting them takes up to a tenth of a second per link, and
//! a program makes many scenes and planners around one robot.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic_collision::Sphere;
use kinetic_collision::fit::{self, SphereGenConfig};
use kinetic_core::{Pose, Result, Shape};

use crate::cache_records;
use kinetic_collision_simd::StoredResults;

/// What the covers are called among what is kept.
const KIND: &str = "cover";

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
    let spheres = kept_or_fitted(shapes, StoredResults::of_user())?;
    let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    if memory.len() >= REMEMBERED {
        memory.pop_front();
    }
    memory.push_back(Cover { shapes: shapes.to_vec(), spheres: spheres.as_slice().into() });
    Ok(spheres)
}

/// What an earlier process kept, or else what is fitted now and kept for later ones.
fn kept_or_fitted(shapes: &[(Pose, Shape)], known: StoredResults) -> Result<Vec<Sphere>> {
    let (placed, config) =
        (shapes.iter().map(|(pose, shape)| (pose.0, shape)).collect::<Vec<_>>(), SphereGenConfig::default());
    if fit::has_closed_form(&placed, &config) {
        return fit::cover_all(&placed, &config);
    }
    let name = (KIND, cache_records::key_of_cover(shapes, &config));
    if let Some(kept) = known.get(name, cache_records::spheres_from_bytes) {
        return Ok(kept);
    }
    let fitted = known.find(|| fit::cover_all(&placed, &config))?;
    known.store(name, &cache_records::spheres_to_bytes(&fitted));
    Ok(fitted)
}

fn remembered(shapes: &[(Pose, Shape)]) -> Option<Arc<[Sphere]>> {
    let memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    memory.iter().find(|cover| cover.shapes == shapes).map(|cover| Arc::clone(&cover.spheres))
}

#[cfg(test)]
mod tests {
    use kinetic_core::Cache;

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

    #[test]
    fn what_is_kept_between_processes_is_what_is_fitted_and_damage_is_mended() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("kinetic-covers-{}", std::process::id()));
        let cache = Cache::at(&folder, 1 << 20).expect("a folder of its own");
        let corners = [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.1, 0.4]].map(nalgebra::Point3::from);
        let shapes = [(Pose::from_xyz(0.1, 0.0, 0.0), Shape::convex(&corners, 0.01)?)];
        let known = |cache| StoredResults { precomputed: None, cache };
        let fitted = kept_or_fitted(&shapes, known(None))?;
        let kept = || kept_or_fitted(&shapes, known(Some(&cache)));
        assert_eq!((kept()?, kept()?), (fitted.clone(), fitted.clone()));
        let [entry] = &cache.entries()[..] else { panic!("{:?}", cache.entries()) };
        let path = folder.join(&entry.name);
        let whole = std::fs::read(&path).expect("an entry");
        for place in [0, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(&path, damaged).expect("an entry of its own");
            assert_eq!(kept()?, fitted);
            assert_eq!(std::fs::read(&path).expect("an entry"), whole, "written anew");
        }
        // An entry that is asked for another shape would be another cover.
        let moved = [(Pose::from_xyz(0.1 + 1e-12, 0.0, 0.0), shapes[0].1.clone())];
        assert_ne!(kept_or_fitted(&moved, known(Some(&cache)))?, fitted);
        assert_eq!(cache.clear(), 2);
        let _ = std::fs::remove_dir_all(&folder);
        Ok(())
    }
}
