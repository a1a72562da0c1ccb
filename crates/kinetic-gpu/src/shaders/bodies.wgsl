// Bodies and their spheres: what the places in the array of the robot mean.
// sizes: 3 first element of the bodies, 4 bodies, 5 first element of the spheres, 8 obstacles, 9 first element of the required
// clearances.

struct Body {
    // Centre and radius of the bounding sphere.
    ball: vec4<f32>,
    frame: u32,
    first: u32,
    end: u32,
}

fn body_at(index: u32) -> Body {
    let at = size(3u) + index * BODY_STRIDE;
    let data = vec3<u32>(robot_at(at + 1u).xyz);
    return Body(robot_at(at), data.x, data.y, data.y + data.z);
}

fn sphere_at(index: u32) -> vec4<f32> {
    return robot_at(size(5u) + index);
}

// Required clearance of a body and an obstacle.
fn margin_between(body: u32, obstacle: u32) -> f32 {
    let index = body * size(8u) + obstacle;
    return world_at(size(9u) + (index >> 2u))[index & 3u];
}

