//! Page registers: reads of the page that a plane sensed last.
//!
//! # What it models
//! A plane keeps the data of the page that it sensed last in its page register, until it senses another page,
//! programs or erases. A read of the same page needs no sensing: the die only selects another column of the
//! register, which takes `flash.t_register_us` instead of tR. Sequential reads that are smaller than a page, with
//! one outstanding, sense each page once: of n reads of a page, n - 1 take the shorter time.
//!
//! # What is left out
//! A suspended program keeps the register of its plane. Reads that pass it use another latch, which counts as the
//! page register here. Short reads that sense a part of a page (`flash.partial_read_bytes`) leave no data.
//!
//! # Source
//! ONFI 4.2: change read column (05h-E0h).
//!
//! # Parameters
//! `flash.t_register_us`

use venice_nand::chip::{ArrayTimes, PageOperation};
use venice_nand::geometry::{Geometry, PlaneId, Ppn};

/// Contents of the page registers of all planes: the page that each plane sensed last.
#[derive(Clone, Debug)]
pub(in crate::ftl) struct PageRegisters {
    /// First slot of the page in the register of each plane; `None` if no whole page is there.
    pages: Vec<Option<Ppn>>,
    /// Maximum size, in bytes, of a host read that senses only a part of its page. Such a read leaves no data
    /// in the register.
    partial_read_bytes: u64,
}

impl PageRegisters {
    /// Creates empty registers; `None` if each read senses its page.
    pub(in crate::ftl) fn new(geometry: &Geometry, times: &ArrayTimes) -> Option<Self> {
        (!times.register.is_zero()).then(|| Self {
            pages: vec![None; geometry.planes() as usize],
            partial_read_bytes: times.partial_read_bytes,
        })
    }

    /// Records the start of an operation on a page of a plane. `page` is the first slot of the page that is
    /// read. Returns the operation `operation`, or [`PageOperation::ReadRegister`] if the register already
    /// contains the page.
    pub(in crate::ftl) fn start(
        &mut self,
        plane: PlaneId,
        page: Option<Ppn>,
        operation: PageOperation,
    ) -> PageOperation {
        let register = &mut self.pages[plane.index()];
        let is_sense = match operation {
            PageOperation::Sense(_) | PageOperation::SenseSlc { pages: 1 } => true,
            PageOperation::HostSense { command_bytes, .. } => {
                if page.is_some() && *register == page {
                    return PageOperation::ReadRegister;
                }
                command_bytes > self.partial_read_bytes
            }
            _ => false,
        };
        if is_sense && page.is_some() && *register == page {
            return PageOperation::ReadRegister;
        }
        *register = page.filter(|_| is_sense);
        operation
    }

    /// Empties the register of a plane, before a page is sensed again because of bit errors.
    pub(in crate::ftl) fn clear(&mut self, plane: PlaneId) {
        self.pages[plane.index()] = None;
    }
}

#[cfg(test)]
mod tests {
    use venice_kernel::SimSpan;
    use venice_nand::testkit::paper_flash;

    use super::*;
    use crate::testkit::settings::SmallDrive;

    const PLANE: PlaneId = PlaneId(0);
    const SENSE: PageOperation = PageOperation::Sense(3);

    fn registers(partial_read_bytes: u64) -> PageRegisters {
        let mut times = paper_flash(1).array;
        (times.register, times.partial_read_bytes) = (SimSpan::from_ns(1), partial_read_bytes);
        PageRegisters::new(&SmallDrive::new(2, 2).geometry, &times).expect("registers are used")
    }

    #[test]
    fn page_in_the_register_is_not_sensed_again() {
        let mut registers = registers(0);
        let mut read = |plane, page| registers.start(PlaneId(plane), Some(Ppn(page)), SENSE);
        let operations = [read(0, 8), read(0, 8), read(1, 16), read(0, 8), read(0, 12), read(0, 8)];
        let again = PageOperation::ReadRegister;
        assert_eq!(operations, [SENSE, again, SENSE, again, SENSE, SENSE]);
    }

    #[test]
    fn programs_erases_and_retries_empty_the_register() {
        let mut registers = registers(0);
        let page = Some(Ppn(8));
        for operation in [PageOperation::Program(4), PageOperation::Erase] {
            assert_eq!(registers.start(PLANE, page, SENSE), SENSE);
            assert_eq!(registers.start(PLANE, None, operation), operation);
        }
        assert_eq!(registers.start(PLANE, page, SENSE), SENSE);
        registers.clear(PLANE);
        assert_eq!(registers.start(PLANE, page, SENSE), SENSE);
    }

    #[test]
    fn reads_that_sense_a_part_of_a_page_use_the_register_but_do_not_fill_it() {
        let mut registers = registers(4096);
        let short = PageOperation::HostSense { offset: 3, command_bytes: 4096 };
        let page = Some(Ppn(8));
        assert_eq!([0; 2].map(|_| registers.start(PLANE, page, short)), [short; 2]);
        registers.start(PLANE, page, SENSE);
        assert_eq!(registers.start(PLANE, page, short), PageOperation::ReadRegister);
    }

    #[test]
    fn registers_without_a_time_are_not_used() {
        assert!(PageRegisters::new(&SmallDrive::new(2, 2).geometry, &paper_flash(1).array).is_none());
    }
}
