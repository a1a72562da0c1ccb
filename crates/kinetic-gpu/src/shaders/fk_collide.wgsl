// The least slack of a configuration, and its gradient: one thread per configuration.
// sizes: configurations, frames, variables, first element of the bodies, bodies, first elements of spheres and pairs, pairs,
// obstacles, first element of the required clearances, numbers of an answer.

@group(0) @binding(2) var<storage, read> configurations: array<f32>;
@group(0) @binding(5) var<storage, read_write> answers: array<f32>;
@group(0) @binding(6) var<storage, read_write> frames: array<vec4<f32>>;

fn variable_at(thread: u32, variable: u32) -> f32 {
    return configurations[thread * size(2u) + variable];
}

fn add_slope(row: u32, variable: u32, slope: f32) {
    answers[row * size(10u) + NEAREST_FLOATS + variable] += slope;
}

@compute @workgroup_size(lanes)
fn fk_collide(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= size(0u) {
        return;
    }
    place_frames(row);
    find_nearest(row);
    let out = row * size(10u);
    answers[out] = best.slack;
    answers[out + 1u] = f32(best.kind);
    answers[out + 2u] = f32(best.first);
    answers[out + 3u] = f32(best.second);
    if size(10u) > NEAREST_FLOATS {
        for (var i = out + NEAREST_FLOATS; i < out + size(10u); i++) {
            answers[i] = 0.0;
        }
        add_gradients(row);
    }
}
