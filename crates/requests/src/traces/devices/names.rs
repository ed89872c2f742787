//! Numbering of devices that have names.

use std::collections::BTreeMap;

use super::super::LineFault;

/// Map from device names to numbers, from 0 in order of appearance.
#[derive(Default)]
pub(in crate::traces) struct Devices {
    numbers: BTreeMap<Box<[u8]>, u16>,
    /// Name and number of the device in the previous line, which often occurs in the next line too.
    last: (Box<[u8]>, u16),
}

impl Devices {
    /// Returns the number of the device called `name`. A new name receives the next number.
    #[inline]
    pub(in crate::traces) fn number(&mut self, name: &[u8]) -> Result<u16, LineFault> {
        if *self.last.0 == *name && !name.is_empty() {
            return Ok(self.last.1);
        }
        self.look_up(name)
    }

    /// Returns the name of the device with this number.
    pub(in crate::traces) fn name(&self, number: u16) -> String {
        self.bytes_of(number)
            .map_or_else(|| number.to_string(), |name| String::from_utf8_lossy(name).into_owned())
    }

    /// Returns the name of the device with this number, as bytes.
    pub(in crate::traces) fn bytes_of(&self, number: u16) -> Option<&[u8]> {
        self.numbers.iter().find(|&(_, &known)| known == number).map(|(name, _)| &**name)
    }

    #[cold]
    fn look_up(&mut self, name: &[u8]) -> Result<u16, LineFault> {
        let number = match self.numbers.get(name) {
            Some(&number) => number,
            None => self.add(name)?,
        };
        self.last = (name.into(), number);
        Ok(number)
    }

    fn add(&mut self, name: &[u8]) -> Result<u16, LineFault> {
        let number = u16::try_from(self.numbers.len());
        let number = number
            .map_err(|_| LineFault { field: "device", expected: "at most 65536 devices in a trace" })?;
        self.numbers.insert(name.into(), number);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_numbered_as_they_appear() {
        let mut devices = Devices::default();
        let names = ["8,16", "8,0", "8,16", "8,16", "9,1", "9,1", "8,0"];
        let numbers = names.map(|name| devices.number(name.as_bytes()).unwrap());
        assert_eq!(numbers, [0, 1, 0, 0, 2, 2, 1]);
        assert_eq!((devices.name(1).as_str(), devices.name(2).as_str()), ("8,0", "9,1"));
    }

    #[test]
    fn the_devices_end_where_queue_numbers_end() {
        let mut devices = Devices::default();
        for device in 0..=u32::from(u16::MAX) {
            assert_eq!(devices.number(device.to_string().as_bytes()).map(u32::from), Ok(device));
        }
        assert_eq!(devices.number(b"one more").unwrap_err().field, "device");
        assert_eq!(devices.number(b"17"), Ok(17));
    }
}
