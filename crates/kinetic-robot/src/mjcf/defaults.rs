//! `<default>`: classes of values for attributes that an element leaves out.

use std::collections::BTreeMap;

use kinetic_core::Result;

use super::element::{Attributes, Element, Map};

/// Class of elements that name none and stand below no `childclass`.
const MAIN: &str = "main";

/// Element kind → attributes.
type Class = BTreeMap<String, Map>;

/// The classes of one document.
#[derive(Debug, Clone, Default)]
pub(super) struct Classes(BTreeMap<String, Class>);

impl Classes {
    /// All classes of a document; a nested class begins as a copy of the one around it.
    pub(super) fn read(root: &Element) -> Result<Self> {
        let mut classes = Self(BTreeMap::from([(MAIN.to_owned(), Class::default())]));
        for element in root.children("default") {
            // The outermost class is the main one, whatever it is called.
            classes.add(element, MAIN)?;
            if let (Some(name), Some(class)) = (element.get("class"), classes.0.get(MAIN)) {
                let class = class.clone();
                classes.0.entry(name.to_owned()).or_insert(class);
            }
        }
        Ok(classes)
    }

    fn add(&mut self, element: &Element, name: &str) -> Result<()> {
        let class = self.0.entry(name.to_owned()).or_default();
        for child in element.children.iter().filter(|child| child.tag != "default") {
            class.entry(child.tag.clone()).or_default().extend(child.attributes.clone());
        }
        let class = class.clone();
        for child in element.children("default") {
            let inner =
                child.get("class").ok_or_else(|| child.error("a nested class needs the attribute \"class\""))?;
            if self.0.contains_key(inner) {
                return Err(child.error(format!("class \"{inner}\" is defined twice")));
            }
            self.0.insert(inner.to_owned(), class.clone());
            self.add(child, inner)?;
        }
        Ok(())
    }

    /// What an element states, with the defaults of its own class, else of the `childclass` around it.
    pub(super) fn of<'a>(&'a self, element: &'a Element, childclass: Option<&str>) -> Result<Attributes<'a>> {
        let name = element.get("class").or(childclass).unwrap_or(MAIN);
        let class = self.0.get(name).ok_or_else(|| {
            let known = self.0.keys().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
            element.error(format!("class \"{name}\" does not exist; classes are {known}"))
        })?;
        Ok(Attributes { element, class: class.get(&element.tag) })
    }
}
