//! Parser of SRDF texts, which gives an [`SrdfModel`].

use kinetic_core::Result;
use roxmltree::Node;

use super::{SrdfDisabledCollision, SrdfEndEffector, SrdfGroup, SrdfGroupState, SrdfModel, fault};
use crate::xml::{Source, children};

pub(super) fn read(text: &str, file: &str) -> Result<SrdfModel> {
    let source = Source::new(text, file, fault);
    let document = source.parse(text, &["robot"])?;
    let robot = document.root_element();
    let model = SrdfModel {
        name: source.attribute(robot, "name")?.to_owned(),
        groups: all(robot, "group", |node| group(&source, node))?,
        group_states: all(robot, "group_state", |node| group_state(&source, node))?,
        end_effectors: all(robot, "end_effector", |node| end_effector(&source, node))?,
        disabled_collisions: all(robot, "disable_collisions", |node| disabled_collision(&source, node))?,
        virtual_joints: names(&source, robot, "virtual_joint", "name")?,
        passive_joints: names(&source, robot, "passive_joint", "name")?,
        file: file.to_owned(),
    };
    check_unique(&source, &model.groups)?;
    Ok(model)
}

fn all<'n, 'i: 'n, T>(
    node: Node<'n, 'i>,
    tag: &'static str,
    read: impl FnMut(Node<'n, 'i>) -> Result<T>,
) -> Result<Vec<T>> {
    children(node, tag).map(read).collect()
}

fn names(source: &Source<'_>, node: Node<'_, '_>, tag: &'static str, attribute: &str) -> Result<Vec<String>> {
    all(node, tag, |child| source.attribute(child, attribute).map(str::to_owned))
}

fn group(source: &Source<'_>, node: Node<'_, '_>) -> Result<SrdfGroup> {
    let chain = |chain| -> Result<(String, String)> {
        let link = |name| source.attribute(chain, name).map(str::to_owned);
        Ok((link("base_link")?, link("tip_link")?))
    };
    Ok(SrdfGroup {
        name: source.attribute(node, "name")?.to_owned(),
        joints: names(source, node, "joint", "name")?,
        links: names(source, node, "link", "name")?,
        chains: all(node, "chain", chain)?,
        subgroups: names(source, node, "group", "name")?,
        line: source.line(node),
    })
}

fn group_state(source: &Source<'_>, node: Node<'_, '_>) -> Result<SrdfGroupState> {
    let joint = |joint| Ok((source.attribute(joint, "name")?.to_owned(), source.number(joint, "value")?));
    Ok(SrdfGroupState {
        name: source.attribute(node, "name")?.to_owned(),
        group: source.attribute(node, "group")?.to_owned(),
        joints: all(node, "joint", joint)?,
        line: source.line(node),
    })
}

fn end_effector(source: &Source<'_>, node: Node<'_, '_>) -> Result<SrdfEndEffector> {
    Ok(SrdfEndEffector {
        name: source.attribute(node, "name")?.to_owned(),
        parent_link: source.attribute(node, "parent_link")?.to_owned(),
        group: source.attribute(node, "group")?.to_owned(),
        parent_group: node.attribute("parent_group").filter(|name| !name.is_empty()).map(str::to_owned),
        line: source.line(node),
    })
}

fn disabled_collision(source: &Source<'_>, node: Node<'_, '_>) -> Result<SrdfDisabledCollision> {
    Ok(SrdfDisabledCollision {
        link1: source.attribute(node, "link1")?.to_owned(),
        link2: source.attribute(node, "link2")?.to_owned(),
        reason: node.attribute("reason").unwrap_or_default().to_owned(),
    })
}

fn check_unique(source: &Source<'_>, groups: &[SrdfGroup]) -> Result<()> {
    for (index, group) in groups.iter().enumerate() {
        if let Some(first) = groups[..index].iter().find(|first| first.name == group.name) {
            let detail = format!("group \"{}\" is defined twice (line {})", group.name, first.line);
            return Err(source.at(group.line, detail));
        }
    }
    Ok(())
}
