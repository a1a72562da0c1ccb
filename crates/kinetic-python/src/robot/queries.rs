//! `Robot`: queries about its tree, and what its reader noted.

use pyo3::prelude::*;

use crate::convert::Text;
use crate::error::Result;
use crate::robot::{Model, PyRobot};

#[pymethods]
impl PyRobot {
    /// What was read and not used, or put right, one sentence per kind; empty for a file without surprises.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.model().robot.notes.clone()
    }

    /// Names of the independent moving joints of the whole robot: the entries of robot-length joint vectors.
    #[getter]
    fn active_joints(&self) -> Vec<String> {
        let model = self.model();
        model.robot.moving_joint_names(false).into_iter().map(str::to_owned).collect()
    }

    /// Names of the links on which nothing hangs.
    #[getter]
    fn leaf_links(&self) -> Vec<String> {
        let model = self.model();
        names(&model, model.robot.leaf_links())
    }

    /// Names of the links that some joint moves.
    #[getter]
    fn movable_links(&self) -> Vec<String> {
        let model = self.model();
        names(&model, model.robot.movable_links())
    }

    /// Name of the link that carries `link`; None for the root.
    fn parent_link(&self, link: Text) -> Result<Option<String>> {
        let model = self.model();
        let parent = model.robot.parent_link(model.robot.link_index(&link.0)?);
        Ok(parent.map(|parent| model.robot.links[parent].name.clone()))
    }

    /// Names of the links that hang on `link` by one joint.
    fn child_links(&self, link: Text) -> Result<Vec<String>> {
        let model = self.model();
        Ok(names(&model, model.robot.child_links(model.robot.link_index(&link.0)?)))
    }

    /// Names of the links on the way from one link to another, both included, through their common ancestor.
    fn link_path(&self, from_link: Text, to_link: Text) -> Result<Vec<String>> {
        let model = self.model();
        let (from, to) = (model.robot.link_index(&from_link.0)?, model.robot.link_index(&to_link.0)?);
        Ok(names(&model, model.robot.link_path(from, to)))
    }
}

fn names(model: &Model, links: Vec<usize>) -> Vec<String> {
    links.into_iter().map(|link| model.robot.links[link].name.clone()).collect()
}
