//! Read errors: raw bit error rate of pages, outcome of each decoding, and recovery by further reads.
//!
//! # What it models
//! The raw bit error rate follows from the page's type ([`PageErrorModel`]) and the state of its block:
//! program/erase cycles, time since its data was programmed, and reads since then. A page that hard-decision decoding cannot
//! correct is read again, up to `ecc.retries` times, each time with a lower error rate. After that, two and
//! then six further reads provide the input of soft-decision decoding. Each further read is a transaction in
//! the same die queue: the page is sensed and sent again. A page that no step corrects is uncorrectable: its
//! read fails, and its data stays unreadable until the page is written again.
//!
//! # How
//! Failures are drawn from the measured curves of the controller's decoder ([`FailureTable`]), independently
//! for each step, from one random stream of the drive.
//!
//! # What is left out
//! Errors of pages that do not pass a controller (copybacks, copies between chips). Operands of gathers are not
//! decoded either; the expected errors of their results are counted.
//! Correlation between successive reads of a page. The age of each page: all data that the run has programmed in a
//! block is as old as the block's first program in the run since its last erase. Loss of map entries:
//! uncorrectable translation pages are only counted.
//!
//! # Source
//! The order of the steps is a choice of this project. Error rate of a retry: Jiao et al., FAST 2024, section
//! 4.
//!
//! # Parameters
//! `ecc.retries`, `ecc.retry_error_pct`, `ecc.soft_reads`, `ecc.pe_cycles`, `ecc.retention_days`,
//! `ecc.block_reads`, `flash.wear.*`

use std::ops::Sub;

use venice_ecc::channel::{ExtraReads, SoftReads};
use venice_ecc::curve::{CurveDecoder, FailureCurve};
use venice_ecc::failure_table::FailureTable;
use venice_kernel::{RandomStream, SimTime};
use venice_nand::chip::PageTypeOrder;
use venice_nand::geometry::{Ppn, TransactionId};
use venice_nand::transactions::Purpose;
use venice_nand::wear::{PageErrorModel, PageWear};

use crate::controller::{Decoding, EccParameters, MOST_RETRIES};
use crate::ftl::shared::{BlockAge, Shared};

/// Maximum number of steps to correct a page: the first read, retries, and two steps of soft-decision
/// decoding.
pub const MOST_STEPS: usize = 1 + MOST_RETRIES + 2;

/// Purposes of reads that are decoded. The variants are the indices of [`ReadErrorCounters::uncorrectable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodedRead {
    /// Read for the host.
    Host,
    /// Read of the sectors that a partial write of the host does not cover.
    Update,
    /// Read of a page that garbage collection moves.
    Collection,
    /// Read of a translation page.
    Mapping,
    /// Read of a page that the controller or the host searches.
    Search,
    /// Read of a page of a stripe, to rebuild the data of another page.
    Rebuild,
    /// Read of a page by scrub.
    Scrub,
}

/// Number of variants of [`DecodedRead`].
const CLASSES: usize = 7;

impl DecodedRead {
    /// Returns true if bit errors that a read of this class finds lead to a refresh of the block. Reads of
    /// garbage collection and of the map do not, because refresh itself causes such reads and would keep
    /// itself going.
    pub(in crate::ftl) const fn can_refresh(self) -> bool {
        !matches!(self, Self::Collection | Self::Mapping)
    }

    /// Returns the class of a read with this purpose, or `None` if the read is not decoded: chips combine the
    /// operands of gathers as they were sensed.
    pub(in crate::ftl) const fn of(purpose: Purpose) -> Option<Self> {
        match purpose {
            Purpose::HostRead(_) => Some(Self::Host),
            Purpose::UpdateRead(_) => Some(Self::Update),
            Purpose::GcRead => Some(Self::Collection),
            Purpose::MappingRead { .. } => Some(Self::Mapping),
            Purpose::Search(_) => Some(Self::Search),
            Purpose::RebuildRead { .. } => Some(Self::Rebuild),
            Purpose::ScrubRead => Some(Self::Scrub),
            _ => None,
        }
    }
}

/// Step of a page's recovery: one or more reads, and a decoding after the last of them.
#[derive(Clone, Debug)]
struct RecoveryStep {
    decoding: Decoding,
    reads: u8,
    /// Raw bit error rate of the step, relative to the rate of the page's first read.
    rate_factor: f64,
    failure: FailureTable,
}

/// Origin of data that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ftl) enum DataOrigin {
    /// Data that neither the run nor preconditioning has written. For its age and wear, it counts as data
    /// from before the run.
    NeverWritten,
    /// Data that was written before the run, by preconditioning or in a saved state.
    BeforeRun,
    /// Data that was written in the run.
    Run,
}

/// Page, or several pages of one mapping unit, that a read senses, with the state of its block.
#[derive(Clone, Copy, Debug)]
pub(in crate::ftl) struct SensedPage {
    /// Age of the block's data, and number of its reads.
    pub(in crate::ftl) age: BlockAge,
    /// Offset of the page, or of the first of several pages, in its block.
    pub(in crate::ftl) offset: u32,
    /// Number of pages that are sensed.
    pub(in crate::ftl) pages: u32,
    /// True if the block is in SLC mode.
    pub(in crate::ftl) is_slc: bool,
    /// Number of erases of the block.
    pub(in crate::ftl) erases: u32,
    /// Origin of the data that is read.
    pub(in crate::ftl) origin: DataOrigin,
    /// True if some of the data that is read is known to be unreadable.
    pub(in crate::ftl) is_unreadable: bool,
}

impl SensedPage {
    /// Returns the page in the slot `slot` (location of a mapping unit), whose data is not known to be
    /// unreadable. `is_unwritten` is true if the slot's data was never written.
    pub(in crate::ftl) fn new(shared: &Shared, slot: Ppn, is_unwritten: bool) -> Self {
        let (block, blocks) = (shared.geometry.block_of(slot), &shared.space.blocks);
        let age = shared.ages.as_ref().map_or_else(BlockAge::default, |ages| ages.of(block));
        let origin = if is_unwritten {
            DataOrigin::NeverWritten
        } else if age.is_old(shared.geometry.page_offset(slot)) {
            DataOrigin::BeforeRun
        } else {
            DataOrigin::Run
        };
        Self {
            age,
            offset: shared.page_offset(slot),
            pages: shared.units.pages(),
            is_slc: blocks.is_slc(block),
            erases: blocks.table[block].erases,
            origin,
            is_unreadable: false,
        }
    }
}

/// Progress of a page's recovery: the current step, and the number of reads in this step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RecoveryProgress {
    step: u8,
    reads: u8,
}

/// Counters of decoded reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadErrorCounters {
    /// Number of corrected pages, indexed by the recovery step that corrected them.
    pub corrected: [u64; MOST_STEPS],
    /// Number of additional reads for retries.
    pub retry_reads: u64,
    /// Number of additional reads for soft-decision decoding.
    pub soft_reads: u64,
    /// Number of uncorrectable pages, and of pages with data that was known to be unreadable, indexed by
    /// [`DecodedRead`].
    pub uncorrectable: [u64; CLASSES],
    /// Sum of the raw bit error rates of all pages at their first decoding, to compute the mean.
    pub rate_sum: f64,
    /// Number of results of gathers.
    pub gather_results: u64,
    /// Sum over the results of gathers of the probability that a bit of at least one operand is wrong.
    pub gather_rate_sum: f64,
}

impl ReadErrorCounters {
    /// Returns the number of decoded pages, corrected or not.
    pub fn pages(&self) -> u64 {
        self.corrected.iter().chain(&self.uncorrectable).sum()
    }
}

impl Sub for ReadErrorCounters {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            corrected: std::array::from_fn(|step| self.corrected[step] - earlier.corrected[step]),
            retry_reads: self.retry_reads - earlier.retry_reads,
            soft_reads: self.soft_reads - earlier.soft_reads,
            uncorrectable: std::array::from_fn(|class| {
                self.uncorrectable[class] - earlier.uncorrectable[class]
            }),
            rate_sum: self.rate_sum - earlier.rate_sum,
            gather_results: self.gather_results - earlier.gather_results,
            gather_rate_sum: self.gather_rate_sum - earlier.gather_rate_sum,
        }
    }
}

/// Result of decoding a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ftl) enum DecodeOutcome {
    /// The page is corrected.
    Corrected,
    /// The page must be read again.
    ReadAgain,
    /// The page stays uncorrectable, since no recovery step is left.
    Uncorrectable,
}

/// Model of the raw bit errors of pages, and the types of the pages of a block.
#[derive(Clone, Debug)]
pub struct PageErrors {
    /// Model of the raw bit error rate.
    pub model: PageErrorModel,
    /// Order of page types within a block.
    pub order: PageTypeOrder,
}

impl PageErrors {
    /// Returns the raw bit error rate of a page.
    fn rate(&self, at: SensedPage, wear: PageWear) -> f64 {
        let factor = if at.is_slc {
            self.model.slc_factor
        } else {
            self.model.factor(self.order, at.offset, at.pages)
        };
        self.model.rate(wear, factor)
    }
}

/// Test of decoded pages for too many raw bit errors.
#[derive(Clone, Debug)]
struct ErrorLimit {
    /// Probability that a page cannot be decoded, or has a codeword with more errors than the limit, by its
    /// raw bit error rate.
    reached: FailureTable,
    random: RandomStream,
}

impl ErrorLimit {
    /// Returns true if a corrected page of `codewords` codewords has one with too many errors. `fails` is the
    /// probability that decoding fails.
    fn is_reached(&mut self, rate: f64, codewords: u32, fails: f64) -> bool {
        let either = self.reached.read_failure(rate, codewords);
        self.random.chance(((either - fails) / (1.0 - fails)).max(0.0))
    }
}

/// Model of read errors, and the progress of pages in recovery.
#[derive(Clone, Debug)]
pub struct ReadErrors {
    pages: PageErrors,
    /// Wear of all blocks at the start of the run, as configured.
    before: PageWear,
    steps: Vec<RecoveryStep>,
    /// Failure rates of the decoders in the chips, which decode pages of searches.
    in_chip: FailureTable,
    /// Progress of recovery, indexed by transaction.
    progress: Vec<RecoveryProgress>,
    random: RandomStream,
    /// Test for the number of raw bit errors at which a block is refreshed; `None` without refresh for
    /// errors.
    limit: Option<ErrorLimit>,
    /// Random stream of the decoding failures in chips.
    random_in_chip: RandomStream,
    counters: ReadErrorCounters,
}

impl ReadErrors {
    /// Creates the model of read errors at the start of a run.
    pub fn new(parameters: &EccParameters, pages: PageErrors, seed: u64) -> Self {
        Self {
            pages,
            before: PageWear {
                program_erase_cycles: parameters.pe_cycles,
                retention_days: parameters.retention_days,
                reads: parameters.block_reads,
            },
            steps: steps(parameters),
            in_chip: FailureTable::new(FailureCurve::measured(CurveDecoder::TwoBit)),
            progress: Vec::new(),
            random: RandomStream::new(seed, "read errors"),
            limit: None,
            random_in_chip: RandomStream::new(seed, "read errors in chips"),
            counters: ReadErrorCounters::default(),
        }
    }

    /// Adds a limit for the number of raw bit errors in a codeword, at which blocks are refreshed. The limit
    /// is the share `share` of the errors at which hard-decision decoding fails in half of all cases. Without
    /// effect if `share` is 0.
    #[must_use]
    pub fn with_limit(self, share: f64, seed: u64) -> Self {
        if share <= 0.0 {
            return self;
        }
        let curve = FailureCurve::measured(CurveDecoder::MinSum);
        let errors = (share * f64::from(curve.capability())).ceil() as u32;
        let random = RandomStream::new(seed, "bit errors");
        Self {
            limit: Some(ErrorLimit { reached: FailureTable::new(curve.failing_from(errors)), random }),
            ..self
        }
    }

    /// Returns the counters of decoded reads.
    pub const fn counters(&self) -> &ReadErrorCounters {
        &self.counters
    }

    /// Returns the number of recovery steps, including the first read.
    pub const fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Records the arrival of a page that was read. Returns the kind of its decoding, or `None` if the recovery
    /// step requires further reads.
    pub(in crate::ftl) fn arrived(&mut self, id: TransactionId) -> Option<Decoding> {
        let progress = self.progress_of(id);
        progress.reads += 1;
        let RecoveryProgress { step, reads } = *progress;
        let step = &self.steps[usize::from(step)];
        if reads < step.reads {
            self.counters.soft_reads += 1;
            return None;
        }
        Some(step.decoding)
    }

    /// Decodes `codewords` codewords of a page. Returns the outcome, and true if the first decoding of the page
    /// found too many raw bit errors.
    pub(in crate::ftl) fn decode(
        &mut self,
        id: TransactionId,
        class: DecodedRead,
        codewords: u32,
        at: SensedPage,
        now: SimTime,
    ) -> (DecodeOutcome, bool) {
        let place = usize::from(self.progress_of(id).step);
        let rate = self.rate(at, now);
        if place == 0 {
            self.counters.rate_sum += rate;
        }
        let step = &mut self.steps[place];
        let fails = step.failure.read_failure(rate * step.rate_factor, codewords);
        if !self.random.chance(fails) {
            let counters = &mut self.counters;
            let counter = if at.is_unreadable {
                &mut counters.uncorrectable[class as usize]
            } else {
                &mut counters.corrected[place]
            };
            *counter += 1;
            *self.progress_of(id) = RecoveryProgress::default();
            let limit = self.limit.as_mut().filter(|_| place == 0);
            let has_excess = limit.is_some_and(|limit| limit.is_reached(rate, codewords, fails));
            return (DecodeOutcome::Corrected, has_excess);
        }
        (self.next_step(id, class, place + 1), place == 0 && self.limit.is_some())
    }

    /// Decodes `codewords` codewords of a page in its chip, for a search. Returns true if the decoder fails, which it
    /// always does for data that the more powerful decoder of the controller could not correct.
    pub(in crate::ftl) fn fails_in_chip(&mut self, codewords: u32, at: SensedPage, now: SimTime) -> bool {
        let rate = self.rate(at, now);
        self.random_in_chip.chance(self.in_chip.read_failure(rate, codewords)) || at.is_unreadable
    }

    /// Starts the recovery step number `next` of a read, if there is one.
    fn next_step(&mut self, id: TransactionId, class: DecodedRead, next: usize) -> DecodeOutcome {
        let Some(step) = self.steps.get(next) else {
            self.counters.uncorrectable[class as usize] += 1;
            *self.progress_of(id) = RecoveryProgress::default();
            return DecodeOutcome::Uncorrectable;
        };
        match step.decoding {
            Decoding::Hard => self.counters.retry_reads += 1,
            Decoding::Soft => self.counters.soft_reads += 1,
        }
        *self.progress_of(id) = RecoveryProgress { step: next as u8, reads: 0 };
        DecodeOutcome::ReadAgain
    }

    /// Returns the raw bit error rate of a page that is read at `now`.
    pub(in crate::ftl) fn rate(&self, at: SensedPage, now: SimTime) -> f64 {
        self.pages.rate(at, self.wear(at, now))
    }

    /// Records the result of a gather. `rate` is the probability that a bit of at least one operand is wrong.
    pub(in crate::ftl) fn note_gather(&mut self, rate: f64) {
        self.counters.gather_results += 1;
        self.counters.gather_rate_sum += rate;
    }

    /// Returns the wear that determines the error rate of a read at `now`.
    fn wear(&self, at: SensedPage, now: SimTime) -> PageWear {
        let SensedPage { age, erases, origin, .. } = at;
        let is_old = origin != DataOrigin::Run;
        // Data that was never written is stored in blocks that may have no data from before the run.
        let is_beside_new_data = is_old && !age.has_old_data();
        PageWear {
            program_erase_cycles: self.before.program_erase_cycles + f64::from(erases),
            retention_days: age.days_of(is_old, now)
                + if is_beside_new_data { self.before.retention_days } else { 0.0 },
            reads: age.reads as f64 + if is_old { self.before.reads } else { 0.0 },
        }
    }

    fn progress_of(&mut self, id: TransactionId) -> &mut RecoveryProgress {
        if self.progress.len() <= id.index() {
            self.progress.resize(id.index() + 1, RecoveryProgress::default());
        }
        &mut self.progress[id.index()]
    }
}

/// Returns the configured recovery steps.
fn steps(parameters: &EccParameters) -> Vec<RecoveryStep> {
    let factor = parameters.retry_error_pct / 100.0;
    let step = |decoding, reads, retries: u32, decoder| RecoveryStep {
        decoding,
        reads,
        rate_factor: libm::pow(factor, f64::from(retries)),
        failure: FailureTable::new(FailureCurve::measured(decoder)),
    };
    let retries = parameters.retries;
    let hard = (0..=retries).map(|retry| step(Decoding::Hard, 1, retry, CurveDecoder::MinSum));
    let soft: &[(ExtraReads, u8)] = match parameters.soft_reads {
        SoftReads::None => &[],
        SoftReads::Two => &[(ExtraReads::Two, 2)],
        SoftReads::Six => &[(ExtraReads::Two, 2), (ExtraReads::Six, 6)],
    };
    let soft = soft
        .iter()
        .map(|&(extra, reads)| step(Decoding::Soft, reads, retries, CurveDecoder::SoftMinSum(extra)));
    hard.chain(soft).collect()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the expected values are exact")]
mod tests {
    use venice_nand::wear::WearModel;

    use super::*;
    use crate::ftl::shared::PS_PER_DAY;

    const READ: TransactionId = TransactionId(2);
    /// Number of codewords in a 4-KiB page.
    const CODEWORDS: u32 = 4;

    fn errors(change: impl FnOnce(&mut EccParameters)) -> ReadErrors {
        let mut parameters = EccParameters { decoders: 1, ..EccParameters::default() };
        change(&mut parameters);
        // Without read disturb, the error rate does not depend on the reads of the test itself.
        let cells = WearModel { disturb: 0.0, ..WearModel::default() };
        let model = PageErrorModel { cells, ..PageErrorModel::default() };
        let pages = PageErrors { model, order: PageTypeOrder::Cyclic };
        ReadErrors::new(&parameters, pages, 1)
    }

    fn at(erases: u32) -> SensedPage {
        SensedPage {
            age: BlockAge::default(),
            offset: 0,
            pages: 1,
            is_slc: false,
            erases,
            origin: DataOrigin::NeverWritten,
            is_unreadable: false,
        }
    }

    /// Reads a page until it is corrected or uncorrectable. Returns the number of reads, and true if the page
    /// was corrected.
    fn read(errors: &mut ReadErrors) -> (u32, bool) {
        for reads in 1.. {
            if errors.arrived(READ).is_none() {
                continue;
            }
            match errors.decode(READ, DecodedRead::Host, CODEWORDS, at(0), SimTime::ZERO).0 {
                DecodeOutcome::Corrected => return (reads, true),
                DecodeOutcome::ReadAgain => {}
                DecodeOutcome::Uncorrectable => return (reads, false),
            }
        }
        unreachable!("a recovery ends")
    }

    #[test]
    fn page_without_wear_is_corrected_by_its_first_read() {
        let mut errors = errors(|_| {});
        assert_eq!(read(&mut errors), (1, true));
        assert_eq!((errors.counters().corrected[0], errors.counters().pages()), (1, 1));
        assert!((errors.counters().rate_sum / 1.48e-3 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn uncorrectable_page_takes_every_step() {
        for (soft, extra) in [(SoftReads::None, 0), (SoftReads::Two, 2), (SoftReads::Six, 8)] {
            let mut errors = errors(|it| {
                (it.pe_cycles, it.retries, it.retry_error_pct, it.soft_reads) = (1e5, 5, 100.0, soft);
            });
            assert_eq!(read(&mut errors), (6 + extra, false));
            assert_eq!(read(&mut errors), (6 + extra, false), "the next read starts anew");
            let counters = errors.counters();
            assert_eq!((counters.retry_reads, counters.soft_reads), (10, 2 * u64::from(extra)));
            assert_eq!((counters.uncorrectable, counters.pages()), ([2, 0, 0, 0, 0, 0, 0], 2));
        }
    }

    #[test]
    fn retry_lowers_the_error_rate() {
        // With 75 bit errors per codeword, decoding often fails. With half as many, it never does.
        let mut errors = errors(|it| {
            (it.pe_cycles, it.retention_days, it.retries) = (2_000.0, 365.0, 2);
        });
        let reads: Vec<_> = (0..2_000).map(|_| read(&mut errors)).collect();
        assert!(reads.iter().all(|&(reads, corrected)| corrected && reads <= 2));
        assert_eq!(errors.counters().corrected[0] + errors.counters().retry_reads, 2_000);
        assert!(errors.counters().retry_reads > 200);
    }

    #[test]
    fn share_of_pages_with_too_many_errors_is_that_of_the_binomial_distribution() {
        const PAGES: u32 = 20_000;
        let worn = |it: &mut EccParameters| (it.pe_cycles, it.retention_days) = (2_000.0, 300.0);
        let curve = FailureCurve::measured(CurveDecoder::MinSum);
        for share in [0.8, 1.0] {
            let mut errors = errors(worn).with_limit(share, 1);
            let limit = (share * f64::from(curve.capability())).ceil() as u32;
            let rate = errors.rate(at(0), SimTime::ZERO);
            let p = curve.clone().failing_from(limit).page_failure(rate, CODEWORDS);
            let mut found = 0;
            for _ in 0..PAGES {
                assert!(errors.arrived(READ).is_some());
                let (outcome, has_excess) =
                    errors.decode(READ, DecodedRead::Host, CODEWORDS, at(0), SimTime::ZERO);
                found += u32::from(has_excess);
                assert!(has_excess || outcome == DecodeOutcome::Corrected);
                *errors.progress_of(READ) = RecoveryProgress::default();
            }
            let (n, found) = (f64::from(PAGES), f64::from(found));
            assert!(p > 0.01 && p < 0.99, "{p}");
            assert!((found - n * p).abs() < 4.0 * (n * p * (1.0 - p)).sqrt(), "{share}: {found} of {p}");
        }
    }

    #[test]
    fn data_from_before_the_run_has_the_configured_age_and_reads() {
        let errors = errors(|it| {
            (it.pe_cycles, it.retention_days, it.block_reads) = (1_000.0, 365.0, 1e4);
        });
        let day = SimTime::from_ps(PS_PER_DAY as u64);
        let wear = |origin| {
            let wear = errors.wear(SensedPage { origin, ..at(2) }, day);
            (wear.program_erase_cycles, wear.retention_days, wear.reads)
        };
        assert_eq!(
            [wear(DataOrigin::BeforeRun), wear(DataOrigin::Run)],
            [(1_002.0, 366.0, 1e4), (1_002.0, 1.0, 0.0)]
        );
    }
}
