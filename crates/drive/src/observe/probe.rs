//! Probe interface: observers are notified of each event and cannot influence the run.
//!
//! # How
//! [`Probe`] has a method for each kind of event, which does nothing by default. Instants are exact, in
//! picoseconds of simulated time. Bytes are bytes of pages, without headers.
//!
//! The set of probes is static: the catalogue [`Probes`](super::Probes) has a field for each. An event
//! without an implementation therefore costs nothing, and there is no dynamic dispatch. A probe that exists
//! only on request is an `Option`.
//!
//! Information that is expensive to compute is queried by the probe instead: [`TransactionOrigins`].
//!
//! # What is left out
//! Steps inside the fabric, and steps of the host interface between a request's issue and completion.

use venice_fabric::Delivery;
use venice_host::Request;
use venice_kernel::{SimSpan, SimTime};
use venice_nand::chip::{ArrayWork, DieTransfer, Operation};
use venice_nand::geometry::{ChipId, DieId, PlaneId, RequestId, TransactionId};
use venice_nand::latency::StageClock;

use super::wait_causes::{CausedWait, DieUser};

/// Location and origin of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionInfo {
    /// Plane of the transaction.
    pub plane: PlaneId,
    /// Request that waits for the transaction, if any.
    pub request: Option<RequestId>,
    /// Victim plane, for a transaction of garbage collection.
    pub collects: Option<PlaneId>,
}

/// Queries about the origin of transactions.
pub trait TransactionOrigins {
    /// Returns location and origin of a transaction.
    fn about(&self, id: TransactionId) -> TransactionInfo;

    /// Returns the user on whose behalf a die executes this transaction.
    fn holder(&self, id: TransactionId) -> DieUser;

    /// True if a host request or the data cache waits for this transaction.
    fn is_waited_for(&self, id: TransactionId) -> bool;

    /// Returns the end of the time that has been charged to stages.
    fn waits_since(&self, id: TransactionId) -> SimTime;

    /// Returns the end of the period in which a write had no page, as far as is known; zero time if it has
    /// one or needs none.
    fn no_room_until(&self, id: TransactionId) -> SimTime;

    /// Returns the write that continues when this transaction, which reads its missing sectors, is complete.
    fn follower(&self, id: TransactionId) -> Option<TransactionId>;

    /// Returns the earliest end of charged time among the transactions for which the host or the cache waits.
    fn oldest_wait(&self) -> Option<SimTime>;
}

/// Command that the fabric has accepted.
#[derive(Clone, Copy, Debug)]
pub struct CommandStart<'a> {
    /// Die of the command.
    pub die: DieId,
    /// Chip of the die.
    pub chip: ChipId,
    /// Array operation.
    pub operation: Operation,
    /// Transactions of the command, one per plane.
    pub batch: &'a [TransactionId],
    /// Array time.
    pub work: ArrayWork,
    /// True if another die of the chip is active.
    pub is_interleaved: bool,
    /// True if the die's current command is still in progress (cache program, cache read).
    pub is_next: bool,
}

/// End of a transaction's wait, at the departure of its command or data.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// Die of the transaction.
    pub die: DieId,
    /// Id of the transaction.
    pub id: TransactionId,
    /// Instant since which only a path was missing.
    pub ready: SimTime,
    /// True if the transfer waited for the pins alone, with its data in a register or its command formed.
    pub for_pins: bool,
}

/// Transfer that has ended.
#[derive(Clone, Copy, Debug)]
pub struct TransferEnd<'a> {
    /// Delivery of the fabric.
    pub delivery: &'a Delivery,
    /// Duration of the transfer.
    pub took: SimSpan,
    /// True if the transfer found no path at its first attempt.
    pub conflicted: bool,
    /// Bytes moved into or out of the drive's memory.
    pub memory_bytes: u32,
}

/// Completed page of a request.
#[derive(Clone, Copy, Debug)]
pub struct PageCompletion<'a> {
    /// Slot of the request among those in flight.
    pub id: RequestId,
    /// Request of the page.
    pub request: &'a Request,
    /// Latency of the page by stage.
    pub clock: &'a StageClock,
    /// True if the request belongs to the measured phase.
    pub is_measured: bool,
}

/// Completed request.
#[derive(Clone, Copy, Debug)]
pub struct Completion<'a> {
    /// Request itself.
    pub request: &'a Request,
    /// Time from issue to completion.
    pub latency: SimSpan,
    /// Time from the entry into the drive's queue to completion.
    pub device_latency: SimSpan,
    /// True if the request belongs to the measured phase.
    pub is_measured: bool,
    /// Wait for a chip or for cache space by cause, if waits are attributed.
    pub behind: Option<&'a CausedWait>,
}

/// Passes the list of all events to another macro.
macro_rules! with_events {
    ($then:ident $($more:tt)*) => {
        $then! {
            [
                /// Start of the measured phase, after `requests` issued requests.
                on_measuring(requests: u64, now: SimTime)
                /// Issue of a request.
                on_issue(now: SimTime)
                /// Departure of a command for its die, which is busy from then on.
                on_command(command: &CommandStart<'_>, why: &impl TransactionOrigins, now: SimTime)
                /// Failed command to a lost chip: `planes` planes do not work for the announced time.
                on_void_command(operation: Operation, work: ArrayWork, planes: u64, now: SimTime)
                /// Departure of a transaction's command or data, which ends its wait.
                on_departure(departure: &Departure, why: &impl TransactionOrigins, now: SimTime)
                /// Occupation of a chip's pins by a transfer other than a new command.
                on_pins_taken(die: DieId, sent: DieTransfer, now: SimTime)
                /// Release of a chip's pins; `arrived` is false if the transfer bounced or went to another
                /// chip.
                on_pins_free(chip: ChipId, arrived: bool, now: SimTime)
                /// End of a transfer.
                on_transfer(transfer: &TransferEnd<'_>, now: SimTime)
                /// Start of an array operation.
                on_array_begin(die: DieId, now: SimTime)
                /// End of an array operation.
                on_array_end(die: DieId, now: SimTime)
                /// Stop or restart of an array for a suspension; `span` is summed over the planes of the
                /// command.
                on_settling(die: DieId, span: SimSpan, now: SimTime)
                /// Suspension of an operation.
                on_suspension(die: DieId, operation: Operation, now: SimTime)
                /// Departure of a resume command; `first` is the first transaction of the suspended
                /// operation.
                on_resumption(die: DieId, first: TransactionId, why: &impl TransactionOrigins, now: SimTime)
                /// End of a die's command, which the next one follows at once: `first` is a transaction of the
                /// next one, and `works` is true if the array senses its page.
                on_next_command(die: DieId, first: TransactionId, works: bool, why: &impl TransactionOrigins, now: SimTime)
                /// Release of a die for its next command.
                on_die_free(die: DieId, now: SimTime)
                /// End of a chip's activity, which started at `since` or at the start of the measured phase.
                on_chip_rest(chip: ChipId, since: SimTime, now: SimTime)
                /// Arrival of a page read by the host from a chip, `time` after its request.
                on_flash_read(chip: ChipId, time: SimSpan, now: SimTime)
                /// End of a transaction.
                on_transaction_end(id: TransactionId, why: &impl TransactionOrigins, now: SimTime)
                /// Continuation of a read as another transaction, from chip to chip.
                on_passing_on(read: TransactionId, to: TransactionId, now: SimTime)
                /// End of a plane's garbage collection, with the erase of its victim.
                on_collection(plane: PlaneId, now: SimTime)
                /// End of a request's page in flash.
                on_page(page: &PageCompletion<'_>, now: SimTime)
                /// Arrival of a write in the data cache.
                on_cache_write(id: RequestId, now: SimTime)
                /// Acceptance of the last part of a write by the cache's memory, after the wait `wait`.
                on_cache_access(id: RequestId, wait: SimSpan, now: SimTime)
                /// Completion of a destage, with its latency by stage and number of sectors.
                on_destage(clock: &StageClock, sectors: u32, now: SimTime)
                /// End of the cache's service of a request that did not involve flash.
                on_cache_service(id: RequestId, now: SimTime)
                /// Completion of a request.
                on_completion(completion: &Completion<'_>, now: SimTime)
            ]
            $($more)*
        }
    };
}

/// Defines the trait from the list of events.
macro_rules! contract {
    ([$($(#[$doc:meta])* $event:ident($($about:ident: $type:ty),*))*]) => {
        /// Observer of a run; the module documentation describes the interface.
        pub trait Probe {
            $(
                $(#[$doc])*
                #[inline]
                fn $event(&mut self, $($about: $type),*) {
                    let _ = ($($about,)*);
                }
            )*
        }

        /// Optional probe.
        impl<P: Probe> Probe for Option<P> {
            $(
                fn $event(&mut self, $($about: $type),*) {
                    if let Some(probe) = self {
                        probe.$event($($about),*);
                    }
                }
            )*
        }

        /// Probe on the heap.
        impl<P: Probe> Probe for Box<P> {
            $(
                fn $event(&mut self, $($about: $type),*) {
                    (**self).$event($($about),*);
                }
            )*
        }
    };
}

/// Defines a set of probes, which are notified in the order of their fields.
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
