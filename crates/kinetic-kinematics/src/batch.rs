//! Batched forward kinematics: many configurations in SIMD lanes, on all processors.
//!
//! The kernel is compiled for several widths of registers, and `pulp` picks the widest that the processor has.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::Result;
use kinetic_core::error::{check_finite, check_len};
use nalgebra::{ArrayStorage, Matrix3, Vector3};
use pulp::{Arch, NullaryFnOnce};

use crate::chain::KinematicChain;
use crate::kernel::Transform;
use crate::rigid::Rigid;
use crate::simd::{Lanes, Number};
use kinetic_core::parallel::in_chunks;

/// Configurations that go through the kernel together: enough independent work to hide its latency.
const CONFIGURATIONS_PER_KERNEL: usize = 8;
/// Configurations that a thread takes at once: fewer are done before it has started.
const POSES_PER_THREAD: usize = 4096;

/// Poses of the tool in the base for `n` configurations, one after another in `configs` (n · dof values).
///
/// The same bits as [`KinematicChain::tip_rigid`] for each, whatever the number of processors.
///
/// # Errors
/// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
pub fn fk_batch(chain: &KinematicChain, configs: &[f64], n: usize) -> Result<Vec<Rigid>> {
    let mut poses = vec![Rigid::identity(); n];
    fk_batch_with(chain, configs, &mut poses, 1, |pose, out| out[0] = *pose)?;
    Ok(poses)
}

/// As [`fk_batch`], as 4 × 4 homogeneous matrices, row after row; `out` holds 16 values per configuration.
///
/// # Errors
/// As [`fk_batch`].
pub fn fk_batch_matrices(chain: &KinematicChain, configs: &[f64], out: &mut [f64]) -> Result<()> {
    fk_batch_with(chain, configs, out, 16, Rigid::write_matrix)
}

/// Poses of the tool for configurations that were checked, on this thread.
pub(crate) fn place_all(chain: &KinematicChain, configs: &[f64], out: &mut [Rigid]) {
    Arch::new().dispatch(Chunk {
        chain,
        configs,
        out,
        width: 1,
        emit: &|pose: &Rigid, out: &mut [Rigid]| out[0] = *pose,
    });
}

fn fk_batch_with<T: Send>(
    chain: &KinematicChain,
    configs: &[f64],
    out: &mut [T],
    width: usize,
    emit: impl Fn(&Rigid, &mut [T]) + Sync,
) -> Result<()> {
    let dof = chain.dof();
    check_len("configurations of a batch", configs.len(), out.len() / width * dof)?;
    // Without a branch per value the usual case goes through wide registers.
    if !configs.chunks(64).all(|chunk| chunk.iter().fold(true, |all, value| all & value.is_finite())) {
        check_finite("configurations of a batch", configs)?;
    }
    let arch = Arch::new();
    in_chunks(out, width, POSES_PER_THREAD, |first, chunk| {
        let configs = &configs[first * dof..][..chunk.len() / width * dof];
        arch.dispatch(Chunk { chain, configs, out: chunk, width, emit: &emit });
    });
    Ok(())
}

/// The work of one thread, compiled for several widths of registers.
struct Chunk<'a, T, F> {
    chain: &'a KinematicChain,
    configs: &'a [f64],
    out: &'a mut [T],
    width: usize,
    emit: &'a F,
}

impl<T, F: Fn(&Rigid, &mut [T])> NullaryFnOnce for Chunk<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { chain, configs, out, width, emit } = self;
        let dof = chain.dof();
        let count = out.len() / width;
        let mut tips = Tips::new(chain);
        let mut start = 0;
        while start < count {
            let used = (count - start).min(CONFIGURATIONS_PER_KERNEL);
            tips.place(chain, &configs[start * dof..(start + used) * dof], used);
            for lane in 0..used {
                emit(&tips.pose(lane), &mut out[(start + lane) * width..(start + lane + 1) * width]);
            }
            start += used;
        }
    }
}

/// Buffers of one thread.
struct Tips {
    q: Vec<Lanes<CONFIGURATIONS_PER_KERNEL>>,
    frames: Vec<Transform<Lanes<CONFIGURATIONS_PER_KERNEL>>>,
    tip: Transform<Lanes<CONFIGURATIONS_PER_KERNEL>>,
}

impl Tips {
    fn new(chain: &KinematicChain) -> Self {
        let root = Transform::constant(&Rigid::identity());
        let frames = vec![root; chain.program().num_frames()];
        Self { q: vec![Lanes::splat(0.0); chain.dof()], frames, tip: root }
    }

    /// Places the tool for `used` configurations; unused lanes repeat the last of them.
    #[inline(always)]
    fn place(&mut self, chain: &KinematicChain, configs: &[f64], used: usize) {
        let dof = self.q.len();
        let rows: [usize; CONFIGURATIONS_PER_KERNEL] = std::array::from_fn(|lane| lane.min(used - 1) * dof);
        for (variable, values) in self.q.iter_mut().enumerate() {
            for lane in 0..CONFIGURATIONS_PER_KERNEL {
                values.0[lane] = configs[rows[lane] + variable];
            }
        }
        self.tip = chain.place_lanes(&self.q, &mut self.frames);
    }

    #[inline(always)]
    fn pose(&self, lane: usize) -> Rigid {
        let Transform { columns, origin } = &self.tip;
        let of = |v: &[Lanes<CONFIGURATIONS_PER_KERNEL>; 3]| [v[0].0[lane], v[1].0[lane], v[2].0[lane]];
        Rigid {
            rotation: Matrix3::from_data(ArrayStorage([of(&columns[0]), of(&columns[1]), of(&columns[2])])),
            translation: Vector3::from_data(ArrayStorage([of(origin)])),
        }
    }
}
