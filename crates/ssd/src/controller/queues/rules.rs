//! What is fixed about a drive's queues and commands.

use std::ops::Range;

use crate::chip::{CommandTimes, DieWork, FlashSettings};
use crate::geometry::{DieId, Geometry, PlaneId, remainder};
use crate::work::Class;

use crate::controller::scheduling::joining_class;

/// What the layer above asks of the controller, for the drive's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct QueueSettings {
    /// Streams of the host's writes, each of which fills blocks of its own.
    pub streams: u16,
    /// Whether collection goes behind the host while it is not urgent.
    pub collection_yields: bool,
    /// Whether writes of moves are copybacks: they read their page by themselves, and join no other programs.
    pub copyback: bool,
    /// Whether writes have their pages when they join their queue, and else get them when they start.
    pub pages_are_early: bool,
    /// Whether moves may go to other planes than their victim's.
    pub moves_leave: bool,
}

/// What the choosing goes by: the drive's shape, its chips and these settings.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) settings: QueueSettings,
    pub(super) commands: CommandTimes,
    /// Planes that a command can use at most.
    pub(super) planes_of_a_command: u32,
    /// Whether transactions of one command must be at the same page offset.
    pub(super) offsets_agree: bool,
    /// Whether all writes of the host that have no page yet get the next one of their plane.
    pub(super) host_shares_next_page: bool,
    pub(super) planes_per_die: u32,
    /// Dies that take turns, as those of a chip do of which one works at a time.
    dies_per_server: u32,
}

impl Rules {
    pub(super) fn new(geometry: &Geometry, flash: &FlashSettings, settings: QueueSettings) -> Self {
        Self {
            settings,
            commands: flash.commands.clone(),
            planes_of_a_command: if flash.multiplane { geometry.planes_per_die } else { 1 },
            offsets_agree: flash.multiplane_same_offset,
            host_shares_next_page: settings.streams == 1 && !settings.pages_are_early,
            planes_per_die: geometry.planes_per_die,
            dies_per_server: match flash.die_work {
                DieWork::Independent => 1,
                DieWork::OneAtATime => geometry.dies_per_chip,
            },
        }
    }

    /// The die, or the first one of a chip whose dies take turns.
    #[inline]
    pub(super) fn server_of(&self, die: DieId) -> u32 {
        die.0 - remainder(die.0, self.dies_per_server)
    }

    /// The class that fills up multi-plane commands of another. A copyback is no program like others.
    #[inline]
    pub(super) fn joining_class(&self, class: Class, urgent: bool) -> Option<Class> {
        let writes = matches!(class, Class::HostWrite | Class::GcWrite);
        joining_class(class, urgent).filter(|_| !(writes && self.settings.copyback))
    }

    /// The planes of a die.
    #[inline]
    pub(super) const fn planes(&self, die: DieId) -> Range<u32> {
        die.0 * self.planes_per_die..(die.0 + 1) * self.planes_per_die
    }

    /// A plane's place in its die.
    #[inline]
    pub(super) fn place_of(&self, plane: PlaneId) -> u32 {
        remainder(plane.0, self.planes_per_die)
    }
}
