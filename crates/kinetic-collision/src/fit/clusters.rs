//! Clustering of samples (Lloyd 1982): start centres that are better than the greedy ones for few spheres.

use nalgebra::{Point3, Vector3};

use super::samples::SolidSample;
use crate::ball::Sphere;

/// Rounds of Lloyd's iteration; the parts are made anew from the solid afterwards.
const LLOYD_ITERATIONS: usize = 12;

/// Centres of `count` clusters as balls of equal size: their diagram is that of the clusters.
pub(super) fn clusters(samples: &[SolidSample], count: usize) -> Vec<Sphere> {
    let mut centers = scattered(samples, count);
    for _ in 0..LLOYD_ITERATIONS {
        let mut sums = vec![(Vector3::zeros(), 0.0); centers.len()];
        for sample in samples {
            let sum = &mut sums[nearest(&centers, &sample.point).0];
            *sum = (sum.0 + sample.point.coords, sum.1 + 1.0);
        }
        for (center, (sum, weight)) in centers.iter_mut().zip(sums) {
            if weight > 0.0 {
                *center = Point3::from(sum / weight);
            }
        }
    }
    centers.into_iter().map(|center| Sphere::new(center, 0.0)).collect()
}

/// Samples that are far from each other (Gonzalez 1985).
fn scattered(samples: &[SolidSample], count: usize) -> Vec<Point3<f64>> {
    let Some(first) = samples.first() else { return Vec::new() };
    let mut centers = vec![first.point];
    let mut distances: Vec<f64> = samples.iter().map(|sample| (sample.point - first.point).norm_squared()).collect();
    while centers.len() < count {
        let farthest =
            distances.iter().enumerate().fold((0, 0.0), |best, (i, d)| if *d > best.1 { (i, *d) } else { best });
        if farthest.1 == 0.0 {
            break;
        }
        let center = samples[farthest.0].point;
        for (distance, sample) in distances.iter_mut().zip(samples) {
            *distance = distance.min((sample.point - center).norm_squared());
        }
        centers.push(center);
    }
    centers
}

fn nearest(centers: &[Point3<f64>], point: &Point3<f64>) -> (usize, f64) {
    let distances = centers.iter().map(|center| (center - point).norm_squared()).enumerate();
    distances.fold((0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best })
}
