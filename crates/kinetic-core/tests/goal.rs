//! Goals and constraints as data.

use kinetic_core::{Goal, JointValues, Pose, PoseRegion, ReferenceFrame};
use nalgebra::Vector3;

#[test]
fn constructors_build_the_variant_they_name() {
    let goals = [
        (Goal::joints([0.1, 0.2]), "joints"),
        (Goal::pose(Pose::from_xyz(0.4, 0.0, 0.3)), "pose"),
        (Goal::named("home"), "named"),
        (Goal::relative(Vector3::new(0.0, 0.0, 0.1), ReferenceFrame::Base), "relative"),
        (Goal::region(PoseRegion::new(Pose::from_xyz(0.4, 0.0, 0.3), [0.1; 3], [0.0; 3]).unwrap()), "region"),
        (Goal::any([Goal::named("home"), Goal::joints([0.1])]), "any"),
    ];
    for (goal, kind) in &goals {
        assert_eq!(goal.kind(), *kind);
        let text = serde_json::to_string(goal).unwrap();
        assert!(text.starts_with(&format!("{{\"{kind}\"")), "{text}");
        assert_eq!(serde_json::from_str::<Goal>(&text).unwrap(), *goal);
    }
    assert_eq!(goals[0].0, Goal::Joints(JointValues::from([0.1, 0.2])));
    let Goal::Relative { offset, frame } = goals[3].0 else { panic!("{goals:?}") };
    assert_eq!((offset.translation().z, frame), (0.1, ReferenceFrame::Base));
}

#[test]
fn a_set_takes_up_the_members_of_sets_in_it() {
    let (a, b, c) = (Goal::named("a"), Goal::named("b"), Goal::joints([0.1]));
    let set = Goal::any([a.clone(), Goal::any([b.clone(), c.clone()])]);
    assert_eq!(set, Goal::Any(vec![a, b, c]));
}
