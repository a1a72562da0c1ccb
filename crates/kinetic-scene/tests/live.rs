//! Live scenes: edits are whole or nothing, snapshots are contents that were published, and the log leads from one to another.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::scope;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, Pose, Result, Shape, StopFlag};
use kinetic_robot::Robot;
use kinetic_scene::{Changes, LiveScene, Scene, SceneDiff, SceneUpdate, Side};

use crate::cases;
use crate::support::{ball_arm, built_in, random_configuration};

fn live() -> LiveScene {
    LiveScene::new(Scene::new(&ball_arm()).unwrap())
}

fn ball(radius: f64) -> Shape {
    Shape::sphere(radius).unwrap()
}

fn at(x: f64) -> Pose {
    Pose::from_xyz(x, 2.0, 0.0)
}

/// One random edit of any kind; the same numbers make the same edit. What cannot be done is refused.
fn edit(scene: &mut Scene, rng: &mut SeededRng) {
    const LINKS: [&str; 3] = ["upper", "lower", "tip"];
    let names = ["a", "b", "c", "d", "e"];
    let (name, link, other) = (names[rng.below(5)], LINKS[rng.below(3)], LINKS[rng.below(3)]);
    // Few values, so that edits are sometimes taken back.
    let (radius, pose) = (0.1 + 0.1 * rng.below(2) as f64, at(rng.below(3) as f64));
    let value = [None, Some(0.0), Some(0.1)][rng.below(3)];
    let _ = match rng.below(14) {
        0..4 => scene.add(name, ball(radius), pose),
        4..6 => scene.update_pose(name, pose),
        6 => {
            scene.remove(name);
            Ok(())
        }
        7 => scene.attach(name, ball(radius), pose, link, &[other]),
        8 => scene.attach_existing(name, link, &[0.0; 3], Some(&[])).map(|_| ()),
        9 => scene.detach(name, pose).map(drop),
        10 => scene.allow_collision(name, link),
        11 => scene.disallow_collision(name, link),
        12 => match rng.below(4) {
            0 => scene.set_margin(name, link, value),
            1 => scene.set_margin_of(name, Side::World, value),
            2 => scene.set_padding(link, value),
            _ => scene.set_scale(link, value.map(|value| 1.0 + value)),
        },
        _ if rng.below(8) == 0 => {
            scene.clear();
            Ok(())
        }
        _ => scene.hold(&[0.1 * rng.below(2) as f64, 0.0, 0.0]),
    };
}

/// Lets a rule be stated about a name that nothing has any more.
fn about(scene: &mut Scene, names: &[&str], state: impl FnOnce(&mut Scene)) {
    let is_known = |name: &str| {
        scene.objects().contains_key(name)
            || scene.attached().contains_key(name)
            || scene.robot().link_index(name).is_ok()
    };
    let unknown: Vec<&str> = names.iter().copied().filter(|name| !is_known(name)).collect();
    for name in &unknown {
        scene.add(name, ball(0.1), at(0.0)).unwrap();
    }
    state(scene);
    for name in &unknown {
        assert!(scene.remove(name));
    }
}

/// An older content brought up to date: what the diff names is taken from the new one, and nothing else.
fn replayed(old: &Scene, diff: &SceneDiff, new: &Scene) -> Scene {
    let mut scene = old.clone();
    for name in &diff.removed {
        assert!(scene.remove(name));
    }
    let is_attached = |scene: &Scene, name: &String| scene.attached().contains_key(name);
    for name in diff.detached.iter().chain(&diff.attached) {
        if is_attached(&scene, name) {
            scene.detach(name, Pose::identity()).unwrap();
            scene.remove(name);
        }
    }
    let link = |index: usize| new.robot().links[index].name.as_str();
    for name in &diff.attached {
        let body = &new.attached()[name];
        let touch: Vec<&str> = body.touch_links.iter().map(|index| link(*index)).collect();
        scene.attach(name, body.shape.clone(), body.link_from_shape, link(body.link), &touch).unwrap();
    }
    for name in diff.added.iter().chain(&diff.replaced) {
        scene.add_object(name, new.object(name).unwrap().clone()).unwrap();
    }
    for name in &diff.moved {
        scene.update_pose(name, new.object(name).unwrap().pose).unwrap();
    }
    if diff.allowed {
        for (a, b) in old.allowed().pairs() {
            about(&mut scene, &[a, b], |scene| scene.disallow_collision(a, b).unwrap());
        }
        for (a, b) in new.allowed().pairs() {
            about(&mut scene, &[a, b], |scene| scene.allow_collision(a, b).unwrap());
        }
    }
    if diff.margins {
        set_margins(&mut scene, old, false);
        set_margins(&mut scene, new, true);
    }
    if diff.held {
        scene.hold(new.held()).unwrap();
    }
    scene
}

/// States the margins of a scene in another, or takes them back.
fn set_margins(scene: &mut Scene, of: &Scene, is_stated: bool) {
    let (margins, given) = (of.margins(), |value: f64| is_stated.then_some(value));
    for (a, b, value) in margins.pairs() {
        about(scene, &[a, b], |scene| scene.set_margin(a, b, given(value)).unwrap());
    }
    for (name, side, value) in margins.names() {
        about(scene, &[name], |scene| scene.set_margin_of(name, side, given(value)).unwrap());
    }
    for (name, value) in margins.paddings() {
        scene.set_padding(name, given(value)).unwrap();
    }
    for (link, factor) in margins.scales() {
        scene.set_scale(link, given(factor)).unwrap();
    }
}

/// Names of what two contents differ in, from plain maps: objects that came, went, stayed with another pose, and with
/// another shape; bodies that are attached otherwise or anew, and that are not any more.
fn expected(old: &Scene, new: &Scene) -> [BTreeSet<String>; 6] {
    let objects = |scene: &Scene| -> BTreeMap<String, [String; 2]> {
        let row = |(name, object): (&String, &kinetic_scene::Object)| {
            (name.clone(), [format!("{:?}", object.shape), format!("{:?}", object.pose)])
        };
        scene.objects().iter().map(row).collect()
    };
    let bodies = |scene: &Scene| -> BTreeMap<String, String> {
        let row = |body: &kinetic_scene::Attachment| {
            format!("{:?} {:?} {} {:?}", body.shape, body.link_from_shape, body.link, body.touch_links)
        };
        scene.attached().iter().map(|(name, body)| (name.clone(), row(body))).collect()
    };
    let (a, b) = (objects(old), objects(new));
    let (c, d) = (bodies(old), bodies(new));
    let of = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect();
    [
        of(&mut b.keys().filter(|name| !a.contains_key(*name))),
        of(&mut a.keys().filter(|name| !b.contains_key(*name))),
        of(&mut a
            .keys()
            .filter(|name| b.get(*name).is_some_and(|other| other[0] == a[*name][0] && *other != a[*name]))),
        of(&mut a.keys().filter(|name| b.get(*name).is_some_and(|other| other[0] != a[*name][0]))),
        of(&mut d.keys().filter(|name| c.get(*name) != d.get(*name))),
        of(&mut c.keys().filter(|name| !d.contains_key(*name))),
    ]
}

/// The diff names all that differs, comings and goings exactly, and calls nothing moved whose shape is another one.
fn names_what_differs(diff: &SceneDiff, old: &Scene, new: &Scene) -> bool {
    let set = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
    let [added, removed, moved, replaced, attached, detached] = expected(old, new);
    set(&diff.added) == added
        && set(&diff.removed) == removed
        && set(&diff.detached) == detached
        && replaced.is_subset(&set(&diff.replaced))
        && attached.is_subset(&set(&diff.attached))
        && moved.iter().all(|name| diff.moved.contains(name) || diff.replaced.contains(name))
}

#[test]
fn the_log_leads_from_every_earlier_content_to_the_present_one() {
    let mut met = [false; 9];
    for seed in 0..cases(6, 400) as u64 {
        let mut rng = SeededRng::new(seed);
        let live = live();
        let mut plain = live.snapshot();
        let mut kept = vec![live.snapshot()];
        for step in 0..60 {
            let (edits, drawn) = (1 + rng.below(3), rng.next_u64());
            let before = (live.revision(), live.version());
            let edit_all = |scene: &mut Scene| {
                let mut rng = SeededRng::new(drawn);
                (0..edits).for_each(|_| edit(scene, &mut rng));
            };
            let edited = live.edit(|scene| {
                edit_all(scene);
                Ok(())
            });
            edited.unwrap();
            edit_all(&mut plain);
            let case = format!("seed {seed}, step {step}");
            assert_eq!(live.version(), plain.version(), "{case}");
            let is_changed = live.version() != before.1;
            assert_eq!(live.revision(), before.0 + u64::from(is_changed), "{case}");
            if is_changed {
                kept.push(live.snapshot());
            }
        }
        for (revision, old) in kept.iter().enumerate() {
            let SceneUpdate { scene, revision: now, changes } = live.changes_since(revision as u64);
            assert_eq!((now, scene.version()), (live.revision(), live.version()));
            let Changes::Diff(diff) = changes else { panic!("seed {seed}: the log begins after {revision}") };
            let case = format!("seed {seed}, since {revision}: {diff:?}");
            assert!(names_what_differs(&diff, old, &scene), "{case}");
            assert_eq!(replayed(old, &diff, &scene).version(), scene.version(), "{case}");
            assert!(diff.is_empty() || now > revision as u64, "{case}");
            let lists = [&diff.added, &diff.moved, &diff.replaced, &diff.removed, &diff.attached, &diff.detached];
            let kinds = lists.map(|names| !names.is_empty()).into_iter().chain([diff.allowed, diff.margins, diff.held]);
            met.iter_mut().zip(kinds).for_each(|(met, is_here)| *met |= is_here);
        }
    }
    assert_eq!(met, [true; 9], "every kind of change");
}

#[test]
fn an_edit_that_fails_or_panics_leaves_the_scene_as_it_was() {
    let live = live();
    live.add("a", ball(0.1), at(1.0)).unwrap();
    let before = (live.version(), live.revision());
    let failed: Result<()> = live.edit(|scene| {
        scene.add("b", ball(0.1), at(2.0))?;
        scene.update_pose("a", at(3.0))?;
        scene.update_pose("nothing", at(3.0))
    });
    assert!(matches!(failed, Err(KineticError::ObjectNotFound { .. })));
    assert_eq!((live.version(), live.revision()), before);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        live.edit(|scene| -> Result<()> {
            scene.clear();
            panic!("in the middle of an edit")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!((live.version(), live.revision()), before);
    let mut dropped = live.begin_edit().unwrap();
    dropped.clear();
    assert!(scope(|scope| scope.spawn(|| live.try_begin_edit().unwrap().is_none()).join().unwrap()));
    drop(dropped);
    assert_eq!((live.version(), live.revision()), before);
    assert!(live.remove("a").unwrap());
    assert_eq!(live.revision(), before.1 + 1);
}

#[test]
fn a_wait_for_another_edit_ends_with_its_control_or_with_that_edit() {
    let live = live();
    let other = live.begin_edit().unwrap();
    let stop = StopFlag::default();
    stop.stop();
    let stopped = Control::new(Arc::new(kinetic_core::control::SystemClock::default()), f64::INFINITY, u64::MAX, stop);
    scope(|scope| {
        assert!(scope.spawn(|| live.begin_edit_within(&stopped).unwrap().is_none()).join().unwrap());
        let waiting = scope.spawn(|| live.begin_edit_within(&Control::default()).unwrap().is_some());
        drop(other);
        assert!(waiting.join().unwrap());
    });
}

#[test]
fn an_edit_inside_an_edit_of_the_same_thread_is_refused() {
    let live = live();
    let error = live.edit(|_| live.add("a", ball(0.1), at(1.0))).unwrap_err();
    assert!(error.is_input_error() && error.to_string().contains("inside another"), "{error}");
    // So a caller can ask before it makes the edit on another thread, which would wait for this one.
    assert!(live.edit(|_| live.check_is_not_editing()).is_err() && live.check_is_not_editing().is_ok());
    assert!(live.edit(|_| Ok(live.is_being_edited())).unwrap() && !live.is_being_edited());
    // What only reads does not wait.
    assert_eq!(live.edit(|_| Ok(live.snapshot().objects().len())).unwrap(), 0);
    live.add("a", ball(0.1), at(1.0)).unwrap();
    assert_eq!(live.revision(), 1);
}

#[test]
fn an_edit_does_not_put_another_robot_in_place() {
    let live = live();
    let replace = |by: &Scene| {
        live.edit(|scene| {
            scene.clone_from(by);
            Ok(())
        })
    };
    let error = replace(&Scene::new(&built_in("ur5e")).unwrap()).unwrap_err();
    assert!(error.is_input_error() && error.to_string().contains("ur5e"), "{error}");
    assert_eq!((live.robot().name.as_str(), live.revision()), ("balls", 0));
    // Another content of the same robot may be put in place.
    let mut same = live.snapshot();
    same.add("a", ball(0.1), at(1.0)).unwrap();
    replace(&same).unwrap();
    assert_eq!(live.version(), same.version());
}

#[test]
fn a_log_that_does_not_reach_back_says_so() {
    let live = live();
    live.add("a", ball(0.1), at(0.0)).unwrap();
    for step in 0..5_000 {
        live.update_pose("a", at(f64::from(step) + 1.0)).unwrap();
    }
    let now = live.revision();
    assert_eq!(now, 5_001);
    let moved = Changes::Diff(SceneDiff { moved: vec!["a".to_owned()], ..SceneDiff::default() });
    assert_eq!(live.changes_since(now - 4_000).changes, moved);
    assert_eq!(live.changes_since(now).changes, Changes::Diff(SceneDiff::default()));
    for revision in [0, 1, 500, now + 1, u64::MAX] {
        assert_eq!(live.changes_since(revision).changes, Changes::Resync, "{revision}");
    }
    // One edit that is more than the log holds.
    live.edit(|scene| (0..5_000).try_for_each(|index| scene.add_sphere(&format!("{index}"), 0.1, [9.0, 9.0, 9.0])))
        .unwrap();
    let update = live.changes_since(now);
    assert_eq!((update.changes, update.revision), (Changes::Resync, now + 1));
    assert_eq!(live.changes_since(now + 1).changes, Changes::Diff(SceneDiff::default()));
    live.remove("a").unwrap();
    let removed = Changes::Diff(SceneDiff { removed: vec!["a".to_owned()], ..SceneDiff::default() });
    assert_eq!(live.changes_since(now + 1).changes, removed);
}

#[test]
fn who_waits_for_a_change_hears_of_it() {
    let live = live();
    let control = Control::default();
    let heard = scope(|scope| {
        let waiting = scope.spawn(|| live.wait_for_change(0, &control));
        live.add("a", ball(0.1), at(0.0)).unwrap();
        waiting.join().unwrap()
    });
    assert_eq!(heard, Some(1));
    assert_eq!(live.wait_for_change(0, &control), Some(1));
    let stop = StopFlag::default();
    stop.stop();
    let stopped = Control::new(Arc::new(kinetic_core::control::SystemClock::default()), f64::INFINITY, u64::MAX, stop);
    assert_eq!(live.wait_for_change(1, &stopped), None);
}

/// A box at the mirror image of another: an edit moves both, so that half of an edit would be seen.
fn move_both(scene: &mut Scene, x: f64) -> Result<()> {
    scene.update_pose("left", at(x))?;
    scene.update_pose("right", at(-x))
}

#[test]
fn snapshots_of_other_threads_are_contents_that_were_published() {
    let robot = built_in("ur5e");
    let mut begin = Scene::new(&robot).unwrap();
    begin.add("left", ball(0.3), at(0.5)).unwrap();
    begin.add("right", ball(0.3), at(-0.5)).unwrap();
    let published = Mutex::new(BTreeSet::from([begin.version()]));
    let live = LiveScene::new(begin);
    let edits = |seed: u64| {
        let mut rng = SeededRng::new(seed);
        for step in 0..200 {
            let edit = |scene: &mut Scene| {
                move_both(scene, rng.uniform(-1.0, 1.0))?;
                if step % 20 == 0 {
                    scene.add(&format!("extra {seed}"), ball(0.1), at(rng.uniform(1.0, 2.0)))?;
                }
                published.lock().unwrap().insert(scene.version());
                Ok(())
            };
            live.edit(edit).unwrap();
        }
    };
    let seen = |seed: u64| {
        let mut rng = SeededRng::new(seed);
        let mut seen = Vec::new();
        while live.revision() < 400 {
            let scene = live.snapshot();
            let x = |name: &str| scene.object(name).unwrap().pose.0.translation.vector.x;
            assert_eq!(x("left"), -x("right"));
            let q = random_configuration(&robot, &mut rng);
            assert_eq!(scene.check_collision(&q).unwrap(), anew(&robot, &scene).check_collision(&q).unwrap(), "{q:?}");
            seen.push(scene.version());
        }
        seen
    };
    let seen = scope(|scope| {
        let editors = [1, 2].map(|seed| scope.spawn(move || edits(seed)));
        let readers = [3, 4].map(|seed| scope.spawn(move || seen(seed)));
        for editor in editors {
            editor.join().unwrap();
        }
        readers.map(|reader| reader.join().unwrap()).concat()
    });
    let published = published.into_inner().unwrap();
    assert!(seen.iter().all(|version| published.contains(version)));
    assert_eq!(live.revision(), 400);
}

/// The same objects in a scene of their own.
fn anew(robot: &Arc<Robot>, scene: &Scene) -> Scene {
    let mut new = Scene::new(robot).unwrap();
    for (name, object) in scene.objects() {
        new.add_object(name, object.clone()).unwrap();
    }
    new
}

#[test]
fn handles_are_shared_between_threads() {
    fn is_shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    let live = live();
    is_shared(&live);
    live.clone().add("a", ball(0.1), at(0.0)).unwrap();
    assert!(live.read(|scene| scene.objects().contains_key("a")));
}

#[test]
fn a_live_checker_answers_as_one_that_is_made_anew_after_every_edit() {
    use kinetic_core::rng::SeededRng;
    use kinetic_scene::{DistancePrecision, LiveChecker, Margins, Proximity, Refresh};

    let robot = crate::support::built_in("ur5e");
    let group = robot.groups[robot.default_group].name.clone();
    for seed in 0..crate::cases(5, 200) as u64 {
        let mut rng = SeededRng::new(seed);
        let live = LiveScene::new(crate::support::with_boxes(&robot, &crate::support::boxes(&mut rng, 6)));
        let mut followed = LiveChecker::new(&live, &group, Margins::ZERO).unwrap();
        let (mut found, mut expected) = (Proximity::default(), Proximity::default());
        for edit in 0..30 {
            let name = format!("box{}", rng.below(6));
            let pose = Pose::from_xyz(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0));
            let before = live.revision();
            let wanted = match edit % 5 {
                0..=2 => live.edit(|scene| scene.update_pose(&name, pose)).map(|()| Refresh::Moved),
                3 => live
                    .edit(|scene| scene.add(&name, Shape::sphere(rng.uniform(0.05, 0.2))?, pose))
                    .map(|()| Refresh::Rebuilt),
                _ => Ok(Refresh::Unchanged),
            };
            let wanted = if live.revision() == before { Refresh::Unchanged } else { wanted.unwrap() };
            assert_eq!(followed.refresh().unwrap(), wanted, "seed {seed}, edit {edit}");
            let mut new = live.snapshot().checker_within(&group, Margins::ZERO, None).unwrap();
            let q = crate::support::random_configuration(&robot, &mut rng);
            assert_eq!(followed.checker().is_free(&q), new.is_free(&q), "seed {seed}, edit {edit}");
            followed.checker().proximity(&q, 0.2, DistancePrecision::Exact, &mut found);
            new.proximity(&q, 0.2, DistancePrecision::Exact, &mut expected);
            let key = |of: &Proximity| {
                let mut keys: Vec<_> = of
                    .pairs()
                    .iter()
                    .map(|pair| (pair.body, format!("{:?}", pair.other), pair.distance.to_bits()))
                    .collect();
                keys.sort();
                keys
            };
            assert_eq!(key(&found), key(&expected), "seed {seed}, edit {edit}");
        }
    }
}
