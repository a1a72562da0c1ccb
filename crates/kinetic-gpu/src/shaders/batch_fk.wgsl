// Poses of all links: one thread per configuration, twelve numbers per link (the rows of a 3 × 4 matrix).
// sizes: configurations, frames, variables, first float of the links, number of links.

@group(0) @binding(3) var<storage, read_write> poses: array<f32>;
@group(0) @binding(4) var<storage, read_write> frames: array<f32>;

@compute @workgroup_size(lanes)
fn batch_fk(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= sizes[0] {
        return;
    }
    place_frames(row, sizes[1], sizes[2]);
    for (var link = 0u; link < sizes[4]; link++) {
        let at = sizes[3] + link * LINK_STRIDE;
        let pose = fixed_in(frame_at(u32(robot[at]), row), at + 1u);
        let out = (row * sizes[4] + link) * 12u;
        for (var i = 0u; i < 3u; i++) {
            poses[out + 4u * i] = pose.x[i];
            poses[out + 4u * i + 1u] = pose.y[i];
            poses[out + 4u * i + 2u] = pose.z[i];
            poses[out + 4u * i + 3u] = pose.origin[i];
        }
    }
}
