//! Random schedulers of the host, with the options of their location vectors and of PIQ+.

use proptest::prelude::*;
use venice_host::scheduler::{
    BatchRule, DispatchRule, IoQueueParameters, NextBatch, QueueCounts, ReadsFirstParameters,
    SchedulerChoice, SchedulerParameters, SchedulerSettings, Scheme, UnitLevel, VectorLevel,
};
use venice_host::testkit::contract;
use venice_sim::assembly::{DriveSettings, Simulation};

/// Generates a scheduler for most of the drives, one of the schemes of PIQ for more than half.
pub fn scheduler_options() -> impl Strategy<Value = IoQueueParameters> {
    use VectorLevel::{Channel, ChannelAndChip, Chip, Plane};
    let schemes = prop_oneof![
        1 => Just(None),
        2 => prop::sample::select(Scheme::ALL.to_vec()).prop_map(Some),
        1 => prop::sample::select(vec![Scheme::PiqR, Scheme::PiqW, Scheme::Piq]).prop_map(Some),
        2 => Just(Some(Scheme::PiqPlus)),
    ];
    let levels = prop::sample::select(vec![Channel, Chip, Plane, ChannelAndChip]);
    let units = prop_oneof![2 => Just(0_u32), 1 => 1_u32..=20];
    let counts = prop::sample::select(vec![
        QueueCounts::Waiting,
        QueueCounts::WaitingByKind,
        QueueCounts::Outstanding,
    ]);
    let queue = (1_u32..=64, counts, 1_u32..=64);
    let rules = vec![DispatchRule::Freely, DispatchRule::WithoutConflicts];
    let drive_levels = prop::sample::select(vec![UnitLevel::Chip, UnitLevel::Plane]);
    let issue = (prop::sample::select(rules), drive_levels);
    let vector = (levels, units, prop::bool::weighted(0.6));
    (schemes, vector, queue, issue, piq_options()).prop_map(|(scheme, vector, queue, issue, reads_first)| {
        let (level, units, avoid_collecting) = vector;
        let (queue_length, queue_counts, drive_slots) = queue;
        IoQueueParameters {
            scheme: SchedulerChoice(scheme),
            queue_length,
            queue_counts,
            drive_slots,
            level,
            units,
            issue: issue.0,
            drive_level: issue.1,
            avoid_collecting,
            parameters: SchedulerParameters { reads_first, ..SchedulerParameters::default() },
            history_points: contract::settings().history_points,
        }
    })
}

fn piq_options() -> impl Strategy<Value = ReadsFirstParameters> {
    let batches = prop::sample::select(vec![BatchRule::Open, BatchRule::Closed]);
    let next_batch = prop::sample::select(vec![NextBatch::AfterCompletion, NextBatch::AsSlotsFree]);
    let threshold = prop_oneof![Just(0.0), 0.0..=2_000.0];
    let shares = prop_oneof![Just(100.0), 0.01..100.0];
    (batches, next_batch, threshold, 0_u32..=12, shares).prop_map(
        |(batches, next_batch, write_threshold_us, passing_read_batches, overdue_share_pct)| {
            ReadsFirstParameters {
                batches,
                next_batch,
                write_threshold_us,
                passing_read_batches,
                overdue_share_pct,
            }
        },
    )
}

/// Changes a drive's host to have this scheduler, unless the drive is too small for it.
pub fn apply(scheduler: IoQueueParameters, settings: &mut DriveSettings) {
    let capacity = Simulation::capacity_sectors(settings);
    let fits = |it: &SchedulerSettings| capacity >= it.min_capacity_sectors();
    settings.host.scheduler = scheduler.settings(&settings.geometry).filter(fits);
}
