//! Slices: activity of one resource over a period, for the trace of a run.

use venice_kernel::{SimSpan, SimTime};

/// Selection of slices to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceSettings {
    /// Start of the window; slices that end before it are dropped.
    pub from: SimTime,
    /// End of the window; slices that begin at or after it are dropped.
    pub to: SimTime,
    /// Maximum number of slices, 32 bytes each; slices that end after it is reached are dropped.
    pub most: u32,
}

/// Kind of resource, shown as a group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// Host queue with outstanding requests.
    Queue,
    /// Flash controller whose paths scouts reserve.
    Controller,
    /// Path of the fabric: a channel, a bus, a ring, a link.
    Place,
    /// Pins of a chip.
    Pins,
    /// Plane.
    Plane,
    /// Die with a suspended operation.
    Die,
    /// Plane under garbage collection.
    Collection,
}

impl ResourceKind {
    /// All kinds in order.
    pub const ALL: [Self; 7] =
        [Self::Queue, Self::Controller, Self::Place, Self::Pins, Self::Plane, Self::Die, Self::Collection];

    /// Returns the name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Controller => "controller",
            Self::Place => "place",
            Self::Pins => "pins",
            Self::Plane => "plane",
            Self::Die => "die",
            Self::Collection => "collection",
        }
    }
}

macro_rules! whats {
    ($($(#[$doc:meta])* $what:ident $name:literal)*) => {
        /// Activity of a resource.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ResourceActivity {
            $($(#[$doc])* $what,)*
        }

        impl ResourceActivity {
            /// All activities.
            pub const ALL: &[Self] = &[$(Self::$what,)*];

            /// Returns the name of the activity.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$what => $name,)*
                }
            }
        }
    };
}

whats! {
    /// Read request, or page read of a plane.
    Read "read"
    /// Write request.
    Write "write"
    /// Gather request.
    Gather "gather"
    /// Trim request.
    Trim "trim"
    /// Flush request.
    Flush "flush"
    /// Request to write zeroes.
    WriteZeroes "write_zeroes"
    /// Page program of a plane.
    Program "program"
    /// Block erase of a plane.
    Erase "erase"
    /// Page move within a plane.
    Copyback "copyback"
    /// Combination of pages in a plane.
    Combine "combine"
    /// Stop or restart of an array for a suspension.
    Settling "settling"
    /// Suspended operation.
    Suspended "suspended"
    /// Transfer of a read command.
    ReadCommand "read command"
    /// Transfer of a program command with its data.
    DataIn "data in"
    /// Transfer of an erase command.
    EraseCommand "erase command"
    /// Transfer of a copyback command.
    CopybackCommand "copyback command"
    /// Transfer of a combine command, with its data if any.
    CombineCommand "combine command"
    /// Transfer of a page from its chip.
    DataOut "data out"
    /// Transfer of a suspend command.
    SuspendCommand "suspend command"
    /// Transfer of a resume command.
    ResumeCommand "resume command"
    /// Successful scout, from departure to return.
    Scout "scout"
    /// Failed scout, from departure to return.
    FailedScout "failed scout"
    /// Series of failed scouts.
    FailedScouts "failed scouts"
    /// Transfer on a path of minimal length.
    Circuit "circuit"
    /// Transfer on a longer path.
    Detour "circuit, misrouted"
    /// Garbage collection, from its first command to the end of its erase.
    Collecting "collecting"
}

/// Activity of a resource over a period, in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Start of the period.
    pub begin: SimTime,
    /// Length of the period.
    pub span: SimSpan,
    /// Number of the resource within its kind.
    pub index: u32,
    /// Number of the request, or [`Slice::NONE`].
    pub request: u32,
    /// Number of the chip, or [`Slice::NONE`].
    pub chip: u32,
    /// Kind of the resource.
    pub row: ResourceKind,
    /// Activity.
    pub what: ResourceActivity,
}

const _: () = assert!(size_of::<Slice>() == 32, "there are millions of slices");

impl Slice {
    /// Placeholder for a missing number.
    pub const NONE: u32 = u32::MAX;

    /// Returns the end of the period.
    pub fn end(&self) -> SimTime {
        self.begin + self.span
    }

    /// True if the slice overlaps the window or, for an empty slice, lies in it.
    pub(super) fn is_in(&self, window: &SliceSettings) -> bool {
        self.begin < window.to && (self.end() > window.from || self.begin >= window.from)
    }
}
