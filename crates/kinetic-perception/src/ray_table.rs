//! Rays of the pixels of distorted cameras: a picture has the same ones as the picture before.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kinetic_core::parallel::in_chunks;
use kinetic_core::{Control, Result};

use crate::camera::CameraModel;
use crate::undistortion::Undistortion;

/// Pixels that are worth a thread.
const PIXELS_PER_CHUNK: usize = 1 << 12;

/// Pixels per look at the control.
const PIXELS_PER_CHECK: usize = 1 << 17;

/// Pixels of all tables that are remembered; they take 64 MiB.
const MOST_PIXELS: usize = 1 << 22;

/// Tables, the one that was asked for last at the end.
static RECENT: Mutex<Vec<Arc<RayTable>>> = Mutex::new(Vec::new());

/// The rays of all pixels of a camera.
pub(crate) struct RayTable {
    camera: CameraModel,
    /// Rows, and pixels per row.
    size: [usize; 2],
    /// Their places on the plane z = 1, row after row; NaN where there is none.
    pub(crate) rays: Vec<[f64; 2]>,
}

impl RayTable {
    /// The table of a camera with so many rows and pixels per row, from memory where it is there.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    pub(crate) fn of(camera: &CameraModel, size: [usize; 2], control: &Control) -> Result<Arc<Self>> {
        let is_wanted = |table: &Arc<Self>| table.camera == *camera && table.size == size;
        let known = recent().iter().find(|table| is_wanted(table)).cloned();
        let table = known.map_or_else(|| Self::new(camera, size, control).map(Arc::new), Ok)?;
        let mut recent = recent();
        recent.retain(|other| !is_wanted(other));
        recent.push(Arc::clone(&table));
        let pixels = |tables: &[Arc<Self>]| tables.iter().map(|table| table.rays.len()).sum::<usize>();
        while pixels(&recent) > MOST_PIXELS {
            recent.remove(0);
        }
        Ok(table)
    }

    fn new(camera: &CameraModel, size: [usize; 2], control: &Control) -> Result<Self> {
        let [height, width] = size;
        let undistortion = Undistortion::new(&camera.distortion);
        let mut rays = vec![[f64::NAN; 2]; height * width];
        for (part, rays) in rays.chunks_mut(PIXELS_PER_CHECK).enumerate() {
            control.check(0)?;
            in_chunks(rays, 1, PIXELS_PER_CHUNK, |first, rays| {
                for (index, out) in (part * PIXELS_PER_CHECK + first..).zip(rays) {
                    if let Some(ray) = camera.ray_with(&undistortion, [(index % width) as f64, (index / width) as f64])
                    {
                        *out = [ray.x, ray.y];
                    }
                }
            });
        }
        Ok(Self { camera: *camera, size, rays })
    }
}

fn recent() -> MutexGuard<'static, Vec<Arc<RayTable>>> {
    // Lists of whole tables are whole after every statement.
    RECENT.lock().unwrap_or_else(PoisonError::into_inner)
}
