// Poses of all links, as the rows of 3 × 4 matrices: one thread per configuration.
// sizes: configurations, frames, variables, first element of the links, number of links.

@group(0) @binding(2) var<storage, read> configurations: array<f32>;
@group(0) @binding(3) var<storage, read_write> poses: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> frames: array<vec4<f32>>;

fn variable_at(thread: u32, variable: u32) -> f32 {
    return configurations[thread * size(2u) + variable];
}

@compute @workgroup_size(lanes)
fn batch_fk(@builtin(global_invocation_id) id: vec3<u32>) {
    let thread = id.x;
    if thread >= size(0u) {
        return;
    }
    place_frames(thread);
    for (var link = 0u; link < size(4u); link++) {
        let at = size(3u) + link * LINK_STRIDE;
        let pose = fixed_in(frame_at(u32(robot_at(at + 3u).x), thread), at);
        let out = (thread * size(4u) + link) * 3u;
        poses[out] = pose.a;
        poses[out + 1u] = pose.b;
        poses[out + 2u] = pose.c;
    }
}
