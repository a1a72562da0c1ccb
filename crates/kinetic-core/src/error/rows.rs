//! All errors, one row each: a new error is a new row.

use std::path::PathBuf;

use super::field::{Field, FieldSpec, FieldValue};
use super::table::errors;
use super::text::{list, of_configurations, of_starts, place, plural, seconds_and, suggestions};
use super::{ErrorFamily, ErrorSpec, reason};
use crate::digits::short;

errors! {
    /// Everything that can go wrong, with the facts a user needs to act on it.
    ///
    /// The text of each variant starts with the variant's name, which is also its [`code`](Self::code).
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub enum KineticError;

    /// A vector or matrix of the wrong size.
    DimensionMismatch {
        /// What was given.
        context: String = "joint vector".into(),
        /// The wanted size, and for whom.
        expected: String = "6".into(),
        /// The given size.
        got: usize = 5,
    } => Input, "{context} has {got} values, expected {expected}";

    /// NaN or infinity where a finite number is needed.
    NotFinite {
        /// What was given.
        context: String = "joint vector".into(),
        /// Position of the first such value.
        index: usize = 2,
        /// The value.
        value: f64 = f64::INFINITY,
    } => Input, "{context} has {value} at index {index}";

    /// A value outside its domain.
    InvalidValue {
        /// Parameter name.
        name: String = "radius".into(),
        /// What was given.
        value: String = "-1".into(),
        /// What is possible.
        wanted: String = "a positive number".into(),
    } => Input, "{name} = {value}; wanted {wanted}";

    /// A joint value outside its limits.
    JointLimitViolation {
        /// Joint name.
        name: String = "elbow_joint".into(),
        /// Given value, rad or m.
        value: f64 = 4.0,
        /// Lower limit.
        min: f64 = -3.0,
        /// Upper limit.
        max: f64 = 3.0,
    } => Input, "joint \"{name}\" = {value} is outside [{min}, {max}]";

    /// No built-in robot of that name.
    RobotConfigNotFound {
        /// The name given.
        name: String = "ur5".into(),
        /// Names that look alike, best first.
        close: Vec<String> = vec!["ur5e".into()],
        /// All names.
        available: Vec<String> = vec!["panda".into(), "ur5e".into()],
    } => Input, "no built-in robot \"{name}\"; {}", suggestions(close, available);

    /// No link of that name.
    LinkNotFound {
        /// The name given.
        name: String = "wrist".into(),
        /// Names that exist.
        available: Vec<String> = vec!["base".into(), "forearm".into()],
    } => Input, "no link \"{name}\"; links are {}", list(available);

    /// No joint of that name.
    JointNotFound {
        /// The name given.
        name: String = "wrist".into(),
        /// Names that exist.
        available: Vec<String> = vec!["shoulder".into(), "elbow".into()],
    } => Input, "no joint \"{name}\"; joints are {}", list(available);

    /// No planning group of that name.
    GroupNotFound {
        /// The name given.
        name: String = "hand".into(),
        /// Robot name.
        robot: String = "ur5e".into(),
        /// Names that exist.
        available: Vec<String> = vec!["arm".into()],
    } => Input, "no planning group \"{name}\" in robot \"{robot}\"; groups are {}", list(available);

    /// Groups that are planned together and move the same joint.
    GroupsShareJoint {
        /// One of the groups.
        group: String = "arm".into(),
        /// The other one.
        other: String = "arm_with_torso".into(),
        /// The joint that both move.
        joint: String = "shoulder".into(),
    } => Input, "groups \"{group}\" and \"{other}\" both move joint \"{joint}\"; groups that are planned together share no joint";

    /// A question about one tip, asked of a group that has several.
    SeveralTips {
        /// Planning group.
        group: String = "both_arms".into(),
        /// Its tip links.
        tips: Vec<String> = vec!["left_hand".into(), "right_hand".into()],
        /// Groups inside it that have one tip.
        available: Vec<String> = vec!["left_arm".into(), "right_arm".into()],
    } => Input, "group \"{group}\" has several tips, {}; groups inside it with one tip are {}", list(tips), list(available);

    /// No object of the scene and no attached body of that name.
    ObjectNotFound {
        /// The name given.
        name: String = "cup".into(),
        /// Names that exist.
        available: Vec<String> = vec!["table".into()],
    } => Input, "no object \"{name}\" in the scene; objects are {}", list(available);

    /// No named pose of that name.
    NamedConfigNotFound {
        /// The name given.
        name: String = "sleep".into(),
        /// Planning group.
        group: String = "arm".into(),
        /// Names that exist.
        available: Vec<String> = vec!["home".into()],
    } => Input, "no named pose \"{name}\" for group \"{group}\"; poses are {}", list(available);

    /// No planner, time law, shape or the like of that name.
    UnknownName {
        /// Kind of thing, for example `planner`.
        kind: String = "planner".into(),
        /// The name given.
        name: String = "prm".into(),
        /// Names that exist.
        available: Vec<String> = vec!["rrt_connect".into()],
    } => Input, "no {kind} \"{name}\"; {} are {}", plural(kind), list(available);

    /// A robot without links.
    NoLinks {
        /// Robot name.
        robot: String = "empty".into(),
    } => Input, "robot \"{robot}\" has no links";

    /// Base and tip are not connected as a chain.
    ChainExtraction {
        /// Base link.
        base: String = "base".into(),
        /// Tip link.
        tip: String = "tool".into(),
        /// Why there is no chain.
        reason: reason::ChainExtraction = reason::ChainExtraction::NothingMoves,
    } => Input, "from \"{base}\" to \"{tip}\": {reason}";

    /// Two frames that no chain of transforms joins.
    FramesNotConnected {
        /// The frame that was asked from.
        from: String = "camera".into(),
        /// The frame that was asked for.
        to: String = "tool".into(),
        /// The frames that are connected with the first, itself included.
        connected: Vec<String> = vec!["camera".into(), "table".into()],
    } => Input, "no transforms lead from \"{from}\" to \"{to}\"; from \"{from}\" they lead to {}", list(connected);

    /// A solver that does not fit the arm.
    IncompatibleKinematics {
        /// Why, and what fits.
        reason: reason::IncompatibleKinematics =
            reason::IncompatibleKinematics::MimicJoint { joint: "finger_joint".into() },
    } => Input, "{reason}";

    /// A kind of goal that the call cannot use.
    UnsupportedGoal {
        /// Which kind, and what is possible.
        reason: reason::UnsupportedGoal = reason::UnsupportedGoal::NoConfigurations { kind: "region".into() },
    } => Input, "{reason}";

    /// A URDF document is malformed or uses something unsupported.
    UrdfParse {
        /// File name, or `<string>`.
        file: String = "robot.urdf".into(),
        /// Line in the file, from 1; 0 when the whole document is meant.
        line: u32 = 3,
        /// What is wrong.
        detail: String = "no <robot>".into(),
    } => Input, "{}: {detail}", place(file, *line);

    /// An MJCF (MuJoCo) document is malformed or uses something unsupported.
    MjcfParse {
        /// File name, or `<string>`.
        file: String = "robot.xml".into(),
        /// Line in the file, from 1; 0 when the whole document is meant.
        line: u32 = 3,
        /// What is wrong.
        detail: String = "no <mujoco>".into(),
    } => Input, "{}: {detail}", place(file, *line);

    /// An SDF (SDFormat) document is malformed or uses something unsupported.
    SdfParse {
        /// File name, or `<string>`.
        file: String = "robot.sdf".into(),
        /// Line in the file, from 1; 0 when the whole document is meant.
        line: u32 = 3,
        /// What is wrong.
        detail: String = "no <sdf>".into(),
    } => Input, "{}: {detail}", place(file, *line);

    /// An SRDF document is malformed or contradicts the robot.
    SrdfParse {
        /// File name, or `<string>`.
        file: String = "robot.srdf".into(),
        /// Line in the file, from 1.
        line: u32 = 3,
        /// What is wrong.
        detail: String = "no link \"wrist\"".into(),
    } => Input, "{}: {detail}", place(file, *line);

    /// A document (robot configuration, scene, trajectory, roadmap) is malformed or damaged.
    FileParse {
        /// File name, or `<string>`.
        file: String = "scene.toml".into(),
        /// Line in the file, from 1; 0 when unknown.
        line: u32 = 3,
        /// What is wrong.
        detail: String = "missing field `name`".into(),
    } => Input, "{}: {detail}", place(file, *line);

    /// No configuration reaches the pose.
    NoIKSolution {
        /// What stopped it.
        reason: reason::NoIKSolution = reason::NoIKSolution::NoBranch {
            summary: "unreachable: six.spherical has no branch that reaches the target".into(),
            branches: 0,
            outside_limits: 0,
        },
    } => InverseKinematics, "{reason}";

    /// A numerical solver stopped before it met the tolerance.
    IKNotConverged {
        /// Iterations over all restarts.
        iterations: usize = 100,
        /// Largest of position error (m) and rotation error (rad) of the best configuration.
        residual: f64 = 0.01,
    } => InverseKinematics retryable, "best residual {} after {iterations} iterations", short(*residual);

    /// The time of a search ended before its answer was complete: all branches, or a whole path.
    IKTimeout {
        /// Seconds used.
        elapsed: f64 = 0.1,
        /// Iterations, samples of a self-motion or poses so far.
        iterations: u64 = 12,
    } => InverseKinematics retryable, "no answer after {}{iterations} iterations", seconds_and(*elapsed);

    /// The start configuration touches something, or is nearer to it than its margin.
    StartInCollision {
        /// Robot link or attached body.
        link: String = "forearm".into(),
        /// The other link or object.
        other: String = "table".into(),
        /// Signed distance, m; negative is penetration.
        distance: f64 = -0.01,
        /// Margin the pair had to keep, m.
        margin: f64 = 0.02,
    } => Planning, "\"{link}\" with \"{other}\" (distance {distance:.4} m, required margin {margin:.4} m)";

    /// The start or the goal does not keep a constraint, or a motion could not be shown to keep it.
    ConstraintViolated {
        /// What violates it: `start`, `goal`, or a part of a motion.
        context: String = "start".into(),
        /// The constraint.
        constraint: String = "{ kind = \"orientation\", link = \"tool0\", axis = [0.0, 0.0, 1.0], tolerance = 0.1 }".into(),
        /// Deviation from what it demands, rad or m.
        value: f64 = 0.25,
        /// Largest deviation, rad or m.
        tolerance: f64 = 0.1,
    } => Planning, "{context} deviates by {} from the constraint {constraint}, whose tolerance is {}", short(*value), short(*tolerance);

    /// A function that states a constraint failed, or is not what it was said to be.
    ConstraintFunctionFailed {
        /// Name of the constraint.
        constraint: String = "level".into(),
        /// What it did.
        detail: String = "has 3 values, expected 2".into(),
    } => Input, "the function of constraint \"{constraint}\" {detail}";

    /// A function that states what configurations cost failed.
    CostFunctionFailed {
        /// What it did.
        detail: String = "raised ValueError: out of reach".into(),
    } => Input, "the function of state_cost {detail}";

    /// The goal configuration touches something, or is nearer to it than its margin.
    GoalInCollision {
        /// Robot link or attached body.
        link: String = "forearm".into(),
        /// The other link or object.
        other: String = "table".into(),
        /// Signed distance, m; negative is penetration.
        distance: f64 = -0.01,
        /// Margin the pair had to keep, m.
        margin: f64 = 0.02,
        /// Configurations that meet the goal and were tried, all of them in collision; the pair is of the first one.
        tried: u64 = 1,
    } => Planning, "\"{link}\" with \"{other}\" (distance {distance:.4} m, required margin {margin:.4} m){}",
        of_configurations(*tried);

    /// A pose goal has no usable configuration.
    GoalUnreachable {
        /// What stopped it, with the figures of the attempts.
        reason: reason::GoalUnreachable = reason::GoalUnreachable::Region { poses: 64, out_of_reach: 60, in_collision: 4 },
    } => Planning, "{reason}";

    /// The time or iteration budget ended before a plan was found.
    PlanningTimeout {
        /// Seconds used; 0 where the budget is one of iterations only and time does not count.
        elapsed: f64 = 5.0,
        /// Iterations used.
        iterations: u64 = 1000,
    } => Planning retryable, "no plan after {}{iterations} iterations", seconds_and(*elapsed);

    /// The planner gave up for another reason than its budget.
    PlanningFailed {
        /// Why.
        reason: reason::PlanningFailed = reason::PlanningFailed::InvalidStart,
    } => Planning, "{reason}";

    /// A Cartesian motion that has to be followed to its end ends before.
    CartesianPathIncomplete {
        /// Part of the path that can be followed, by its length.
        fraction: f64 = 0.4,
        /// How far along the path that is, m.
        at: f64 = 0.08,
        /// The move of the path that is not gone through.
        move_index: usize = 0,
        /// What is in the way, as the kinds of `CartesianResult.obstacle`.
        kind: String = "collision".into(),
        /// What is in the way, in words.
        reason: String = "after 0.0800 m, in move 0: \"forearm\" would be 0.0100 m from \"table\", with a margin of 0.0200 m".into(),
    } => Planning, "{}% of the path can be followed: {reason}", short(*fraction * 100.0);

    /// An item of a sequence of motions cannot be planned.
    SequenceItemFailed {
        /// The item, counted from 0.
        item: usize = 1,
        /// Number of items.
        items: usize = 3,
        /// Configurations at the end of the free-space item before that were tried as starts of this one; 1 without a choice.
        tried: u64 = 8,
        /// Why: of several attempts that of the one that came farthest.
        reason: Box<KineticError> = Box::new(KineticError::GoalInCollision {
            link: "forearm".into(), other: "table".into(), distance: -0.01, margin: 0.02, tried: 1,
        }),
    } => Planning, "item {item} of {items}{}: {reason}", of_starts(*tried);

    /// The computation was cancelled by its stop flag.
    Cancelled {
        /// Seconds used.
        elapsed: f64 = 1.0,
        /// Iterations used.
        iterations: u64 = 10,
    } => Planning, "stopped after {}{iterations} iterations", seconds_and(*elapsed);

    /// A path touches something.
    CollisionDetected {
        /// Waypoint before the contact.
        waypoint_index: usize = 1,
        /// Robot link or attached body.
        link: String = "forearm".into(),
        /// The other link or object.
        other: String = "table".into(),
    } => Planning, "\"{link}\" with \"{other}\" after waypoint {waypoint_index}";

    /// A timed curve comes nearer to something than it has to keep.
    TrajectoryInCollision {
        /// When, s from the start.
        time: f64 = 0.5,
        /// Robot link or attached body.
        link: String = "forearm".into(),
        /// The other link or object.
        other: String = "table".into(),
        /// Their signed distance then, m.
        distance: f64 = 0.01,
        /// The distance that they have to keep, m.
        margin: f64 = 0.02,
    } => Planning, "\"{link}\" with \"{other}\" at {time:.3} s: distance {:.1} mm, wanted {:.1} mm",
        distance * 1e3, margin * 1e3;

    /// A timed curve exceeds a limit of a joint.
    TrajectoryLimitExceeded {
        /// The joint.
        joint: String = "elbow_joint".into(),
        /// `position`, `velocity`, `acceleration` or `torque`.
        quantity: String = "velocity".into(),
        /// The value where it exceeds the limit most, with its sign; rad or m, and seconds.
        value: f64 = 3.5,
        /// The limit.
        limit: f64 = 3.0,
        /// When, s from the start.
        time: f64 = 0.5,
    } => Planning, "{quantity} of joint \"{joint}\" is {value} at {time:.3} s; its limit is {limit}";

    /// No motion keeps an effort limit: holding the robot still needs more.
    StaticTorqueExceeded {
        /// The joint.
        joint: String = "shoulder_lift_joint".into(),
        /// What holding it takes, with friction, Nm or N, with its sign.
        effort: f64 = -180.0,
        /// The limit.
        limit: f64 = 150.0,
        /// The share of it that is kept for the proof and cannot be used.
        reserve: f64 = 0.001,
        /// Waypoint of the path that is nearest to where it needs most.
        waypoint_index: usize = 1,
    } => Planning, "joint \"{joint}\" needs {} to hold the robot near waypoint {waypoint_index}; its effort limit is {}, of \
         which {}% is kept for the proof", short(*effort), short(*limit), short(*reserve * 100.0);

    /// A path does not hold what it must; one that a planner returned is never handed out.
    PlannerOutputInvalid {
        /// First wrong waypoint.
        waypoint: usize = 1,
        /// What is wrong.
        reason: reason::PlannerOutputInvalid = reason::PlannerOutputInvalid::MotionInvalid,
    } => Planning, "waypoint {waypoint}: {reason}";

    /// Anything else; used where no caller could act on a finer variant.
    Other(text: String = "something else".into()) => Planning, "{text}";

    /// An executor does not carry the trajectory out: no certificate, limits, other joints, no rest at its ends.
    InvalidTrajectory {
        /// What is wrong with it.
        reason: String = "empty trajectory".into(),
    } => Execution, "{reason}";

    /// The driver refused a command.
    CommandFailed {
        /// Seconds since the first command.
        after: f64 = 0.5,
        /// The message of the driver.
        reason: String = "not connected".into(),
    } => Execution, "the command at {after:.3} s: {reason}";

    /// The driver took no command in time.
    CommandTimeout {
        /// Seconds since the last command was taken, or since the call that does not return.
        after: f64 = 0.2,
        /// The time that is allowed, s.
        limit: f64 = 0.1,
    } => Execution, "no command was taken for {after:.3} s; at most {limit} s";

    /// An execution took too long.
    ExecutionTimeout {
        /// Seconds since the first command.
        after: f64 = 4.5,
        /// The time that is allowed at full speed, s.
        limit: f64 = 4.0,
    } => Execution, "the trajectory has not ended after {after:.3} s; at most {limit:.3} s";

    /// The robot is not where, or not as fast as, it was commanded to be.
    DeviationExceeded {
        /// The joint, or its number where names are not known.
        joint: String = "elbow_joint".into(),
        /// `position` or `velocity`.
        quantity: String = "position".into(),
        /// Measured minus commanded, rad or m, and seconds.
        value: f64 = 0.2,
        /// The tolerance.
        limit: f64 = 0.1,
    } => Execution, "{quantity} of joint \"{joint}\" is off by {value}; at most {limit}";

    /// The robot does not report its positions.
    FeedbackLost {
        /// Seconds since the last feedback.
        after: f64 = 0.2,
        /// The joints of its driver, or their numbers where names are not known.
        joints: Vec<String> = vec!["shoulder".into(), "elbow".into()],
    } => Execution, "no feedback for {after:.3} s of joints {}", joints.join(", ");

    /// An execution was aborted: the watchdog fired, and there is no second channel to stop the robot.
    Aborted {
        /// Why.
        reason: String = "the watchdog fired".into(),
    } => Execution, "{reason}";

    /// A file cannot be read or written, is no regular file (a device, a pipe, a folder), or is larger than 1 GiB (meshes:
    /// 256 MiB). In Python this is an `OSError`.
    Io {
        /// The path that was tried.
        path: PathBuf = "gone.toml".into(),
        /// Kind of failure, as the standard library names it.
        kind: std::io::ErrorKind = std::io::ErrorKind::NotFound,
        /// The system's words.
        detail: String = "no such file".into(),
    } => Files, "{}: {detail}", path.display();
}
