//! Reasons of errors: why in particular, with the figures of it, for those errors that have several.
//!
//! A reason's `code` and its fields are fields of the error, too; its text is the error's `reason`.

use super::field::{Field, FieldValue, ReasonSpec};
use super::table::reasons;
use crate::digits::short;

reasons! {
    /// Why two links are not the ends of a chain.
    pub enum ChainExtraction;

    /// The base hangs below the tip.
    BaseBelowTip => "the base hangs below the tip; swap them";

    /// The links are on different branches of the tree.
    DifferentBranches {
        /// The link where the branches part.
        fork: String,
    } => "they are on different branches, which part at \"{fork}\"";

    /// The base is no ancestor of the tip.
    BaseNotAbove {
        /// The root of the tip's tree.
        root: String,
    } => "the path from the tip up ends at \"{root}\" without meeting the base";

    /// Only fixed joints are between the links.
    NothingMoves => "no joint moves between them";
}

reasons! {
    /// Why a solver does not fit an arm.
    pub enum IncompatibleKinematics;

    /// No class of arms with a closed form has this one.
    NoClass {
        /// What the arm is.
        detail: String,
        /// Classes that have a closed form.
        available: Vec<String>,
    } => "{detail}; closed forms exist for: {}", available.join("; ");

    /// No closed form was sought.
    NumericalOnly => "this chain is solved by numerical solvers alone";

    /// A joint of the group does not belong to the chain.
    JointOutsideChain {
        /// The joint.
        joint: String,
    } => "joint \"{joint}\" of the group does not lie between its base and its tip";

    /// A joint moves another one.
    MimicJoint {
        /// The joint.
        joint: String,
    } => "joint \"{joint}\" moves another one along (mimic); closed forms need independent joints";

    /// The solver is one of another class of arms.
    OtherClass {
        /// The solver.
        solver: String,
        /// What it is for.
        summary: String,
        /// The solver that fits the arm, and why.
        fits: String,
    } => "solver \"{solver}\" is for: {summary}; what fits this arm is \"analytic\", {fits}";

    /// The solver needs a whole pose.
    WholePosesOnly {
        /// The solver.
        solver: String,
    } => "solver \"{solver}\" finds full poses; position_only needs a numerical solver: dls";

    /// The arm meets a part of a pose only.
    PartOfPose {
        /// Joints of the arm.
        joints: usize,
        /// The part that it meets.
        met: String,
    } => "directions are those of whole poses, and {joints} joints meet {met} only";

    /// No source code can be generated of the solver.
    NoGenerator {
        /// The solver.
        solver: String,
        /// Solvers that code can be generated of.
        available: Vec<String>,
    } => "no code can be generated for solver \"{solver}\"; it can for {}", available.join(", ");

    /// The solver of this arm is made anew for every value of a joint.
    NoSingleArm {
        /// The solver.
        solver: String,
    } => "no code can be generated for solver \"{solver}\" of this arm: every value of the joint that is locked makes another \
          arm, or the joints that are left belong to their class only nearly; another joint to lock may do";
}

reasons! {
    /// Why a call cannot use a kind of goal.
    pub enum UnsupportedGoal;

    /// The goal is a set or a region, and the call needs a list.
    NoConfigurations {
        /// Kind of the goal.
        kind: String,
    } => "a goal of kind \"{kind}\" has no list of configurations";

    /// The goal states no lengths that could be converted.
    NoLengths {
        /// Kind of the goal.
        kind: String,
    } => "a {kind} goal has no lengths; joint, pose and relative goals have";
}

reasons! {
    /// Why no configuration reaches a pose.
    pub enum NoIKSolution;

    /// The lengths of the arm prove that it is too far or too near.
    OutOfReach {
        /// The proof in words.
        proof: String,
        /// The nearest pose that was reached, in words.
        nearest: String,
        /// Its distance from the wanted one, m.
        position_error: f64,
        /// Its angle from the wanted one, rad.
        orientation_error: f64,
    } => "{proof}; {nearest}";

    /// The closed form that was asked for has no branch inside the limits.
    NoBranch {
        /// What became of the branches, in words.
        summary: String,
        /// Branches before limits.
        branches: usize,
        /// Branches outside the limits.
        outside_limits: usize,
    } => "{summary}";

    /// The closed form proves that there is none, and a numerical solver found the nearest pose.
    ProvenByBranches {
        /// What became of the branches, in words.
        summary: String,
        /// Branches before limits.
        branches: usize,
        /// Branches outside the limits.
        outside_limits: usize,
        /// Larger of distance (m) and angle (rad) of the nearest pose that was reached.
        residual: f64,
    } => "{summary}; the nearest pose reached is off by {}", short(*residual);

    /// An arm with few joints meets a part of the pose, and never the whole.
    PartOfPose {
        /// Joints of the arm.
        joints: usize,
        /// The part that it meets.
        met: String,
        /// Configurations that meet this part.
        branches: usize,
        /// What the numerical solver says of the whole pose.
        search: String,
    } => "{joints} joints cannot meet a whole pose in general: this arm meets {met}, here in {branches} configurations (ik_all), \
          and none of them the rest within the tolerances; {search}";

    /// Along a path of poses no continuous path of joints exists.
    PathNotContinuous {
        /// The first obstacle, in words.
        detail: String,
        /// The first pose that cannot be reached continuously, from 0.
        pose: usize,
        /// Number of obstacles.
        obstacles: usize,
    } => "{detail}";
}

reasons! {
    /// Why a goal has no usable configuration.
    pub enum GoalUnreachable;

    /// Inverse kinematics did not converge.
    NotConverged {
        /// Random starts, the first included.
        attempts: usize,
        /// Iterations over all of them.
        iterations: usize,
        /// Largest of position error (m) and rotation error (rad) of the best configuration.
        residual: f64,
    } => "no configuration inside the joint limits found in {attempts} attempts ({iterations} iterations); the nearest pose \
          reached is off by {} (m or rad)", short(*residual);

    /// No configuration reaches the pose.
    NoIKSolution {
        /// Why.
        cause: NoIKSolution,
    } => "{cause}";

    /// None of the poses of a region that were tried can be used.
    Region {
        /// Poses that were tried.
        poses: u64,
        /// Those that no configuration reaches.
        out_of_reach: u64,
        /// Those that are reached in collision only.
        in_collision: u64,
    } => "of {poses} poses of the region, {out_of_reach} are out of reach and {in_collision} reached in collision only";

    /// None of several goals can be met.
    Several {
        /// Number of goals.
        goals: usize,
        /// The error's code of each goal.
        codes: Vec<String>,
        /// The first few errors, in words.
        detail: String,
    } => "none of the {goals} goals can be met: {detail}";

    /// The goal of one of several groups cannot be met.
    Group {
        /// The group.
        group: String,
        /// The error's code of its goal.
        goal_code: String,
        /// The error of its goal, in words.
        detail: String,
    } => "the goal of group \"{group}\" cannot be met: {detail}";

    /// The goals of several groups can be met one by one, and not together.
    Together {
        /// Combinations of configurations that were tried.
        tried: u64,
        /// A link of one group, or what it carries.
        link: String,
        /// What it collides with in the combination nearest to the start.
        other: String,
    } => "the goals of the groups can be met one by one, but in none of {tried} combinations together; nearest to the start, \
          \"{link}\" collides with \"{other}\"";
}

reasons! {
    /// Why a planner gave up.
    pub enum PlanningFailed;

    /// The start is not valid.
    InvalidStart => "the start configuration is not valid";

    /// The goal is not valid.
    InvalidGoal => "the goal configuration is not valid";

    /// None of several goals is valid.
    InvalidGoals {
        /// Number of goals.
        goals: usize,
    } => "none of the {goals} goal configurations is valid";

    /// A planner of the caller's own found no path.
    NoPath {
        /// The planner.
        planner: String,
    } => "planner \"{planner}\" found no path";

    /// No chain of convex regions led from the start to a goal.
    NoChain {
        /// The planner.
        planner: String,
        /// Number of regions.
        regions: usize,
        /// Regions that hold the start, or are joined with it by a straight motion.
        at_start: usize,
        /// Likewise with a goal.
        at_goals: usize,
        /// Chains between them along which no motion was proven.
        refused: u64,
    } => "planner \"{planner}\" found no path: of {regions} regions {at_start} can be reached from the start and {at_goals} from a \
          goal, and no motion was proven along {refused} chains between them";

    /// No initial trajectory became free.
    NotRepaired {
        /// The planner.
        planner: String,
        /// Initial trajectories that were tried.
        seeds: u64,
        /// Least cost of a trajectory.
        cost: f64,
    } => "planner \"{planner}\" repaired none of {seeds} initial trajectories; the best one costs {}", short(*cost);

    /// No initial trajectory became free, and it is known what is in the way.
    NotRepairedNear {
        /// The planner.
        planner: String,
        /// Initial trajectories that were tried.
        seeds: u64,
        /// Least cost of a trajectory.
        cost: f64,
        /// The link that is nearest to where it must not be, on the trajectory of least cost.
        link: String,
        /// What it is too near to.
        other: String,
        /// What is missing to the required clearance, m.
        missing: f64,
    } => "planner \"{planner}\" repaired none of {seeds} initial trajectories; on the best one, which costs {}, \"{link}\" is {} m \
          too near to \"{other}\"", short(*cost), short(*missing);

    /// A planner of the caller's own raised an exception.
    PlannerRaised {
        /// The planner.
        planner: String,
        /// What it raised.
        raised: String,
    } => "planner \"{planner}\" raised {raised}";
}

reasons! {
    /// What is wrong with a path.
    pub enum PlannerOutputInvalid;

    /// A joint is outside its limits.
    OutsideLimits {
        /// Joint, counted from 0.
        joint: usize,
        /// Its value, rad or m.
        value: f64,
        /// Lower limit.
        min: f64,
        /// Upper limit.
        max: f64,
    } => "joint {joint} = {value} is outside [{min}, {max}]";

    /// The path of a planner begins elsewhere.
    NotAtStart => "the path does not begin at the start";

    /// The path of a planner ends elsewhere.
    NotAtGoal {
        /// The goal that it names, counted from 0.
        goal: usize,
        /// Number of goals.
        goals: usize,
    } => "the path does not end at goal {goal} of {goals}";

    /// An edge that a search accepted quickly was refused its proof.
    EdgeRefused => "the edge to the next waypoint is not valid";

    /// A path that was given has a motion that is not valid.
    MotionInvalid => "the motion from here is not valid";
}
