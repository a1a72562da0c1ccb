//! Names: unique among links and among joints, also where the file gives none.
//!
//! A body or joint without a name is called `body_<i>` or `joint_<i>`, with the index that MuJoCo gives it (the world is
//! body 0); while that is taken, `_` is appended.

use std::collections::BTreeSet;

use kinetic_core::Result;

use super::element::Element;

/// Names in use, and how many bodies and joints have been named.
#[derive(Debug)]
pub(super) struct Names {
    links: BTreeSet<String>,
    joints: BTreeSet<String>,
    named_bodies: usize,
    named_joints: usize,
}

impl Names {
    /// Takes all names that the elements state.
    ///
    /// # Errors
    /// When two bodies, or two joints, have the same name.
    pub(super) fn new(world: &[Element]) -> Result<Self> {
        let mut names = Self { links: BTreeSet::new(), joints: BTreeSet::new(), named_bodies: 0, named_joints: 0 };
        world.iter().try_for_each(|element| names.take(element))?;
        Ok(names)
    }

    fn take(&mut self, element: &Element) -> Result<()> {
        let taken = match element.tag.as_str() {
            "body" => Some(&mut self.links),
            "joint" | "freejoint" => Some(&mut self.joints),
            _ => None,
        };
        if let (Some(taken), Some(name)) = (taken, stated(element))
            && !taken.insert(name.to_owned())
        {
            return Err(element.error("this name is used twice"));
        }
        element.children.iter().try_for_each(|child| self.take(child))
    }

    /// Name of the next body of the tree.
    pub(super) fn body(&mut self, element: &Element) -> String {
        self.named_bodies += 1;
        let name = format!("body_{}", self.named_bodies);
        stated(element).map_or_else(|| unused(&mut self.links, name), str::to_owned)
    }

    /// Name of the next joint of the tree.
    pub(super) fn joint(&mut self, element: &Element) -> String {
        let name = format!("joint_{}", self.named_joints);
        self.named_joints += 1;
        stated(element).map_or_else(|| unused(&mut self.joints, name), str::to_owned)
    }

    /// This name for a link, changed when it is taken.
    pub(super) fn link(&mut self, name: &str) -> String {
        unused(&mut self.links, name.to_owned())
    }

    /// This name for a joint, changed when it is taken.
    pub(super) fn unused_joint(&mut self, name: &str) -> String {
        unused(&mut self.joints, name.to_owned())
    }
}

fn stated(element: &Element) -> Option<&str> {
    element.get("name").filter(|name| !name.is_empty())
}

fn unused(taken: &mut BTreeSet<String>, mut name: String) -> String {
    while taken.contains(&name) {
        name.push('_');
    }
    taken.insert(name.clone());
    name
}
