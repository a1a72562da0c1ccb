//! Set-ups with more than one fault, and sets of goals: which evidence is about which end, and what mends them together.

use kinetic::planning::{Change, PlanningReport};
use kinetic::prelude::*;

use crate::reports::{GOAL, START, failure, of_kind, planner, with};
use crate::support::workcell;

/// The workcell with balls through the last wrist at some configurations: ball0, ball1, …
fn pierced(at: &[[f64; 6]]) -> Scene {
    let mut scene = workcell();
    let wrist = scene.robot().link_index("wrist_3_link").unwrap();
    for (index, q) in at.iter().enumerate() {
        let pose = scene.link_poses(q).unwrap()[wrist];
        scene.add(&format!("ball{index}"), Shape::sphere(0.05).unwrap(), pose).unwrap();
    }
    scene
}

/// The kinds of every combination that solves it.
fn solving(report: &PlanningReport) -> Vec<Vec<&'static str>> {
    let solved = report.suggestions.iter().filter(|suggestion| suggestion.solved);
    solved.map(|suggestion| suggestion.change.parts().iter().map(Change::kind).collect()).collect()
}

#[test]
fn start_and_goal_in_collision_are_mended_together() {
    let report = failure(&planner(pierced(&[START, GOAL])), &START, &Goal::joints(GOAL), "StartInCollision");
    let evidence = &report.evidence;
    assert_eq!(evidence.pair().unwrap().other, "ball0");
    assert_eq!(evidence.tightest(), evidence.start.as_ref().unwrap().tightest());
    assert_eq!(evidence.goal.as_ref().unwrap().tightest().unwrap().pair.other, "ball1");
    let solving = solving(&report);
    for wanted in [["remove_object", "remove_object"], ["start", "remove_object"]] {
        assert!(solving.contains(&wanted.to_vec()), "{wanted:?} in {solving:?}");
    }
    assert!(solving.iter().all(|kinds| kinds.len() == 2), "{report}");
    // What is told is what was done.
    let both = of_kind(&report, "several");
    let text = report.to_string();
    assert!(both.change.parts().iter().all(|part| text.contains(&part.to_string())), "{text}");
}

#[test]
fn a_start_in_collision_with_a_goal_in_degrees_is_mended() {
    let degrees = GOAL.map(f64::to_degrees);
    let report = failure(&planner(pierced(&[START])), &START, &Goal::joints(degrees), "StartInCollision");
    assert!(solving(&report).contains(&vec!["radians_for_degrees", "remove_object"]), "{report}");
}

#[test]
fn a_margin_too_large_with_a_goal_outside_limits_is_mended() {
    let mut scene = workcell();
    let tool = scene.link_poses(&START).unwrap()[scene.robot().link_index("tool0").unwrap()];
    scene.add("ball", Shape::sphere(0.02).unwrap(), tool * Pose::from_xyz(0.0, 0.0, 0.07)).unwrap();
    let planner = with(planner(scene), |config| config.collision_margin = 0.08);
    let mut goal = GOAL;
    goal[5] = 6.4;
    let report = failure(&planner, &START, &Goal::joints(goal), "StartInCollision");
    // The joint is that of the goal, the pair that of the start.
    assert_eq!(report.evidence.outside().unwrap().joint, "wrist_3_joint");
    assert_eq!(report.evidence.pair().unwrap().other, "ball");
    assert!(solving(&report).contains(&vec!["collision_margin", "goal"]), "{report}");
}

#[test]
fn of_three_faults_all_are_mended_by_as_few_changes_as_it_takes() {
    let mut scene = pierced(&[START, GOAL]);
    let forearm = scene.robot().link_index("forearm_link").unwrap();
    let pose = scene.link_poses(&GOAL).unwrap()[forearm];
    scene.add("bead", Shape::sphere(0.02).unwrap(), pose).unwrap();
    let report = failure(&planner(scene), &START, &Goal::joints(GOAL), "StartInCollision");
    assert!(solving(&report).contains(&vec!["goal", "remove_object"]), "{report}");
    assert!(solving(&report).iter().all(|kinds| kinds.len() == 2), "{report}");
}

#[test]
fn what_the_scene_states_too_large_is_taken_back() {
    type Statement = fn(&mut Scene);
    let ways: [(&str, Statement); 3] = [
        ("no_margin", |scene| scene.set_margin_all("forearm_link", 0.5).unwrap()),
        ("no_padding", |scene| scene.set_padding("forearm_link", 0.2).unwrap()),
        ("no_scale", |scene| scene.set_scale("forearm_link", 4.0).unwrap()),
    ];
    for (kind, state) in ways {
        let mut scene = workcell();
        state(&mut scene);
        let report = failure(&planner(scene), &START, &Goal::joints(GOAL), "StartInCollision");
        assert!(of_kind(&report, kind).solved, "{kind}: {report}");
    }
}

#[test]
fn a_single_change_that_helps_is_not_combined() {
    let report = failure(&planner(pierced(&[START])), &START, &Goal::joints(GOAL), "StartInCollision");
    assert!(solving(&report).iter().all(|kinds| kinds.len() == 1), "{report}");
}

#[test]
fn every_member_of_a_set_of_goals_has_its_evidence_and_its_way_out() {
    let far = Goal::pose(Pose::from_xyz(2.0, 0.0, 0.0));
    let set = Goal::any([far.clone(), Goal::any([Goal::joints(GOAL)])]);
    let report = failure(&planner(pierced(&[GOAL])), &START, &set, "GoalUnreachable");
    let members = &report.evidence.members;
    assert_eq!(members.iter().map(|member| member.index).collect::<Vec<_>>(), [0, 1]);
    assert!(members[0].ik.as_ref().unwrap().report.out_of_reach.is_some() && members[0].goal.is_none());
    assert_eq!(members[1].goal.as_ref().unwrap().tightest().unwrap().pair.other, "ball0");
    assert_eq!(report.evidence.pair().unwrap().other, "ball0");
    let kinds: Vec<_> = solving(&report).concat();
    assert!(["goal_pose", "remove_object", "goal"].iter().all(|kind| kinds.contains(kind)), "{report}");
    assert!(report.to_string().contains("goal 2 of the set"), "{report}");
}

#[test]
fn a_member_outside_limits_is_told_even_where_another_can_be_used() {
    let mut outside = GOAL;
    outside[5] = 7.0;
    let set = Goal::any([Goal::joints(GOAL), Goal::joints(outside)]);
    let report = failure(&planner(workcell()), &START, &set, "JointLimitViolation");
    assert_eq!(report.evidence.members.len(), 1);
    assert_eq!(report.evidence.members[0].index, 1);
    let miss = report.evidence.outside().unwrap();
    assert_eq!((miss.joint.as_str(), miss.value), ("wrist_3_joint", 7.0));
    assert!(of_kind(&report, "goal").solved);
}
