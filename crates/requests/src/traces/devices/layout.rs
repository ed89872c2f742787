//! The placement of a trace's devices on one drive, as a user chooses it.

use std::fmt;

/// The placement of a trace's devices on one drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceLayout {
    /// Each device has an address range of its own: see [`SideBySide`](crate::adapters::SideBySide).
    SideBySide,
    /// All devices share one address range; equal addresses are the same page.
    Overlay,
    /// Only the requests of the device of this name.
    Single(String),
}

impl DeviceLayout {
    /// The name in reports: that of a single device is not part of it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SideBySide => "side-by-side",
            Self::Overlay => "overlay",
            Self::Single(_) => "single",
        }
    }
}

impl From<&str> for DeviceLayout {
    /// Reads an option's value: `side-by-side`, `overlay`, or else the name of a device.
    fn from(text: &str) -> Self {
        match text {
            "side-by-side" => Self::SideBySide,
            "overlay" => Self::Overlay,
            name => Self::Single(name.to_owned()),
        }
    }
}

impl fmt::Display for DeviceLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single(name) => f.write_str(name),
            other => f.write_str(other.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_layout_names_a_device() {
        for text in ["side-by-side", "overlay", "8,16", "sdb"] {
            assert_eq!(DeviceLayout::from(text).to_string(), text);
        }
        assert_eq!(DeviceLayout::from("sdb"), DeviceLayout::Single("sdb".into()));
        assert_eq!(DeviceLayout::from("overlay"), DeviceLayout::Overlay);
    }
}
