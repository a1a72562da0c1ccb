//! Exact Euclidean distance transform of occupied cells on a device, in three passes of one shader.
//!
//! The twin is [`DistanceTransform`](kinetic_collision::DistanceTransform) of kinetic-collision. All numbers are whole ones that single
//! precision holds, so that both have the same bits whatever the order of arithmetic is. As there, distances are separable
//! (Felzenszwalb and Huttenlocher, Theory of Computing 2012), and a line is searched from each node on (Saito and Toriwaki,
//! Pattern Recognition 1994), here by one thread.

use std::sync::Arc;

use kinetic_collision::{CellBits, DistanceTransformer, NodeBox};
use kinetic_core::{Control, Result};

use crate::adapter::AdapterKind;
use crate::device::GpuDevice;
use crate::device::kernel::Kernel;
use crate::error::GpuResult;
use crate::layout::{self, FAR, SDF_UNLIMITED};

/// Buffers that the shader reads: sizes, cells.
const INPUTS: usize = 2;
/// Passes along z, y and x.
const PASSES: usize = 3;
/// Nodes that are on the device together, at most: a buffer of 128 MiB holds them.
const MAX_TILE_NODES: usize = 1 << 24;
/// Bytes of a node on the device: the number that a pass reads, and the one that it writes.
const NODE_BYTES: u64 = 8;
/// Words of a column that a thread of the first pass reads for each word that the column has: four columns, of either kind.
const READS_PER_WORD: usize = 8;
/// Steps of all threads of a dispatch on GPUs with memory of their own, so that it ends long before the watchdogs of drivers.
const MAX_STEPS_OF_DISCRETE: usize = 1 << 31;
/// Steps of a dispatch on other hardware, which is slower by an order of magnitude.
const MAX_STEPS_OF_INTEGRATED: usize = 1 << 28;
/// Steps of a dispatch on a software adapter.
const MAX_STEPS_OF_SOFTWARE: usize = 1 << 23;

/// The text of the shader.
pub(crate) fn text() -> String {
    layout::with_places(include_str!("shaders/distance_field.wgsl"))
}

/// The distance transform on a device, for
/// [`EuclideanDistanceField::update_with`](kinetic_collision::EuclideanDistanceField::update_with), whose values then have the bits that
/// they have without a device.
///
/// The passes follow each other on the device, and only the answer comes back. Boxes of many nodes are cut along z, which changes
/// nothing about distances, and a pass is several dispatches where it takes long.
#[derive(Debug)]
pub struct GpuDistanceTransform {
    kernel: Kernel,
    squares: Vec<f32>,
    tile: Vec<f32>,
}

/// What a call computes.
struct Request<'a> {
    cells: &'a CellBits,
    nodes: &'a NodeBox,
    limit: Option<usize>,
    control: &'a Control,
}

impl GpuDistanceTransform {
    /// Compiles the shader.
    ///
    /// # Errors
    /// Those of the device.
    pub fn new(device: &Arc<GpuDevice>) -> GpuResult<Self> {
        let kernel = Kernel::new(device, "distance_field", &text(), INPUTS)?;
        Ok(Self { kernel, squares: Vec::new(), tile: Vec::new() })
    }

    fn compute(&mut self, request: &Request<'_>) -> GpuResult<()> {
        let [nx, ny, nz] = request.nodes.counts();
        let thickness = self.nodes_of_tile().checked_div(nx * ny).unwrap_or(0).clamp(1, nz.max(1));
        self.squares.resize(nx * ny * nz, 0.0);
        request.control.check(0)?;
        // Pairs of words of 32 bits, the lower first: hosts of wgpu have this order.
        self.kernel.upload(1, request.cells.words())?;
        for first in (0..nz).step_by(thickness) {
            let count = thickness.min(nz - first);
            self.compute_tile(request, first, count)?;
            if count == nz {
                std::mem::swap(&mut self.tile, &mut self.squares);
            } else {
                let rows = self.squares.chunks_exact_mut(nz).zip(self.tile.chunks_exact(count));
                rows.for_each(|(row, tile)| row[first..first + count].copy_from_slice(tile));
            }
        }
        // Without limit a corner is in the reach of all nodes, so that all are infinitely far away or none.
        if request.limit.is_none() && self.squares.first().is_some_and(|square| *square >= FAR) {
            self.squares.fill(f32::INFINITY);
        }
        Ok(())
    }

    /// All passes over the nodes between two heights, from the lowest of the box on.
    fn compute_tile(&mut self, request: &Request<'_>, first: usize, count: usize) -> GpuResult<()> {
        let [nx, ny, _] = request.nodes.counts();
        let nodes = nx * ny * count;
        self.kernel.reserve(2 * nodes, &[])?;
        let mut sizes = sizes_of(request, first, count);
        for pass in 0..PASSES {
            let most = self.nodes_of_dispatch(reach_of(pass, request));
            for start in (0..nodes).step_by(most) {
                request.control.check(0)?;
                let (groups, end) = (self.groups_of(most.min(nodes - start)), start + most >= nodes);
                [sizes[layout::SDF_PASS], sizes[layout::SDF_FIRST]] = [pass as u32, start as u32];
                self.kernel.upload(0, &sizes)?;
                if end && pass + 1 == PASSES {
                    self.kernel.run_groups(groups, nodes, &mut self.tile)?;
                } else {
                    self.kernel.advance(groups)?;
                }
            }
        }
        Ok(())
    }

    /// Nodes that are on the device together.
    fn nodes_of_tile(&self) -> usize {
        let fitting = self.kernel.device().max_buffer_bytes() / NODE_BYTES;
        usize::try_from(fitting).unwrap_or(MAX_TILE_NODES).min(MAX_TILE_NODES)
    }

    /// Nodes of a dispatch whose threads take so many steps each: whole workgroups.
    fn nodes_of_dispatch(&self, steps: usize) -> usize {
        let device = self.kernel.device();
        let most = match device.info().kind {
            AdapterKind::DiscreteGpu => MAX_STEPS_OF_DISCRETE,
            AdapterKind::Software => MAX_STEPS_OF_SOFTWARE,
            _ => MAX_STEPS_OF_INTEGRATED,
        };
        let (lanes, groups) = (device.lanes() as usize, device.max_groups() as usize);
        (most / steps.max(1) / lanes).clamp(1, groups) * lanes
    }

    fn groups_of(&self, nodes: usize) -> usize {
        nodes.div_ceil(self.kernel.device().lanes() as usize)
    }
}

impl DistanceTransformer for GpuDistanceTransform {
    /// As the trait says it; [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) also where a buffer of the device
    /// cannot hold the cells, or the nodes of one height, and [`KineticError::Other`](kinetic_core::KineticError::Other) where the
    /// device fails.
    fn signed_squares(
        &mut self,
        cells: &CellBits,
        nodes: &NodeBox,
        limit: Option<usize>,
        control: &Control,
    ) -> Result<&[f32]> {
        self.compute(&Request { cells, nodes, limit, control })?;
        Ok(&self.squares)
    }
}

/// Steps of a thread in a pass, at most.
fn reach_of(pass: usize, request: &Request<'_>) -> usize {
    let [nx, ny, _] = request.nodes.counts();
    match pass {
        0 => 2 * READS_PER_WORD * request.cells.words_per_column(),
        1 => ny.min(request.limit.unwrap_or(ny)),
        _ => nx.min(request.limit.unwrap_or(nx)),
    }
}

/// What the shader is told about a tile, in the order of the places of layout.rs.
fn sizes_of(request: &Request<'_>, first: usize, count: usize) -> [u32; 14] {
    let ([nx, ny, nz], [x, y, z]) = (request.nodes.counts(), request.nodes.first());
    let [cells_x, cells_y, _] = request.cells.counts();
    let words = 2 * request.cells.words_per_column();
    let limit = request.limit.unwrap_or(SDF_UNLIMITED);
    [0, 0, nx, ny, count, x, y, z + first, z, z + nz - 1, cells_x, cells_y, words, limit].map(|size| size as u32)
}
