//! The seam: who looks at a run is told what happens, as it happens, and has no part in it.
//!
//! # How
//! [`Probe`] has a method for each thing that can happen in a drive; each does nothing unless a probe says what it does. Every instant
//! is exact, in picoseconds of simulated time, and is that of the event. Bytes are bytes of pages, without headers.
//!
//! Which probes there are is known when the program is compiled: [`Probes`](super::Probes) is the catalogue, a field for each. So a probe that
//! does not look at something costs nothing there, and there is no call through a table. A probe that is only there where it is
//! asked for is an `Option` of one.
//!
//! Some of what a probe may want to know costs time to find out, and is asked for instead of told: [`Reasons`].
//!
//! # What is left out
//! Steps inside the fabric, and of the host interface, between a request's issue and its completion.

use venice_kernel::{SimSpan, SimTime};

use crate::accounting::StageClock;
use crate::chip::{ArrayWork, Operation, Sent};
use crate::fabric::Delivery;
use crate::geometry::{ChipId, DieId, PlaneId, RequestId, TransactionId};
use crate::host::Request;

use super::holder::{Behind, Holder};

/// Where a transaction is done, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The plane that does it.
    pub plane: PlaneId,
    /// The request that waits for it, if one does.
    pub request: Option<RequestId>,
    /// The plane that is collected with it, if it is collection's.
    pub collects: Option<PlaneId>,
}

/// What is known of transactions by who ordered them.
pub trait Reasons {
    /// Where a transaction is done, and for whom.
    fn about(&self, id: TransactionId) -> About;

    /// For whom a die works on this transaction.
    fn holder(&self, id: TransactionId) -> Holder;

    /// Whether a request of the host, or the data cache, waits for this transaction.
    fn is_waited_for(&self, id: TransactionId) -> bool;

    /// Up to when the time of a transaction has been given to stages.
    fn waits_since(&self, id: TransactionId) -> SimTime;

    /// Until when a write had no page to go to, as far as is known; the beginning of time for what has one, or needs none.
    fn no_room_until(&self, id: TransactionId) -> SimTime;

    /// The write that goes on when this transaction is over, if it reads what that does not cover.
    fn follower(&self, id: TransactionId) -> Option<TransactionId>;

    /// Of the transactions that the host or the cache waits for, the earliest instant up to which the time of one has been given
    /// to stages.
    fn oldest_wait(&self) -> Option<SimTime>;
}

/// A command that has been taken by the fabric, and is on its way to its die.
#[derive(Clone, Copy, Debug)]
pub struct CommandStart<'a> {
    /// The die.
    pub die: DieId,
    /// Its chip.
    pub chip: ChipId,
    /// What the array will do.
    pub operation: Operation,
    /// Its transactions, one for each plane.
    pub batch: &'a [TransactionId],
    /// How long the array will work.
    pub work: ArrayWork,
    /// Whether another die of the chip works already.
    pub is_interleaved: bool,
}

/// A transaction whose wait is over, as what it waited to send goes out.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The die.
    pub die: DieId,
    /// The transaction.
    pub id: TransactionId,
    /// Since when nothing but a path was missing.
    pub ready: SimTime,
    /// Whether it waited for the pins alone: data in a register, or a command that had been formed.
    pub for_pins: bool,
}

/// A transfer that has reached its end.
#[derive(Clone, Copy, Debug)]
pub struct TransferEnd<'a> {
    /// Which.
    pub delivery: &'a Delivery,
    /// How long it was under way.
    pub took: SimSpan,
    /// Whether it had found no path at its first attempt.
    pub conflicted: bool,
    /// Bytes that it took into the drive's memory, or out of it.
    pub memory_bytes: u32,
}

/// A page of a request that is done.
#[derive(Clone, Copy, Debug)]
pub struct PageEnd<'a> {
    /// The request's place among those in flight.
    pub id: RequestId,
    /// The request.
    pub request: &'a Request,
    /// Where the page's time went.
    pub clock: &'a StageClock,
    /// Whether the request is of the measured phase.
    pub is_measured: bool,
}

/// A request that is complete.
#[derive(Clone, Copy, Debug)]
pub struct Completion<'a> {
    /// The request.
    pub request: &'a Request,
    /// From issue by the host.
    pub latency: SimSpan,
    /// From entry into the drive's queue.
    pub device_latency: SimSpan,
    /// Whether it is of the measured phase.
    pub is_measured: bool,
    /// Its wait for a chip, or for room in the cache, by cause, if causes are looked for.
    pub behind: Option<&'a Behind>,
}

/// Hands everything that can happen to a macro that follows.
macro_rules! with_events {
    ($then:ident $($more:tt)*) => {
        $then! {
            [
                /// The measured phase begins; so many requests were issued before.
                on_measuring(requests: u64, now: SimTime)
                /// The host issues a request.
                on_issue(now: SimTime)
                /// A command sets out for its die, which is busy from now on.
                on_command(command: &CommandStart<'_>, why: &impl Reasons, now: SimTime)
                /// A command to a lost chip comes to nothing: so many planes do not work for the time that was announced.
                on_void_command(operation: Operation, work: ArrayWork, planes: u64, now: SimTime)
                /// A transaction's command, or its data, goes out: its wait is over.
                on_departure(departure: &Departure, why: &impl Reasons, now: SimTime)
                /// Something of a die has a chip's pins, but for a new command.
                on_pins_taken(die: DieId, sent: Sent, now: SimTime)
                /// Nothing has a chip's pins any more; whether what had them has arrived, rather than found no path or gone to another chip.
                on_pins_free(chip: ChipId, arrived: bool, now: SimTime)
                /// A transfer has reached its end.
                on_transfer(transfer: &TransferEnd<'_>, now: SimTime)
                /// The array of a die is at work.
                on_array_begin(die: DieId, now: SimTime)
                /// The array of a die is at work no longer.
                on_array_end(die: DieId, now: SimTime)
                /// An array comes to rest for a suspension, or gets going after it: for so long, summed over the planes of the command.
                on_settling(die: DieId, span: SimSpan, now: SimTime)
                /// An operation is put aside.
                on_suspension(die: DieId, operation: Operation, now: SimTime)
                /// The command to go on with what was put aside sets out; the first of its transactions.
                on_resumption(die: DieId, first: TransactionId, why: &impl Reasons, now: SimTime)
                /// A die is free for a command.
                on_die_free(die: DieId, now: SimTime)
                /// A chip has no die at work any more; it had since that instant, or since the measured phase began.
                on_chip_rest(chip: ChipId, since: SimTime, now: SimTime)
                /// A page that the host reads has come from a chip, so long after it was asked for.
                on_flash_read(chip: ChipId, time: SimSpan, now: SimTime)
                /// A transaction is about to be over.
                on_transaction_end(id: TransactionId, why: &impl Reasons, now: SimTime)
                /// What a transaction reads goes on as another one, from chip to chip.
                on_passing_on(read: TransactionId, to: TransactionId, now: SimTime)
                /// A plane's collection ends with the erase of its victim.
                on_collection(plane: PlaneId, now: SimTime)
                /// A page of a request is done with flash.
                on_page(page: &PageEnd<'_>, now: SimTime)
                /// A write comes to the data cache.
                on_cache_write(id: RequestId, now: SimTime)
                /// The data cache's memory takes the last of a write, for which that has waited.
                on_cache_access(id: RequestId, wait: SimSpan, now: SimTime)
                /// A page of the data cache is in flash; its way there, and its sectors.
                on_destage(clock: &StageClock, sectors: u32, now: SimTime)
                /// The cache has done its part of a request, with which flash had nothing to do.
                on_cache_service(id: RequestId, now: SimTime)
                /// A request is complete.
                on_completion(completion: &Completion<'_>, now: SimTime)
            ]
            $($more)*
        }
    };
}

/// The contract.
macro_rules! contract {
    ([$($(#[$doc:meta])* $event:ident($($about:ident: $type:ty),*))*]) => {
        /// Who looks at a run: see the module's head.
        pub trait Probe {
            $(
                $(#[$doc])*
                #[inline]
                fn $event(&mut self, $($about: $type),*) {
                    let _ = ($($about,)*);
                }
            )*
        }

        /// A probe that is only there where it is asked for.
        impl<P: Probe> Probe for Option<P> {
            $(
                fn $event(&mut self, $($about: $type),*) {
                    if let Some(probe) = self {
                        probe.$event($($about),*);
                    }
                }
            )*
        }

        /// A large one.
        impl<P: Probe> Probe for Box<P> {
            $(
                fn $event(&mut self, $($about: $type),*) {
                    (**self).$event($($about),*);
                }
            )*
        }
    };
}

/// A set of probes, each of which is told everything, in the order in which they are written.
macro_rules! probes {
    (
        [$($(#[$told:meta])* $event:ident $about:tt)*]
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
