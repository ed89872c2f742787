//! Number of requests and address range of each device of a trace.

use crate::request::{HostRequest, Op, SECTOR_BYTES};

/// Number of sectors per page for the comparison of devices. The pages have 4 KiB, regardless of the drive's
/// page size.
const PAGE_SECTORS: u64 = 4096 / SECTOR_BYTES as u64;

/// Number of requests and address range of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::traces) struct DeviceExtent {
    /// Device number.
    pub(in crate::traces) device: u16,
    /// Number of reads.
    pub(in crate::traces) reads: u64,
    /// Number of writes.
    pub(in crate::traces) writes: u64,
    /// First sector that the device's requests access.
    pub(in crate::traces) first_sector: u64,
    /// First sector after all sectors that the device's requests access.
    pub(in crate::traces) end_sector: u64,
}

impl DeviceExtent {
    fn unused(device: u16) -> Self {
        Self { device, reads: 0, writes: 0, first_sector: u64::MAX, end_sector: 0 }
    }

    fn is_used(&self) -> bool {
        self.reads + self.writes > 0
    }

    #[inline]
    fn add(&mut self, request: &HostRequest) {
        let is_read = request.op.side() == Op::Read;
        self.reads += u64::from(is_read);
        self.writes += u64::from(!is_read);
        self.first_sector = self.first_sector.min(request.start_sector);
        self.end_sector = self.end_sector.max(request.end_sector());
    }

    /// Returns the first page of the address range and the first page after it.
    fn pages(&self) -> (u64, u64) {
        (self.first_sector / PAGE_SECTORS, self.end_sector.div_ceil(PAGE_SECTORS))
    }
}

/// Number of requests and address range of each device.
#[derive(Default)]
pub(in crate::traces) struct Extents {
    /// Entries of all devices, indexed by device number.
    all: Vec<DeviceExtent>,
}

impl Extents {
    /// Adds a request to the entry of its device.
    #[inline]
    pub(in crate::traces) fn add(&mut self, request: &HostRequest) {
        let device = usize::from(request.queue);
        if device >= self.all.len() {
            self.all.extend((self.all.len()..=device).map(|number| DeviceExtent::unused(number as u16)));
        }
        self.all[device].add(request);
    }

    /// Returns the devices that have requests, in the order of their numbers.
    pub(in crate::traces) fn used(&self) -> impl Iterator<Item = &DeviceExtent> {
        self.all.iter().filter(|extent| extent.is_used())
    }

    /// Returns true if the address ranges of two devices have a common page. Only devices whose numbers are
    /// equal modulo `ranges` are compared, since these share an address range of the drive.
    pub(in crate::traces) fn overlap(&self, ranges: u16) -> bool {
        let place = |extent: &DeviceExtent| (extent.device % ranges, extent.pages());
        let mut places: Vec<_> = self.used().map(place).collect();
        places.sort_unstable();
        // After sorting, overlaps occur only between neighbours: the earlier range ends after the start of
        // the later one.
        places.windows(2).any(|pair| {
            let ((range, (_, end)), (next_range, (next_first, _))) = (pair[0], pair[1]);
            range == next_range && next_first < end
        })
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimTime;

    use super::*;

    fn extents(requests: &[(u16, u64, u32)]) -> Extents {
        let mut extents = Extents::default();
        for &(queue, start_sector, sectors) in requests {
            let arrival = SimTime::ZERO;
            extents.add(&HostRequest {
                arrival,
                start_sector,
                sectors,
                queue,
                op: Op::Write,
                pattern_set: 0,
            });
        }
        extents
    }

    #[test]
    fn ranges_overlap_if_they_share_a_page() {
        assert!(!extents(&[(0, 0, 8), (1, 8, 8), (1, 800, 8)]).overlap(1));
        assert!(extents(&[(0, 0, 9), (1, 15, 1)]).overlap(1), "sectors of one page");
        assert!(extents(&[(0, 0, 8), (0, 800, 8), (1, 400, 8)]).overlap(1), "one within the other");
        assert!(!extents(&[(0, 0, 8), (0, 80, 8)]).overlap(1), "one device");
    }

    #[test]
    fn devices_on_other_ranges_of_the_drive_do_not_overlap() {
        let same = [(0, 0, 8), (3, 0, 8)];
        assert!(extents(&same).overlap(3));
        assert!(!extents(&same).overlap(2));
    }
}
