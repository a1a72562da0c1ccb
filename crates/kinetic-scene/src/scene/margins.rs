//! Allowed collisions, margins, paddings and scales of a scene.

use std::sync::Arc;

use kinetic_collision::AllowedCollisionMatrix;
use kinetic_core::{KineticError, Result};

use super::Scene;
use crate::margins::{MarginModel, Side};

impl Scene {
    /// Allows the collision of two bodies: links, objects or attached bodies.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`] for a name that nothing has, [`KineticError::InvalidValue`] for the same name twice.
    pub fn allow_collision(&mut self, a: &str, b: &str) -> Result<()> {
        self.check_pair("pair that may touch", a, b)?;
        Arc::make_mut(&mut self.content.allowed).allow(a, b);
        self.edited();
        Ok(())
    }

    /// Reverts [`allow_collision`](Self::allow_collision).
    ///
    /// # Errors
    /// As [`allow_collision`](Self::allow_collision).
    pub fn disallow_collision(&mut self, a: &str, b: &str) -> Result<()> {
        self.check_pair("pair that may touch", a, b)?;
        Arc::make_mut(&mut self.content.allowed).disallow(a, b);
        self.edited();
        Ok(())
    }

    /// Makes an object a ghost: the collision of anything with it is allowed, as [`allow_collision`](Self::allow_collision) does for a
    /// pair, until it is made solid again, removed or attached. Certificates name the ghosts of the scene.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`] for a name that no object has.
    pub fn set_ghost(&mut self, name: &str, is_ghost: bool) -> Result<()> {
        self.object(name)?;
        if self.is_ghost(name) == is_ghost {
            return Ok(());
        }
        let allowed = Arc::make_mut(&mut self.content.allowed);
        if is_ghost {
            allowed.allow_all(name);
        } else {
            allowed.disallow_all(name);
        }
        self.edited();
        Ok(())
    }

    /// Whether an object is a ghost.
    pub fn is_ghost(&self, name: &str) -> bool {
        self.ghosts().any(|ghost| ghost == name)
    }

    /// Objects that may be touched by anything, in name order.
    pub fn ghosts(&self) -> impl Iterator<Item = &str> {
        self.content.allowed.names()
    }

    fn check_pair(&self, what: &str, a: &str, b: &str) -> Result<()> {
        self.check_known(a)?;
        self.check_known(b)?;
        if a == b {
            return Err(KineticError::invalid(what, format!("\"{a}\" twice"), "two different names"));
        }
        Ok(())
    }

    pub(crate) fn check_known(&self, name: &str) -> Result<()> {
        if self.content.objects.contains_key(name)
            || self.content.attached.contains_key(name)
            || self.content.robot.link_index(name).is_ok()
        {
            return Ok(());
        }
        let objects = self.content.objects.keys().chain(self.content.attached.keys()).cloned();
        let links = self.content.robot.links.iter().map(|link| link.name.clone());
        Err(KineticError::ObjectNotFound { name: name.to_owned(), available: objects.chain(links).collect() })
    }

    /// The allowed collision matrix.
    pub fn allowed(&self) -> &AllowedCollisionMatrix {
        &self.content.allowed
    }

    /// Adds what a matrix allows to the allowed collisions; names that may touch everything become [ghosts](Self::set_ghost).
    ///
    /// # Errors
    /// As [`allow_collision`](Self::allow_collision) and [`set_ghost`](Self::set_ghost); then nothing is added.
    pub fn merge_allowed(&mut self, matrix: &AllowedCollisionMatrix) -> Result<()> {
        for (a, b) in matrix.pairs() {
            self.check_pair("pair that may touch", a, b)?;
        }
        for name in matrix.names() {
            self.object(name)?;
        }
        Arc::make_mut(&mut self.content.allowed).merge(matrix);
        self.edited();
        Ok(())
    }

    /// The stated margins, paddings and scales.
    pub fn margins(&self) -> &MarginModel {
        &self.content.margins
    }

    /// The same scene without stated margins, so that the general margins of a query count for every pair. Paddings and scales, which
    /// are part of the bodies, stay.
    #[must_use]
    pub fn without_margins(&self) -> Self {
        let mut bare = self.clone();
        bare.edit_margins(MarginModel::clear_margins);
        bare
    }

    /// Sets the margin of a pair, m, which replaces the margins of queries; `None` removes it.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`] for a name that nothing has; [`KineticError::InvalidValue`] for a distance that is
    /// negative or not finite, or for the same name twice.
    pub fn set_margin(&mut self, a: &str, b: &str, value: impl Into<Option<f64>>) -> Result<()> {
        self.check_pair("pair of a margin", a, b)?;
        let value = check_distance(&format!("margin of \"{a}\" and \"{b}\""), value.into())?;
        self.edit_margins(|margins| margins.set_pair(a, b, value));
        Ok(())
    }

    /// As [`set_margin`](Self::set_margin), for one body and all bodies on one side of it. A margin of a pair has
    /// precedence; when both bodies have a margin, the larger one counts.
    ///
    /// # Errors
    /// As [`set_margin`](Self::set_margin); an object has a world side only.
    pub fn set_margin_of(&mut self, name: &str, side: Side, value: impl Into<Option<f64>>) -> Result<()> {
        if side == Side::Own && self.content.objects.contains_key(name) {
            let wanted = "a link or an attached body; an object stands towards the world only";
            return Err(KineticError::invalid("name with a margin towards the robot itself", name, wanted));
        }
        self.state_margin_of(name, side, value)
    }

    /// As [`set_margin_of`](Self::set_margin_of). What is stated of an object towards the robot itself counts while it is attached.
    pub(crate) fn state_margin_of(&mut self, name: &str, side: Side, value: impl Into<Option<f64>>) -> Result<()> {
        self.check_known(name)?;
        let value = check_distance(&format!("margin of \"{name}\""), value.into())?;
        self.edit_margins(|margins| margins.set_name(name, side, value));
        Ok(())
    }

    /// As [`set_margin_of`](Self::set_margin_of), for all sides of a body.
    ///
    /// # Errors
    /// As [`set_margin`](Self::set_margin).
    pub fn set_margin_all(&mut self, name: &str, value: impl Into<Option<f64>>) -> Result<()> {
        self.check_known(name)?;
        let value = check_distance(&format!("margin of \"{name}\""), value.into())?;
        let is_object = self.content.objects.contains_key(name);
        self.edit_margins(|margins| {
            margins.set_name(name, Side::World, value);
            if !is_object {
                margins.set_name(name, Side::Own, value);
            }
        });
        Ok(())
    }

    /// Sets the padding of a body, m, by which it is thicker in every query; `None` removes it. A link without a
    /// padding of its own has that of the robot's description.
    ///
    /// # Errors
    /// As [`set_margin`](Self::set_margin).
    pub fn set_padding(&mut self, name: &str, value: impl Into<Option<f64>>) -> Result<()> {
        self.check_known(name)?;
        let value = check_distance(&format!("padding of \"{name}\""), value.into())?;
        self.edit_margins(|margins| margins.set_padding(name, value));
        Ok(())
    }

    /// Scales every shape of a link by a factor about its own centre; `None` removes the scale.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`]; [`KineticError::InvalidValue`] for a factor that is not positive and finite.
    pub fn set_scale(&mut self, link: &str, factor: impl Into<Option<f64>>) -> Result<()> {
        self.content.robot.link_index(link)?;
        let factor = factor.into();
        if let Some(factor) = factor.filter(|factor| !(factor.is_finite() && *factor > 0.0)) {
            let name = format!("scale of \"{link}\"");
            return Err(KineticError::invalid(name, factor, "a positive finite number"));
        }
        let mut margins = MarginModel::clone(&self.content.margins);
        margins.set_scale(link, factor);
        let factors: Result<Vec<_>> =
            margins.scales().map(|(link, factor)| Ok((self.content.robot.link_index(link)?, factor))).collect();
        self.content.geometry = Arc::new(self.unscaled.scaled(&factors?)?);
        self.content.margins = Arc::new(margins);
        self.edited();
        Ok(())
    }

    fn edit_margins(&mut self, edit: impl FnOnce(&mut MarginModel)) {
        edit(Arc::make_mut(&mut self.content.margins));
        self.edited();
    }
}

pub(super) fn check_distance(name: &str, value: Option<f64>) -> Result<Option<f64>> {
    match value {
        Some(value) if !(value.is_finite() && value >= 0.0) => {
            Err(KineticError::invalid(name, value, "a finite number of at least 0 (m)"))
        }
        value => Ok(value),
    }
}
