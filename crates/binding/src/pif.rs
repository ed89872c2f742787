//! Drives that search what they hold: what `venice-pif` finds, timed by `venice_ssd::pif`.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use venice_pif::curve::{Decoding, FailureCurve};
use venice_pif::grep::{FileGrep, Grep, Style, Wanted};
use venice_pif::store::{Mode, ReadOutcome, ReadSettings, SUB_PAGES, SoftReads, StoredFile};
use venice_pif::wear::{Wear, WearModel};
use venice_ssd::config::{Config, ErrorMode, ExtraReads};
use venice_ssd::pif::{
    self, PageWork, PifSettings, Place, SearchRunError, SearchTiming, draw_pages, time_search,
};

use crate::drive::Drive;
use crate::error;
use crate::guard::guarded;

/// A search of files by a drive that holds them.
#[pyclass(frozen, module = "venice._native")]
pub struct PifSearch {
    settings: PifSettings,
    read: ReadSettings,
    grep: Grep,
    style: Style,
    /// The pages that were searched, in the order in which they lie in the drive.
    work: Mutex<Vec<PageWork>>,
}

/// What was found in a file: what is to be printed, lines with a match, offsets of unreadable pages.
type Found<'py> = (Bound<'py, PyBytes>, u64, Vec<usize>);

#[pymethods]
impl PifSearch {
    /// A search for these patterns; `wanted` is `lines`, `parts`, `count`, `name` or `nothing`.
    ///
    /// Raises `UsageError` for patterns that the chips cannot search for, `ConfigError` for a drive that cannot search.
    #[new]
    #[pyo3(signature = (drive, patterns, *, wanted="lines", with_name=false, with_number=false))]
    fn new(
        drive: &Drive,
        patterns: Vec<Vec<u8>>,
        wanted: &str,
        with_name: bool,
        with_number: bool,
    ) -> PyResult<Self> {
        let settings = checked(drive)?;
        let read = read_settings(drive.resolved().config());
        let grep = Grep::new(&patterns, read).map_err(|wrong| error::usage(&wrong.to_string()))?;
        let style = Style { wanted: wanted_of(wanted)?, with_name, with_number };
        Ok(Self { settings, read, grep, style, work: Mutex::default() })
    }

    /// Stores a file after those before it and searches it; `name` is what is printed for it.
    ///
    /// Raises `OSError` if it cannot be read, `UsageError` if the drive is full.
    fn search_file<'py>(&self, py: Python<'py>, name: Vec<u8>, path: PathBuf) -> PyResult<Found<'py>> {
        let data = py.detach(|| fs::read(path))?;
        self.search_bytes(py, name, data)
    }

    /// The same for data at hand.
    fn search_bytes<'py>(&self, py: Python<'py>, name: Vec<u8>, data: Vec<u8>) -> PyResult<Found<'py>> {
        let searched = py.detach(|| guarded(|| self.search(&name, data)));
        let found = searched.map_err(|crash| error::crash(&crash))?.map_err(|wrong| error::search(&wrong))?;
        let unreadable = found.search.unreadable().map(|page| page.offset).collect();
        Ok((PyBytes::new(py, &found.output), found.lines, unreadable))
    }

    /// Time, energy and data moved of the search so far, in the chips, in the controller and by the host, as JSON text.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let work = self.work().clone();
        let timed =
            py.detach(|| guarded(|| Place::ALL.map(|place| time_search(&self.settings, place, &work))));
        let mut report = summary(&work);
        for (place, timing) in Place::ALL.iter().zip(timed.map_err(|crash| error::crash(&crash))?) {
            report[place.name()] = timing_json(&timing.map_err(|wrong| error::search(&wrong))?);
        }
        Ok(report.to_string())
    }
}

impl PifSearch {
    fn search(&self, name: &[u8], data: Vec<u8>) -> Result<FileGrep, SearchRunError> {
        let mut work = self.work();
        let file = StoredFile::store(data, work.len() as u64, self.read.mode);
        self.settings.check_capacity((work.len() + file.pages()) as u64)?;
        let found = self.grep.search(&file, name, self.style);
        work.extend(page_work(&found, self.read.soft));
        Ok(found)
    }

    /// A search that crashed has added nothing.
    fn work(&self) -> std::sync::MutexGuard<'_, Vec<PageWork>> {
        self.work.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Times a search of made-up pages as `draw_pages` draws them, in `place`: `pif`, `pis` or `host`; JSON text.
///
/// Raises `ConfigError` for a drive that cannot search, `UsageError` for other names.
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
    let found = Place::ALL.into_iter().find(|known| known.name() == place);
    let place = found.ok_or_else(|| error::usage("a place to search is `pif`, `pis` or `host`"))?;
    let run = || time_search(&settings, place, &draw_pages(pages, selectivity, failure, seed));
    let timed = py.detach(|| guarded(run)).map_err(|crash| error::crash(&crash))?;
    Ok(timing_json(&timed.map_err(|wrong| error::search(&wrong))?).to_string())
}

/// What the wear of the drive's pages comes to: mean raw errors of a codeword, and the probabilities that a page fails in the chip and,
/// from the hard read, in the controller.
#[pyfunction]
pub fn pif_wear(drive: &Drive) -> (f64, f64, f64) {
    let read = read_settings(drive.resolved().config());
    let rate = read.model.raw_bit_error_rate(read.wear);
    let fails = |decoding| FailureCurve::measured(decoding).page_failure(rate, SUB_PAGES as u32);
    let errors = read.model.raw_errors_per_codeword(read.wear);
    (errors, fails(Decoding::TwoBit), fails(Decoding::MinSum))
}

fn checked(drive: &Drive) -> PyResult<PifSettings> {
    let settings = drive.resolved().pif();
    settings.check().map_err(|wrong| error::search(&wrong.into()))?;
    Ok(settings)
}

fn wanted_of(name: &str) -> PyResult<Wanted> {
    Ok(match name {
        "lines" => Wanted::Lines,
        "parts" => Wanted::Parts,
        "count" => Wanted::Count,
        "name" => Wanted::Name,
        "nothing" => Wanted::Nothing,
        _ => return Err(error::usage("wanted is `lines`, `parts`, `count`, `name` or `nothing`")),
    })
}

fn read_settings(config: &Config) -> ReadSettings {
    let (pif, wear) = (&config.pif, &config.flash_wear);
    ReadSettings {
        mode: match pif.errors {
            ErrorMode::Functional => Mode::Functional,
            ErrorMode::Statistical => Mode::Statistical,
            ErrorMode::Threshold => Mode::Threshold,
        },
        model: WearModel {
            floor: wear.floor,
            cycling: wear.cycling,
            cycling_cycles_exponent: wear.cycling_cycles_exponent,
            retention: wear.retention,
            retention_cycles_exponent: wear.retention_cycles_exponent,
            retention_days_exponent: wear.retention_days_exponent,
            disturb: wear.disturb,
            disturb_cycles_exponent: wear.disturb_cycles_exponent,
            disturb_reads_exponent: wear.disturb_reads_exponent,
        },
        wear: Wear {
            program_erase_cycles: pif.pe_cycles,
            retention_days: pif.retention_days,
            reads: pif.block_reads,
        },
        soft: match pif.extra_reads {
            ExtraReads::None => SoftReads::None,
            ExtraReads::Two => SoftReads::Two,
            ExtraReads::Six => SoftReads::Six,
        },
        seed: config.run.seed,
    }
}

fn page_work(found: &FileGrep, soft: SoftReads) -> Vec<PageWork> {
    let mut work: Vec<PageWork> = found
        .search
        .pages
        .iter()
        .map(|page| PageWork {
            matched: page.found,
            fails_in_chip: page.outcome == ReadOutcome::DecodingFailure,
            extra_reads: page.fate.extra_reads(soft),
            asks_for_next_head: page.asks_for_next_head,
            is_context: false,
        })
        .collect();
    found.context.iter().for_each(|&page| work[page].is_context = true);
    work
}

fn summary(work: &[PageWork]) -> Value {
    let count = |is: fn(&PageWork) -> bool| work.iter().filter(|page| is(page)).count();
    json!({
        "pages": work.len(),
        "matched_pages": count(|page| page.matched),
        "pages_failed_in_chip": count(|page| page.fails_in_chip),
        "pages_with_extra_reads": count(|page| page.extra_reads > 0),
        "heads_asked_for": count(|page| page.asks_for_next_head),
        "context_pages": count(|page| page.is_context),
    })
}

fn timing_json(timing: &SearchTiming) -> Value {
    let counters: pif::SearchCounters = timing.counters;
    json!({
        "time_us": timing.time.as_us(),
        "energy_uj": timing.energy.total_uj(),
        "energy_without_arrays_uj": timing.energy.total_without_arrays_uj(),
        "energy_of_chips_uj": timing.energy.chips_uj,
        "energy_of_controller_uj": timing.energy.controller_uj,
        "energy_of_host_uj": timing.energy.host_uj,
        "fabric_bytes": counters.fabric_bytes,
        "host_link_bytes": counters.link_bytes,
        "senses": counters.senses,
        "pages_sent": counters.pages_sent,
    })
}
