//! The devices of a trace: their names, their extents, and their placement on one drive.

mod check;
mod extents;
mod layout;
mod names;
mod selection;

pub use check::{DeviceCheck, ReadAgain};
pub(super) use extents::{Extent, Extents};
pub use layout::DeviceLayout;
pub(super) use names::Devices;
pub(super) use selection::Selection;
