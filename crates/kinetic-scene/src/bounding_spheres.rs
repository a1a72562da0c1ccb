//! Bounding spheres of links, cached per user.
//!
//! Fitting them takes up to a tenth of a second per link, and programs build many scenes and planners for one robot.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use kinetic_collision::Sphere;
use kinetic_collision::fit::{self, SphereGenConfig};
use kinetic_core::{Pose, Result, Shape};

use crate::cache_records;
use kinetic_collision_simd::StoredResults;

/// Kind of bounding spheres among stored results.
const BOUNDING_SPHERES_KIND: &str = "cover";

/// Links in the memory cache; the oldest is evicted first. An entry has some kilobytes, because vertices are shared.
const MAX_CACHED_LINKS: usize = 1024;

/// Cache entry: shapes as they were given, and their bounding spheres.
struct CachedSpheres {
    shapes: Vec<(Pose, Shape)>,
    spheres: Arc<[Sphere]>,
}

static CACHED_BOUNDING_SPHERES: Mutex<VecDeque<CachedSpheres>> = Mutex::new(VecDeque::new());

/// Spheres that contain all shapes, by construction. Equal shapes have equal spheres, cached or not.
pub(crate) fn bounding_spheres(shapes: &[(Pose, Shape)]) -> Result<Vec<Sphere>> {
    if let Some(spheres) = cached(shapes) {
        return Ok(spheres.to_vec());
    }
    let spheres = stored_or_fitted(shapes, StoredResults::of_user())?;
    let mut memory = CACHED_BOUNDING_SPHERES.lock().unwrap_or_else(PoisonError::into_inner);
    if memory.len() >= MAX_CACHED_LINKS {
        memory.pop_front();
    }
    memory.push_back(CachedSpheres { shapes: shapes.to_vec(), spheres: spheres.as_slice().into() });
    Ok(spheres)
}

/// Spheres that an earlier process stored; otherwise they are fitted and stored.
fn stored_or_fitted(shapes: &[(Pose, Shape)], known: StoredResults) -> Result<Vec<Sphere>> {
    let (placed, config) =
        (shapes.iter().map(|(pose, shape)| (pose.0, shape)).collect::<Vec<_>>(), SphereGenConfig::default());
    if fit::has_closed_form(&placed, &config) {
        return fit::cover_all(&placed, &config);
    }
    let name = (BOUNDING_SPHERES_KIND, cache_records::key_of_bounding_spheres(shapes, &config));
    if let Some(stored) = known.get(name, cache_records::spheres_from_bytes) {
        return Ok(stored);
    }
    let fitted = known.find(|| fit::cover_all(&placed, &config))?;
    known.store(name, &cache_records::spheres_to_bytes(&fitted));
    Ok(fitted)
}

fn cached(shapes: &[(Pose, Shape)]) -> Option<Arc<[Sphere]>> {
    let memory = CACHED_BOUNDING_SPHERES.lock().unwrap_or_else(PoisonError::into_inner);
    memory.iter().find(|cached| cached.shapes == shapes).map(|cached| Arc::clone(&cached.spheres))
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
        assert!(cached(&here).is_none());
        let (first, both) = (bounding_spheres(&here)?, bounding_spheres(&there)?);
        assert_eq!(cached(&here).as_deref(), Some(&*first));
        assert_eq!(bounding_spheres(&here)?, first);
        assert_eq!(bounding_spheres(&there)?, both);
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
        let fitted = stored_or_fitted(&shapes, known(None))?;
        let stored = || stored_or_fitted(&shapes, known(Some(&cache)));
        assert_eq!((stored()?, stored()?), (fitted.clone(), fitted.clone()));
        let [entry] = &cache.entries()[..] else { panic!("{:?}", cache.entries()) };
        let path = folder.join(&entry.name);
        let whole = std::fs::read(&path).expect("an entry");
        for index in [0, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[index] ^= 1;
            std::fs::write(&path, damaged).expect("an entry of its own");
            assert_eq!(stored()?, fitted);
            assert_eq!(std::fs::read(&path).expect("an entry"), whole, "written anew");
        }
        // Another shape has another key, and so another entry.
        let moved = [(Pose::from_xyz(0.1 + 1e-12, 0.0, 0.0), shapes[0].1.clone())];
        assert_ne!(stored_or_fitted(&moved, known(Some(&cache)))?, fitted);
        assert_eq!(cache.clear(), 2);
        let _ = std::fs::remove_dir_all(&folder);
        Ok(())
    }
}
