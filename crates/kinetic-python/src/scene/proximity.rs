//! `Scene.proximity`: every pair closer than a distance, with witness points and derivatives, as arrays.

use kinetic::core::error::check_finite;
use kinetic::scene::{DistancePrecision, NamedProximity, ProximityPair};
use nalgebra::Vector3;
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Indices, Matrix, Real, Vector};
use crate::error::Result;
use crate::scene::PyScene;
use crate::scene::queries::names;

#[pymethods]
impl PyScene {
    /// Every pair closer than what the scene asks it to keep plus `within`, at one configuration.
    ///
    /// Distances are measured in single precision, with an error of at most 2e-5 of the size of a pair (the distance of its
    /// centres and both radii); pairs that overlap, and those with a body that is not convex, in double precision. Both are
    /// of the convex hulls and shapes, without paddings.
    ///
    /// Args:
    ///     q: Joint values of the group, or of the whole robot.
    ///     within: How far over what it has to keep a pair is listed, m.
    ///     exact: Measures every pair in double precision, to 1e-6 of its size.
    ///
    /// Returns:
    ///     A dict of arrays with one row per pair: `pairs` (a list of two names), `distance` (n,), `margin` (n,), in m,
    ///     `point_on_link`, `point_on_other` and `normal` (n, 3), from the link to the other, in the root frame, and
    ///     `gradient` (n, dof), the derivative of the distance by the joint values of the group.
    #[pyo3(
        signature = (q, within=Real(0.1), *, exact=false),
        text_signature = "($self, q, within=0.1, *, exact=False)"
    )]
    fn proximity<'py>(&self, py: Python<'py>, q: Vector, within: Real, exact: bool) -> Result<Dict<'py>> {
        let scene = self.now();
        let found = py.detach(|| scene.proximity(&q.0, within.0, precision(exact)))?;
        rows(py, &found, dof(&scene))
    }

    /// [`proximity`](Scene.proximity) of many configurations at once, on all processors.
    ///
    /// Args:
    ///     configs: Joint values of the group, one row per configuration, (m, dof).
    ///     within: How far over what it has to keep a pair is listed, m.
    ///     exact: Measures every pair in double precision.
    ///
    /// Returns:
    ///     The dict of `proximity` over all configurations, with `configuration` (n,), the row of `configs` of each pair.
    #[pyo3(
        signature = (configs, within=Real(0.1), *, exact=false),
        text_signature = "($self, configs, within=0.1, *, exact=False)"
    )]
    fn proximity_batch<'py>(&self, py: Python<'py>, configs: Matrix, within: Real, exact: bool) -> Result<Dict<'py>> {
        let scene = self.now();
        let columns = configs.num_columns();
        let mut found = NamedProximity::default();
        // So that Ctrl-C ends it, and the index of an error is that of the whole array.
        check_finite("joint vector", &configs.values)?;
        for (share, values) in configs.values.chunks((PROXIMITY_QUERIES_PER_SIGNAL_CHECK * columns).max(1)).enumerate()
        {
            let more = py.detach(|| scene.proximity_batch(values, columns, within.0, precision(exact)))?;
            found.append(more, share * PROXIMITY_QUERIES_PER_SIGNAL_CHECK);
            py.check_signals()?;
        }
        let pairs = found.found.pairs();
        let numbers: Vec<i64> = pairs.iter().map(|pair| pair.configuration.cast_signed() as i64).collect();
        Ok(rows(py, &found, dof(&scene))?.with("configuration", Indices::vector(py, &numbers))?)
    }
}

/// Configurations between two looks at Ctrl-C.
const PROXIMITY_QUERIES_PER_SIGNAL_CHECK: usize = 4096;

fn precision(exact: bool) -> DistancePrecision {
    if exact { DistancePrecision::Exact } else { DistancePrecision::Single }
}

fn dof(scene: &kinetic::scene::Scene) -> usize {
    scene.robot().groups[scene.robot().default_group].dof()
}

fn rows<'py>(py: Python<'py>, found: &NamedProximity, dof: usize) -> Result<Dict<'py>> {
    let pairs = found.found.pairs();
    let numbers = |of: fn(&ProximityPair) -> f64| Array::vector(py, &pairs.iter().map(of).collect::<Vec<_>>());
    let points = |of: fn(&ProximityPair) -> Vector3<f64>| {
        let values: Vec<f64> = pairs.iter().flat_map(|pair| <[f64; 3]>::from(of(pair))).collect();
        Array::new(py, &[pairs.len(), 3], &values)
    };
    let named: Vec<(String, String)> = found.names.iter().cloned().map(names).collect();
    let rows = Dict::new(py).with("pairs", named)?;
    let rows = rows.with("distance", numbers(|pair| pair.distance)?)?.with("margin", numbers(|pair| pair.margin)?)?;
    let rows = rows.with("point_on_link", points(|pair| pair.point_on_body.coords)?)?;
    let rows = rows.with("point_on_other", points(|pair| pair.point_on_other.coords)?)?;
    let rows = rows.with("normal", points(|pair| pair.normal)?)?;
    let gradient = Array::new(py, &[pairs.len(), dof], found.found.gradients())?;
    Ok(rows.with("gradient", gradient)?)
}
