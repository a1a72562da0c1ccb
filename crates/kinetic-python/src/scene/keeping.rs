//! `Scene`: what may touch, and what has to be kept apart.

use kinetic::core::KineticError;
use kinetic::scene::Side;
use pyo3::prelude::*;

use crate::convert::{Dict, Real, Text};
use crate::error::Result;
use crate::scene::PyScene;

#[pymethods]
impl PyScene {
    /// Lets two things touch: links, objects or attached bodies.
    fn allow_collision(&self, py: Python<'_>, a: Text, b: Text) -> Result<()> {
        self.apply(py, |scene| scene.allow_collision(&a.0, &b.0))
    }

    /// Takes back `allow_collision`.
    fn disallow_collision(&self, py: Python<'_>, a: Text, b: Text) -> Result<()> {
        self.apply(py, |scene| scene.disallow_collision(&a.0, &b.0))
    }

    /// Makes an object a ghost, which anything may touch, or solid again.
    ///
    /// A ghost stays in the scene; nothing collides with it, until it is made solid, removed or attached. The certificates of plans name
    /// the ghosts.
    ///
    /// Args:
    ///     name: An object.
    ///     ghost: False to make it solid again.
    ///
    /// Raises:
    ///     InputError: A name that no object has.
    #[pyo3(signature = (name, ghost=true), text_signature = "($self, name, ghost=True)")]
    fn set_ghost(&self, py: Python<'_>, name: Text, ghost: bool) -> Result<()> {
        self.apply(py, |scene| scene.set_ghost(&name.0, ghost))
    }

    /// Objects that are ghosts, in name order.
    #[getter]
    fn ghosts(&self) -> Vec<String> {
        self.now().ghosts().map(str::to_owned).collect()
    }

    /// Pairs that were allowed to touch, each in alphabetical order.
    #[getter]
    fn allowed(&self) -> Vec<(String, String)> {
        self.now().allowed().pairs().map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    }

    /// States the distance that two things, or one thing and everything else, have to keep.
    ///
    /// Every query, planner and proof honours it in place of its own margin. The most specific statement counts: that of the
    /// pair, then that of either thing (the larger one of two), then the margin of the query or planner.
    ///
    /// Args:
    ///     a: A link, object or attached body.
    ///     b: Another one; None for everything.
    ///     value: Distance, m; None takes back what was stated.
    ///     towards: "world" or "robot", to state it towards objects or towards the robot itself only; without `b`.
    ///
    /// Raises:
    ///     InputError: An unknown name, the same name twice, or a distance that is negative or not finite.
    #[pyo3(
        signature = (a, b=None, value=None, *, towards=None),
        text_signature = "($self, a, b=None, value=None, *, towards=None)"
    )]
    fn set_margin(
        &self,
        py: Python<'_>,
        a: Text,
        b: Option<Text>,
        value: Option<Real>,
        towards: Option<Text>,
    ) -> Result<()> {
        let value = value.map(|value| value.0);
        let side = towards.map(|towards| towards.0.parse::<Side>()).transpose()?;
        match (b, side) {
            (Some(b), None) => self.apply(py, |scene| scene.set_margin(&a.0, &b.0, value)),
            (None, Some(side)) => self.apply(py, |scene| scene.set_margin_of(&a.0, side, value)),
            (None, None) => self.apply(py, |scene| scene.set_margin_all(&a.0, value)),
            (Some(_), Some(side)) => {
                let wanted = "None where two names are given";
                Err(KineticError::invalid("towards", format!("\"{}\"", side.name()), wanted).into())
            }
        }
    }

    /// Holds a joint outside of the planning group at a value, in every query of configurations of the group.
    ///
    /// Args:
    ///     joint: Its name.
    ///     value: Where, rad or m.
    ///
    /// Raises:
    ///     InputError: A name that no joint has that moves, or a value that is not finite.
    fn hold_joint(&self, py: Python<'_>, joint: Text, value: Real) -> Result<()> {
        self.apply(py, |scene| scene.hold_joint(&joint.0, value.0))
    }

    /// Makes a link, object or attached body thicker in every query.
    ///
    /// Args:
    ///     name: Its name.
    ///     value: How much, m; None takes back what was stated.
    ///
    /// Raises:
    ///     InputError: An unknown name, or a value that is negative or not finite.
    fn set_padding(&self, py: Python<'_>, name: Text, value: Option<Real>) -> Result<()> {
        self.apply(py, |scene| scene.set_padding(&name.0, value.map(|value| value.0)))
    }

    /// Makes every shape of a link larger or smaller about its own centre.
    ///
    /// Args:
    ///     link: Its name.
    ///     factor: More than 0; None takes back what was stated.
    ///
    /// Raises:
    ///     InputError: An unknown link, or a factor that is not positive and finite.
    fn set_scale(&self, py: Python<'_>, link: Text, factor: Option<Real>) -> Result<()> {
        Ok(py.detach(|| self.0.edit(|scene| scene.set_scale(&link.0, factor.map(|factor| factor.0))))?)
    }

    /// What was stated about distances: `pairs` {(a, b): m}, `names` {(name, "world" or "robot"): m}, `paddings` {name: m}
    /// and `scales` {link: factor}.
    #[getter]
    fn margins<'py>(&self, py: Python<'py>) -> PyResult<Dict<'py>> {
        let scene = self.now();
        let margins = scene.margins();
        let pairs: std::collections::BTreeMap<_, _> = margins.pairs().map(|(a, b, value)| ((a, b), value)).collect();
        let names: std::collections::BTreeMap<_, _> =
            margins.names().map(|(name, side, value)| ((name, side.name()), value)).collect();
        let paddings: std::collections::BTreeMap<_, _> = margins.paddings().collect();
        let scales: std::collections::BTreeMap<_, _> = margins.scales().collect();
        Dict::new(py).with("pairs", pairs)?.with("names", names)?.with("paddings", paddings)?.with("scales", scales)
    }
}
