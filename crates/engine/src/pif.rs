//! Drives that search in flash, based on `venice_pif`: results, times and energy.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use venice_config::Config;
use venice_ecc::channel::SoftReads;
use venice_ecc::code::CODEWORD_BITS;
use venice_ecc::curve::{CurveDecoder, FailureCurve};
use venice_nand::wear::PageWear;
use venice_pif::grep::{FileSearch, Grep, Options, OutputMode, PageRecord};
use venice_pif::search_run::{
    ErrorMode, PifSettings, SearchLocation, SearchPage, SearchPhase, SearchRunError, SearchTiming,
    draw_pages, time_search,
};
use venice_pif::store::{CorrectionResult, ErrorModel, PAGE_BYTES, ReadSettings, SUB_PAGES, Searcher};

use crate::drive::Drive;
use crate::error;
use crate::guard::guarded;

/// Search of files stored in a drive, for `venice grep`.
#[pyclass(frozen, module = "venice._native")]
pub struct PifSearch {
    settings: PifSettings,
    soft: SoftReads,
    grep: Grep,
    state: Mutex<SearchState>,
}

/// State of a search of files: the pages stored so far, and the current file.
#[derive(Default)]
struct SearchState {
    /// Work of each stored page, in the order of storage: reads, decoding iterations and search passes.
    pages: Vec<SearchPage>,
    file: Option<FileSearch>,
    /// Open file that is being searched, or `None` if the bytes are passed to `feed`.
    source: Option<File>,
    has_printed: bool,
}

/// Output so far, and true if further bytes of the file cannot change it; or the error of a search on a drive
/// that is full.
type SearchOutput = Result<(Vec<u8>, bool), SearchRunError>;
/// Elements of [`SearchOutput`] as Python objects: the output, and true if further bytes cannot change it.
type PythonSearchOutput<'py> = (Bound<'py, PyBytes>, bool);

#[pymethods]
impl PifSearch {
    /// Creates a search for `patterns`. `wanted` is `lines`, `parts`, `count`, `name`, `name_without` or
    /// `nothing`; `around` contains the numbers of context lines before and after each selected line.
    ///
    /// Raises `UsageError` for an invalid expression, `ConfigError` for a drive that does not support
    /// searches.
    #[new]
    #[pyo3(signature = (drive, patterns, *, wanted="lines", extended=false, ignore_case=false, invert=false, words=false,
        unicode_words=false, whole_lines=false, with_name=false, with_number=false, with_offset=false, around=None, at_most=None))]
    #[allow(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        reason = "each is a keyword of its own in Python"
    )]
    fn new(
        drive: &Drive,
        patterns: Vec<Vec<u8>>,
        wanted: &str,
        extended: bool,
        ignore_case: bool,
        invert: bool,
        words: bool,
        unicode_words: bool,
        whole_lines: bool,
        with_name: bool,
        with_number: bool,
        with_offset: bool,
        around: Option<(u64, u64)>,
        at_most: Option<u64>,
    ) -> PyResult<Self> {
        let settings = checked(drive)?;
        let read = read_settings(drive.resolved().config());
        let options = Options {
            wanted: wanted_of(wanted)?,
            is_extended: extended,
            ignores_case: ignore_case,
            inverted: invert,
            words,
            unicode_words,
            whole_lines,
            with_name,
            with_number,
            with_offset,
            around,
            at_most,
        };
        let grep = Grep::new(&patterns, options, read).map_err(|wrong| error::usage(&wrong.to_string()))?;
        Ok(Self { settings, soft: read.soft, grep, state: Mutex::default() })
    }

    /// Starts the next file of the search. `name` is the name of the file in the output.
    fn begin(&self, name: Vec<u8>) {
        let mut state = self.state();
        state.file = Some(FileSearch::new(&self.grep, name, state.pages.len() as u64));
        state.source = None;
    }

    /// Opens a file for `read`. Raises `OSError` if it cannot be opened.
    fn open(&self, path: PathBuf, name: Vec<u8>) -> PyResult<()> {
        let source = File::open(path).map_err(error::os)?;
        self.begin(name);
        self.state().source = Some(source);
        Ok(())
    }

    /// Reads, stores and searches the next part of the file. Returns the values of `feed`, and true at the
    /// end of the file.
    ///
    /// Raises `OSError` if the file cannot be read, `UsageError` if the drive is full or no file is open.
    fn read<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, bool, bool)> {
        loop {
            let read = py.detach(|| guarded(|| self.read_once())).map_err(|crash| error::crash(&crash))?;
            match read.ok_or_else(|| error::usage("no file is open; expected: a call of `open` first"))? {
                Err(wrong) if wrong.kind() == io::ErrorKind::Interrupted => py.check_signals()?,
                Err(wrong) => return Err(error::os(wrong)),
                Ok((fed, is_last)) => {
                    let (output, is_decided) = fed.map_err(|wrong| error::search(&wrong))?;
                    return Ok((PyBytes::new(py, &output), is_decided, is_last));
                }
            }
        }
    }

    /// Stores and searches the next bytes of the file. Returns the output so far, and true if further bytes
    /// cannot change it.
    ///
    /// Raises `UsageError` if the drive is full or no file was started.
    fn feed<'py>(&self, py: Python<'py>, data: &[u8], is_last: bool) -> PyResult<PythonSearchOutput<'py>> {
        let fed = py.detach(|| guarded(|| self.fed(data, is_last)));
        let (output, is_decided) = fed
            .map_err(|crash| error::crash(&crash))?
            .ok_or_else(|| error::usage("no file is started; expected: a call of `begin` first"))?
            .map_err(|wrong| error::search(&wrong))?;
        Ok((PyBytes::new(py, &output), is_decided))
    }

    /// Ends the file. Returns the number of selected lines and the offsets of unreadable pages.
    fn end(&self) -> (u64, Vec<usize>) {
        let mut state = self.state();
        state.source = None;
        let Some(file) = state.file.take() else { return (0, Vec::new()) };
        let first = state.pages.len();
        let passes = self.passes();
        let work =
            file.pages().iter().zip(first..).map(|(page, number)| page_work(page, number, passes, self.soft));
        state.pages.extend(work);
        (file.selected(), file.unreadable().collect())
    }

    /// Returns time, energy and moved data of the search so far, as JSON text. They are given for a search in
    /// the chips, in the controller and in the host.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let phases = [SearchPhase { passes: self.passes(), pages: self.state().pages.clone() }];
        report(py, &self.settings, &phases)
    }
}

impl PifSearch {
    fn fed(&self, data: &[u8], is_last: bool) -> Option<SearchOutput> {
        let mut guard = self.state();
        let state = &mut *guard;
        let file = state.file.as_mut()?;
        file.feed(&self.grep, data, is_last, &mut state.has_printed);
        Some(self.come_of(file, state.pages.len()))
    }

    fn read_once(&self) -> Option<io::Result<(SearchOutput, bool)>> {
        let mut guard = self.state();
        let state = &mut *guard;
        let (file, source) = (state.file.as_mut()?, state.source.as_mut()?);
        let read = file.feed_from(&self.grep, source, &mut state.has_printed);
        Some(read.map(|is_last| (self.come_of(file, state.pages.len()), is_last)))
    }

    fn come_of(&self, file: &mut FileSearch, pages_before: usize) -> SearchOutput {
        self.settings.check_capacity((pages_before + file.pages().len()) as u64)?;
        Ok((file.take_output(), file.is_decided()))
    }

    fn passes(&self) -> u16 {
        self.grep.searcher().passes() as u16
    }

    /// Locks the state. A poisoned lock is still usable, because a search that panicked has not changed the
    /// state.
    fn state(&self) -> MutexGuard<'_, SearchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Pages of a drive that are stored, searched and read by page number.
#[pyclass(frozen, module = "venice._native")]
pub struct PifPages {
    settings: PifSettings,
    read: ReadSettings,
    /// Stored bytes, and the phases of the search so far.
    state: Mutex<(Vec<u8>, Vec<SearchPhase>)>,
}

/// Numbers of matching pages, their concatenated data, and numbers of unreadable pages.
type PagesFound<'py> = (Vec<u32>, Bound<'py, PyBytes>, Vec<u32>);

#[pymethods]
impl PifPages {
    /// Creates an empty drive. Raises `ConfigError` for a drive that does not support searches.
    #[new]
    fn new(drive: &Drive) -> PyResult<Self> {
        let read = read_settings(drive.resolved().config());
        Ok(Self { settings: checked(drive)?, read, state: Mutex::default() })
    }

    /// Stores data in new pages, padded with zeros. Returns the number of the first page.
    ///
    /// Raises `UsageError` if the drive is full.
    fn store(&self, data: &[u8]) -> PyResult<u32> {
        let mut state = self.state();
        let first = state.0.len() / PAGE_BYTES;
        state.0.extend_from_slice(data);
        let whole = state.0.len().next_multiple_of(PAGE_BYTES);
        state.0.resize(whole, 0);
        let pages = (whole / PAGE_BYTES) as u64;
        self.settings.check_capacity(pages).map_err(|wrong| error::search(&wrong))?;
        Ok(first as u32)
    }

    /// Searches the pages for those that contain at least one pattern of each group. If there are no groups,
    /// all given pages are read.
    ///
    /// Raises `UsageError` for patterns that a chip cannot search.
    fn search<'py>(
        &self,
        py: Python<'py>,
        pages: Vec<u32>,
        groups: Vec<Vec<Vec<u8>>>,
    ) -> PyResult<PagesFound<'py>> {
        let searcher =
            Searcher::of_all(&groups, self.read).map_err(|wrong| error::usage(&wrong.to_string()))?;
        let found = py.detach(|| guarded(|| self.searched(&searcher, &pages)));
        let (found, data, unreadable) = found.map_err(|crash| error::crash(&crash))?;
        Ok((found, PyBytes::new(py, &data), unreadable))
    }

    /// Returns time, energy and moved data, as `PifSearch.report` does.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let phases = self.state().1.clone();
        report(py, &self.settings, &phases)
    }
}

impl PifPages {
    fn searched(&self, searcher: &Searcher, pages: &[u32]) -> (Vec<u32>, Vec<u8>, Vec<u32>) {
        let mut state = self.state();
        let mut reader = searcher.reader();
        let (mut found, mut data, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
        let mut phase = SearchPhase { passes: searcher.passes() as u16, pages: Vec::new() };
        for &number in pages {
            let stored = &state.0[number as usize * PAGE_BYTES..][..PAGE_BYTES];
            let page = searcher.page(&mut reader, u64::from(number), stored);
            let is_found = page.found_in.is_some();
            phase.pages.push(SearchPage {
                number,
                matched: is_found,
                passes: phase.passes,
                ..work_of(&page.fate, self.read.soft)
            });
            if is_found {
                found.push(number);
                data.extend_from_slice(&page.data);
            } else if !page.fate.is_readable() {
                unreadable.push(number);
            }
        }
        state.1.push(phase);
        (found, data, unreadable)
    }

    fn state(&self) -> MutexGuard<'_, (Vec<u8>, Vec<SearchPhase>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn report(py: Python<'_>, settings: &PifSettings, phases: &[SearchPhase]) -> PyResult<String> {
    let timed =
        py.detach(|| guarded(|| SearchLocation::ALL.map(|place| time_search(settings, place, phases))));
    let mut report = summary(phases);
    for (place, timing) in SearchLocation::ALL.iter().zip(timed.map_err(|crash| error::crash(&crash))?) {
        report[place.name()] = timing_json(&timing.map_err(|wrong| error::search(&wrong))?);
    }
    Ok(report.to_string())
}

/// Returns the timing of a search of random pages, as JSON text. `place` is `pif` for a search in the flash
/// chips, `pis` for a search in the controller, or `host`. `selectivity` and `failure` are the shares of
/// matching pages and of pages that the chip cannot decode.
///
/// Raises `ConfigError` for a drive that does not support searches, `UsageError` for another `place`.
#[pyfunction]
#[pyo3(signature = (drive, place, *, pages, selectivity, failure=0.0, seed=1))]
#[allow(clippy::too_many_arguments, reason = "each is an argument of its own in Python")]
pub fn pif_timing(
    py: Python<'_>,
    drive: &Drive,
    place: &str,
    pages: usize,
    selectivity: f64,
    failure: f64,
    seed: u64,
) -> PyResult<String> {
    let settings = checked(drive)?;
    let found = SearchLocation::ALL.into_iter().find(|known| known.name() == place);
    let place =
        found.ok_or_else(|| error::usage("unknown place of the search; expected: `pif`, `pis` or `host`"))?;
    let run = || {
        let pages = draw_pages(pages, selectivity, failure, seed);
        time_search(&settings, place, &[SearchPhase { passes: 1, pages }])
    };
    let timed = py.detach(|| guarded(run)).map_err(|crash| error::crash(&crash))?;
    Ok(timing_json(&timed.map_err(|wrong| error::search(&wrong))?).to_string())
}

/// Returns three effects of wear on a drive's pages: the mean number of raw bit errors per codeword, the
/// probability that a chip cannot decode a page, and the probability that the controller cannot decode a page
/// from one read.
#[pyfunction]
pub fn pif_wear(drive: &Drive) -> (f64, f64, f64) {
    let read = read_settings(drive.resolved().config());
    let rate = read.model.raw_bit_error_rate(read.wear);
    let fails = |curve: FailureCurve| curve.page_failure(rate, SUB_PAGES as u32);
    let errors = rate * CODEWORD_BITS as f64;
    (
        errors,
        fails(FailureCurve::of_chip(read.chip_iterations).giving_up_beyond(read.chip_failing_checks)),
        fails(FailureCurve::measured(CurveDecoder::MinSum).giving_up_beyond(read.controller_failing_checks)),
    )
}

fn checked(drive: &Drive) -> PyResult<PifSettings> {
    if let Some(name) = drive.resolved().settings().own.fabric_name() {
        let wrong =
            format!("a search cannot use the user-defined fabric `{name}`; expected: a built-in fabric");
        return Err(error::usage(&wrong));
    }
    let settings = drive.resolved().pif();
    settings.check().map_err(|wrong| error::search(&wrong.into()))?;
    Ok(settings)
}

fn wanted_of(name: &str) -> PyResult<OutputMode> {
    Ok(match name {
        "lines" => OutputMode::Lines,
        "parts" => OutputMode::Parts,
        "count" => OutputMode::Count,
        "name" => OutputMode::Name,
        "name_without" => OutputMode::NameWithout,
        "nothing" => OutputMode::Nothing,
        _ => {
            return Err(error::usage(
                "unknown kind of output; expected: `lines`, `parts`, `count`, `name`, `name_without` or `nothing`",
            ));
        }
    })
}

fn read_settings(config: &Config) -> ReadSettings {
    let pif = &config.pif;
    ReadSettings {
        mode: match pif.errors {
            ErrorMode::Functional => ErrorModel::Functional,
            ErrorMode::Statistical => ErrorModel::Statistical,
            ErrorMode::Threshold => ErrorModel::Threshold,
        },
        model: config.flash_wear.cells,
        wear: PageWear {
            program_erase_cycles: pif.pe_cycles,
            retention_days: pif.retention_days,
            reads: pif.block_reads,
        },
        soft: pif.extra_reads,
        chip_iterations: pif.ecc_w_iterations,
        chip_failing_checks: pif.ecc_w_failing_checks,
        controller_failing_checks: pif.ecc_s_failing_checks,
        seed: config.run.seed,
    }
}

/// Returns the work that a page causes, given the outcome of its error correction: its reads and its decoding
/// iterations.
fn work_of(fate: &CorrectionResult, soft: SoftReads) -> SearchPage {
    SearchPage {
        fails_in_chip: !fate.in_chip(),
        iterations: fate.ecc_w_iterations,
        extra_reads: fate.extra_reads(soft),
        ..SearchPage::default()
    }
}

fn page_work(page: &PageRecord, number: usize, passes: u16, soft: SoftReads) -> SearchPage {
    let work = work_of(&page.fate, soft);
    // A page that has been sent is not searched in later passes.
    let last_pass = if work.fails_in_chip { Some(0) } else { page.found_in };
    SearchPage {
        number: number as u32,
        matched: page.found_in.is_some(),
        passes: last_pass.map_or(passes, |pass| pass + 1),
        asks_for_next_head: page.asks_for_next_head,
        is_context: page.is_context,
        ..work
    }
}

fn summary(phases: &[SearchPhase]) -> Value {
    let pages = || phases.iter().flat_map(|phase| &phase.pages);
    let count = |is: fn(&SearchPage) -> bool| pages().filter(|page| is(page)).count();
    let read: usize = phases.iter().filter(|phase| phase.passes == 0).map(|phase| phase.pages.len()).sum();
    json!({
        "pages": pages().count(),
        "passes": phases.iter().map(|phase| u32::from(phase.passes)).sum::<u32>(),
        "pages_read": read,
        "matched_pages": count(|page| page.matched),
        "pages_failed_in_chip": count(|page| page.fails_in_chip),
        "pages_with_extra_reads": count(|page| page.extra_reads > 0),
        "heads_asked_for": count(|page| page.asks_for_next_head),
        "context_pages": count(|page| page.is_context),
    })
}

fn timing_json(timing: &SearchTiming) -> Value {
    let counters = &timing.counters;
    json!({
        "time_us": timing.time.as_us(),
        "energy_uj": timing.energy.total_uj(),
        "energy_without_arrays_uj": timing.energy.total_without_arrays_uj(),
        "energy_of_chips_uj": timing.energy.chips_uj,
        "energy_of_controller_uj": timing.energy.controller_uj,
        "energy_of_host_uj": timing.energy.host_uj,
        "fabric_bytes": counters.bytes_to_chips + counters.bytes_from_chips,
        "host_link_bytes": counters.bytes_to_host,
        "senses": timing.senses,
        "pages_sent": counters.pages_from_chips,
        "controller_bytes": counters.controller_bytes,
        "tables_filled": counters.tables,
        "flash_us": timing.parts.flash.as_us(),
        "transfer_us": timing.parts.transfer.as_us(),
        "accelerators_us": timing.parts.accelerators.as_us(),
    })
}
