//! Golden table of searches: times, counters and energies of a model of searches alone on an idle drive, which
//! preceded searches in the drive's engine (`golden/search_times.csv`).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_config::ResolvedDrive;
use venice_kernel::RandomStream;
use venice_pif::search_run::{
    SearchLocation, SearchPage, SearchPhase, SearchTiming, draw_pages, time_search,
};

const GOLDEN: &str = include_str!("golden/search_times.csv");

/// Number of pages of a search.
const PAGES: u32 = 8_000;

/// Search on a drive.
struct Situation {
    name: String,
    drive: ResolvedDrive,
    phases: Vec<SearchPhase>,
}

impl Situation {
    fn new(name: &str, sets: &[&str], phases: Vec<SearchPhase>) -> Self {
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        let drive = venice_config::load("pif", None, &sets, None).unwrap_or_else(|error| panic!("{error}"));
        Self { name: name.to_owned(), drive, phases }
    }
}

fn one_phase(passes: u16, pages: Vec<SearchPage>) -> Vec<SearchPhase> {
    vec![SearchPhase { passes, pages }]
}

fn drawn(selectivity: f64, failure: f64) -> Vec<SearchPhase> {
    one_phase(1, draw_pages(PAGES as usize, selectivity, failure, 1))
}

/// Returns pages with each property that `grep` gives to a page: passes, extra reads, heads and context.
fn of_grep(passes: u16) -> Vec<SearchPage> {
    let mut random = RandomStream::new(7, "golden pages");
    let page = |number| {
        let (matched, fails) = (random.chance(0.1), random.chance(0.1));
        let extra_reads = if fails { [0, 0, 0, 2, 8][random.below(5) as usize] } else { 0 };
        let found_in = if fails { 0 } else { random.below(u64::from(passes)) as u16 };
        SearchPage {
            number,
            matched,
            fails_in_chip: fails,
            passes: if matched || fails { found_in + 1 } else { passes },
            iterations: 200 + random.below(300) as u32,
            extra_reads,
            asks_for_next_head: random.chance(0.2),
            is_context: random.chance(0.05),
        }
    };
    (0..PAGES).map(page).collect()
}

/// Returns the phases of a query: a search, then reads of some of the pages.
fn of_query() -> Vec<SearchPhase> {
    let found = draw_pages(PAGES as usize, 0.05, 0.02, 3);
    let read = found.iter().filter(|page| page.matched).map(|page| SearchPage {
        number: page.number + 16_384,
        matched: true,
        ..SearchPage::default()
    });
    let read = SearchPhase { passes: 0, pages: read.collect() };
    vec![SearchPhase { passes: 1, pages: found }, read]
}

fn situations() -> Vec<Situation> {
    let mut all = Vec::new();
    for chips in [4, 16, 32, 64] {
        let sets = [format!("array.cols={chips}"), format!("flash.blocks_per_plane={}", 8192 / chips)];
        let sets = [sets[0].as_str(), sets[1].as_str()];
        for (selectivity, failure) in [(0.063, 0.0), (0.167, 0.0), (0.063, 0.1), (0.167, 0.15)] {
            let name = format!("{chips} chips on a channel; {selectivity} match; {failure} fail");
            all.push(Situation::new(&name, &sets, drawn(selectivity, failure)));
        }
    }
    for fabric in ["bus", "pssd", "pnssd", "nossd", "venice", "ideal"] {
        let sets = ["array.rows=8", "array.cols=8", &format!("fabric.name={fabric}")];
        all.push(Situation::new(&format!("{fabric}, 8x8"), &sets, drawn(0.167, 0.05)));
        all.push(Situation::new(&format!("{fabric}, 8x8; grep"), &sets, one_phase(2, of_grep(2))));
    }
    let small = ["array.cols=8"];
    all.push(Situation::new("grep in one pass", &small, one_phase(1, of_grep(1))));
    all.push(Situation::new("grep in three passes", &small, one_phase(3, of_grep(3))));
    all.push(Situation::new("query", &small, of_query()));
    all.push(Situation::new("one accelerator", &["pif.accelerators=1"], drawn(0.1, 0.1)));
    all.push(Situation::new("slow matcher", &["array.cols=8", "pif.t_match_us=60"], drawn(0.1, 0.1)));
    all.push(Situation::new("four pages of output", &["array.cols=8", "pif.out_pages=4"], drawn(0.2, 0.1)));
    all
}

/// Figures of a search. The times and energies of the table are rounded to three decimals.
#[derive(Clone, Debug, PartialEq)]
struct Figures {
    time_us: f64,
    energies_uj: [f64; 5],
    counts: [u64; 6],
}

impl Figures {
    fn of(timing: &SearchTiming) -> Self {
        let (counters, energy) = (&timing.counters, &timing.energy);
        Self {
            time_us: timing.time.as_us(),
            energies_uj: [
                energy.total_uj(),
                energy.total_without_arrays_uj(),
                energy.chips_uj,
                energy.controller_uj,
                energy.host_uj,
            ],
            counts: [
                timing.senses,
                counters.pages_from_chips,
                counters.bytes_to_chips + counters.bytes_from_chips,
                counters.bytes_to_host,
                counters.controller_bytes,
                counters.tables,
            ],
        }
    }
}

/// Returns the row of the golden table for a search.
fn golden(name: &str, place: SearchLocation) -> Figures {
    let start = format!("\"{name}\",{},", place.name());
    let row = GOLDEN.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("{start}"));
    let cells: Vec<&str> = row.split(',').collect();
    let number = |index: usize| cells[index].parse::<f64>().unwrap();
    Figures {
        time_us: number(0),
        energies_uj: std::array::from_fn(|index| number(1 + index)),
        counts: std::array::from_fn(|index| cells[6 + index].parse().unwrap()),
    }
}

/// Returns the largest permitted deviation of a time or energy, relative to the golden table.
fn tolerance(name: &str) -> f64 {
    // On NoSSD, the order of transfers determines which packets meet, and the engine's order differs. The engine's
    // memory holds pages with their codes.
    if name.starts_with("nossd") { 0.11 } else { 0.03 }
}

#[test]
fn searches_in_the_engine_agree_with_the_model_of_searches_alone() {
    let mut wrong = Vec::new();
    for Situation { name, drive, phases } in situations() {
        for place in SearchLocation::ALL {
            let timing = time_search(&drive.pif(), place, &phases).unwrap_or_else(|error| panic!("{error}"));
            let (found, expected) = (Figures::of(&timing), golden(&name, place));
            let told = format!("{name}, {}", place.name());
            if found.counts != expected.counts {
                wrong.push(format!("{told}: {:?}, expected {:?}", found.counts, expected.counts));
            }
            let pairs = found.energies_uj.into_iter().zip(expected.energies_uj);
            for (found, expected) in pairs.chain([(found.time_us, expected.time_us)]) {
                if (found - expected).abs() > tolerance(&name) * expected + 0.001 {
                    wrong.push(format!("{told}: {found}, expected {expected}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
