//! Cascaded frames against products of plain poses, along random histories of edits.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Attachment, CascadedFrame, Pose, Wrt};
use nalgebra::Vector3;

use crate::pose::{assert_same, random};

fn at(x: f64, y: f64, z: f64) -> CascadedFrame {
    CascadedFrame::new(Pose::from_xyz(x, y, z))
}

fn position(pose: Pose) -> [f64; 3] {
    pose.translation().into()
}

#[test]
fn an_attached_child_stays_where_it_was_unless_told_otherwise() {
    let (parent, child) = (at(1.0, 0.0, 0.0), at(1.0, 1.0, 0.0));
    parent.attach(&child, Attachment::KeepWorld, false).unwrap();
    assert_eq!((position(child.world_pose()), position(child.local_pose())), ([1.0, 1.0, 0.0], [0.0, 1.0, 0.0]));
    let (parent, child) = (at(1.0, 0.0, 0.0), at(1.0, 1.0, 0.0));
    parent.attach(&child, Attachment::KeepNumbers, false).unwrap();
    assert_eq!((position(child.world_pose()), position(child.local_pose())), ([2.0, 1.0, 0.0], [1.0, 1.0, 0.0]));
    parent.attach(&child, Attachment::At(Pose::from_xyz(0.0, 0.0, 3.0)), true).unwrap();
    assert_eq!((position(child.world_pose()), position(child.local_pose())), ([1.0, 0.0, 3.0], [0.0, 0.0, 3.0]));
    assert_eq!((child.parent().as_ref(), parent.children().len()), (Some(&parent), 1));
}

#[test]
fn new_coordinates_are_in_the_parent_or_in_the_world() {
    let (parent, child) = (at(10.0, 0.0, 0.0), at(0.0, 5.0, 0.0));
    parent.attach(&child, Attachment::KeepWorld, false).unwrap();
    child.set_pose(&Pose::from_xyz(15.0, 15.0, 15.0), Wrt::World);
    assert_eq!((position(child.world_pose()), position(child.local_pose())), ([15.0; 3], [5.0, 15.0, 15.0]));
    for wrt in [Wrt::Local, Wrt::Parent] {
        child.set_pose(&Pose::from_xyz(2.0, 2.0, 2.0), wrt);
        assert_eq!((position(child.world_pose()), position(child.local_pose())), ([12.0, 2.0, 2.0], [2.0; 3]));
    }
    child.set_pose(&Pose::from_xyz(0.0, 0.0, 1.0), Wrt::Frame(Pose::from_xyz(0.0, 7.0, 0.0)));
    assert_eq!(position(child.world_pose()), [0.0, 7.0, 1.0]);
}

/// What a test knows of a frame: where it is in the world, and what it hangs on.
struct Known {
    frame: CascadedFrame,
    world: Pose,
    parent: Option<usize>,
}

fn is_above(known: &[Known], above: usize, frame: usize) -> bool {
    std::iter::successors(Some(frame), |frame| known[*frame].parent).any(|frame| frame == above)
}

/// Moves a frame and everything below it.
fn carry(known: &mut [Known], frame: usize, world: Pose) {
    let motion = world * known[frame].world.inverse();
    for other in 0..known.len() {
        if is_above(known, frame, other) {
            known[other].world = motion * known[other].world;
        }
    }
}

fn edit(known: &mut [Known], index: usize, rng: &mut SeededRng) {
    let (motion, reference) = (random(rng), random(rng));
    let (world, frame) = (known[index].world, known[index].frame.clone());
    let parent = known[index].parent.map_or_else(Pose::identity, |parent| known[parent].world);
    // The same edit of a plain pose, with the parent as a frame.
    let (wrt, plain) = match rng.below(4) {
        0 => (Wrt::Local, Wrt::Local),
        1 => (Wrt::Parent, Wrt::Frame(parent)),
        2 => (Wrt::World, Wrt::World),
        _ => (Wrt::Frame(reference), Wrt::Frame(reference)),
    };
    let moved = match rng.below(4) {
        0 => {
            frame.translate(&motion.translation(), wrt);
            world.translated(&motion.translation(), plain)
        }
        1 => {
            frame.rotate(&motion.rotation(), wrt);
            world.rotated(&motion.rotation(), plain)
        }
        2 => {
            frame.transform(&motion, wrt);
            world.transformed(&motion, plain)
        }
        _ => {
            frame.move_local_to(&motion, &reference);
            reference * motion.inverse()
        }
    };
    carry(known, index, moved);
}

#[test]
fn random_histories_end_where_plain_products_say() {
    for seed in 0..20 {
        let mut rng = SeededRng::new(seed);
        let start: Vec<Pose> = (0..6).map(|_| random(&mut rng)).collect();
        let mut known: Vec<Known> = start
            .iter()
            .map(|world| Known { frame: CascadedFrame::new(*world), world: *world, parent: None })
            .collect();
        for step in 0..60 {
            let (a, b) = (rng.below(6), rng.below(6));
            match rng.below(3) {
                0 => {
                    let ring = is_above(&known, b, a);
                    let result = known[a].frame.attach(&known[b].frame, Attachment::KeepWorld, true);
                    assert_eq!(result.is_err(), ring, "seed {seed}, step {step}");
                    if !ring {
                        known[b].parent = Some(a);
                    }
                }
                1 => {
                    let hangs = known[b].parent == Some(a);
                    assert_eq!(known[a].frame.detach(&known[b].frame).is_ok(), hangs, "seed {seed}, step {step}");
                    if hangs {
                        known[b].parent = None;
                    }
                }
                _ => edit(&mut known, a, &mut rng),
            }
            for (index, one) in known.iter().enumerate() {
                // Rounding of up to 60 edits, each times poses of order 1 to 100.
                let gap = (one.frame.world_pose().to_matrix() - one.world.to_matrix()).amax();
                assert!(gap < 1e-9, "seed {seed}, step {step}, frame {index}: {gap}");
                let below = (0..6).filter(|other| *other != index && is_above(&known, index, *other)).count();
                assert_eq!(one.frame.descendants().len(), below, "seed {seed}, step {step}");
            }
        }
    }
}

#[test]
fn what_would_make_a_ring_or_steal_a_child_is_refused() {
    let (a, b, c) = (at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(2.0, 0.0, 0.0));
    a.attach(&b, Attachment::KeepWorld, false).unwrap();
    b.attach(&c, Attachment::KeepWorld, false).unwrap();
    for (parent, child) in [(&a, &a), (&c, &a), (&b, &a)] {
        let error = parent.attach(child, Attachment::KeepWorld, true).unwrap_err();
        assert!(error.code() == "InvalidValue" && error.to_string().contains("above"), "{error}");
    }
    assert!(a.attach(&c, Attachment::KeepWorld, false).unwrap_err().to_string().contains("force"));
    a.attach(&c, Attachment::KeepWorld, true).unwrap();
    assert!(b.children().is_empty() && a.children() == [b.clone(), c]);
    assert!(b.detach(&a).is_err());
}

#[test]
fn a_copy_in_the_world_hangs_on_nothing_and_moves_alone() {
    let (parent, child) = (at(1.0, 0.0, 0.0), at(1.0, 1.0, 0.0));
    parent.attach(&child, Attachment::KeepWorld, false).unwrap();
    let copy = child.world_copy();
    parent.translate(&Vector3::z(), Wrt::World);
    assert_eq!((position(copy.world_pose()), position(child.world_pose())), ([1.0, 1.0, 0.0], [1.0, 1.0, 1.0]));
    assert!(copy.parent().is_none() && copy != child);
}

#[test]
fn a_frame_keeps_those_above_it_and_not_those_below() {
    let child = at(0.0, 1.0, 0.0);
    {
        let parent = at(1.0, 0.0, 0.0);
        parent.attach(&child, Attachment::KeepNumbers, false).unwrap();
        parent.attach(&at(5.0, 5.0, 5.0), Attachment::KeepWorld, false).unwrap();
        assert!(parent.descendants() == std::slice::from_ref(&child));
    }
    assert_same(&child.world_pose(), &Pose::from_xyz(1.0, 1.0, 0.0), "the parent lives on");
}

#[test]
fn threads_that_attach_frames_to_each_other_make_no_ring() {
    let frames: Vec<CascadedFrame> = (0..4).map(|index| at(f64::from(index), 0.0, 0.0)).collect();
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let frames = &frames;
            scope.spawn(move || {
                let mut rng = SeededRng::new(seed);
                for _ in 0..500 {
                    let (a, b) = (&frames[rng.below(4)], &frames[rng.below(4)]);
                    // Refused or done: what matters is that every walk upwards ends where it began in the world.
                    let _ = a.attach(b, Attachment::KeepWorld, true);
                    let _ = b.world_pose();
                }
            });
        }
    });
    for (index, frame) in frames.iter().enumerate() {
        assert!((frame.world_pose().translation().x - index as f64).abs() < 1e-9);
    }
}
