//! Options for the placement of a trace's devices on one drive.

use std::fmt;

/// Placement of a trace's devices on one drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceLayout {
    /// Devices have separate address ranges; see
    /// [`ConcatenatedDevices`](crate::adapters::ConcatenatedDevices).
    SideBySide,
    /// Devices share one address range: equal addresses of different devices are the same page.
    Overlay,
    /// Only the requests of the device with this name are used.
    Single(String),
}

impl DeviceLayout {
    /// Returns the name of the layout for reports. It does not include the name of a single device.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SideBySide => "side-by-side",
            Self::Overlay => "overlay",
            Self::Single(_) => "single",
        }
    }
}

impl From<&str> for DeviceLayout {
    /// Converts the value of an option: `side-by-side`, `overlay`, or else the name of a device.
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
