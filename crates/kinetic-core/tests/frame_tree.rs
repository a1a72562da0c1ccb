//! The frame tree against poses that are known in the world, and against itself from other threads.

use std::sync::atomic::{AtomicBool, Ordering};

use kinetic_core::rng::SeededRng;
use kinetic_core::{FrameTree, Pose};

use crate::pose::{assert_same, random};

fn name(index: usize) -> String {
    format!("frame_{index}")
}

#[test]
fn every_pair_of_a_random_tree_has_the_pose_that_the_world_says() {
    let mut rng = SeededRng::new(41);
    for case in 0..50 {
        let count = 2 + rng.below(20);
        let world_from: Vec<Pose> = (0..count).map(|_| random(&mut rng)).collect();
        let tree = FrameTree::new();
        for frame in 1..count {
            let other = rng.below(frame);
            // In either direction, static or not.
            let (parent, child) = if rng.below(2) == 0 { (other, frame) } else { (frame, other) };
            let pose = world_from[parent].inverse() * world_from[child];
            if rng.below(2) == 0 {
                tree.set_transform(&name(parent), &name(child), pose, 1.5).unwrap();
            } else {
                tree.set_static_transform(&name(parent), &name(child), pose).unwrap();
            }
        }
        assert_eq!(tree.num_transforms(), count - 1);
        for a in 0..count {
            for b in 0..count {
                let found = tree.lookup_transform(&name(a), &name(b)).unwrap();
                assert_same(&found, &(world_from[a].inverse() * world_from[b]), &format!("case {case}: {a} {b}"));
                assert!(tree.has_transform(&name(a), &name(b)));
            }
        }
    }
}

#[test]
fn a_lookup_is_the_pose_of_the_second_frame_in_the_first() {
    let tree = FrameTree::new();
    tree.set_transform("world", "base", Pose::from_xyz_rpy(1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0).unwrap();
    tree.set_static_transform("base", "camera", Pose::from_xyz(0.0, 2.0, 0.0)).unwrap();
    let found = tree.lookup_transform("world", "camera").unwrap();
    assert_eq!(found.translation().as_slice(), [1.0, 2.0, 0.0]);
    assert_eq!(tree.lookup_transform("camera", "world").unwrap().translation().as_slice(), [-1.0, -2.0, 0.0]);
    assert_eq!(tree.lookup_transform("base", "base").unwrap(), Pose::identity());
    assert_eq!(tree.list_frames(), ["base", "camera", "world"]);
}

#[test]
fn the_shortest_chain_counts_where_there_are_several() {
    let tree = FrameTree::new();
    // A ring that does not close: over b the sum is 2, directly it is 5.
    tree.set_transform("a", "b", Pose::from_xyz(1.0, 0.0, 0.0), 0.0).unwrap();
    tree.set_transform("b", "c", Pose::from_xyz(1.0, 0.0, 0.0), 0.0).unwrap();
    assert_eq!(tree.lookup_transform("a", "c").unwrap().translation().x, 2.0);
    tree.set_transform("c", "a", Pose::from_xyz(-5.0, 0.0, 0.0), 0.0).unwrap();
    assert_eq!(tree.lookup_transform("a", "c").unwrap().translation().x, 5.0);
    assert!(tree.remove_transform("a", "c"));
    assert!(!tree.remove_transform("a", "c"));
    assert_eq!(tree.lookup_transform("a", "c").unwrap().translation().x, 2.0);
}

#[test]
fn the_last_transform_of_a_pair_counts_from_either_side() {
    let tree = FrameTree::new();
    tree.set_transform("a", "b", Pose::from_xyz(1.0, 0.0, 0.0), 2.0).unwrap();
    tree.set_transform("a", "b", Pose::from_xyz(2.0, 0.0, 0.0), 1.0).unwrap();
    assert_eq!((tree.lookup_transform("a", "b").unwrap().translation().x, tree.num_transforms()), (2.0, 1));
    tree.set_transform("b", "a", Pose::from_xyz(3.0, 0.0, 0.0), 7.5).unwrap();
    assert_eq!((tree.lookup_transform("a", "b").unwrap().translation().x, tree.num_transforms()), (-3.0, 1));
    let stored = tree.direct_transform("a", "b").unwrap();
    assert_eq!((stored.parent.as_str(), stored.child.as_str(), stored.stamp), ("b", "a", 7.5));
    assert_eq!(tree.transforms(), [stored]);
    assert_eq!(tree.direct_transform("a", "nothing"), None);
}

#[test]
fn forward_kinematics_leaves_static_transforms_alone() {
    let tree = FrameTree::new();
    let pose = |x: f64| Pose::from_xyz(x, 0.0, 0.0);
    tree.set_static_transform("base", "camera", pose(9.0)).unwrap();
    tree.set_static_transform("link", "mount", pose(8.0)).unwrap();
    // The camera hangs elsewhere, the mount from the other side: both keep what they have.
    let poses = [("base", "link", pose(1.0)), ("link", "camera", pose(2.0)), ("mount", "link", pose(3.0))];
    tree.update_from_fk(poses, 4.0).unwrap();
    assert_eq!(tree.num_transforms(), 3);
    assert_eq!(tree.lookup_transform("base", "camera").unwrap().translation().x, 9.0);
    assert_eq!(tree.lookup_transform("base", "mount").unwrap().translation().x, 9.0);
    assert_eq!(tree.direct_transform("base", "link").unwrap().stamp, 4.0);
    // All or none.
    let bad = [("base", "link", pose(5.0)), ("link", "link", pose(0.0))];
    assert_eq!(tree.update_from_fk(bad, 5.0).unwrap_err().code(), "InvalidValue");
    assert_eq!(tree.direct_transform("base", "link").unwrap().stamp, 4.0);
    tree.clear_dynamic();
    assert_eq!(tree.list_frames(), ["base", "camera", "link", "mount"]);
    assert_eq!(tree.num_transforms(), 2);
    tree.clear();
    assert_eq!((tree.num_transforms(), tree.list_frames().len()), (0, 0));
}

#[test]
fn errors_name_the_frame_and_those_that_exist() {
    let tree = FrameTree::new();
    tree.set_transform("a", "b", Pose::identity(), 0.0).unwrap();
    tree.set_transform("c", "d", Pose::identity(), 0.0).unwrap();
    let error = tree.lookup_transform("a", "nowhere").unwrap_err();
    assert!(error.code() == "UnknownName", "{error}");
    assert!(["nowhere", "\"a\", \"b\", \"c\", \"d\""].iter().all(|text| error.to_string().contains(text)), "{error}");
    let error = tree.lookup_transform("a", "d").unwrap_err();
    assert!(error.code() == "FramesNotConnected" && error.to_string().contains("\"a\", \"b\""), "{error}");
    assert!(!tree.has_transform("a", "d") && !tree.has_transform("a", "nowhere"));
    let set = |parent: &str, child: &str, x: f64, stamp: f64| {
        tree.set_transform(parent, child, Pose::from_xyz(x, 0.0, 0.0), stamp).unwrap_err().code()
    };
    assert_eq!(set("a", "a", 0.0, 0.0), "InvalidValue");
    assert_eq!(set("", "a", 0.0, 0.0), "InvalidValue");
    assert_eq!(set("a", "b", f64::NAN, 0.0), "NotFinite");
    assert_eq!(set("a", "b", 0.0, f64::INFINITY), "NotFinite");
    assert_eq!(tree.num_transforms(), 2);
}

#[test]
fn readers_see_whole_updates_while_one_thread_writes() {
    let tree = FrameTree::new();
    let chain = |x: f64| [("a", "b", Pose::from_xyz(x, 0.0, 0.0)), ("b", "c", Pose::from_xyz(-x, 0.0, 0.0))];
    tree.update_from_fk(chain(0.0), 0.0).unwrap();
    let done = AtomicBool::new(false);
    let newest = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut newest = 0.0_f64;
                    loop {
                        let last = done.load(Ordering::Acquire);
                        // Half an update would leave a rest.
                        assert_eq!(tree.lookup_transform("a", "c").unwrap().translation().x, 0.0);
                        let stamp = tree.direct_transform("a", "b").unwrap().stamp;
                        assert!(stamp >= newest, "time went back");
                        newest = stamp;
                        if last {
                            return newest;
                        }
                    }
                })
            })
            .collect();
        for step in 1..=2000 {
            tree.update_from_fk(chain(f64::from(step)), f64::from(step)).unwrap();
        }
        done.store(true, Ordering::Release);
        readers.into_iter().map(|reader| reader.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(newest, [2000.0; 4]);
}

#[test]
fn a_clone_is_a_snapshot() {
    let tree = FrameTree::new();
    tree.set_transform("a", "b", Pose::identity(), 0.0).unwrap();
    let snapshot = tree.clone();
    tree.clear();
    assert!(snapshot.has_transform("a", "b"));
}

#[test]
fn a_lookup_at_a_time_is_between_the_poses_around_it() {
    let tree = FrameTree::with_history(10.0).unwrap();
    let mut rng = SeededRng::new(7);
    let poses: Vec<Pose> = (0..8).map(|_| random(&mut rng)).collect();
    // From either side and in any order of time.
    for index in [2, 0, 7, 1, 6, 3, 5, 4_usize] {
        let stamp = 100.0 + index as f64;
        if index % 2 == 0 {
            tree.set_transform("base", "tool", poses[index], stamp).unwrap();
        } else {
            tree.set_transform("tool", "base", poses[index].inverse(), stamp).unwrap();
        }
    }
    let mount = random(&mut rng);
    tree.set_static_transform("tool", "camera", mount).unwrap();
    assert_eq!(tree.latest_common_time("camera", "base"), Some(107.0));
    assert_eq!(tree.latest_common_time("camera", "tool"), None);
    for step in 0..=70 {
        let (index, ratio) = (step / 10, f64::from(u32::try_from(step % 10).unwrap()) / 10.0);
        let wanted = poses[index].slerp(&poses[(index + 1).min(7)], ratio) * mount;
        let found = tree.lookup_transform_at("base", "camera", 100.0 + index as f64 + ratio).unwrap();
        assert_same(&found, &wanted, &format!("step {step}"));
        let back = tree.lookup_transform_at("camera", "base", 100.0 + index as f64 + ratio).unwrap();
        assert_same(&back, &wanted.inverse(), &format!("step {step}"));
    }
    for stamp in [99.999, 107.001] {
        let error = tree.lookup_transform_at("base", "camera", stamp).unwrap_err().to_string();
        assert!(error.contains("between 100 and 107 s") && error.contains("\"base\" and \"tool\""), "{error}");
    }
    assert_eq!(tree.lookup_transform_at("base", "camera", f64::NAN).unwrap_err().code(), "NotFinite");
    // The call that came last counts where no time is asked for.
    assert_same(&tree.lookup_transform("base", "tool").unwrap(), &poses[4], "latest");
}

#[test]
fn what_is_between_two_poses_does_not_depend_on_the_names_of_frames() {
    let arm = |angle: f64| Pose::from_xyz_rpy(-0.425, 0.0, 0.0, 0.0, 0.0, angle);
    for (parent, child) in [("a", "b"), ("b", "a")] {
        let tree = FrameTree::with_history(10.0).unwrap();
        tree.set_transform(parent, child, arm(0.0), 1.0).unwrap();
        tree.set_transform(parent, child, arm(0.4), 2.0).unwrap();
        let found = tree.lookup_transform_at(parent, child, 1.5).unwrap();
        assert_same(&found, &arm(0.2), parent);
        assert_same(&tree.lookup_transform_at(child, parent, 1.5).unwrap(), &arm(0.2).inverse(), child);
    }
}

#[test]
fn what_is_older_than_the_history_is_forgotten() {
    let tree = FrameTree::with_history(1.0).unwrap();
    for step in 0..100 {
        tree.set_transform("a", "b", Pose::from_xyz(f64::from(step), 0.0, 0.0), f64::from(step) * 0.25).unwrap();
    }
    assert_eq!(tree.stamped_transforms().len(), 5);
    assert_eq!(tree.lookup_transform_at("a", "b", 24.0).unwrap().translation().x, 96.0);
    assert!(tree.lookup_transform_at("a", "b", 23.7).is_err());
    // One that is too old leaves the history as it is, and so does one of a time that is there already but for its pose.
    tree.set_transform("a", "b", Pose::identity(), 3.0).unwrap();
    tree.set_transform("a", "b", Pose::from_xyz(7.0, 0.0, 0.0), 24.0).unwrap();
    assert_eq!(tree.stamped_transforms().len(), 5);
    assert_eq!(tree.lookup_transform_at("a", "b", 24.0).unwrap().translation().x, 7.0);
    // A static transform is that of any time.
    tree.set_static_transform("a", "b", Pose::identity()).unwrap();
    assert_eq!(tree.lookup_transform_at("a", "b", -5.0).unwrap(), Pose::identity());
    assert!(tree.stamped_transforms().is_empty());
    tree.set_transform("a", "b", Pose::identity(), 1.0).unwrap();
    assert!(tree.remove_transform("b", "a") && tree.stamped_transforms().is_empty());
    for seconds in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(FrameTree::with_history(seconds).unwrap_err().code(), "InvalidValue");
    }
    let latest_only = FrameTree::new();
    latest_only.set_transform("a", "b", Pose::identity(), 1.0).unwrap();
    latest_only.set_transform("a", "b", Pose::identity(), 2.0).unwrap();
    assert!(
        latest_only.lookup_transform_at("a", "b", 2.0).is_ok()
            && latest_only.lookup_transform_at("a", "b", 1.5).is_err()
    );
}
