//! Random parameters of flash chips and garbage collection.

use proptest::prelude::*;
use venice_fabric::{FabricKind, FirstOnPath, Hold};
use venice_kernel::SimSpan;
use venice_nand::chip::{CacheOperations, DieWork, PageTypeOrder, Suspension, SuspensionRule};
use venice_sim::assembly::DriveSettings;

/// Flash chips and garbage collection of a random drive.
#[derive(Clone, Debug)]
pub struct FlashOptions {
    pub suspension: Option<Suspension>,
    pub one_at_a_time: bool,
    pub page_types: (PageTypeOrder, usize),
    pub hard_free_blocks: u32,
    pub copyback: bool,
    pub cache_operations: CacheOperations,
    /// Time of a read from the page register; zero if pages are sensed again.
    pub register: SimSpan,
}

/// Generates options; half of the drives have no suspension, and half of those without it relocate pages over
/// the fabric.
pub fn flash_options() -> impl Strategy<Value = FlashOptions> {
    let order = prop::sample::select(vec![PageTypeOrder::Cyclic, PageTypeOrder::Mqsim]);
    let options =
        (prop::option::of(suspensions()), any::<bool>(), (order, 1_usize..=4), 2_u32..=6, any::<bool>());
    let cached = (any::<bool>(), any::<bool>()).prop_map(|(program, read)| CacheOperations { program, read });
    (options, cached, spans(4)).prop_map(
        |(
            (suspension, one_at_a_time, page_types, hard_free_blocks, copyback),
            cache_operations,
            register,
        )| {
            FlashOptions {
                suspension,
                one_at_a_time,
                page_types,
                hard_free_blocks,
                copyback,
                cache_operations,
                register,
            }
        },
    )
}

/// Generates time spans from zero to more than the suspended operation.
fn spans(most_us: u64) -> impl Strategy<Value = SimSpan> {
    prop_oneof![Just(SimSpan::ZERO), (0..=most_us * 1000).prop_map(SimSpan::from_ns)]
}

fn yieldings(suspend_us: u64, least_us: u64) -> impl Strategy<Value = SuspensionRule> {
    let least = || spans(least_us);
    let pulses = prop_oneof![Just(0), 1_u32..=20];
    (spans(suspend_us), pulses, least(), prop::option::of(least())).prop_map(
        |(suspend, pulses, for_read, for_write)| SuspensionRule { suspend, pulses, for_read, for_write },
    )
}

fn suspensions() -> impl Strategy<Value = Suspension> {
    let erase = prop::option::weighted(0.8, yieldings(50, 1000));
    let program = prop::option::weighted(0.8, yieldings(150, 100));
    (erase, program, spans(20), 1_u32..=5, 1_u32..=8).prop_map(
        |(erase, program, resume, most_times, most_commands)| Suspension {
            erase,
            program: program.map(|program| SuspensionRule { for_write: None, ..program }),
            resume,
            most_times,
            most_commands,
        },
    )
}

impl FlashOptions {
    /// Enables cache operations on a drive that supports them.
    pub fn cache_pages(&self, settings: &mut DriveSettings) {
        let fabric = &mut settings.fabric;
        let is_possible = !self.one_at_a_time
            && fabric.hold == Hold::Transfer
            && !fabric.chip_to_chip
            && settings.fabric_kind != FabricKind::Decoupled;
        if is_possible {
            settings.flash.cache_operations = self.cache_operations;
            if self.cache_operations.read {
                fabric.first_on_path = FirstOnPath::Commands;
            }
        }
    }

    /// Applies the options to a drive.
    pub fn apply(&self, settings: &mut DriveSettings) {
        let flash = &mut settings.flash;
        flash.suspension = self.suspension;
        flash.die_work = if self.one_at_a_time { DieWork::OneAtATime } else { DieWork::Independent };
        let (order, types) = self.page_types;
        flash.array.page_types = order;
        flash.array.register = self.register;
        flash.array.read = (1..=types as u64).map(|n| SimSpan::from_us(3 * n)).collect();
        flash.array.program = (1..=types as u64).map(|n| SimSpan::from_us(100 * n)).collect();
        settings.ftl.gc_hard_free_blocks = self.hard_free_blocks;
        settings.ftl.gc_copyback = self.copyback;
    }
}
