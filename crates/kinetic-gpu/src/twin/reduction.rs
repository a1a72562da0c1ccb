//! The fixed tree of `shaders/trajopt.wgsl` that sums what the lanes of a workgroup have.

use crate::layout::MAX_LANES;

/// A sum and a largest number per lane.
pub(crate) type Lanes = [[f32; 2]; MAX_LANES];

/// Sum and largest number of all lanes, in the order of the shader.
pub(crate) fn reduced(mut lanes: Lanes) -> [f32; 2] {
    let mut stride = MAX_LANES / 2;
    while stride > 0 {
        for lane in 0..stride {
            let [sum, most] = lanes[lane + stride];
            lanes[lane][0] += sum;
            lanes[lane][1] = lanes[lane][1].max(most);
        }
        stride /= 2;
    }
    lanes[0]
}

/// Sum of the products of two rows.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [[0.0; 2]; MAX_LANES];
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        lanes[index % MAX_LANES][0] += a * b;
    }
    reduced(lanes)[0]
}
