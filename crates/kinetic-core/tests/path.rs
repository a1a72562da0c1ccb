//! Paths: order, lengths, refusals.

use kinetic_core::Trajectory;

fn triangle() -> Trajectory {
    Trajectory::from_waypoints(&[[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]).unwrap()
}

#[test]
fn waypoints_come_back_in_order_and_length_is_the_sum_of_segments() {
    let path = triangle();
    assert_eq!((path.len(), path.dof(), path.is_empty()), (3, 2, false));
    assert_eq!(path.waypoint(1).positions.0, [3.0, 4.0]);
    assert_eq!(path.iter().collect::<Vec<_>>(), [[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]);
    assert_eq!(path.segments().collect::<Vec<_>>()[1], (&[3.0, 4.0][..], &[3.0, 0.0][..]));
    assert_eq!(path.path_length(), 9.0);
    assert_eq!(path.as_slice().len(), 6);
}

#[test]
fn reversing_twice_is_the_identity_and_keeps_the_length() {
    let path = triangle();
    assert_eq!(path.reverse().positions(0), [3.0, 0.0]);
    assert_eq!(path.reverse().path_length(), path.path_length());
    assert_eq!(path.reverse().reverse(), path);
}

#[test]
fn appending_puts_one_path_after_the_other() {
    let mut path = triangle();
    path.append(&triangle().reverse()).unwrap();
    assert_eq!((path.len(), path.positions(3), path.positions(5)), (6, &[3.0, 0.0][..], &[0.0, 0.0][..]));
    assert_eq!(path.append(&Trajectory::with_dof(3)).unwrap_err().code(), "DimensionMismatch");
}

#[test]
fn an_empty_path_is_well_behaved() {
    for dof in [0, 3] {
        let path = Trajectory::with_dof(dof);
        assert_eq!((path.len(), path.is_empty(), path.path_length()), (0, true, 0.0));
        assert_eq!((path.segments().count(), path.iter().count(), path.reverse()), (0, 0, path.clone()));
    }
}

#[test]
fn wrong_sizes_and_numbers_that_are_not_finite_are_refused_and_leave_the_path_as_it_was() {
    let mut path = triangle();
    assert_eq!(path.push_waypoint(&[1.0]).unwrap_err().code(), "DimensionMismatch");
    assert_eq!(path.push_waypoint(&[1.0, f64::NAN]).unwrap_err().code(), "NotFinite");
    assert_eq!(path, triangle());
    assert_eq!(Trajectory::from_waypoints::<[f64; 2]>(&[]).unwrap_err().code(), "InvalidValue");
    assert_eq!(Trajectory::from_waypoints(&[vec![1.0], vec![1.0, 2.0]]).unwrap_err().code(), "DimensionMismatch");
}

#[test]
fn a_path_read_from_text_is_checked() {
    let path = triangle();
    let text = serde_json::to_string(&path).unwrap();
    assert_eq!(serde_json::from_str::<Trajectory>(&text).unwrap(), path);
    for bad in [r#"{"dof": 2, "values": [1, 2, 3]}"#, r#"{"dof": 0, "values": [1]}"#] {
        assert!(serde_json::from_str::<Trajectory>(bad).is_err(), "{bad}");
    }
}
