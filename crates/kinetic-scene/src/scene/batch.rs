//! Batch queries about many configurations, on several threads.

use std::sync::{Mutex, PoisonError};
use std::thread::scope;

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::parallel::processors;
use kinetic_core::{KineticError, Result};

use super::Scene;
use super::pool::CheckerKind;
use super::queries::{check_margins, check_within};
use crate::checker::Checker;
use crate::margins::Margins;
use crate::proximity::{DistancePrecision, NamedProximity, Proximity};

/// Configurations per chunk of a thread. They take some tens of microseconds at least, as long as starting a thread.
const CONFIGURATIONS_PER_CHUNK: usize = 1024;

/// Proximity queries per chunk, each of which takes microseconds. Every chunk starts with empty caches, so that results
/// do not depend on the number of threads.
const PROXIMITY_QUERIES_PER_CHUNK: usize = 64;

impl Scene {
    /// For each configuration, row after row with `columns` values each (those of the default group, or of the whole
    /// robot), whether it keeps the margins. Many rows are distributed over several threads; results do not depend on
    /// the number of threads.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a margin that is negative or not finite,
    /// [`KineticError::DimensionMismatch`] for rows of another length, [`KineticError::NotFinite`].
    pub fn are_free(&self, configurations: &[f64], columns: usize, margins: Margins) -> Result<Vec<bool>> {
        check_margins(margins)?;
        let (robot, group) = (self.robot(), &self.robot().groups[self.robot().default_group]);
        if configurations.is_empty() {
            return Ok(Vec::new());
        }
        if columns == 0 || !configurations.len().is_multiple_of(columns) {
            let given = format!("{} values in rows of {columns}", configurations.len());
            return Err(KineticError::invalid("configurations", given, "whole rows"));
        }
        if columns == robot.num_variables() && columns != group.dof() {
            return self.are_free_at(configurations, columns, margins);
        }
        // Rejects rows of any other length.
        robot.group_configuration(group, &configurations[..columns])?;
        check_finite("joint vector", configurations)?;
        let is_inside = self.is_group_inside(configurations);
        let kind = CheckerKind { group: &group.name, margins, workspace: None, is_inside };
        let mut checker = self.take_or_build(kind)?;
        let mut free = vec![false; configurations.len() / columns];
        let threads = processors().min(free.len().div_ceil(CONFIGURATIONS_PER_CHUNK));
        let chunks =
            configurations.chunks(CONFIGURATIONS_PER_CHUNK * columns).zip(free.chunks_mut(CONFIGURATIONS_PER_CHUNK));
        self.run_chunks(chunks, threads, &mut checker, kind, |checker, (rows, free)| {
            checker.are_free_into(rows, free);
        })?;
        self.give_back(kind, checker);
        Ok(free)
    }

    /// Proximity queries for many configurations (rows of the default group's length), as
    /// [`proximity`](Self::proximity) for each: pairs of all rows, in their order.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for rows of another length, [`KineticError::NotFinite`],
    /// [`KineticError::InvalidValue`] for `within`.
    pub fn proximity_batch(
        &self,
        configurations: &[f64],
        columns: usize,
        within: f64,
        precision: DistancePrecision,
    ) -> Result<NamedProximity> {
        check_within(within)?;
        let group = &self.robot().groups[self.robot().default_group];
        check_len("row of configurations", columns, group.dof())?;
        if !configurations.len().is_multiple_of(columns.max(1)) {
            let given = format!("{} values in rows of {columns}", configurations.len());
            return Err(KineticError::invalid("configurations", given, "whole rows"));
        }
        check_finite("joint vector", configurations)?;
        let is_inside = self.is_group_inside(configurations);
        let kind = CheckerKind { group: &group.name, margins: Margins::ZERO, workspace: None, is_inside };
        let mut checker = self.take_or_build(kind)?;
        let chunks = configurations.chunks(PROXIMITY_QUERIES_PER_CHUNK * columns.max(1));
        let mut found = vec![Proximity::default(); chunks.len()];
        let threads = processors().min(found.len());
        self.run_chunks(chunks.zip(&mut found), threads, &mut checker, kind, |checker, (rows, found)| {
            checker.forget();
            found.clear(columns);
            for (row, q) in rows.chunks_exact(columns).enumerate() {
                checker.add_proximity(row, q, within.into(), precision, found);
            }
        })?;
        let mut all = Proximity::default();
        all.clear(columns);
        found.iter().enumerate().for_each(|(chunk, found)| all.append(found, chunk * PROXIMITY_QUERIES_PER_CHUNK));
        let all = NamedProximity::new(all, &checker);
        self.give_back(kind, checker);
        Ok(all)
    }

    /// As [`are_free`](Self::are_free), for robot-length rows. Consecutive rows with the same values of the joints
    /// outside the group form one batch.
    fn are_free_at(&self, configurations: &[f64], columns: usize, margins: Margins) -> Result<Vec<bool>> {
        check_finite("joint vector", configurations)?;
        let group = &self.robot().groups[self.robot().default_group];
        // Rejects rows of a wrong length or with invalid values, as the first row.
        self.robot().group_configuration(group, &configurations[..columns])?;
        let others: Vec<usize> = (0..columns).filter(|variable| !group.variables.contains(variable)).collect();
        let rows: Vec<&[f64]> = configurations.chunks_exact(columns).collect();
        let mut free = Vec::with_capacity(rows.len());
        for run in rows.chunk_by(|a, b| others.iter().all(|variable| a[*variable] == b[*variable])) {
            let mut there = self.clone();
            there.hold(run[0])?;
            let short: Vec<f64> =
                run.iter().flat_map(|row| group.variables.iter().map(|variable| row[*variable])).collect();
            free.extend(there.are_free(&short, group.dof(), margins)?);
        }
        Ok(free)
    }

    /// Distributes chunks over threads, each of which takes the next chunk when it has finished one. Threads exist for
    /// one call only, so that a forked process can call it too.
    fn run_chunks<S: Send>(
        &self,
        chunks: impl Iterator<Item = S> + Send,
        threads: usize,
        checker: &mut Box<Checker>,
        kind: CheckerKind<'_>,
        run_chunk: impl Fn(&mut Checker, S) + Sync,
    ) -> Result<()> {
        let others: Vec<Box<Checker>> = (1..threads)
            .map(|_| Ok(self.take_pooled(kind)?.unwrap_or_else(|| checker.clone())))
            .collect::<Result<_>>()?;
        let chunks = Mutex::new(chunks);
        let run = |checker: &mut Checker| {
            loop {
                // The lock guards an iterator, which a panic elsewhere leaves intact.
                let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(chunk) = next else { break };
                run_chunk(checker, chunk);
            }
        };
        let run = &run;
        let done = scope(|scope| {
            let start = |mut checker: Box<Checker>| {
                scope.spawn(move || {
                    run(&mut checker);
                    checker
                })
            };
            let threads: Vec<_> = others.into_iter().map(start).collect();
            run(checker);
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<Vec<_>>()
        });
        for checker in done {
            self.give_back(kind, checker);
        }
        Ok(())
    }
}
