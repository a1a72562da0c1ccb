// Signed squared distances of nodes from cells, in cells: one thread per node, in three passes along z, y and x. Their twin is
// kinetic-collision's transform on the processor: all numbers are whole ones that single precision holds, so that the order of
// arithmetic does not matter. Rust puts the places of layout.rs in front.
//
// A node is the corner of an occupied cell, of a free one, or of both, so that one of its two distances is 0, in each pass: those
// outside are positive, those inside negative, and both kinds are computed at once.

override lanes: u32 = 64u;

@group(0) @binding(0) var<storage, read> sizes: array<u32>;
// A bit for each cell, in columns along z.
@group(0) @binding(1) var<storage, read> cells: array<u32>;
// Two halves, each with a number for each node of the tile, x slowest. Passes read one and write the other.
@group(0) @binding(2) var<storage, read_write> squares: array<f32>;

const EVERY_BIT: u32 = 0xffffffffu;
const NOWHERE: u32 = 0xffffffffu;

fn size(index: u32) -> u32 {
    return sizes[index];
}

// The square at which distances end.
fn cap() -> f32 {
    let limit = size(SDF_LIMIT);
    return select(f32(limit * limit), FAR, limit == SDF_UNLIMITED);
}

// A word of the column of cells that begins with a node as its lowest corner; its bits are those of occupied cells, or of free ones
// where they are flipped. Around the box of all cells they are free. An index beyond 0 has wrapped, and is beyond all cells too.
fn word_of(x: u32, y: u32, word: u32, flipped: u32) -> u32 {
    if x >= size(SDF_CELLS) || y >= size(SDF_CELLS + 1u) {
        return flipped;
    }
    return cells[(x * size(SDF_CELLS + 1u) + y) * size(SDF_WORDS) + word] ^ flipped;
}

// A word of the four columns around a node, together.
fn words_around(x: u32, y: u32, word: u32, flipped: u32) -> u32 {
    let low = word_of(x - 1u, y - 1u, word, flipped) | word_of(x - 1u, y, word, flipped);
    return low | word_of(x, y - 1u, word, flipped) | word_of(x, y, word, flipped);
}

// Steps from a node to the nearest corner above it, or the node itself, of the cells that are not below it.
fn steps_up(x: u32, y: u32, z: u32, flipped: u32) -> u32 {
    let last = size(SDF_BOX_Z + 1u);
    var word = z / 32u;
    var bits = words_around(x, y, word, flipped) & (EVERY_BIT << (z % 32u));
    while bits == 0u && (word + 1u) * 32u <= last {
        word++;
        bits = words_around(x, y, word, flipped);
    }
    let corner = word * 32u + firstTrailingBit(bits);
    return select(corner - z, NOWHERE, bits == 0u || corner > last);
}

// The same for the cells below a node, whose upper corners are the nearest. Below the lowest one there is a free cell.
fn steps_down(x: u32, y: u32, z: u32, flipped: u32) -> u32 {
    let first = size(SDF_BOX_Z);
    if z == 0u {
        return select(NOWHERE, 0u, flipped != 0u);
    }
    var word = (z - 1u) / 32u;
    var bits = words_around(x, y, word, flipped) & (EVERY_BIT >> (31u - (z - 1u) % 32u));
    while bits == 0u && word > 0u && word * 32u >= first {
        word--;
        bits = words_around(x, y, word, flipped);
    }
    if bits == 0u {
        return select(NOWHERE, z, flipped != 0u && first == 0u);
    }
    let corner = word * 32u + firstLeadingBit(bits) + 1u;
    return select(z - corner, NOWHERE, corner < first);
}

// Square of the distance along z from the nearest corner of a cell of one kind.
fn square_along_z(x: u32, y: u32, z: u32, flipped: u32) -> f32 {
    var steps = steps_down(x, y, z, flipped);
    if steps != 0u {
        steps = min(steps, steps_up(x, y, z, flipped));
    }
    if steps == NOWHERE {
        return cap();
    }
    return min(f32(steps * steps), cap());
}

// Signed square along z of the node at a place of the tile.
fn along_z(place: vec3<u32>) -> f32 {
    let x = size(SDF_TILE_FIRST) + place.x;
    let y = size(SDF_TILE_FIRST + 1u) + place.y;
    let z = size(SDF_TILE_FIRST + 2u) + place.z;
    let outside = square_along_z(x, y, z, 0u);
    if outside > 0.0 {
        return outside;
    }
    let inside = square_along_z(x, y, z, EVERY_BIT);
    return select(0.0, -inside, inside > 0.0);
}

// The least of the squares along a line, each with the square of the distance from it: from neighbours farther and farther away, until
// the distance alone is more than what was found.
fn lowest(at: u32, stride: u32, place: u32, count: u32) -> f32 {
    let own = squares[at];
    if own == 0.0 {
        return 0.0;
    }
    let side = select(-1.0, 1.0, own > 0.0);
    var least = abs(own);
    let reach = min(size(SDF_LIMIT), max(place, count - 1u - place));
    for (var steps = 1u; steps <= reach; steps++) {
        let square = f32(steps * steps);
        if least <= square {
            break;
        }
        if place >= steps {
            least = min(least, max(side * squares[at - steps * stride], 0.0) + square);
        }
        if place + steps < count {
            least = min(least, max(side * squares[at + steps * stride], 0.0) + square);
        }
    }
    return side * least;
}

@compute @workgroup_size(lanes)
fn distance_field(@builtin(global_invocation_id) id: vec3<u32>) {
    let nodes = vec3(size(SDF_TILE_NODES), size(SDF_TILE_NODES + 1u), size(SDF_TILE_NODES + 2u));
    let count = nodes.x * nodes.y * nodes.z;
    let node = size(SDF_FIRST) + id.x;
    if node >= count {
        return;
    }
    let row = node / nodes.z;
    let place = vec3(row / nodes.y, row % nodes.y, node % nodes.z);
    switch size(SDF_PASS) {
        case 0u: {
            squares[node] = along_z(place);
        }
        case 1u: {
            squares[count + node] = lowest(node, nodes.z, place.y, nodes.y);
        }
        default: {
            // Of the other half: places and strides are the same there.
            squares[node] = lowest(count + node, nodes.y * nodes.z, place.x, nodes.x);
        }
    }
}
