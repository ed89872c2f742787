//! Array times of flash chips: tR, tPROG and tBERS.
//!
//! `flash.t_read_us` (tR) is the field `read` of [`ArrayTimes`]. Its value comes from the drive file or from
//! the chip that the file names (`presets/chips`). The module `resolved_drive.rs` of the crate `venice-config`
//! selects the value.
//!
//! [`ArrayTimes::read_of`] selects the time of a page by its type (`page_types`). [`ArrayTimes::work`]
//! returns the array time of an operation; a die uses it when its array starts to work.

use venice_kernel::SimSpan;
use venice_params::{Conflict, LONGEST_US, ParameterKind, choices, declare, number, one_of, whole};

use super::{ArrayWork, PageOperation, PageTypeOrder, WordLines};

/// Number of passes in which the pages of a word line are programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramScheme {
    /// One pass, as in one-shot programming.
    OnePass,
    /// A first (coarse) and a second (fine) pass.
    TwoPass,
}

choices! {
    ProgramScheme, "program scheme": "one_pass" => OnePass, "two_pass" => TwoPass;
}

/// Divisor of values in parts per million.
const PPM: u128 = 1_000_000;

declare! {
    /// Array times by page type.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ArrayTimes in "flash." {
        /// Array read time (tR).
        ///
        /// One value for every page, or a list by page type, least significant bit first. `page_type_order`
        /// defines the types of the pages of a block.
        read as t_read_us: Vec<SimSpan> = ParameterKind::Numbers { min: 0.001, max: LONGEST_US, max_len: 4 }, unit "µs", required,
            source "ONFI, tR";
        /// Maximum size of host reads that have a shorter array time (`partial_read_pct`).
        ///
        /// A read of at most this size is never part of a multi-plane command. Longer reads, and the drive's
        /// internal reads, take the whole array time and may be parts of multi-plane commands.
        partial_read_bytes: u64 = whole(0, 1 << 30), unit "bytes", default "0",
            source "ours: every read takes the whole time; ONFI JESD230 has no partial sense, vendors do (snap read)";
        /// Array time of a read of at most `partial_read_bytes`, as a percentage of `t_read_us`.
        partial_read_pct: f64 = number(1.0, 100.0), unit "%", default "100",
            source "ours; NVMeVirt (Kim et al., FAST 2023), NAND_4KB_READ_LATENCY below NAND_READ_LATENCY";
        /// Array time of a read of the page that its plane sensed last, whose data is still in the page
        /// register.
        ///
        /// The register loses this data when the plane reads another page, programs or erases. Reads that
        /// sense a part of a page (`partial_read_bytes`) do not fill it. 0: the page is sensed again.
        register as t_register_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "0",
            source "ours: every read senses its page; ONFI, change read column (05h-E0h)";
        /// Array program time (tPROG).
        ///
        /// One value, or a list as long as that of `t_read_us`.
        program as t_prog_us: Vec<SimSpan> = ParameterKind::Numbers { min: 0.001, max: LONGEST_US, max_len: 4 }, unit "µs", required,
            source "ONFI, tPROG";
        /// Number of pages of a plane that one array operation programs together: the pages of a word line.
        ///
        /// 3 or 4 for one-shot programming of TLC or QLC. Mapping units are packed into such program units;
        /// an incomplete program unit waits for further data as an incomplete page does
        /// (`ftl.page_fill_wait_us`). A mapping unit of several pages must consist of whole program units.
        /// All data of a program unit are transferred before its program.
        program_pages: u32 = whole(1, 16), unit "pages", default "1",
            source "ours: a page at a time; one-shot programming writes all pages of a word line at once";
        /// Number of passes in which the pages of a word line are programmed.
        ///
        /// `one_pass`: once, in `t_prog_us`. `two_pass`: coarsely in `t_prog_coarse_us` and, after the coarse
        /// pass of the next word line, finely in `t_prog_fine_us`. With two passes, all data cross the
        /// channel for each pass. The controller then buffers two word lines of each open block, and serves
        /// reads of them.
        scheme as program_scheme: ProgramScheme = one_of::<ProgramScheme>(), unit "", default "one_pass",
            source "ours (one_pass); US patent 11,837,277: foggy and fine passes of QLC (two_pass)";
        /// Array time of the coarse (first) pass, for `program_scheme = "two_pass"`.
        coarse as t_prog_coarse_us: SimSpan = number(0.001, LONGEST_US), unit "µs", default "2000",
            source "assumed: a pass like that of TLC";
        /// Array time of the fine (second) pass, for `program_scheme = "two_pass"`.
        fine as t_prog_fine_us: SimSpan = number(0.001, LONGEST_US), unit "µs", default "6000",
            source "assumed: three times the coarse pass";
        /// Order of page types within a block; the type of a page is the bit of a cell that stores it.
        ///
        /// `cyclic`: one page of each type in turn. `mqsim`: with three types, six pages of the first, two of
        /// the second, then two of each in turn; otherwise as `cyclic`.
        page_types as page_type_order: PageTypeOrder = one_of::<PageTypeOrder>(), unit "", default "cyclic",
            source "MQSim, Flash_Chip.h; Yaakobi et al., ICNC 2012 (mqsim); ours (cyclic)";
        /// Block erase time (tBERS).
        erase as t_bers_us: SimSpan = number(0.001, LONGEST_US), unit "µs", required, source "ONFI, tBERS";
        /// Array read time of a page in a block in SLC mode (one bit per cell), for the pSLC cache
        /// (`ftl.slc_static_pct`, `ftl.slc_dynamic_pct`).
        slc_read as t_read_slc_us: SimSpan = number(0.001, LONGEST_US), unit "µs", default "20",
            source "MQSim-Next (storage-next), Table I: 20 µs for pSLC";
        /// Array program time of a page in a block in SLC mode.
        ///
        /// The pages of a program unit (`program_pages`) are programmed one after the other in this mode.
        slc_program as t_prog_slc_us: SimSpan = number(0.001, LONGEST_US), unit "µs", default "150",
            source "MQSim-Next (storage-next), Table I: 150 µs for pSLC";
        /// Erase time of a block in SLC mode.
        slc_erase as t_bers_slc_us: SimSpan = number(0.001, LONGEST_US), unit "µs", default "2000",
            source "FEMU, femu.c, blk_er_lat: 2,000 µs";
    }
}

impl ArrayTimes {
    /// Returns the time to sense a page, averaged over page types.
    pub fn mean_read(&self) -> SimSpan {
        SimSpan::from_ps(
            self.read.iter().map(|read| read.as_ps()).sum::<u64>() / self.read.len().max(1) as u64,
        )
    }

    /// Returns the time to sense the page at `offset` in its block.
    #[inline]
    pub fn read_of(&self, offset: u32) -> SimSpan {
        self.read[self.page_types.page_type(offset, self.read.len())]
    }

    /// Returns the time to sense the page at `offset` in its block for a host read of `command_bytes` bytes.
    #[inline]
    pub fn host_read_of(&self, offset: u32, command_bytes: u64) -> SimSpan {
        let whole = self.read_of(offset);
        if command_bytes > self.partial_read_bytes {
            return whole;
        }
        SimSpan::from_ps((whole.as_ps() as f64 * self.partial_read_pct / 100.0).round() as u64)
    }

    /// Returns the time of a read that applies `voltages` read voltages to a word line. It is interpolated
    /// between the reads of the first page type, which take one voltage, and those of the last type.
    pub fn read_with(&self, voltages: u32) -> SimSpan {
        let (first, last) = (self.read[0].as_ps(), self.read[self.read.len() - 1].as_ps());
        let most = self.word_lines().voltages_of(self.read.len() - 1);
        if most == 1 {
            return self.read[0];
        }
        let (steps, further) = (u64::from(most - 1), u64::from(voltages) - 1);
        SimSpan::from_ps(first + last.saturating_sub(first) * further / steps)
    }

    /// Multiplies the program time of pages with one bit per cell by `factor`: pages of blocks in SLC mode, and
    /// all pages if they have one type.
    pub fn enhance_slc_programs(&mut self, factor: f64) {
        let longer = |time: SimSpan| SimSpan::from_ps((time.as_ps() as f64 * factor).round() as u64);
        self.slc_program = longer(self.slc_program);
        if let [only] = self.program.as_mut_slice() {
            *only = longer(*only);
        }
    }

    /// Returns the arrangement of the pages of a block on word lines.
    pub const fn word_lines(&self) -> WordLines {
        WordLines { order: self.page_types, types: self.read.len() as u32 }
    }

    /// Returns the time to program the page at `offset` in its block.
    #[inline]
    pub fn program_of(&self, offset: u32) -> SimSpan {
        self.program[self.page_types.page_type(offset, self.program.len())]
    }

    /// Returns the array time of an operation on one page.
    #[inline]
    pub fn work(&self, page: PageOperation) -> ArrayWork {
        let only = |first| ArrayWork { first, program: SimSpan::ZERO };
        match page {
            PageOperation::Sense(offset) => only(self.read_of(offset)),
            PageOperation::HostSense { offset, command_bytes } => {
                only(self.host_read_of(offset, command_bytes))
            }
            PageOperation::Program(offset) => only(self.program_of(offset)),
            _ => self.work_of_others(page),
        }
    }

    /// Returns the array time of an operation other than the sensing or the program of a single page. These are
    /// separate because the compiler loads all array times before a loop over pages that may use them.
    fn work_of_others(&self, page: PageOperation) -> ArrayWork {
        let only = |first| ArrayWork { first, program: SimSpan::ZERO };
        match page {
            PageOperation::Sense(_) | PageOperation::HostSense { .. } | PageOperation::Program(_) => {
                self.work(page)
            }
            PageOperation::ReadRegister => only(self.register),
            PageOperation::SenseEach(pages) => only(pages.times(|offset| self.read_of(offset))),
            PageOperation::ProgramEach(pages) => {
                only(pages.every(self.program_pages).times(|offset| self.program_of(offset)))
            }
            PageOperation::ProgramFine { pages } => {
                only(self.fine * u64::from((pages / self.program_pages).max(1)))
            }
            PageOperation::Erase => only(self.erase),
            PageOperation::SenseSlc { pages } => only(self.slc_read * u64::from(pages)),
            PageOperation::ProgramSlc { pages } => only(self.slc_program * u64::from(pages)),
            PageOperation::EraseSlc => only(self.slc_erase),
            PageOperation::Copyback { from, to } => {
                ArrayWork { first: self.read_of(from), program: self.program_of(to) }
            }
            PageOperation::CombineLoaded { operation } => only(operation),
            PageOperation::CombineSensed { offset, added_ppm, operation } => {
                only(lengthened(self.read_of(offset), added_ppm) + operation)
            }
            PageOperation::CombineSlc { added_ppm, operation } => {
                only(lengthened(self.slc_read, added_ppm) + operation)
            }
            PageOperation::CombineBits { voltages, operation } => only(self.read_with(voltages) + operation),
        }
    }

    /// Returns the array times. With two-pass programming, the program time is the time of the first pass.
    pub(super) fn by_scheme(&self) -> Self {
        let mut times = self.clone();
        if self.scheme == ProgramScheme::TwoPass {
            times.program.fill(self.coarse);
        }
        times
    }

    /// Returns a conflict between the array times, if there is one.
    pub fn conflict(&self) -> Option<Conflict> {
        self.conflict_of_program_units()
            .or_else(|| self.conflict_of_page_types())
            .or_else(|| self.conflict_of_register())
    }

    /// Returns a conflict if the pages of a program unit have different program times.
    fn conflict_of_program_units(&self) -> Option<Conflict> {
        let programs_differ = self.program.iter().any(|time| *time != self.program[0]);
        (self.program_pages > 1 && programs_differ).then(|| Conflict {
            keys: &["flash.program_pages", "flash.t_prog_us"],
            message: format!(
                "`t_prog_us` has {} page types, but `program_pages` = {} programs pages of all types at once",
                self.program.len(),
                self.program_pages
            ),
            note: Some("expected: one program time, or `flash.program_pages = 1`".to_owned()),
        })
    }

    /// Returns a conflict if reads and programs have different numbers of page types.
    fn conflict_of_page_types(&self) -> Option<Conflict> {
        let (reads, programs) = (self.read.len(), self.program.len());
        (reads != programs).then(|| Conflict {
            keys: &["flash.t_prog_us", "flash.t_read_us"],
            message: format!("`t_prog_us` has {programs} page types, but `t_read_us` has {reads}"),
            note: Some("expected: lists of equal length, one number per page type".to_owned()),
        })
    }

    /// Returns a conflict if a page takes longer from the page register than from the array.
    fn conflict_of_register(&self) -> Option<Conflict> {
        let shortest = self.read.iter().copied().min()?;
        (self.register > shortest).then(|| Conflict {
            keys: &["flash.t_register_us", "flash.t_read_us"],
            message: format!(
                "`t_register_us` = {}, but a page is sensed in {} µs",
                self.register.as_us(),
                shortest.as_us()
            ),
            note: Some("expected: at most the shortest `t_read_us`".to_owned()),
        })
    }
}

/// Returns `time`, longer by `added_ppm` parts per million.
fn lengthened(time: SimSpan, added_ppm: u32) -> SimSpan {
    time + SimSpan::from_ps((u128::from(time.as_ps()) * u128::from(added_ppm) / PPM) as u64)
}
