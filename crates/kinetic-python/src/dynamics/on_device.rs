//! Efforts of batches on a GPU.

use std::sync::Arc;

use kinetic::core::KineticError;
use kinetic::gpu::{ComputeChoice, ComputeDevice, GpuDevice, GpuInverseDynamics};
use pyo3::prelude::*;

use crate::convert::{Array, Out};
use crate::dynamics::PyDynamics;
use crate::dynamics::arguments::Rows;
use crate::error::Result;
use crate::interrupt::{interruptible, stoppable};

/// The GPU of a choice. None where the choice is the processor, as "auto" always is under wrenches.
pub(crate) fn gpu_of(py: Python<'_>, device: &str, has_wrenches: bool) -> Result<Option<Arc<GpuDevice>>> {
    let choice: ComputeChoice = device.parse()?;
    match choice {
        ComputeChoice::Cpu => return Ok(None),
        ComputeChoice::Auto if has_wrenches => return Ok(None),
        ComputeChoice::Gpu(_) if has_wrenches => {
            let wanted = format!("None with device=\"{device}\": wrenches are for \"cpu\"");
            return Err(KineticError::invalid("external_forces", "a dict", wanted).into());
        }
        _ => {}
    }
    match py.detach(|| ComputeDevice::open(&choice)).map_err(KineticError::from)? {
        ComputeDevice::Cpu => Ok(None),
        ComputeDevice::Gpu(gpu) => Ok(Some(gpu)),
    }
}

impl PyDynamics {
    /// Inverse dynamics on a GPU, until Ctrl-C. One state is a batch of one.
    pub(crate) fn efforts_on<'py>(
        &self,
        py: Python<'py>,
        gpu: &Arc<GpuDevice>,
        named: [(&str, &Rows); 3],
        out: Option<Out<'py, f64>>,
    ) -> Result<Array<'py>> {
        let q = named[0].1;
        for (name, rows) in named {
            rows.check(name, self.model.dof(), q)?;
        }
        let (states, (stop, control)) = (named.map(|(_, rows)| &rows.values[..]), stoppable());
        Array::filled(py, &q.shape(&[self.model.dof()]), out, |out| {
            let compute = || GpuInverseDynamics::new(gpu, &self.model)?.efforts_within(states, &control);
            let efforts = interruptible(py, &stop, compute)?.map_err(KineticError::from)?;
            out.iter_mut().zip(efforts).for_each(|(to, from)| *to = f64::from(from));
            Ok(())
        })
    }
}
