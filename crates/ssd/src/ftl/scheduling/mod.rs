//! In which order an idle die serves its queues.
//!
//! # The contract
//!
//! 1. Classes of work are served in a fixed order, [`service_order`]; the first class with work that can be done now
//!    is served. While collection is urgent (a plane of the die has too few free blocks), collection comes before
//!    whatever consumes free pages.
//! 2. The host's reads, and its writes, wait in lanes; a policy says in which one. Within a lane, first come first served.
//! 3. Asked which lane of a class a die, or a chip whose dies take turns, serves next, a policy names one of those
//!    that have work that can be done now. Being asked changes nothing that counts: the fabric may refuse the command,
//!    and then the policy is asked again. When a command is accepted, the policy is told.
//! 4. A policy draws no random numbers.
//! 5. What is asked, and when, is the policy's to say ([`Looks`]). One that looks everywhere is asked at every look, for reads and, if
//!    no read is served, for writes: about lanes that have work, done now or not, if any, of servers that are busy or not. There being asked
//!    may count, and the answer may be none; then the server is asked about again at the next look.
//!
//! A policy may have the host's reads and writes served as one class, in groups ([`SchedulingPolicy::most_passes`]).
//!
//! A second class of the same operation may fill up a multi-plane command of another ([`joining_class`]).
//!
//! To add a policy: write its file with [`SchedulingPolicy`], and add its line below.

mod out_of_order;
pub mod paq;
mod priority_out_of_order;
pub mod priority_turns;

use crate::geometry::Priority;

pub use out_of_order::{joining_class, service_order};

use out_of_order::OutOfOrder;
use paq::Paq;
use priority_out_of_order::PriorityOutOfOrder;
use priority_turns::PriorityTurns;

/// Most lanes of a class.
pub const LANES: usize = 4;

/// Which of the host's two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// Lanes that have work that can be done now, one bit each; at least one is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSet(pub u8);

impl LaneSet {
    /// Whether a lane is among them.
    #[inline]
    pub const fn has(self, lane: u8) -> bool {
        self.0 >> lane & 1 != 0
    }
}

/// When a policy is asked for a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// Where a command may be sent: of a server that can take one and has work that can be done now.
    WhereWorkIs,
    /// Of every server of every path that is free, whenever transactions came, the path became free, or one of its servers.
    Everywhere,
}

/// What the policies are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulingSettings {
    /// Which policy.
    pub kind: Scheduling,
    /// Commands that the classes high, medium and low get in a round, at least one each.
    pub weights: [u32; 3],
    /// How often a group may pass over the transaction that has waited longest for a die.
    pub most_passes: u32,
}

/// A policy; see the contract in the module comment. Unless it says otherwise, it has one lane for all.
pub trait SchedulingPolicy {
    /// Whether there is but one lane: then the policy is asked for none.
    const HAS_ONE_LANE: bool = true;
    /// When it is asked; one with one lane for all is asked for none.
    const LOOKS: Looks = Looks::WhereWorkIs;

    /// The policy of a drive with so many dies.
    fn new(settings: &SchedulingSettings, dies: u32) -> Self;

    /// The lane of a transaction of this class.
    #[inline]
    fn lane(&self, _priority: Priority) -> u8 {
        0
    }

    /// The lane that is served next, if any is. `server` is the die, or the first one of the chip.
    #[inline]
    fn choose(&mut self, _server: u32, _kind: Kind, _ready: LaneSet) -> Option<u8> {
        Some(0)
    }

    /// What was chosen last for this server is served.
    #[inline]
    fn served(&mut self, _server: u32, _kind: Kind) {}

    /// If the host's reads and writes are served together, in groups: how often a group may pass over the transaction
    /// that has waited longest for its die.
    #[inline]
    fn most_passes(&self) -> Option<u32> {
        None
    }
}

/// The catalogue: `"name" => Model`.
macro_rules! policies {
    ($($name:literal => $model:ident),+ $(,)?) => {
        /// Names of the policies, as users write them.
        pub const SCHEDULING_NAMES: &[&str] = &[$($name),+];

        /// How transactions are ordered.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Scheduling {
            $(#[doc = concat!("`", $name, "`.")] $model,)+
        }

        impl Scheduling {
            /// Every policy, in the order of [`SCHEDULING_NAMES`].
            pub const ALL: &[Self] = &[$(Self::$model),+];
        }

        /// Any of the policies, dispatched by `match`.
        #[derive(Clone, Debug)]
        pub enum AnyScheduling {
            $(#[doc = concat!("The policy called `", $name, "`.")] $model($model),)+
        }

        impl AnyScheduling {
            /// The policy of these settings.
            pub fn new(settings: &SchedulingSettings, dies: u32) -> Self {
                match settings.kind {
                    $(Scheduling::$model => Self::$model($model::new(settings, dies)),)+
                }
            }

            /// See [`SchedulingPolicy::lane`].
            #[inline]
            pub fn lane(&self, priority: Priority) -> u8 {
                match self { $(Self::$model(policy) => policy.lane(priority),)+ }
            }

            /// See [`SchedulingPolicy::choose`].
            #[inline]
            pub fn choose(&mut self, server: u32, kind: Kind, ready: LaneSet) -> Option<u8> {
                match self { $(Self::$model(policy) => policy.choose(server, kind, ready),)+ }
            }

            /// See [`SchedulingPolicy::served`].
            #[inline]
            pub fn served(&mut self, server: u32, kind: Kind) {
                match self { $(Self::$model(policy) => policy.served(server, kind),)+ }
            }

            /// See [`SchedulingPolicy::most_passes`].
            #[inline]
            pub fn most_passes(&self) -> Option<u32> {
                match self { $(Self::$model(policy) => policy.most_passes(),)+ }
            }

            /// Whether it [looks](SchedulingPolicy::LOOKS) everywhere.
            #[inline]
            pub const fn looks_everywhere(&self) -> bool {
                match self { $(Self::$model(_) => matches!($model::LOOKS, Looks::Everywhere),)+ }
            }

            /// See [`SchedulingPolicy::HAS_ONE_LANE`].
            #[inline]
            pub const fn has_one_lane(&self) -> bool {
                match self { $(Self::$model(_) => $model::HAS_ONE_LANE,)+ }
            }
        }
    };
}

policies! {
    "out_of_order" => OutOfOrder,
    "priority_out_of_order" => PriorityOutOfOrder,
    "paq" => Paq,
    "priority_turns" => PriorityTurns,
}

impl Scheduling {
    /// The policy of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        let named = SCHEDULING_NAMES.iter().zip(Self::ALL);
        named.into_iter().find_map(|(&known, &policy)| (known == name).then_some(policy))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_policy_names_a_lane_with_work_and_the_same_again_when_it_was_refused(
            sets in prop::collection::vec((0_u32..3, any::<bool>(), 1_u8..16), 1..60),
            weights in [1_u32..6, 1..6, 1..6],
        ) {
            for &kind in Scheduling::ALL {
                let mut policy = AnyScheduling::new(&SchedulingSettings { kind, weights, most_passes: 1 }, 3);
                let lanes = [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];
                let used = lanes.iter().fold(0, |set, &priority| set | 1 << policy.lane(priority));
                for &(server, is_read, ready) in &sets {
                    let (work, ready) = (if is_read { Kind::Read } else { Kind::Write }, ready & used);
                    if ready == 0 {
                        continue;
                    }
                    let lane = policy.choose(server, work, LaneSet(ready));
                    let may = lane.map_or(policy.looks_everywhere(), |lane| LaneSet(ready).has(lane));
                    prop_assert!(may, "{kind:?} named {lane:?} of {ready:04b}");
                    if !policy.looks_everywhere() {
                        prop_assert_eq!(policy.choose(server, work, LaneSet(ready)), lane, "{:?}", kind);
                    }
                    policy.served(server, work);
                }
            }
        }
    }

    #[test]
    fn every_name_leads_to_its_policy() {
        assert_eq!(SCHEDULING_NAMES.len(), Scheduling::ALL.len());
        for (&name, &kind) in SCHEDULING_NAMES.iter().zip(Scheduling::ALL) {
            assert_eq!(Scheduling::from_name(name), Some(kind));
        }
        assert_eq!(Scheduling::from_name("fifo"), None);
    }
}
