//! Selection of a trace's devices according to a [`DeviceLayout`], and a record of the devices that have
//! occurred.

use super::layout::DeviceLayout;
use crate::request::DeviceUse;

/// Number of words of a bitmap that has one bit for each 16-bit device number.
const WORDS: usize = 1 << 10;

/// Devices that a layout selects, and devices that have occurred.
pub(in crate::traces) struct Selection {
    layout: Option<DeviceLayout>,
    /// Number of the selected device, if only one is selected and it has occurred.
    wanted: Option<u16>,
    seen: Box<[u64; WORDS]>,
    devices: u32,
    last: Option<u16>,
}

impl Selection {
    /// Returns the selection for a layout. Without a layout, all devices are selected.
    pub(in crate::traces) fn new(layout: Option<DeviceLayout>) -> Self {
        Self { layout, wanted: None, seen: Box::new([0; WORDS]), devices: 0, last: None }
    }

    /// Returns the queue of a device's requests; `None` if the device is not selected. `name` returns the
    /// device's name in the file.
    #[inline]
    pub(in crate::traces) fn queue(&mut self, device: u16, name: impl FnOnce() -> String) -> Option<u16> {
        if self.last != Some(device) {
            self.meet(device, name);
        }
        match self.layout {
            Some(DeviceLayout::Single(_)) => (self.wanted == self.last).then_some(0),
            _ => Some(device),
        }
    }

    /// Returns the name of the selected device, if only one is selected.
    pub(in crate::traces) fn single(&self) -> Option<&str> {
        match &self.layout {
            Some(DeviceLayout::Single(name)) => Some(name),
            _ => None,
        }
    }

    /// Records that a device has occurred, unless the previous call was for the same device.
    fn meet(&mut self, device: u16, name: impl FnOnce() -> String) {
        self.last = Some(device);
        let (word, bit) = (usize::from(device) / 64, 1 << (device % 64));
        if self.seen[word] & bit != 0 {
            return;
        }
        self.seen[word] |= bit;
        self.devices += 1;
        if let Some(DeviceLayout::Single(wanted)) = &self.layout
            && *wanted == name()
        {
            self.wanted = Some(device);
        }
    }

    /// Returns the number of devices that have occurred, and their placement if there are several.
    pub(in crate::traces) fn used(&self) -> DeviceUse {
        match &self.layout {
            Some(layout @ DeviceLayout::Single(_)) => {
                DeviceUse { devices: self.wanted.is_some().into(), device_layout: Some(layout.name()) }
            }
            layout => DeviceUse {
                devices: self.devices,
                device_layout: match self.devices {
                    0 | 1 => None,
                    _ => Some(layout.as_ref().unwrap_or(&DeviceLayout::Overlay).name()),
                },
            },
        }
    }

    /// Returns the name of the selected device, if only one is selected and it has not occurred yet.
    pub(in crate::traces) fn missing(&self) -> Option<&str> {
        self.single().filter(|_| self.wanted.is_none())
    }

    /// Returns the numbers of the devices that have occurred, in ascending order.
    pub(in crate::traces) fn seen(&self) -> impl Iterator<Item = u16> {
        (0..=u16::MAX).filter(|&device| self.seen[usize::from(device) / 64] >> (device % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(layout: Option<&str>, devices: &[u16]) -> (Selection, Vec<u16>) {
        let mut selection = Selection::new(layout.map(DeviceLayout::from));
        let name = |device: u16| format!("sd{device}");
        let found = devices.iter().filter_map(|&one| selection.queue(one, || name(one))).collect();
        (selection, found)
    }

    #[test]
    fn one_device_is_admitted_by_its_name_and_all_without_one() {
        let (selection, found) = admitted(Some("sd65535"), &[3, 65_535, 3, 65_535, 65_535, 0]);
        assert_eq!(found, [0; 3], "a single device is queue 0");
        assert_eq!(selection.used(), DeviceUse { devices: 1, device_layout: Some("single") });
        assert_eq!(selection.missing(), None);
        let (selection, found) = admitted(None, &[3, 3, 64, 3]);
        assert_eq!(found, [3, 3, 64, 3]);
        assert_eq!(selection.used(), DeviceUse { devices: 2, device_layout: Some("overlay") });
        assert_eq!(admitted(None, &[3, 3]).0.used(), DeviceUse { devices: 1, device_layout: None });
    }

    #[test]
    fn a_device_that_does_not_occur_is_named() {
        let (selection, found) = admitted(Some("sdb"), &[7, 64]);
        assert!(found.is_empty());
        assert_eq!(selection.missing(), Some("sdb"));
        assert_eq!(selection.seen().collect::<Vec<_>>(), [7, 64]);
    }
}
