//! Slices of a trace: periods in which a resource was active.

use venice_kernel::{SimSpan, SimTime};

/// Settings for the recording of slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceSettings {
    /// Start of the recorded window. Slices that end before it are dropped.
    pub from: SimTime,
    /// End of the recorded window. Slices that begin at or after it are dropped.
    pub to: SimTime,
    /// Maximum number of slices, of 32 bytes each. Later slices are dropped.
    pub most: u32,
}

/// Type of resource. Each type is shown as a group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// Host queue: active while it has outstanding requests.
    Queue,
    /// Flash controller: active while scouts search for its paths or a path is in use.
    Controller,
    /// Path of the fabric, such as a channel, a bus, a ring or a link.
    Place,
    /// Pins of a chip: active during transfers.
    Pins,
    /// Plane of a die: active while its array executes an operation.
    Plane,
    /// Die: active while it has a suspended operation.
    Die,
    /// Plane: active while the garbage collection of one of its blocks is in progress.
    Collection,
}

impl ResourceKind {
    /// All kinds of resources in the order in which they are shown.
    pub const ALL: [Self; 7] =
        [Self::Queue, Self::Controller, Self::Place, Self::Pins, Self::Plane, Self::Die, Self::Collection];

    /// Returns the name of the kind of resource in the trace.
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
            /// All kinds of activities.
            pub const ALL: &[Self] = &[$(Self::$what,)*];

            /// Returns the name of the activity in the trace.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$what => $name,)*
                }
            }
        }
    };
}

whats! {
    /// Read request of a queue, or page read of a plane.
    Read "read"
    /// Write request.
    Write "write"
    /// Gather request.
    Gather "gather"
    /// Trim request.
    Trim "trim"
    /// Flush request.
    Flush "flush"
    /// Write-zeroes request.
    WriteZeroes "write_zeroes"
    /// Page program of a plane.
    Program "program"
    /// Block erase of a plane.
    Erase "erase"
    /// Relocation of a page within a plane.
    Copyback "copyback"
    /// Combination of a gather's pages in a plane.
    Combine "combine"
    /// Search request of a queue, or sensing of a page for a search.
    Search "search"
    /// Stop or restart of an array because of a suspension.
    Settling "settling"
    /// Suspended operation of a die.
    Suspended "suspended"
    /// Transfer of a read command.
    ReadCommand "read command"
    /// Transfer of a program command with its data.
    DataIn "data in"
    /// Transfer of an erase command.
    EraseCommand "erase command"
    /// Transfer of a copyback command.
    CopybackCommand "copyback command"
    /// Transfer of a command to combine pages, with the data of a page that was read elsewhere.
    CombineCommand "combine command"
    /// Transfer of a search command, with the tables of the matcher.
    SearchCommand "search command"
    /// Transfer of a page from its chip to a flash controller.
    DataOut "data out"
    /// Transfer of a suspend command.
    SuspendCommand "suspend command"
    /// Transfer of a resume command.
    ResumeCommand "resume command"
    /// Scout that finds a path, from departure to return.
    Scout "scout"
    /// Scout that finds no path, from departure to return.
    FailedScout "failed scout"
    /// Series of scouts that find no path, as one slice.
    FailedScouts "failed scouts"
    /// Transfer on a path of minimum length.
    Circuit "circuit"
    /// Transfer on a path with a detour.
    Detour "circuit, misrouted"
    /// Garbage collection of a block, from its first command to the end of its erase.
    Collecting "collecting"
}

/// Slice of a trace: activity of a resource in a period, in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Start of the activity.
    pub begin: SimTime,
    /// Duration of the activity.
    pub span: SimSpan,
    /// Number of the active resource among the resources of its kind.
    pub index: u32,
    /// Number of the request to which the activity belongs, or [`Slice::NONE`].
    pub request: u32,
    /// Number of the chip involved, or [`Slice::NONE`].
    pub chip: u32,
    /// Type of the active resource.
    pub row: ResourceKind,
    /// Activity during the slice.
    pub what: ResourceActivity,
}

const _: () = assert!(size_of::<Slice>() == 32, "there are millions of slices");

impl Slice {
    /// Value of `request` or `chip` in a slice without a request or chip, or with an unknown one.
    pub const NONE: u32 = u32::MAX;

    /// Returns the end of the activity.
    pub fn end(&self) -> SimTime {
        self.begin + self.span
    }

    /// Returns true if the slice overlaps the window. A slice of length zero must begin within the window.
    pub(super) fn is_in(&self, window: &SliceSettings) -> bool {
        self.begin < window.to && (self.end() > window.from || self.begin >= window.from)
    }
}
