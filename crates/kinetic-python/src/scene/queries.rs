//! `Scene`: what touches, and how far everything else is.

use kinetic::core::Pair;
use kinetic::core::error::check_finite;
use kinetic::scene::Margins;
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, Mask, Matrix, Out, Real, Vector};
use crate::error::Result;
use crate::scene::PyScene;

/// Configurations after which Ctrl-C is looked for: a fraction of a second.
const QUERIES_PER_SIGNAL_CHECK: usize = 100_000;

/// Names of two things, as Python has them.
pub(crate) fn names(pair: Pair) -> (String, String) {
    (pair.link, pair.other)
}

#[pymethods]
impl PyScene {
    /// True when anything touches at `q`, the robot itself included, or misses a margin that the scene states.
    fn check_collision(&self, q: Vector) -> Result<bool> {
        // Not on a copy: to make one takes a good part of the query.
        Ok(self.0.read(|scene| scene.check_collision(&q.0))?)
    }

    /// Least signed distance (m) between the robot with what it carries and the world; infinite in an empty scene.
    ///
    /// Paddings belong to the bodies; margins do not count.
    fn min_distance(&self, q: Vector) -> Result<f64> {
        Ok(self.now().min_distance(&q.0)?)
    }

    /// Pairs closer than `margin` (m, on top of what the scene states for them), nearest first.
    ///
    /// Returns:
    ///     For each pair a dict with `link`, `other`, the signed `distance` in m, `depth` (0 when apart), the nearest or
    ///     deepest points `point_on_link` and `point_on_other` (3,) and the unit `normal` (3,) from link to other, in the
    ///     robot's root frame.
    #[pyo3(signature = (q, margin=Real(0.0)), text_signature = "($self, q, margin=0.0)")]
    fn contacts<'py>(&self, py: Python<'py>, q: Vector, margin: Real) -> Result<Dicts<'py>> {
        check_finite("margin", &[margin.0])?;
        let contacts = self.now().contacts(&q.0, margin.0)?;
        let entry = |contact: kinetic::scene::Contact| {
            let depth = contact.depth();
            let (link, other) = names(contact.pair);
            let dict = Dict::new(py).with("link", link)?.with("other", other)?.with("distance", contact.distance)?;
            dict.with("depth", depth)?
                .with("point_on_link", Array::vector(py, contact.point_on_link.coords.as_slice())?)?
                .with("point_on_other", Array::vector(py, contact.point_on_other.coords.as_slice())?)?
                .with("normal", Array::vector(py, contact.normal.as_slice())?)
        };
        Ok(Dicts::new(py, contacts.into_iter().map(entry).collect::<PyResult<_>>()?)?)
    }

    /// Whether links or carried bodies of the robot touch each other, and which.
    fn self_collision(&self, q: Vector) -> Result<(bool, Vec<(String, String)>)> {
        let pairs: Vec<_> = self.now().self_collision(&q.0)?.into_iter().map(names).collect();
        Ok((!pairs.is_empty(), pairs))
    }

    /// First contact on the straight segment in joint space, as a fraction in [0, 1]; None when it is proven free.
    ///
    /// Of two configurations in the length of the robot, joints outside the group have to agree.
    fn check_motion(&self, py: Python<'_>, q0: Vector, q1: Vector) -> Result<Option<f64>> {
        let scene = self.now();
        Ok(py.detach(|| scene.check_motion(&q0.0, &q1.0))?)
    }

    /// Whether each of many configurations keeps the margins.
    ///
    /// Args:
    ///     configs: Joint values, one row each: (N, dof), or in the length of the robot.
    ///     collision_margin: Distance to keep from the world, m.
    ///     self_margin: Distance to keep between links of the robot, m.
    ///     out: Array of truth values (N,) to write into, which is returned.
    ///
    /// Returns:
    ///     Truth values (N,).
    #[pyo3(
        signature = (configs, collision_margin=Real(0.0), self_margin=Real(0.0), *, out=None),
        text_signature = "($self, configs, collision_margin=0.0, self_margin=0.0, *, out=None)"
    )]
    fn are_free<'py>(
        &self,
        py: Python<'py>,
        configs: Matrix,
        collision_margin: Real,
        self_margin: Real,
        out: Option<Out<'py, bool>>,
    ) -> Result<Mask<'py>> {
        let scene = self.now();
        let margins = Margins::new(collision_margin.0, self_margin.0);
        let columns = configs.num_columns();
        if configs.values.len() <= QUERIES_PER_SIGNAL_CHECK * columns {
            let free = py.detach(|| scene.are_free(&configs.values, columns, margins))?;
            return Mask::in_out(py, &free, out);
        }
        // Before the shares, so that the index is that of the whole array.
        check_finite("joint vector", &configs.values)?;
        let mut free = Vec::with_capacity(configs.values.len() / columns);
        for share in configs.values.chunks(QUERIES_PER_SIGNAL_CHECK * columns) {
            free.extend(py.detach(|| scene.are_free(share, columns, margins))?);
            py.check_signals()?;
        }
        Mask::in_out(py, &free, out)
    }
}
