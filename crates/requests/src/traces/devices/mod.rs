//! Devices of a trace: names, address ranges, and placement on one drive.

mod check;
mod extents;
mod layout;
mod names;
mod selection;

pub use check::{DeviceCheck, ReopenTrace};
pub(super) use extents::{DeviceExtent, Extents};
pub use layout::DeviceLayout;
pub(super) use names::Devices;
pub(super) use selection::Selection;
