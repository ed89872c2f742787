//! What a searching drive is told.

use venice_kernel::{Rate, SimSpan};

use crate::fabric::FabricSettings;
use crate::geometry::Array;
use crate::parameters::{LONGEST_NS, LONGEST_US, choices, declare, number, one_of, whole, wire_rate};
use crate::power::{MOST_MW, PowerSettings};
use crate::registry::FabricKind;

/// How raw bit errors come about in a searching drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorMode {
    /// Bytes are corrupted and decoded.
    Functional,
    /// Failures are drawn from measured curves.
    Statistical,
    /// All pages fail in the chip beyond 72 errors per codeword, and none before.
    Threshold,
}

/// Reads that the controller of a searching drive may add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraReads {
    /// None.
    None,
    /// Two.
    Two,
    /// Two, then six.
    Six,
}

choices! {
    ErrorMode, "way for errors to come about":
        "functional" => Functional, "statistical" => Statistical, "threshold" => Threshold;
    ExtraReads, "number of extra reads": "none" => None, "two" => Two, "six" => Six;
}

declare! {
    /// Processing in flash: what searching drives have been through and are made of. Other runs do not look at it.
    pub struct PifParameters in "pif." {
        /// Program/erase cycles of all blocks.
        pe_cycles: f64 = number(0.0, 1e6), unit "cycles", default "0", source "a choice of the run";
        /// Days since the pages were programmed; a year has 365.
        retention_days: f64 = number(0.0, 1e6), unit "days", default "0", source "a choice of the run";
        /// Reads of each block since then.
        block_reads: f64 = number(0.0, 1e12), unit "reads", default "0", source "a choice of the run";
        /// How errors come about.
        ///
        /// `functional`: bytes are corrupted and decoded. `statistical`: failures are drawn from measured curves. `threshold`: the
        /// chip's decoder fails on every page beyond a mean of 72 errors per codeword, and on none before.
        errors: ErrorMode = one_of::<ErrorMode>(), unit "", default "functional", source "ours; the paper's rule (threshold)";
        /// How many reads around the threshold the controller adds for a page that it cannot correct.
        ///
        /// `two`: two. `six`: two, and if that is not enough, six more.
        extra_reads: ExtraReads = one_of::<ExtraReads>(), unit "", default "six", source "ours";
        /// Bytes of a page as cells hold it and a channel carries it: sixteen codewords of 1,152 bytes.
        raw_page_bytes: u32 = whole(1, 65_536), unit "bytes", default "18432",
            source "Chun et al., PiF, HotStorage 2022: a (9216, 8192) code of 16 sub-pages";
        /// Time that a chip's decoder and matcher take for a page, at work while the next one is sensed, unless decoding takes longer.
        matching as t_match_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "40", source "Chun et al., PiF, HotStorage 2022, §3.2: both, on average";
        /// Time of an iteration of a chip's decoder over a sub-page.
        iteration as t_iteration_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "175.8",
            source "assumed: 72 block columns, one each cycle, at 16,384 bytes of the matcher in 40 µs";
        /// Iterations after which a chip's decoder gives a sub-page up, and with it the page.
        ecc_w_iterations: u32 = whole(1, 300), unit "", default "300", source "ours: with these the decoder reaches the paper's 72 errors";
        /// Failing checks of a sub-page beyond which a chip hands its page on without decoding any of it; 1024: it always decodes.
        ecc_w_failing_checks: u32 = whole(0, 1024), unit "", default "296",
            source "ours, measured: with more, two of three sub-pages or more fail";
        /// Failing checks of a sub-page beyond which the controller has its page read again without decoding it first; 1024: it always decodes.
        ecc_s_failing_checks: u32 = whole(0, 1024), unit "", default "296",
            source "ours, measured: with more, two of three sub-pages or more fail";
        /// Bytes of the tables that `set_pattern` sends to each chip before a search and each further pass.
        table_bytes: u32 = whole(0, 65_536), unit "bytes", default "5120",
            source "Chun et al., PiF, HotStorage 2022, §3.2: four tables of about 1.2 KB; 1,280 bytes by their entries";
        /// Pages with something to send that a chip keeps while it goes on.
        out_pages: u32 = whole(1, 64), unit "pages", default "1", source "assumed: one cache register";
        /// Bytes of a chip's answer on a page without a match: status and the matcher's state.
        answer_bytes: u32 = whole(0, 4096), unit "bytes", default "4", source "ours: the state of four machines";
        /// Bytes of a page's head that finds matches across the border before it.
        head_bytes: u32 = whole(0, 4096), unit "bytes", default "31", source "ours: the longest pattern less one";
        /// Decoders and matchers of the controller; 0: one for each channel.
        ///
        /// A controller in which they do not grow with the channels has a fixed number of them.
        accelerators: u32 = whole(0, 65_536), unit "", default "0", source "assumed: the paper does not say; none shall hold its PiS drive back";
        /// Rate at which each of them decodes and matches.
        controller_rate as controller_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "assumed: as fast as the channel, one byte a cycle";
        /// Rate at which the host searches, all its cores together.
        host_rate as host_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "4000",
            source "assumed: half of what the host link carries";
        with parts: PifPower;
        with limits: ChipLimits;
    }
}

declare! {
    /// What searching takes.
    pub struct PifPower in "pif." {
        /// Power of a chip's decoder at work.
        decoder_mw: f64 = number(0.0, MOST_MW), unit "mW", default "17.6", source "Chun et al., PiF, HotStorage 2022, Table 1";
        /// Power of a chip's matcher at work.
        matcher_mw: f64 = number(0.0, MOST_MW), unit "mW", default "1.06", source "Chun et al., PiF, HotStorage 2022, Table 1";
        /// Energy of the controller's decoder and matcher for each byte of data.
        ///
        /// 80 pJ are those of a chip made for it. Logic of an FPGA takes some 1,800: 1.9 W at the rate of a channel, an assumption with which the paper's gain per watt comes
        /// out (`venice reproduce pif-fit`).
        controller_pj_per_byte: f64 = number(0.0, MOST_MW), unit "pJ/B", default "80",
            source "assumed: 10 pJ for each bit, common for LDPC decoders";
        /// Power of the host's cores while they search.
        host_mw: f64 = number(0.0, MOST_MW), unit "mW", default "15000", source "assumed: one busy core and its memory";
    }
}

declare! {
    /// Areas of a chip.
    pub struct ChipLimits in "pif." {
        /// Area of a chip's decoder.
        decoder_mm2: f64 = number(0.0, 1e6), unit "mm²", default "0.78", source "Chun et al., PiF, HotStorage 2022, Table 1";
        /// Area of a chip's matcher with its tables.
        matcher_mm2: f64 = number(0.0, 1e6), unit "mm²", default "0.07", source "Chun et al., PiF, HotStorage 2022, Table 1";
        /// Area under a chip's array that is free for both.
        free_mm2: f64 = number(0.0, 1e6), unit "mm²", default "100", source "Chun et al., PiF, HotStorage 2022, §2.2: about 100 of a die's 135 mm²";
    }
}

declare! {
    /// Raw bit errors of the flash cells, read by searching drives: floor + cycling · PE^a + retention · PE^b · days^c +
    /// disturb · PE^d · reads^e.
    pub struct WearParameters in "flash.wear." {
        /// Raw bit error rate of a page that was just programmed in a block without wear.
        floor: f64 = number(0.0, 0.5), unit "", default "0.00148", source "attributed to Kim et al., FAST 2019, 72-layer TLC; not checked";
        /// Scale of the program/erase cycles' part.
        cycling: f64 = number(0.0, 1.0), unit "", default "3.90e-10", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the cycles in their own part.
        cycling_cycles_exponent: f64 = number(0.0, 10.0), unit "", default "2.05", source "attributed to Kim et al., FAST 2019; not checked";
        /// Scale of the retention part.
        retention: f64 = number(0.0, 1.0), unit "", default "6.28e-5", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the cycles in the retention part.
        retention_cycles_exponent: f64 = number(0.0, 10.0), unit "", default "0.14", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the days of retention.
        retention_days_exponent: f64 = number(0.0, 10.0), unit "", default "0.54", source "attributed to Kim et al., FAST 2019; the unit of time was not checked";
        /// Scale of the reads' part.
        disturb: f64 = number(0.0, 1.0), unit "", default "3.73e-9", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the cycles in the reads' part.
        disturb_cycles_exponent: f64 = number(0.0, 10.0), unit "", default "0.33", source "attributed to Kim et al., FAST 2019; not checked";
        /// Exponent of the reads.
        disturb_reads_exponent: f64 = number(0.0, 10.0), unit "", default "1.71", source "attributed to Kim et al., FAST 2019; not checked";
    }
}

/// A searching drive, in engine units.
#[derive(Clone, Debug, PartialEq)]
pub struct PifSettings {
    /// The chips.
    pub array: Array,
    /// Dies of a chip times planes of a die.
    pub planes_per_chip: u32,
    /// Pages of all chips.
    pub pages: u64,
    /// Which fabric joins them.
    pub fabric_kind: FabricKind,
    /// What it is told.
    pub fabric: FabricSettings,
    /// Data bytes of a page.
    pub page_bytes: u32,
    /// Bytes of a page on a channel.
    pub raw_page_bytes: u32,
    /// Time to sense a page.
    pub sense: SimSpan,
    /// Wire time of a command.
    pub command: SimSpan,
    /// Time to decode and match a page in a chip, unless decoding takes longer.
    pub matching: SimSpan,
    /// Time of an iteration of a chip's decoder over a sub-page.
    pub iteration: SimSpan,
    /// Bytes of a chip's tables.
    pub table_bytes: u32,
    /// Pages with something to send that a chip keeps.
    pub out_pages: u32,
    /// Bytes of the answer on a page without a match.
    pub answer_bytes: u32,
    /// Bytes of a head.
    pub head_bytes: u32,
    /// At which one of the controller's accelerators decodes and matches data.
    pub controller_rate: Rate,
    /// How many it has.
    pub accelerators: u32,
    /// At which the host does.
    pub host_rate: Rate,
    /// Of the host link.
    pub link_rate: Rate,
    /// What the drive's parts take.
    pub power: PowerSettings,
    /// What searching takes.
    pub parts: PifPower,
    /// What a chip may hold and take.
    pub limits: ChipLimits,
}
