//! The kinematic tree of a description: children of every link, and an order with parents first.

use std::collections::BTreeMap;

use kinetic_core::{KineticError, Result};

use crate::description::Description;

/// Order of links and joints. New positions are depth first, children in the order in which the file lists joints.
#[derive(Debug)]
pub(crate) struct Tree {
    /// New position → index in the description.
    pub(crate) links: Vec<usize>,
    /// New position → index in the description.
    pub(crate) joints: Vec<usize>,
    /// Index in the description → new position.
    pub(crate) joint_position: Vec<usize>,
    /// Parent link (new position) of the joint at a new position.
    pub(crate) parent: Vec<usize>,
    /// Child link (new position) of the joint at a new position.
    pub(crate) child: Vec<usize>,
}

/// Links that the joints connect, as indices in the description.
struct Edges {
    parent: Vec<usize>,
    child: Vec<usize>,
    /// Joint that carries a link.
    carrier: Vec<Option<usize>>,
}

impl Tree {
    pub(crate) fn new(description: &Description) -> Result<Self> {
        if description.links.is_empty() {
            return Err(KineticError::NoLinks { robot: description.name.clone() });
        }
        let edges = Edges::new(description)?;
        let root = edges.root(description)?;
        let tree = Self::ordered(&edges, root);
        if tree.links.len() < description.links.len() {
            return Err(edges.cycle(description, &tree));
        }
        Ok(tree)
    }

    fn ordered(edges: &Edges, root: usize) -> Self {
        let mut below = vec![Vec::new(); edges.carrier.len()];
        for joint in (0..edges.parent.len()).rev() {
            below[edges.parent[joint]].push(joint);
        }
        let mut tree = Self {
            links: vec![root],
            joints: Vec::new(),
            joint_position: vec![0; edges.parent.len()],
            parent: Vec::new(),
            child: Vec::new(),
        };
        let mut stack: Vec<(usize, usize)> = below[root].iter().map(|joint| (*joint, 0)).collect();
        while let Some((joint, parent)) = stack.pop() {
            let child = tree.links.len();
            tree.joint_position[joint] = tree.joints.len();
            tree.joints.push(joint);
            tree.parent.push(parent);
            tree.child.push(child);
            tree.links.push(edges.child[joint]);
            stack.extend(below[edges.child[joint]].iter().map(|joint| (*joint, child)));
        }
        tree
    }
}

impl Edges {
    fn new(description: &Description) -> Result<Self> {
        let links = index_links(description)?;
        check_joint_names(description)?;
        let mut edges = Self { parent: Vec::new(), child: Vec::new(), carrier: vec![None; description.links.len()] };
        for (index, joint) in description.joints.iter().enumerate() {
            let find = |role: &str, name: &str| {
                links.get(name).copied().ok_or_else(|| {
                    description
                        .error(joint.line, format!("joint \"{}\": {role} link \"{name}\" does not exist", joint.name))
                })
            };
            let (parent, child) = (find("parent", &joint.parent)?, find("child", &joint.child)?);
            if let Some(other) = edges.carrier[child].replace(index) {
                let other = &description.joints[other];
                let detail = format!(
                    "joint \"{}\": link \"{}\" is already the child of joint \"{}\" (line {})",
                    joint.name, joint.child, other.name, other.line
                );
                return Err(description.error(joint.line, detail));
            }
            edges.parent.push(parent);
            edges.child.push(child);
        }
        Ok(edges)
    }

    /// The one link that no joint carries.
    fn root(&self, description: &Description) -> Result<usize> {
        let roots: Vec<usize> = (0..self.carrier.len()).filter(|link| self.carrier[*link].is_none()).collect();
        match roots.as_slice() {
            [] => Err(self.cycle_from(description, 0)),
            [root] => Ok(*root),
            [_, second, ..] => {
                let names = roots.iter().map(|link| format!("\"{}\"", description.links[*link].name));
                let detail = format!(
                    "several links have no parent joint: {}; a robot has exactly one root",
                    names.collect::<Vec<_>>().join(", ")
                );
                Err(description.error(description.links[*second].line, detail))
            }
        }
    }

    /// The error for links that the root does not reach.
    fn cycle(&self, description: &Description, tree: &Tree) -> KineticError {
        let mut is_reached = vec![false; self.carrier.len()];
        tree.links.iter().for_each(|link| is_reached[*link] = true);
        self.cycle_from(description, is_reached.iter().position(|reached| !reached).unwrap_or_default())
    }

    /// Names the joints of the cycle above a link that has no root above it, the first of the file first.
    fn cycle_from(&self, description: &Description, link: usize) -> KineticError {
        let above = |joint: &usize| self.carrier[self.parent[*joint]];
        let way_up = std::iter::successors(self.carrier[link], above);
        // After as many steps as there are links the walk goes round the cycle.
        let inside = way_up.take(self.carrier.len() + 1).last();
        let mut joints = Vec::new();
        for joint in std::iter::successors(inside, above) {
            if joints.first() == Some(&joint) {
                break;
            }
            joints.push(joint);
        }
        joints.reverse();
        let first = (0..joints.len()).min_by_key(|position| joints[*position]).unwrap_or_default();
        joints.rotate_left(first);
        let names: Vec<_> = joints.iter().map(|joint| format!("\"{}\"", description.joints[*joint].name)).collect();
        let line = joints.first().map_or(0, |joint| description.joints[*joint].line);
        description.error(line, format!("joints form a cycle: {}", names.join(" → ")))
    }
}

fn index_links(description: &Description) -> Result<BTreeMap<&str, usize>> {
    let mut links: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, link) in description.links.iter().enumerate() {
        if let Some(first) = links.insert(&link.name, index) {
            let first = description.links[first].line;
            return Err(description.error(link.line, format!("link \"{}\" is defined twice (line {first})", link.name)));
        }
    }
    Ok(links)
}

fn check_joint_names(description: &Description) -> Result<()> {
    let mut lines: BTreeMap<&str, u32> = BTreeMap::new();
    for joint in &description.joints {
        if let Some(first) = lines.insert(&joint.name, joint.line) {
            return Err(
                description.error(joint.line, format!("joint \"{}\" is defined twice (line {first})", joint.name))
            );
        }
    }
    Ok(())
}
