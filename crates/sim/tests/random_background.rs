//! Random second passes of programs, garbage collection in idle time, read reclaim, refresh and scrub.

use proptest::prelude::*;
use venice_drive::controller::scheduling::Scheduling;
use venice_drive::ftl::{
    GcTrigger, HostBufferSettings, IdleCollectionSettings, Mapping, PageAllocation, RefreshSettings,
    UnwrittenData,
};
use venice_kernel::SimSpan;
use venice_nand::chip::ProgramScheme;
use venice_sim::assembly::DriveSettings;

/// Random work of a drive besides that of its requests.
#[derive(Clone, Copy, Debug, Default)]
pub struct BackgroundOptions {
    /// Time of the second pass, with two-pass programming.
    pub second_pass: Option<SimSpan>,
    /// Number of reads after which a block is collected; 0 for never.
    pub read_reclaim_reads: u32,
    /// Refresh of old data and of data with many bit errors.
    pub refresh: RefreshSettings,
    /// Number of pages that scrub reads per second.
    pub scrub_pages_per_s: f64,
    /// Host memory buffer, if a part of the map is on flash.
    pub host_buffer: Option<HostBufferSettings>,
    /// Garbage collection in idle time.
    pub idle: Option<IdleCollectionSettings>,
}

/// Generates a second pass for three quarters of the drives, garbage collection in idle time for three quarters,
/// and read reclaim, refresh and scrub for half.
pub fn background_options() -> impl Strategy<Value = BackgroundOptions> {
    let second_pass = prop::option::weighted(0.75, (1_u64..2_000).prop_map(SimSpan::from_us));
    let idle = (prop_oneof![Just(0_u64), 0_u64..=2_000], 1_u32..=10).prop_map(|(wait_us, free_blocks)| {
        IdleCollectionSettings { wait: SimSpan::from_us(wait_us), free_blocks }
    });
    let idle = prop::option::weighted(0.75, idle);
    let reclaim = prop_oneof![Just(0), 1_u32..=40];
    (second_pass, host_buffers(), idle, reclaim, refresh(), scrub_rates()).prop_map(
        |(second_pass, host_buffer, idle, read_reclaim_reads, refresh, scrub_pages_per_s): (
            _,
            _,
            _,
            u32,
            _,
            f64,
        )| {
            // Reads of scrub cause read reclaim: a drive cannot move blocks any number of times a second.
            let most =
                if read_reclaim_reads == 0 { f64::INFINITY } else { 5.0 * f64::from(read_reclaim_reads) };
            let scrub_pages_per_s = scrub_pages_per_s.min(most);
            BackgroundOptions {
                second_pass,
                read_reclaim_reads,
                refresh,
                scrub_pages_per_s,
                host_buffer,
                idle,
            }
        },
    )
}

/// Generates ages of 0.3 to 10 s and limits of bit errors, each for half of the drives. The drives need less time
/// to move all their data.
fn refresh() -> impl Strategy<Value = RefreshSettings> {
    let age_days =
        prop_oneof![Just(0.0), (5.5_f64..=7.0).prop_map(|exponent| us_in_days(10_f64.powf(exponent)))];
    let error_share = prop_oneof![Just(0.0), 0.2..=1.0];
    (age_days, error_share).prop_map(|(age_days, error_share)| RefreshSettings { age_days, error_share })
}

/// Generates rates of scrub for half of the drives.
fn scrub_rates() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), (2.0_f64..=4.0).prop_map(|exponent| 10_f64.powf(exponent))]
}

/// Converts microseconds to days.
fn us_in_days(us: f64) -> f64 {
    us / 86_400e6
}

/// Generates a host memory buffer for half of the drives.
fn host_buffers() -> impl Strategy<Value = Option<HostBufferSettings>> {
    let drawn = (1_u32..20, 1_u32..10, 0_u64..100).prop_map(|(segments, entries_per_segment, us)| {
        HostBufferSettings { segments, entries_per_segment, round_trip: SimSpan::from_us(us) }
    });
    prop::option::weighted(0.6, drawn)
}

/// Applies the options that the other settings of a drive permit.
pub fn apply(options: BackgroundOptions, settings: &mut DriveSettings) {
    if settings.ftl.gc_trigger == GcTrigger::Shortage {
        settings.ftl.gc_idle = options.idle;
    }
    let ftl = &mut settings.ftl;
    (ftl.read_reclaim_reads, ftl.refresh) = (options.read_reclaim_reads, options.refresh);
    // Units of many pages take more time to move.
    ftl.refresh.age_days *= (f64::from(ftl.units.pages()) / 4.0).max(1.0);
    ftl.scrub_pages_per_s = options.scrub_pages_per_s;
    if ftl.mapping != Mapping::Ideal {
        ftl.host_buffer = options.host_buffer;
    }
    let can_have_two_passes = ftl.page_allocation == PageAllocation::AtStart
        && !ftl.gc_copyback
        && ftl.unwritten_data != UnwrittenData::MappedOnRead
        && ftl.rain_data_units == 0
        && ftl.scheduling.kind != Scheduling::PriorityTurns;
    if let Some(fine) = options.second_pass.filter(|_| can_have_two_passes) {
        ftl.program_scheme = ProgramScheme::TwoPass;
        settings.flash.array.fine = fine;
    }
}
