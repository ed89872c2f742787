//! Parameters and settings of drives that search in flash.

use venice_ecc::channel::SoftReads;
use venice_kernel::{Rate, SimSpan};
use venice_params::{LONGEST_NS, LONGEST_US, choices, declare, number, one_of, whole, wire_rate};
use venice_sim::assembly::DriveSettings;
use venice_sim::power::MAX_MW;

/// Model of raw bit errors for searches in flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorMode {
    /// Bits are inverted at random, and the page is decoded.
    Functional,
    /// Failures are drawn from measured curves.
    Statistical,
    /// The chip's decoder fails on every page if the mean number of raw errors exceeds 72 per codeword, and
    /// on no page otherwise.
    Threshold,
}

choices! {
    ErrorMode, "error model":
        "functional" => Functional, "statistical" => Statistical, "threshold" => Threshold;
}

declare! {
    /// Processing in flash: design and wear of searching drives. Requests of the operation `search` use the design; other
    /// requests ignore these keys.
    pub struct PifParameters in "pif." {
        /// Program/erase cycles of all blocks before the search.
        pe_cycles: f64 = number(0.0, 1e6), unit "cycles", default "0", source "chosen for each run";
        /// Days from the programming of the pages to the search; a year has 365.
        retention_days: f64 = number(0.0, 1e6), unit "days", default "0", source "chosen for each run";
        /// Number of reads of each block since its pages were programmed.
        block_reads: f64 = number(0.0, 1e12), unit "reads", default "0", source "chosen for each run";
        /// Model of raw bit errors.
        ///
        /// `functional`: bytes are corrupted and decoded. `statistical`: decoding failures are drawn at
        /// random, with measured failure rates. `threshold`: the chip's decoder fails on every page whose raw
        /// bit error rate gives a mean of more than 72 errors per codeword, and on no other.
        errors: ErrorMode = one_of::<ErrorMode>(), unit "", default "functional", source "ours; the paper's rule (threshold)";
        /// Number of additional reads with shifted thresholds for a page that the controller cannot correct.
        ///
        /// `two`: two. `six`: two, then six more if the page still cannot be corrected.
        extra_reads: SoftReads = one_of::<SoftReads>(), unit "", default "six", source "ours";
        /// Size of a page with its parity, as stored in cells and transferred over a channel: sixteen
        /// codewords of 1,152 bytes.
        raw_page_bytes: u32 = whole(16_384, 65_536), unit "bytes", default "18432",
            source "Chun et al., PiF, HotStorage 2022: a (9216, 8192) code of 16 sub-pages";
        /// Time in which a chip decodes a page and matches it with the patterns, while it senses the next
        /// page.
        ///
        /// If the iterations of the decoder (`t_iteration_ns`) take longer, their time applies.
        matching as t_match_us: SimSpan = number(0.0, LONGEST_US), unit "µs", default "40", source "Chun et al., PiF, HotStorage 2022, §3.2: both, on average";
        /// Time of one iteration of the error-correction decoder in a chip, over one sub-page (codeword).
        iteration as t_iteration_ns: SimSpan = number(0.0, LONGEST_NS), unit "ns", default "175.8",
            source "assumed: 72 block columns, one per cycle, at the matcher's clock of 16,384 bytes in 40 µs";
        /// Number of iterations after which the error-correction decoder in a chip gives up a sub-page
        /// (codeword), and thereby the whole page.
        ecc_w_iterations: u32 = whole(1, 300), unit "", default "300", source "ours: at this limit the decoder reaches the paper's 72 errors";
        /// Number of failing parity checks in a sub-page (codeword) above which a chip sends the page to the
        /// controller without decoding; 1024: always decode.
        ecc_w_failing_checks: u32 = whole(0, 1024), unit "", default "296",
            source "ours, measured: above it, at least two of three sub-pages fail";
        /// Number of failing parity checks in a sub-page (codeword) above which the controller repeats the
        /// read without decoding; 1024: always decode.
        ecc_s_failing_checks: u32 = whole(0, 1024), unit "", default "296",
            source "ours, measured: above it, at least two of three sub-pages fail";
        /// Size of the matcher's tables, which are sent to each chip before a search and before each further
        /// pass.
        table_bytes: u32 = whole(0, 65_536), unit "bytes", default "5120",
            source "Chun et al., PiF, HotStorage 2022, §3.2: four tables of about 1.2 KB; 1,280 bytes by their entries";
        /// Capacity of a chip's output register, in pages.
        out_pages: u32 = whole(1, 64), unit "pages", default "1", source "assumed: one cache register";
        /// Size of a chip's response for a page without a match: status and state of the matcher.
        answer_bytes: u32 = whole(0, 4096), unit "bytes", default "4", source "ours: the state of four machines";
        /// Number of bytes that are read from the beginning of a page if a match may continue from the
        /// previous page.
        head_bytes: u32 = whole(0, 4096), unit "bytes", default "31", source "ours: length of the longest pattern minus one";
        /// Number of decoder-matcher units in the controller; 0: one for each channel.
        ///
        /// A fixed number models a controller whose units do not grow with the channels.
        accelerators: u32 = whole(0, 65_536), unit "", default "0", source "assumed: absent in the paper; one per channel does not limit the PiS drive";
        /// Rate at which one decoder-matcher unit of the controller processes data.
        controller_rate as controller_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "1200",
            source "assumed: as fast as the channel, one byte a cycle";
        /// Rate at which the host searches data, with all cores together.
        host_rate as host_rate_mb_per_s: Rate = wire_rate(), unit "MB/s", default "4000",
            source "assumed: half of the host link's rate";
        with parts: PifPower;
        with limits: ChipLimits;
    }
}

declare! {
    /// Power and energy of a search.
    pub struct PifPower in "pif." {
        /// Power of the error-correction decoder in a flash chip while it decodes.
        decoder_mw: f64 = number(0.0, MAX_MW), unit "mW", default "17.6", source "Chun et al., PiF, HotStorage 2022, Table 1";
        /// Power of the pattern matcher in a flash chip while it searches.
        matcher_mw: f64 = number(0.0, MAX_MW), unit "mW", default "1.06", source "Chun et al., PiF, HotStorage 2022, Table 1";
        /// Energy of the controller's decoder and matcher for each byte of data.
        ///
        /// The default applies to a dedicated chip (ASIC). For an FPGA, about 1,800 pJ are assumed, a value
        /// that reproduces the paper's gain per watt (`venice reproduce pif-fit`).
        controller_pj_per_byte: f64 = number(0.0, MAX_MW), unit "pJ/B", default "80",
            source "assumed: 10 pJ for each bit, common for LDPC decoders";
        /// Power of the host's cores during a search.
        host_mw: f64 = number(0.0, MAX_MW), unit "mW", default "15000", source "assumed: one busy core and its memory";
    }
}

declare! {
    /// Area limits of a chip, and the areas of its parts.
    pub struct ChipLimits in "pif." {
        /// Area of the error-correction decoder in each flash chip.
        decoder_mm2: f64 = number(0.0, 1e6), unit "mm²", default "0.78", source "Chun et al., PiF, HotStorage 2022, Table 1";
        /// Area of the pattern matcher in each flash chip, with its tables.
        matcher_mm2: f64 = number(0.0, 1e6), unit "mm²", default "0.07", source "Chun et al., PiF, HotStorage 2022, Table 1";
        /// Area under the cell array of a flash chip that is free for the decoder and the matcher.
        free_mm2: f64 = number(0.0, 1e6), unit "mm²", default "100", source "Chun et al., PiF, HotStorage 2022, §2.2: about 100 of a die's 135 mm²";
    }
}

/// Settings of a drive that searches in flash, converted from the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct PifSettings {
    /// Drive that executes the searches. It is idle otherwise, and its mapping unit is a page.
    pub drive: DriveSettings,
    /// Time of one iteration of a chip's decoder over a sub-page.
    pub iteration: SimSpan,
    /// Power and energy of decoders, matchers and host.
    pub parts: PifPower,
    /// Power and area limits of a chip.
    pub limits: ChipLimits,
}
