//! `Robot`: its collision shapes, its pairs of links, and what may be wrong with it.

use kinetic::check;
use kinetic::core::KineticError;
use kinetic::scene::Scene;
use kinetic::scene::geometry::LinkGeometry;
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Dicts, Seed, Text};
use crate::error::Result;
use crate::geometry::shape::PyShape;
use crate::robot::PyRobot;

#[pymethods]
impl PyRobot {
    /// What is done with each pair of links that have collision shapes.
    ///
    /// Returns:
    ///     For each pair a dict with `links` (two names), `class`, `reason` and `clearance`. The class is "rigid",
    ///     "adjacent", "disabled" (by the description), "always" (touch in every configuration), "never" (proven to
    ///     keep `clearance`, in m, inside the joint limits; checked where margins ask for more) or "checked".
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> pairs = kinetic.Robot("ur5e").self_collision_pairs()
    ///     >>> next(pair["class"] for pair in pairs if pair["links"] == ("forearm_link", "wrist_2_link"))
    ///     'never'
    fn self_collision_pairs<'py>(&self, py: Python<'py>) -> Result<Dicts<'py>> {
        let robot = &self.model().robot;
        let scene = py.detach(|| Scene::new(robot))?;
        let name = |link: usize| robot.links[link].name.clone();
        let entry = |pair: &kinetic::scene::LinkPair| {
            Dict::new(py)
                .with("links", (name(pair.links.0), name(pair.links.1)))?
                .with("class", pair.class.name())?
                .with("reason", &pair.reason)?
                .with("clearance", pair.clearance)
        };
        Ok(Dicts::new(py, scene.geometry().pairs().iter().map(entry).collect::<PyResult<_>>()?)?)
    }

    /// Collision shapes of a link: convex solids with their 4×4 poses in the link's frame.
    fn collision_shapes<'py>(&self, py: Python<'py>, link: Text) -> Result<Vec<(PyShape, Array<'py>)>> {
        let geometry = self.geometry(py, &link.0)?;
        let placed = |(body, link_from_body): &(std::sync::Arc<kinetic::collision::Body>, _)| {
            Ok((PyShape(body.shape()), Array::pose(py, link_from_body)?))
        };
        geometry.pieces().iter().map(placed).collect()
    }

    /// Covering spheres of a link, shape (n, 4): x, y, z in the link's frame and radius, m.
    fn collision_spheres<'py>(&self, py: Python<'py>, link: Text) -> Result<Array<'py>> {
        let spheres = self.geometry(py, &link.0)?.spheres;
        let rows = spheres.iter().flat_map(|s| [s.center.x, s.center.y, s.center.z, s.radius]);
        Array::new(py, &[spheres.len(), 4], &rows.collect::<Vec<f64>>())
    }

    /// Looks the robot over: limits, inertia, shapes, spheres, pairs of links, named poses, inverse kinematics.
    ///
    /// Args:
    ///     rng_seed: Seed of the random configurations; the same seed gives the same report.
    ///
    /// Returns:
    ///     A dict with `findings` (dicts with `check`, `level`: "error", "warning" or "note", `subject` and `message`,
    ///     the worst first), and the figures `links`, `pairs`, `self_collision` and `ik`. Lengths in m, shares in [0, 1].
    ///
    /// Example:
    ///     >>> import kinetic
    ///     >>> report = kinetic.Robot("ur5e").check()
    ///     >>> [finding["message"] for finding in report["findings"] if finding["level"] == "error"]
    ///     []
    #[pyo3(signature = (*, rng_seed=Seed(0)), text_signature = "($self, *, rng_seed=0)")]
    fn check<'py>(&self, py: Python<'py>, rng_seed: Seed) -> Result<Dict<'py>> {
        let robot = &self.model().robot;
        let report = py.detach(|| check::check_robot(robot, rng_seed.0));
        let text = serde_json::to_string(&report).map_err(|error| KineticError::Other(error.to_string()))?;
        Dict::parse(py, &text)
    }
}

impl PyRobot {
    fn geometry(&self, py: Python<'_>, link: &str) -> Result<LinkGeometry> {
        let robot = &self.model().robot;
        let index = robot.link_index(link)?;
        let scene = py.detach(|| Scene::new(robot))?;
        Ok(scene.geometry().links()[index].clone())
    }
}
