//! Text of a report.

use std::fmt;

use kinetic_core::digits::short;
use kinetic_ik::LimitViolation;

use super::state::{BranchFate, IkEvidence, StateEvidence};
use super::{PlanningReport, SearchEvidence, Suggestion};
use crate::self_motion::SelfMotionTried;

/// Lines of a kind that are listed at most.
const MAX_LINES_PER_KIND: usize = 6;

fn mm(metres: f64) -> String {
    format!("{:.1} mm", 1e3 * metres)
}

impl fmt::Display for PlanningReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.message)?;
        if let Some(start) = &self.evidence.start {
            writeln!(f, "start:\n{start}")?;
        }
        if let Some(goal) = &self.evidence.goal {
            writeln!(f, "goal:\n{goal}")?;
        }
        if let Some(ik) = &self.evidence.ik {
            writeln!(f, "goal pose:\n{ik}")?;
        }
        for member in self.evidence.members.iter().take(MAX_LINES_PER_KIND) {
            writeln!(f, "goal {} of the set:", member.index + 1)?;
            member.goal.iter().try_for_each(|goal| write!(f, "{goal}"))?;
            member.ik.iter().try_for_each(|ik| write!(f, "{ik}"))?;
        }
        if let Some(search) = &self.evidence.search {
            writeln!(f, "search:\n{search}")?;
        }
        if self.suggestions.is_empty() {
            return write!(f, "no suggestions");
        }
        writeln!(f, "tried:")?;
        let lines: Vec<String> = self.suggestions.iter().map(|suggestion| format!("  {suggestion}")).collect();
        write!(f, "{}", lines.join("\n"))
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.tried, self.solved, self.failure) {
            (false, ..) => write!(f, "(not tried)    {}", self.change),
            (_, true, _) => write!(f, "solves it      {}", self.change),
            (_, _, Some(code)) => write!(f, "does not help  {} ({code})", self.change),
            _ => write!(f, "does not help  {}", self.change),
        }
    }
}

fn write_miss(f: &mut fmt::Formatter<'_>, miss: &LimitViolation) -> fmt::Result {
    let LimitViolation { joint, value, min, max } = miss;
    writeln!(f, "  \"{joint}\" = {value:.6} is outside [{min:.6}, {max:.6}] by {}", short(miss.amount()))
}

impl fmt::Display for StateEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for miss in self.outside.iter().take(MAX_LINES_PER_KIND) {
            write_miss(f, miss)?;
        }
        for contact in self.contacts.iter().take(MAX_LINES_PER_KIND) {
            let (link, other) = (&contact.pair.link, &contact.pair.other);
            let depth = if contact.distance < 0.0 {
                format!("{} deep in each other", mm(contact.depth()))
            } else {
                format!("{} apart", mm(contact.distance))
            };
            let margin = contact.margin.map_or_else(String::new, |margin| format!(", has to keep {}", mm(margin)));
            writeln!(f, "  \"{link}\" and \"{other}\": {depth}{margin}")?;
        }
        Ok(())
    }
}

impl fmt::Display for IkEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, outside, colliding) = (self.fates.len(), self.outside_limits(), self.in_collision());
        match &self.report.solver {
            Some(solver) => writeln!(
                f,
                "  {count} branches by {solver}: {outside} outside joint limits, {colliding} in collision, {} free",
                self.free()
            )?,
            None => writeln!(f, "  no closed form for this arm; a numerical search found nothing usable")?,
        }
        for (number, fate) in self.fates.iter().enumerate().take(MAX_LINES_PER_KIND) {
            match fate {
                BranchFate::Free => writeln!(f, "  branch {}: free", number + 1)?,
                BranchFate::OutsideLimits(misses) => {
                    let joints: Vec<String> =
                        misses.iter().map(|miss| format!("\"{}\" by {:.3}", miss.joint, miss.amount())).collect();
                    writeln!(f, "  branch {}: outside limits, {}", number + 1, joints.join(", "))?;
                }
                BranchFate::InCollision(pair, distance) => {
                    let (link, other) = (&pair.link, &pair.other);
                    writeln!(f, "  branch {}: \"{link}\" with \"{other}\", distance {}", number + 1, mm(*distance))?;
                }
            }
        }
        if let Some(tried) = &self.self_motion {
            let SelfMotionTried { places, configurations, inside_limits, in_collision, colliding } = tried;
            writeln!(
                f,
                "  self-motion: {configurations} configurations at {places} places, {inside_limits} inside joint limits, \
                 {in_collision} of these in collision"
            )?;
            let total: u64 = colliding.iter().map(|(_, count)| count).sum();
            for (pair, count) in colliding.iter().take(MAX_LINES_PER_KIND) {
                let share = 100.0 * *count as f64 / total as f64;
                writeln!(f, "    \"{}\" with \"{}\": {share:.0} %", pair.link, pair.other)?;
            }
        }
        if let Some(reason) = &self.report.out_of_reach {
            writeln!(f, "  {reason}")?;
        }
        let nearest = &self.report.nearest;
        if !nearest.converged {
            let (position, orientation) = (nearest.position_error, nearest.orientation_error);
            writeln!(f, "  the nearest pose reached is off by {} and {orientation:.4} rad", mm(position))?;
        }
        Ok(())
    }
}

impl fmt::Display for SearchEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [start, goal] = self.trees.each_ref().map(|tree| tree.nodes.len());
        let (accepted, refused) = self.motions;
        writeln!(
            f,
            "  {} iterations in {:.3} s; {accepted} motions free, {refused} blocked",
            self.iterations, self.elapsed
        )?;
        writeln!(f, "  tree of the start: {start} configurations; tree of the goal: {goal}")?;
        if let Some((_, _, distance)) = &self.approach {
            write!(f, "  nearest approach of the trees: {distance:.3} in joint space")?;
            match &self.gap {
                Some(pair) => writeln!(f, ", where \"{}\" meets \"{}\"", pair.link, pair.other)?,
                None => writeln!(f)?,
            }
        }
        let total: u64 = self.blocking.iter().map(|(_, count)| count).sum();
        for (pair, count) in self.blocking.iter().take(MAX_LINES_PER_KIND) {
            let share = 100.0 * *count as f64 / total as f64;
            writeln!(f, "  blocked by \"{}\" with \"{}\": {share:.0} %", pair.link, pair.other)?;
        }
        if self.solved {
            writeln!(f, "  with a budget of its own the same search found a plan")?;
        }
        Ok(())
    }
}
