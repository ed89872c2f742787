//! What was busy with what, from when to when.

use venice_kernel::{SimSpan, SimTime};

/// Which slices are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceSettings {
    /// Slices that end before are left out.
    pub from: SimTime,
    /// Slices that begin then or later are left out.
    pub to: SimTime,
    /// Slices at most, each of 32 bytes. What comes to its end later is left out.
    pub most: u32,
}

/// A kind of rows: what is busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Row {
    /// A queue of the host, with requests that are outstanding.
    Queue,
    /// A flash controller whose paths are reserved by scouts.
    Controller,
    /// A place of the fabric over which transfers go: a channel, a bus, a ring, a link.
    Place,
    /// The pins of a chip.
    Pins,
    /// A plane.
    Plane,
    /// A die whose operation is put aside.
    Die,
    /// A plane whose blocks are collected.
    Collection,
}

impl Row {
    /// All of them, in their order.
    pub const ALL: [Self; 7] =
        [Self::Queue, Self::Controller, Self::Place, Self::Pins, Self::Plane, Self::Die, Self::Collection];

    /// Its name.
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
        /// What something is busy with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum What {
            $($(#[$doc])* $what,)*
        }

        impl What {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$what,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$what => $name,)*
                }
            }
        }
    };
}

whats! {
    /// A request that reads, or a plane that senses a page.
    Read "read"
    /// A request that writes.
    Write "write"
    /// A request that asks for a combination of pages.
    Gather "gather"
    /// A plane programs a page.
    Program "program"
    /// A plane erases a block.
    Erase "erase"
    /// A plane moves a page inside.
    Copyback "copyback"
    /// A plane combines pages.
    Combine "combine"
    /// An array comes to rest for a suspension, or gets going after it.
    Settling "settling"
    /// An operation is put aside.
    Suspended "suspended"
    /// A command to read is on its way.
    ReadCommand "read command"
    /// A command to program is on its way, with its data.
    DataIn "data in"
    /// A command to erase is on its way.
    EraseCommand "erase command"
    /// A command to move a page inside a plane is on its way.
    CopybackCommand "copyback command"
    /// A command to combine pages is on its way, with its data if it has any.
    CombineCommand "combine command"
    /// Data of a page is on its way from its chip.
    DataOut "data out"
    /// A command to suspend is on its way.
    SuspendCommand "suspend command"
    /// A command to resume is on its way.
    ResumeCommand "resume command"
    /// A scout that reserved a path, there and back.
    Scout "scout"
    /// A scout that found no path, there and back.
    FailedScout "failed scout"
    /// Scouts that were sent one after the other, and found no path.
    FailedScouts "failed scouts"
    /// A transfer on a path as short as can be.
    Circuit "circuit"
    /// A transfer on a path that is longer.
    Detour "circuit, misrouted"
    /// Collection, from its first command to the end of its erase.
    Collecting "collecting"
}

/// Something was busy with something. 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// From when.
    pub begin: SimTime,
    /// For how long.
    pub span: SimSpan,
    /// The number of its row, among those of its kind.
    pub index: u32,
    /// Its request's number, or [`Slice::NONE`].
    pub request: u32,
    /// The chip that it is about, or [`Slice::NONE`].
    pub chip: u32,
    /// The kind of its row.
    pub row: Row,
    /// What it is.
    pub what: What,
}

const _: () = assert!(size_of::<Slice>() == 32, "there are millions of slices");

impl Slice {
    /// In place of a number: there is none.
    pub const NONE: u32 = u32::MAX;

    /// Until when.
    pub fn end(&self) -> SimTime {
        self.begin + self.span
    }

    /// Whether some of it lies in a window; one without length, where it lies.
    pub(super) fn is_in(&self, window: &SliceSettings) -> bool {
        self.begin < window.to && (self.end() > window.from || self.begin >= window.from)
    }
}
