//! Support function of many points, which is the inner loop of every pair distance.

use nalgebra::{Point3, Vector3};

/// Points per pack: two to eight vector registers, which hides the latency of their instructions.
const POINTS_PER_PACK: usize = 8;

/// Points in packs, coordinate by coordinate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PackedPoints(Vec<[[f64; POINTS_PER_PACK]; 3]>);

impl PackedPoints {
    /// The last pack is filled up with its first point.
    pub(super) fn new(points: &[Point3<f64>]) -> Self {
        let pack = |chunk: &[Point3<f64>]| {
            let at = |place: usize| chunk.get(place).unwrap_or(&chunk[0]);
            [0, 1, 2].map(|axis| std::array::from_fn(|place| at(place)[axis]))
        };
        Self(points.chunks(POINTS_PER_PACK).map(pack).collect())
    }

    /// The point with the largest product with `direction`; the first of equals.
    #[inline]
    pub(super) fn farthest(&self, direction: &Vector3<f64>) -> Point3<f64> {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, pack) in self.0.iter().enumerate() {
            // Per pack only the largest product is compared with the best, so that there is one branch per pack.
            let largest = max(products(pack, direction));
            if largest > best.0 {
                best = (largest, index);
            }
        }
        let [x, y, z] = &self.0[best.1];
        let place = products(&self.0[best.1], direction).iter().position(|product| *product >= best.0).unwrap_or(0);
        Point3::new(x[place], y[place], z[place])
    }

    /// The least and the greatest product with `direction`.
    #[inline]
    pub(super) fn range(&self, direction: &Vector3<f64>) -> [f64; 2] {
        let mut low = [f64::INFINITY; POINTS_PER_PACK];
        let mut high = [f64::NEG_INFINITY; POINTS_PER_PACK];
        for pack in &self.0 {
            for (place, product) in products(pack, direction).into_iter().enumerate() {
                low[place] = if product < low[place] { product } else { low[place] };
                high[place] = if product > high[place] { product } else { high[place] };
            }
        }
        [low.into_iter().fold(f64::INFINITY, f64::min), max(high)]
    }
}

#[inline]
fn products([x, y, z]: &[[f64; POINTS_PER_PACK]; 3], direction: &Vector3<f64>) -> [f64; POINTS_PER_PACK] {
    std::array::from_fn(|place| x[place] * direction.x + y[place] * direction.y + z[place] * direction.z)
}

/// Pairwise, so that the compiler can use vector instructions.
#[inline]
fn max(values: [f64; POINTS_PER_PACK]) -> f64 {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let four: [f64; 4] = std::array::from_fn(|i| larger(values[i], values[i + 4]));
    let two = [larger(four[0], four[2]), larger(four[1], four[3])];
    larger(two[0], two[1])
}
