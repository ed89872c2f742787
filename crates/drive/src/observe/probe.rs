//! Probe interface: observers are notified of each event, and cannot influence the run.
//!
//! # How
//! [`Probe`] has a method for each kind of event, which does nothing by default. Instants are exact, in
//! picoseconds of simulated time. Bytes are bytes of pages, without headers.
//!
//! The set of probes is fixed at compile time: the catalogue [`Probes`](super::Probes) has a field for each.
//! There is no dynamic dispatch, and events that no probe implements cost nothing. Optional probes are of
//! type `Option`.
//!
//! Information that is expensive to compute is not part of a notification. Probes query it from
//! [`TransactionOrigins`].
//!
//! # What is left out
//! Probes are not notified of steps inside the fabric, nor of steps of the host interface between a request's
//! issue and completion.

use venice_fabric::Delivery;
use venice_host::Request;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{ArrayWork, DieTransfer, Operation};
use venice_nand::geometry::{ChipId, DieId, PlaneId, RequestId, TransactionId};
use venice_nand::latency::StageClock;
use venice_requests::SectorRange;

use super::wait_causes::{CausedWait, DieUser};

/// Plane, request and garbage collection to which a transaction belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionInfo {
    /// Plane of the transaction.
    pub plane: PlaneId,
    /// Host request that waits for the transaction, if there is one.
    pub request: Option<RequestId>,
    /// Plane of the victim, for a transaction of garbage collection.
    pub collects: Option<PlaneId>,
}

/// Queries about the purpose of transactions, answered by the FTL.
pub trait TransactionOrigins {
    /// Returns the plane, request and garbage collection to which a transaction belongs.
    fn about(&self, id: TransactionId) -> TransactionInfo;

    /// Returns the user of the die that executes a transaction: the host, or an internal operation of the
    /// drive.
    fn holder(&self, id: TransactionId) -> DieUser;

    /// Returns true if a host request or the data cache waits for this transaction.
    fn is_waited_for(&self, id: TransactionId) -> bool;

    /// Returns the instant up to which the time of a transaction has been assigned to latency stages.
    fn waits_since(&self, id: TransactionId) -> SimTime;

    /// Returns the instant until which a write had no free page, as far as this is known. Returns zero if the
    /// write has a page or needs none.
    fn no_room_until(&self, id: TransactionId) -> SimTime;

    /// Returns the write for which this transaction reads missing sectors. The write continues when the
    /// transaction has ended.
    fn follower(&self, id: TransactionId) -> Option<TransactionId>;

    /// Returns the earliest start of a wait that has not been assigned to latency stages, among all
    /// transactions for which the host or the cache waits.
    fn oldest_wait(&self) -> Option<SimTime>;
}

/// Command that the fabric has accepted and that is being sent to its die.
#[derive(Clone, Copy, Debug)]
pub struct CommandStart<'a> {
    /// Die that executes the command.
    pub die: DieId,
    /// Chip that contains the die.
    pub chip: ChipId,
    /// Operation of the die's array.
    pub operation: Operation,
    /// Transactions of the command, one for each plane.
    pub batch: &'a [TransactionId],
    /// Duration of the array operation.
    pub work: ArrayWork,
    /// True if another die of the chip is active.
    pub is_interleaved: bool,
    /// True for a cache program or cache read, which is sent while the die's current command is in progress.
    pub is_next: bool,
}

/// Start of the transfer of a transaction's command or data, which ends the transaction's wait.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// Die of the transaction.
    pub die: DieId,
    /// Id of the transaction whose wait ends.
    pub id: TransactionId,
    /// Instant from which the transaction waited for nothing but a path.
    pub ready: SimTime,
    /// True if the transfer waited only for the chip's pins and a path, and not for the die: its data was in
    /// a register, or its command was formed earlier.
    pub for_pins: bool,
}

/// Transfer that has ended.
#[derive(Clone, Copy, Debug)]
pub struct TransferEnd<'a> {
    /// Fabric's notification of the end of the transfer.
    pub delivery: &'a Delivery,
    /// Duration of the transfer.
    pub took: SimSpan,
    /// True if the transfer had to wait for a path after its first attempt.
    pub conflicted: bool,
    /// Number of bytes moved into or out of the drive's memory.
    pub memory_bytes: u32,
}

/// Completed page of a request.
#[derive(Clone, Copy, Debug)]
pub struct PageCompletion<'a> {
    /// Index of the request in the table of outstanding requests.
    pub id: RequestId,
    /// Request to which the page belongs.
    pub request: &'a Request,
    /// Latency of the page, divided into stages.
    pub clock: &'a StageClock,
    /// True if the request belongs to the measured phase.
    pub is_measured: bool,
}

/// Completed request.
#[derive(Clone, Copy, Debug)]
pub struct Completion<'a> {
    /// Request that has completed.
    pub request: &'a Request,
    /// Ranges of a trim after its first range; empty for other requests.
    pub further_ranges: &'a [SectorRange],
    /// Time from issue to completion.
    pub latency: SimSpan,
    /// Time from the arrival in the drive's queue to completion.
    pub device_latency: SimSpan,
    /// True if the request belongs to the measured phase.
    pub is_measured: bool,
    /// Waits of the request for chips or cache space with their causes, if they are recorded.
    pub behind: Option<&'a CausedWait>,
}

/// Calls another macro with the list of all events of which probes are notified.
macro_rules! with_events {
    ($then:ident $($more:tt)*) => {
        $then! {
            [
                /// Start of the measured phase, after `requests` requests have been issued.
                on_measuring(requests: u64, now: SimTime)
                /// Issue of a request by the host.
                on_issue(now: SimTime)
                /// Start of the transfer of a command to its die. The die is then busy.
                on_command(command: &CommandStart<'_>, why: &impl TransactionOrigins, now: SimTime)
                /// Failure of a command to a lost chip. The arrays of `planes` planes, announced as busy for
                /// the duration `work`, do not execute it.
                on_void_command(operation: Operation, work: ArrayWork, planes: u64, now: SimTime)
                /// Start of the transfer of a transaction's command or data, which ends the transaction's
                /// wait.
                on_departure(departure: &Departure, why: &impl TransactionOrigins, now: SimTime)
                /// Start of a transfer over a chip's pins, other than a new command.
                on_pins_taken(die: DieId, sent: DieTransfer, now: SimTime)
                /// End of a transfer over a chip's pins. `arrived` is false if the fabric could not route the
                /// transfer, or if the data went to another chip.
                on_pins_free(chip: ChipId, arrived: bool, now: SimTime)
                /// End of the transfer of a command or data over the fabric.
                on_transfer(transfer: &TransferEnd<'_>, now: SimTime)
                /// Start of an array operation.
                on_array_begin(die: DieId, now: SimTime)
                /// End of an array operation.
                on_array_end(die: DieId, now: SimTime)
                /// Stop or restart of an array for a suspension. `span` is its duration, summed over the
                /// planes of the command.
                on_settling(die: DieId, span: SimSpan, now: SimTime)
                /// Suspension of an array operation.
                on_suspension(die: DieId, operation: Operation, now: SimTime)
                /// Start of the transfer of a resume command. `first` is the first transaction of the
                /// suspended operation.
                on_resumption(die: DieId, first: TransactionId, why: &impl TransactionOrigins, now: SimTime)
                /// End of a die's command that the next command follows immediately (cache operations).
                /// `first` is a transaction of the next command. `works` is true if the array is sensing its
                /// page.
                on_next_command(die: DieId, first: TransactionId, works: bool, why: &impl TransactionOrigins, now: SimTime)
                /// Start of the sensing of the next page of a search on a die, without a transfer of its command.
                on_next_page(page: &CommandStart<'_>, why: &impl TransactionOrigins, now: SimTime)
                /// End of a die's command, after which the die can accept the next one.
                on_die_free(die: DieId, now: SimTime)
                /// End of a period in which a chip was active. `since` is the start of the period, or the
                /// start of the measured phase if this is later.
                on_chip_rest(chip: ChipId, since: SimTime, now: SimTime)
                /// Arrival of a page at a flash controller, for a host read. `time` is the time since the
                /// drive received the read.
                on_flash_read(chip: ChipId, time: SimSpan, now: SimTime)
                /// End of a transaction.
                on_transaction_end(id: TransactionId, why: &impl TransactionOrigins, now: SimTime)
                /// End of a read whose page is copied to another chip. The transaction `to` continues there.
                on_passing_on(read: TransactionId, to: TransactionId, now: SimTime)
                /// End of the garbage collection of a block, after its erase.
                on_collection(plane: PlaneId, now: SimTime)
                /// Completion of a request's page by the flash back end.
                on_page(page: &PageCompletion<'_>, now: SimTime)
                /// Arrival of a write at the data cache.
                on_cache_write(id: RequestId, now: SimTime)
                /// Acceptance of the last part of a write by the cache's DRAM. `wait` is the time that the
                /// write waited for space.
                on_cache_access(id: RequestId, wait: SimSpan, now: SimTime)
                /// End of a destage, with its latency divided into stages and its number of sectors.
                on_destage(clock: &StageClock, sectors: u32, now: SimTime)
                /// End of the processing of a request by the cache, without access to flash.
                on_cache_service(id: RequestId, now: SimTime)
                /// Completion of a request in the host.
                on_completion(completion: &Completion<'_>, now: SimTime)
            ]
            $($more)*
        }
    };
}

/// Defines the trait [`Probe`] from the list of events.
macro_rules! contract {
    ([$($(#[$doc:meta])* $event:ident($($about:ident: $type:ty),*))*]) => {
        /// Observer of a run. The module documentation describes the interface.
        pub trait Probe {
            $(
                $(#[$doc])*
                #[inline]
                fn $event(&mut self, $($about: $type),*) {
                    let _ = ($($about,)*);
                }
            )*
        }

        /// Forwards all events to the probe, if there is one.
        impl<P: Probe> Probe for Option<P> {
            $(
                fn $event(&mut self, $($about: $type),*) {
                    if let Some(probe) = self {
                        probe.$event($($about),*);
                    }
                }
            )*
        }

        /// Forwards all events to the probe in the box.
        impl<P: Probe> Probe for Box<P> {
            $(
                fn $event(&mut self, $($about: $type),*) {
                    (**self).$event($($about),*);
                }
            )*
        }
    };
}

/// Defines a struct of probes. Its fields are notified of each event in their order.
macro_rules! probes {
    (
        [$($(#[$event_doc:meta])* $event:ident $about:tt)*]
        $(#[$doc:meta])*
        $name:ident $fields:tt
    ) => {
        $crate::observe::probe::probes! { @fields $(#[$doc])* $name $fields }

        impl $crate::observe::Probe for $name {
            $($crate::observe::probe::probes! { @event $event $about $fields })*
        }
    };
    (@fields $(#[$doc:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub struct $name {
            $($(#[$of_field])* pub $field: $kind,)*
        }
    };
    (@event $event:ident($($about:ident: $type:ty),*) $fields:tt) => {
        fn $event(&mut self, $($about: $type),*) {
            $crate::observe::probe::probes! { @tell self $event ($($about),*) $fields }
        }
    };
    (@tell $self:ident $event:ident $abouts:tt { $($(#[$of_field:meta])* $field:ident: $kind:ty,)* }) => {
        $($self.$field.$event $abouts;)*
    };
}

pub(super) use {probes, with_events};

with_events!(contract);
