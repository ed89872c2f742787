//! Deallocation of mapping units by trims of the host.
//!
//! # What it models
//! A trim unmaps the mapping units that it covers completely. Their physical pages become invalid, so that
//! garbage collection no longer moves them. A read of a deallocated unit ends without an operation of a die.
//! A unit that the trim covers only in part keeps its data (`ftl.trim_partial_units = "kept"`), or the covered
//! sectors are zeroed in the sector set of its map entry (`"zeroed"`): a read of them needs no flash, a write
//! of other sectors does not read them, and the unit is deallocated when none of its sectors holds data.
//!
//! The units are unmapped and the command completes after `ftl.trim_base_ns` plus `ftl.trim_unit_ns` for each
//! unit.
//!
//! # How
//! A deallocation takes the lock of its page like a write, since a write in progress may have read sectors of
//! the old page that it would program again. If the lock is free, no transaction is needed. If the map is
//! only partly in memory, the deallocated entry becomes a dirty entry of the cached table.
//!
//! # What is left out
//! Competition of trims for the controller's processor, and reads of missing map entries. The value of
//! deallocated data (zeros or ones), since the simulator stores no data.
//!
//! # Source
//! NVM Express NVM Command Set Specification 1.0, §3.2.3 (dataset management).
//!
//! # Parameters
//! `ftl.trim_base_ns`, `ftl.trim_unit_ns`, `ftl.trim_partial_units`, `ftl.dulbe`, `ftl.zeroes_deallocate`

use venice_kernel::{SimSpan, SimTime};
use venice_nand::geometry::{Lpn, RequestId, TransactionId};
use venice_nand::latency::StageClock;
use venice_nand::transactions::{Purpose, Transaction};
use venice_params::{ParameterKind, choices, declare, number, one_of};

use crate::ftl::shared::Shared;

use super::Writes;

/// Effect of a trim on a mapping unit that it covers only in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialUnits {
    /// The unit keeps its data.
    Kept,
    /// The covered sectors are deallocated in the sector set of the unit.
    Zeroed,
}

choices! {
    PartialUnits, "treatment of partially trimmed units": "kept" => Kept, "zeroed" => Zeroed;
}

declare! {
    /// Parameters of trims, which deallocate mapping units.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TrimParameters in "ftl." {
        /// Fixed latency of a trim in the drive; `trim_unit_ns` is added for each mapping unit.
        base as trim_base_ns: SimSpan = number(0.0, 1e9), unit "ns", default "0", source "assumed";
        /// Additional latency of a trim for each mapping unit that it covers.
        unit as trim_unit_ns: SimSpan = number(0.0, 1e9), unit "ns", default "50",
            source "WD Ultrastar DC ZN540: 49.8 ns for each 4 KiB of a zone that is reset (Doekemeijer et al., CLUSTER 2023, raw data)";
        /// Effect of a trim on a mapping unit that it covers only in part.
        ///
        /// `kept`: none. `zeroed`: the map records the covered sectors as deallocated, like those of a whole
        /// unit. Requires `sector_sets = "exact"`, and `unwritten_data` other than `mapped_on_read`.
        partial_units as trim_partial_units: PartialUnits = one_of::<PartialUnits>(), unit "", default "kept",
            source "NVM Express NVM Command Set Specification 1.0, §3.2.3: both are permitted";
        /// If true, a read that covers a deallocated or unwritten sector ends with an error, without an access to
        /// flash (deallocated or unwritten logical block error enable, DULBE).
        ///
        /// Requires `trim_partial_units = "zeroed"`. Unwritten sectors exist with `unwritten_data = "absent"`.
        dulbe: bool = ParameterKind::Boolean, unit "", default "false",
            source "NVM Express NVM Command Set Specification 1.0, §3.2.3.2.1";
        /// If true, write-zeroes commands that permit deallocation deallocate mapping units; otherwise the
        /// drive programs zeroes.
        ///
        /// A drive may deallocate if reads of deallocated units return zeroes (DLFEAT).
        zeroes_deallocate: bool = ParameterKind::Boolean, unit "", default "true",
            source "NVM Express NVM Command Set Specification 1.0, §3.2.8 (DEAC)";
    }
}

impl TrimParameters {
    /// Returns the time that a trim of `units` mapping units takes.
    pub fn time(&self, units: u64) -> SimSpan {
        self.base + self.unit * units
    }
}

/// Sectors of a logical page that a request of the host deallocates.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct PageTrim {
    pub(in crate::ftl) request: RequestId,
    pub(in crate::ftl) lpn: Lpn,
    /// Bit mask of the deallocated sectors.
    pub(in crate::ftl) sectors: u64,
}

impl Writes {
    /// Deallocates sectors of a page, and returns false. If the page is locked, makes the deallocation wait
    /// for the lock instead, and returns true.
    pub(in crate::ftl) fn accept_trim(&mut self, shared: &mut Shared, page: PageTrim, now: SimTime) -> bool {
        let PageTrim { request, lpn, sectors } = page;
        if !shared.translation.map.is_locked(lpn) {
            shared.trim(lpn, sectors);
            return false;
        }
        let (plane, _) = shared.translation.addresses.place(lpn);
        let id = shared.transactions.insert(Transaction {
            lpn: Some(lpn),
            sectors,
            ..Transaction::new(Purpose::Trim(request), plane, StageClock::start(now))
        });
        !self.locks.acquire(&mut shared.translation.map, lpn, id)
    }

    /// Deallocates the sectors of a transaction that has waited for the lock of its page and now has it. Ends
    /// the transaction.
    pub(in crate::ftl) fn deallocate(&mut self, shared: &mut Shared, id: TransactionId, lpn: Lpn) {
        shared.trim(lpn, shared.transactions.get(id).sectors);
        shared.without_die.push_back(id);
        self.unlock(shared, lpn);
    }
}

#[cfg(test)]
mod tests {
    use venice_nand::geometry::{Ppn, Priority};
    use venice_nand::transactions::Origin;

    use super::*;
    use crate::ftl::shared::bench::Bench;
    use crate::ftl::tasks::Task;
    use crate::ftl::writes::PageWrite;

    fn trim(bench: &mut Bench, writes: &mut Writes, lpn: u32) -> bool {
        let sectors = bench.shared.translation.sectors.whole_page();
        let page = PageTrim { request: RequestId(9), lpn: Lpn(lpn), sectors };
        writes.accept_trim(&mut bench.shared, page, bench.now)
    }

    #[test]
    fn free_page_is_deallocated_at_once() {
        let mut bench = Bench::new(1, |_| {});
        let mut writes = Writes::new(&bench.shared.geometry, &bench.settings);
        bench.fill(0, 5, 2);
        let committed = |bench: &Bench| {
            bench.shared.space.blocks.planes[venice_nand::geometry::PlaneId(0)].committed_pages
        };
        assert_eq!(committed(&bench), 2);
        for lpn in [5, 5, 9] {
            assert!(!trim(&mut bench, &mut writes, lpn));
        }
        assert_eq!((committed(&bench), bench.shared.translation.map.logical(Ppn(0))), (1, None));
        let counters = bench.shared.stats.counters();
        assert_eq!((counters.units_deallocated, counters.pages_freed), (3, 1));
        assert!(bench.shared.without_die.is_empty());
    }

    #[test]
    fn trim_of_a_page_being_written_waits_for_the_lock() {
        let mut bench = Bench::new(1, |_| {});
        let mut writes = Writes::new(&bench.shared.geometry, &bench.settings);
        let whole = bench.shared.translation.sectors.whole_page();
        let (origin, priority) = (Origin::Request(RequestId(0)), Priority::High);
        let page = PageWrite { origin, queue: 0, priority, lpn: Lpn(5), sectors: whole };
        assert!(writes.accept(&mut bench.shared, &page, bench.now).is_some());
        assert!(trim(&mut bench, &mut writes, 5));
        assert!(!trim(&mut bench, &mut writes, 6), "another page");
        writes.unlock(&mut bench.shared, Lpn(5));
        let [Task::WakeWrite(id)] = bench.tasks()[..] else { panic!("the trim has the lock") };
        writes.deallocate(&mut bench.shared, id, Lpn(5));
        assert_eq!(bench.tasks(), []);
        assert_eq!(bench.shared.without_die, [id]);
        assert!(!bench.shared.translation.map.is_locked(Lpn(5)));
    }

    #[test]
    fn time_of_a_trim_grows_with_its_units() {
        let time = TrimParameters {
            base: SimSpan::from_ns(700),
            unit: SimSpan::from_ns(50),
            ..TrimParameters::default()
        };
        assert_eq!(time.time(20), SimSpan::from_ns(1700));
        assert_eq!(TrimParameters::default().time(20), SimSpan::from_us(1));
    }
}
