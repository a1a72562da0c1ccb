//! Persistent map of a scene's objects by name, in name order: a B+ tree of two levels, whose leaves clones share.
//!
//! An edit of a map whose clone is alive copies the list of leaves and one leaf, as pointers, so that its cost grows with
//! the square root of the number of objects (Driscoll, Sarnak, Sleator and Tarjan 1989, path copying). What two maps share is
//! found by comparing pointers, so that their differences are listed without a look at the rest.

use std::sync::Arc;

use super::Object;

/// Most objects of a leaf. About the square root of ten thousand, for which the list of leaves is as long as a leaf.
const MAX_OBJECTS_PER_LEAF: usize = 128;

/// An object and its name.
#[derive(Debug, Clone)]
pub(crate) struct ObjectEntry {
    pub(crate) name: String,
    pub(crate) object: Object,
}

type Leaf = Vec<Arc<ObjectEntry>>;

/// The objects of a scene by name, in name order. A clone is cheap, and shares what later edits of either leave as it is.
#[derive(Debug, Clone, Default)]
pub struct Objects {
    /// None is empty, and names ascend over all of them.
    leaves: Arc<Vec<Arc<Leaf>>>,
    len: usize,
}

/// A name under which two maps differ, with what stands there in each.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Difference<'a> {
    Added(&'a ObjectEntry),
    Removed(&'a ObjectEntry),
    Changed { before: &'a ObjectEntry, after: &'a ObjectEntry },
}

impl Objects {
    /// Number of objects.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True without objects.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The object of a name.
    pub fn get(&self, name: &str) -> Option<&Object> {
        let (leaf, index) = self.place(name).ok()?;
        Some(&self.leaves[leaf][index].object)
    }

    /// Whether there is an object of that name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    /// Names and objects, in name order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { leaves: self.leaves.iter(), leaf: [].iter(), left: self.len }
    }

    /// Names in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &String> + Clone {
        self.iter().map(|(name, _)| name)
    }

    /// Objects in name order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Object> + Clone {
        self.iter().map(|(_, object)| object)
    }

    /// Leaf and index of a name, or where it would be inserted.
    fn place(&self, name: &str) -> Result<(usize, usize), (usize, usize)> {
        let leaf = self.leaves.partition_point(|leaf| leaf[0].name.as_str() <= name).saturating_sub(1);
        let Some(entries) = self.leaves.get(leaf) else { return Err((0, 0)) };
        let index = entries.binary_search_by(|entry| entry.name.as_str().cmp(name));
        index.map(|index| (leaf, index)).map_err(|index| (leaf, index))
    }

    /// Inserts or replaces an object; what stood there before.
    pub(crate) fn insert(&mut self, name: &str, object: Object) -> Option<Arc<ObjectEntry>> {
        let entry = Arc::new(ObjectEntry { name: name.to_owned(), object });
        let place = self.place(name);
        let leaves = Arc::make_mut(&mut self.leaves);
        let (at, index) = match place {
            Ok((leaf, index)) => {
                return Some(std::mem::replace(&mut Arc::make_mut(&mut leaves[leaf])[index], entry));
            }
            Err(place) => place,
        };
        self.len += 1;
        if leaves.is_empty() {
            leaves.push(Arc::new(vec![entry]));
            return None;
        }
        let leaf = Arc::make_mut(&mut leaves[at]);
        leaf.insert(index, entry);
        if leaf.len() > MAX_OBJECTS_PER_LEAF {
            let upper = leaf.split_off(leaf.len() / 2);
            leaves.insert(at + 1, Arc::new(upper));
        }
        None
    }

    /// Removes an object, and returns it.
    pub(crate) fn remove(&mut self, name: &str) -> Option<Arc<ObjectEntry>> {
        let (at, index) = self.place(name).ok()?;
        let leaves = Arc::make_mut(&mut self.leaves);
        let removed = Arc::make_mut(&mut leaves[at]).remove(index);
        self.len -= 1;
        if leaves[at].is_empty() {
            leaves.remove(at);
        }
        merge_small(leaves, at);
        merge_small(leaves, at.wrapping_sub(1));
        Some(removed)
    }

    /// Changes the object of a name; false when there is none.
    pub(crate) fn update(&mut self, name: &str, change: impl FnOnce(&mut Object)) -> bool {
        let Ok((leaf, index)) = self.place(name) else { return false };
        let leaves = Arc::make_mut(&mut self.leaves);
        let entry = &mut Arc::make_mut(&mut leaves[leaf])[index];
        change(&mut Arc::make_mut(entry).object);
        true
    }

    /// Whether the two are one map that was not edited since it was cloned.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.leaves, &other.leaves)
    }

    /// Differences from a map of the same names: the objects that were moved since.
    pub(crate) fn moved_since<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a ObjectEntry> {
        self.differences(before).filter_map(|difference| match difference {
            Difference::Changed { after, .. } => Some(after),
            Difference::Added(_) | Difference::Removed(_) => None,
        })
    }

    /// Where this map differs from an earlier one, in name order. An object that was edited back counts as changed.
    pub(crate) fn differences<'a>(&'a self, before: &'a Self) -> Differences<'a> {
        // One map has no differences; two empty positions have none either.
        let cursor = |objects: &'a Self| if self.is_same(before) { Cursor::END } else { Cursor::new(objects) };
        Differences { old: cursor(before), new: cursor(self) }
    }
}

/// Makes one leaf of the one at an index and its successor, when both together are small.
fn merge_small(leaves: &mut Vec<Arc<Leaf>>, at: usize) {
    let [first, second] = [at, at.wrapping_add(1)].map(|at| leaves.get(at).map(|leaf| leaf.len()));
    if first.zip(second).is_some_and(|(first, second)| first + second <= MAX_OBJECTS_PER_LEAF / 2) {
        let upper = leaves.remove(at + 1);
        Arc::make_mut(&mut leaves[at]).extend(upper.iter().cloned());
    }
}

/// Differences of two maps, found by walking over both in name order.
pub(crate) struct Differences<'a> {
    old: Cursor<'a>,
    new: Cursor<'a>,
}

impl<'a> Iterator for Differences<'a> {
    type Item = Difference<'a>;

    fn next(&mut self) -> Option<Difference<'a>> {
        loop {
            if self.new.is_at_leaf_of(&self.old) {
                self.new.skip_leaf();
                self.old.skip_leaf();
                continue;
            }
            let difference = match (self.old.entry(), self.new.entry()) {
                (None, None) => return None,
                (Some(before), Some(after)) if Arc::ptr_eq(before, after) => None,
                (before, after) => first_difference(before, after),
            };
            if !matches!(difference, Some(Difference::Added(_))) {
                self.old.advance();
            }
            if !matches!(difference, Some(Difference::Removed(_))) {
                self.new.advance();
            }
            if difference.is_some() {
                return difference;
            }
        }
    }
}

/// The first in name order of two entries that are not the same.
fn first_difference<'a>(
    before: Option<&'a Arc<ObjectEntry>>,
    after: Option<&'a Arc<ObjectEntry>>,
) -> Option<Difference<'a>> {
    match (before, after) {
        (None, None) => None,
        (Some(before), None) => Some(Difference::Removed(before)),
        (None, Some(after)) => Some(Difference::Added(after)),
        (Some(before), Some(after)) => Some(match before.name.cmp(&after.name) {
            std::cmp::Ordering::Less => Difference::Removed(before),
            std::cmp::Ordering::Equal => Difference::Changed { before, after },
            std::cmp::Ordering::Greater => Difference::Added(after),
        }),
    }
}

/// A position in a map.
struct Cursor<'a> {
    leaves: &'a [Arc<Leaf>],
    index: usize,
}

impl<'a> Cursor<'a> {
    const END: Self = Self { leaves: &[], index: 0 };

    fn new(objects: &'a Objects) -> Self {
        Self { leaves: &objects.leaves, index: 0 }
    }

    /// True when both are at the beginning of a leaf that the maps share.
    fn is_at_leaf_of(&self, other: &Self) -> bool {
        let (Some(own), Some(others)) = (self.leaves.first(), other.leaves.first()) else { return false };
        self.index == 0 && other.index == 0 && Arc::ptr_eq(own, others)
    }

    fn skip_leaf(&mut self) {
        self.leaves = &self.leaves[1..];
    }

    fn entry(&self) -> Option<&'a Arc<ObjectEntry>> {
        self.leaves.first().map(|leaf| &leaf[self.index])
    }

    /// Goes to the next entry, unless it is at the end.
    fn advance(&mut self) {
        self.index += 1;
        if self.leaves.first().is_some_and(|leaf| leaf.len() == self.index) {
            (self.leaves, self.index) = (&self.leaves[1..], 0);
        }
    }
}

/// Iterator over names and objects in name order.
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    leaves: std::slice::Iter<'a, Arc<Leaf>>,
    leaf: std::slice::Iter<'a, Arc<ObjectEntry>>,
    left: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a String, &'a Object);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.leaf.next() {
                self.left -= 1;
                return Some((&entry.name, &entry.object));
            }
            self.leaf = self.leaves.next()?.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Objects {
    type Item = (&'a String, &'a Object);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kinetic_core::rng::SeededRng;
    use kinetic_core::{Pose, Result, Shape};

    use super::*;

    fn ball(x: f64) -> Result<Object> {
        Object::new(Shape::sphere(0.1)?, Pose::from_xyz(x, 0.0, 0.0))
    }

    fn place(object: &Object) -> f64 {
        object.pose.0.translation.vector.x
    }

    fn many(count: usize) -> Result<Objects> {
        let mut objects = Objects::default();
        for index in 0..count {
            objects.insert(&format!("{index:05}"), ball(index as f64)?);
        }
        Ok(objects)
    }

    /// Names that differ, with where their objects stand before and after, from two plain maps.
    fn expected(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>) -> BTreeMap<String, [Option<f64>; 2]> {
        let names = before.keys().chain(after.keys());
        let both = |name: &String| (name.clone(), [before.get(name).copied(), after.get(name).copied()]);
        names.map(both).filter(|(_, [before, after])| before != after).collect()
    }

    fn found(before: &Objects, after: &Objects) -> BTreeMap<String, [Option<f64>; 2]> {
        let row = |difference: Difference<'_>| match difference {
            Difference::Added(entry) => (entry.name.clone(), [None, Some(place(&entry.object))]),
            Difference::Removed(entry) => (entry.name.clone(), [Some(place(&entry.object)), None]),
            Difference::Changed { before, after } => {
                assert_eq!(before.name, after.name);
                (before.name.clone(), [before, after].map(|entry| Some(place(&entry.object))))
            }
        };
        after.differences(before).map(row).collect()
    }

    #[test]
    fn random_edits_agree_with_a_plain_map_and_clones_keep_theirs() -> Result<()> {
        for seed in 0..8 {
            let mut rng = SeededRng::new(seed);
            let (mut objects, mut model) = (Objects::default(), BTreeMap::new());
            let mut kept: Vec<(Objects, BTreeMap<String, f64>)> = Vec::new();
            let names = [20, 300, 2_000][seed as usize % 3];
            for step in 0..3_000 {
                let (name, x) = (format!("{}", rng.below(names)), f64::from(step));
                // Grows, then shrinks.
                match (rng.below(6), step < 2_000) {
                    (0..=3, true) | (0, false) => {
                        let before = objects.insert(&name, ball(x)?);
                        assert_eq!(before.map(|entry| place(&entry.object)), model.insert(name, x));
                    }
                    (5, _) => {
                        let is_there = objects.update(&name, |object| object.pose = Pose::from_xyz(x, 0.0, 0.0));
                        assert_eq!(is_there, model.get_mut(&name).map(|place| *place = x).is_some());
                    }
                    _ => {
                        let before = objects.remove(&name);
                        assert_eq!(before.map(|entry| place(&entry.object)), model.remove(&name));
                    }
                }
                if step % 500 == 0 {
                    kept.push((objects.clone(), model.clone()));
                }
            }
            kept.push((objects, model));
            for (objects, model) in &kept {
                let listed: Vec<(&String, f64)> = objects.iter().map(|(name, object)| (name, place(object))).collect();
                assert_eq!(listed, model.iter().map(|(name, x)| (name, *x)).collect::<Vec<_>>(), "seed {seed}");
                assert_eq!((objects.len(), objects.iter().len()), (model.len(), model.len()));
                assert!(
                    (0..names).all(|i| objects.get(&i.to_string()).map(place) == model.get(&i.to_string()).copied())
                );
            }
            for (before, was) in &kept {
                for (after, is) in &kept {
                    assert_eq!(found(before, after), expected(was, is), "seed {seed}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn an_edit_of_ten_thousand_objects_copies_one_leaf_and_one_object() -> Result<()> {
        let before = many(10_000)?;
        for index in [0, 1, 4_321, 9_999] {
            let name = format!("{index:05}");
            let mut after = before.clone();
            assert!(after.update(&name, |object| object.pose = Pose::identity()));
            let shared = |(a, b): &(&Arc<Leaf>, &Arc<Leaf>)| Arc::ptr_eq(a, b);
            let leaves = || before.leaves.iter().zip(after.leaves.iter());
            assert_eq!(leaves().filter(|pair| !shared(pair)).count(), 1);
            let entries = leaves().flat_map(|(a, b)| a.iter().zip(b.iter()));
            assert_eq!(entries.filter(|(a, b)| !Arc::ptr_eq(a, b)).count(), 1);
            after.remove(&name);
            let known: Vec<_> = before.leaves.iter().map(Arc::as_ptr).collect();
            assert!(after.leaves.iter().filter(|leaf| !known.contains(&Arc::as_ptr(leaf))).count() <= 1);
        }
        Ok(())
    }

    #[test]
    fn leaves_are_few_after_objects_came_and_went() -> Result<()> {
        let mut objects = many(10_000)?;
        let most = |len: usize| 4 * len / MAX_OBJECTS_PER_LEAF + 1;
        assert!(objects.leaves.len() <= most(10_000), "{}", objects.leaves.len());
        for index in (0..10_000).filter(|index| index % 50 != 0) {
            objects.remove(&format!("{index:05}"));
        }
        assert_eq!(objects.len(), 200);
        assert!(objects.leaves.len() <= 2 * most(200), "{}", objects.leaves.len());
        assert!(objects.leaves.iter().all(|leaf| !leaf.is_empty() && leaf.len() <= MAX_OBJECTS_PER_LEAF));
        Ok(())
    }
}
