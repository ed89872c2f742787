//! What a drive has done up to an instant, for who looks at it from time to time.

use venice_kernel::{SimSpan, SimTime};

use crate::fabric::Fabric;
use crate::flash::{Die, Operation, Parked, Phase};
use crate::observe::{Sample, Work};

use super::Device;

impl<F: Fabric + ?Sized> Device<F> {
    /// What was done in the phase up to `now`, before which nothing is going to happen any more.
    pub fn sample(&self, now: SimTime) -> Sample {
        let counters = self.ftl_counters();
        let chips_at_work = self.chips.iter().filter(|chip| chip.active_dies > 0);
        let active: i128 = chips_at_work.map(|chip| ps(now.since(chip.active_since))).sum();
        Sample {
            issued: self.host.submitted(),
            chips_ps: ps(self.recorder.chip_busy) + active,
            planes_ps: ps(self.recorder.arrays.total()) - self.array_time_ahead(now),
            paths_ps: self.path_busy().into_iter().map(ps).sum(),
            work: Work {
                reads: counters.reads,
                programs: counters.programs,
                host_programs: counters.host_programs,
                gc_moves: counters.gc_moves,
                wear_moves: counters.wear_moves,
                erases: counters.erases,
            },
            free_blocks: self.ftl.free_blocks(),
        }
    }

    /// Array time that is recorded, since it is when an operation begins, and is still to come.
    fn array_time_ahead(&self, now: SimTime) -> i128 {
        let none = Parked::default();
        let parked = self.parked.iter().chain(std::iter::repeat(&none));
        self.dies.iter().zip(parked).map(|(die, parked)| ps(ahead_on(die, parked, now))).sum()
    }
}

/// The array time to come of a die's operations, summed over their planes.
fn ahead_on(die: &Die, parked: &Parked, now: SimTime) -> SimSpan {
    let planes = die.batch.len() as u64;
    let under_way = die.array_ends.map_or(SimSpan::ZERO, |ends| ends.since(now));
    let second = if die.operation == Operation::Copyback { die.then_program } else { SimSpan::ZERO };
    let own = match die.phase {
        Phase::Commanding | Phase::CommandBounced | Phase::CommandReady => die.array_time + second,
        Phase::Array | Phase::Suspending => under_way + second,
        Phase::Settling | Phase::Restarting => under_way + parked.left,
        _ => SimSpan::ZERO,
    };
    let aside = if die.has_parked { parked.left * parked.batch.len() as u64 } else { SimSpan::ZERO };
    own * planes + aside
}

fn ps(span: SimSpan) -> i128 {
    i128::from(span.as_ps())
}
