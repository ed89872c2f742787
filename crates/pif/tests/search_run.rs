//! Tests of drives that search in flash: closed forms, the paper's figures, and relations between the
//! designs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use venice_config::{self as config, ResolvedDrive};
use venice_host::testkit::free_host;
use venice_host::{HostSettings, LinkSettings};
use venice_pif::search_run::{
    LimitError, PifSettings, SearchLocation, SearchPage, SearchPhase, SearchRunError, SearchTiming,
    draw_pages, time_search,
};

const T_READ_US: f64 = 45.0;
/// Time of 16 codewords of 1,152 bytes at 1.2 GB/s.
const T_PAGE_US: f64 = 15.36;
const CHIPS: [u32; 5] = [4, 8, 16, 32, 64];
/// Selectivity of the paper's applications, grep and `SQL_Query`.
const APPLICATIONS: [f64; 2] = [0.063, 0.167];

fn drive(sets: &[&str]) -> ResolvedDrive {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    config::load("pif", None, &sets, None).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the drive of the paper with `chips` chips on each of its four channels.
fn of_paper(chips: u32) -> PifSettings {
    let blocks = format!("flash.blocks_per_plane={}", 8192 / chips);
    drive(&[&format!("array.cols={chips}"), &blocks]).pif()
}

/// Returns a drive of one channel with `chips` chips that need no matcher tables.
fn channel(chips: u32) -> PifSettings {
    with_data_link(&drive(&["array.rows=1", "pif.table_bytes=0", &format!("array.cols={chips}")]))
}

/// Returns the settings of a drive whose host link carries data at its rate, and commands in no time.
fn with_data_link(drive: &ResolvedDrive) -> PifSettings {
    let mut settings = drive.pif();
    let (rate, free) = (settings.drive.host.link.rate, free_host());
    settings.drive.host =
        HostSettings { link: LinkSettings { rate, packet_header_bytes: 0, ..free.link }, ..free };
    settings
}

fn run(settings: &PifSettings, place: SearchLocation, pages: &[SearchPage]) -> SearchTiming {
    run_all(settings, place, &[SearchPhase { passes: 1, pages: pages.to_vec() }])
}

fn run_all(settings: &PifSettings, place: SearchLocation, phases: &[SearchPhase]) -> SearchTiming {
    time_search(settings, place, phases).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns a page that is searched in one pass.
fn page() -> SearchPage {
    SearchPage { passes: 1, ..SearchPage::default() }
}

/// Returns `count` consecutive pages.
fn plain(count: u32) -> Vec<SearchPage> {
    (0..count).map(|number| SearchPage { number, ..page() }).collect()
}

fn drawn(count: usize, selectivity: f64, failure: f64) -> Vec<SearchPage> {
    draw_pages(count, selectivity, failure, 1)
}

/// Returns the asymptotic time per page.
fn formula_us(chips: u32, sent: f64) -> f64 {
    (T_READ_US / f64::from(chips)).max(sent * T_PAGE_US)
}

fn sent(selectivity: f64, failure: f64) -> f64 {
    selectivity + (1.0 - selectivity) * failure
}

/// 40,000 pages per channel, so that the effects of table transfers, of the start and the end of the
/// pipeline, and of random variation are negligible.
const PAGES: usize = 160_000;

/// Returns the ratio of `PiS` time to `PiF` time.
fn speed_up(chips: u32, selectivity: f64, failure: f64) -> f64 {
    let (settings, pages) = (of_paper(chips), drawn(PAGES, selectivity, failure));
    let time = |place| run(&settings, place, &pages).time.as_us();
    time(SearchLocation::Controller) / time(SearchLocation::Chips)
}

#[test]
fn the_papers_speed_ups_come_out_of_the_events() {
    let mut all = Vec::new();
    for selectivity in APPLICATIONS {
        for chips in CHIPS {
            let simulated = speed_up(chips, selectivity, 0.0);
            let formula = formula_us(chips, 1.0) / formula_us(chips, sent(selectivity, 0.0));
            let ratio = simulated / formula;
            assert!(
                (0.93..=1.01).contains(&ratio),
                "{chips} chips, {selectivity}: {simulated}, formula {formula}"
            );
            all.push(simulated);
        }
    }
    let most = all.iter().copied().fold(0.0, f64::max);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!((14.7..=15.9).contains(&most), "{most}");
    assert!((5.4..=6.0).contains(&mean), "{mean}");
}

#[test]
fn the_papers_table_2_comes_out_of_the_events() {
    // Relative performance of 32 chips on a channel, mean of both applications.
    let mean = |failure: f64| {
        let relative = |s: &f64| speed_up(32, *s, failure) / speed_up(32, *s, 0.0);
        APPLICATIONS.iter().map(relative).sum::<f64>() / 2.0
    };
    for (failure, paper) in [(0.05, 0.83), (0.10, 0.63), (0.15, 0.51)] {
        let simulated = mean(failure);
        assert!((simulated - paper).abs() <= 0.03, "{failure}: {simulated}, the paper {paper}");
    }
}

#[test]
fn one_page_takes_command_sense_match_answer() {
    let settings = channel(1);
    let page = |matched| [SearchPage { matched, ..page() }];
    let us = |place, matched| run(&settings, place, &page(matched)).time.as_us();
    let (command, byte) = (0.01, 1.0 / 1200.0);
    let answer = 4.0 * byte;
    assert!((us(SearchLocation::Chips, false) - (command + 45.0 + 40.0 + answer)).abs() < 1e-3);
    let (data, controller, link) = (18_432.0 * byte, 16_384.0 * byte, 16_384.0 / 8000.0);
    // A page that matched in the chip arrives corrected: the controller does not process it.
    let found = command + 45.0 + 40.0 + answer + data + link;
    assert!((us(SearchLocation::Chips, true) - found).abs() < 1e-3);
    let elsewhere = command + 45.0 + data + controller;
    assert!((us(SearchLocation::Controller, false) - elsewhere).abs() < 1e-3);
    assert!((us(SearchLocation::Controller, true) - (elsewhere + link)).abs() < 1e-3);
    assert!((us(SearchLocation::Host, false) - (elsewhere + link + 16_384.0 / 4000.0)).abs() < 1e-3);
}

#[test]
fn matching_does_not_slow_a_chip_down_while_it_is_shorter_than_sensing() {
    for (t_match, per_page) in [("40", 45.0), ("45", 45.0), ("60", 60.0)] {
        let set = format!("pif.t_match_us={t_match}");
        let settings = drive(&["array.rows=1", "array.cols=1", &set]).pif();
        let pages = plain(1000);
        let each = run(&settings, SearchLocation::Chips, &pages).time.as_us() / 1000.0;
        assert!((each / per_page - 1.0).abs() < 2e-3, "{t_match}: {each}");
    }
}

#[test]
fn moved_thresholds_cost_a_sense_and_a_transfer_each() {
    let settings = channel(1);
    let time = |extra_reads| {
        run(&settings, SearchLocation::Chips, &[SearchPage { fails_in_chip: true, extra_reads, ..page() }])
    };
    let (none, two, eight) = (time(0), time(2), time(8));
    assert_eq!([none, two.clone(), eight].map(|timing| timing.senses), [1, 3, 9]);
    assert_eq!(two.counters.pages_from_chips, 3);
    // Both page reads, the second of which overlaps the first one's transfer; the last transfer; a second
    // decoding.
    let expected = 0.01 + 45.0 + 45.0 + 0.01 + T_PAGE_US + 16_384.0 / 1200.0;
    let more = two.time.as_us() - time(0).time.as_us();
    assert!((more - expected).abs() < 0.1, "{more}, expected {expected}");
}

#[test]
fn only_what_is_needed_crosses_the_channel_and_the_link() {
    let (settings, pages) = (channel(8), drawn(1000, 0.1, 0.05));
    let failed = pages.iter().filter(|page| page.fails_in_chip).count() as u64;
    let matched = pages.iter().filter(|page| page.matched).count() as u64;
    let sent = pages.iter().filter(|page| page.matched || page.fails_in_chip).count() as u64;
    let timings = SearchLocation::ALL.map(|place| run(&settings, place, &pages));
    assert_eq!(timings.each_ref().map(|timing| timing.senses), [1000; 3]);
    let [pif, pis, host] = timings.map(|timing| timing.counters);
    assert_eq!(pif.bytes_from_chips, sent * 18_432 + 1000 * 4);
    assert_eq!((pis.bytes_from_chips, host.bytes_from_chips), (1000 * 18_432, 1000 * 18_432));
    assert_eq!(
        [pif.bytes_to_host, pis.bytes_to_host, host.bytes_to_host],
        [matched, matched, 1000].map(|n| n * 16_384)
    );
    // The controller decodes and matches only the pages that a chip could not decode.
    assert_eq!(pif.controller_bytes, failed * 16_384);
    assert_eq!(pis.controller_bytes, 1000 * 16_384);
}

#[test]
fn filling_the_tables_takes_each_chip_its_transfer_before_it_begins() {
    let time = |chips: u32, table_bytes: u32| {
        let sets = [format!("array.cols={chips}"), format!("pif.table_bytes={table_bytes}")];
        let settings = drive(&["array.rows=1", &sets[0], &sets[1]]).pif();
        run(&settings, SearchLocation::Chips, &plain(64))
    };
    // 5,120 bytes at 1.2 GB/s, which cross with the first command: 4.27 µs each, 273 µs for 64 chips.
    let each = 5120.0 / 1200.0;
    let one = time(1, 5120).time.as_us() - time(1, 0).time.as_us();
    assert!((one - each).abs() < 1e-3, "{one}");
    let (with, without) = (time(64, 5120), time(64, 0));
    let many = with.time.as_us() - without.time.as_us();
    // The last chip starts after 64 transfers instead of 63 commands; chips that started earlier may answer
    // in between.
    let (commands, answers) = (63.0 * 0.01, 63.0 * (0.01 + 4.0 / 1200.0));
    assert!((64.0 * each - commands..=64.0 * each + answers).contains(&many), "{many}");
    assert_eq!((with.counters.tables, without.counters.tables), (64, 0));
    assert_eq!(with.counters.bytes_to_chips - without.counters.bytes_to_chips, 64 * 5120);
}

#[test]
fn decoding_takes_as_long_as_its_iterations_once_that_is_longer() {
    let settings = channel(1);
    let time = |iterations| {
        let pages: Vec<_> = plain(1000).into_iter().map(|page| SearchPage { iterations, ..page }).collect();
        run(&settings, SearchLocation::Chips, &pages).time.as_us() / 1000.0
    };
    // 62.6 errors per codeword: about 24 iterations of 175.8 ns in each of 16 sub-pages.
    for (iterations, expected) in [(0, 45.0), (100, 45.0), (250, 45.0), (384, 67.5), (1000, 175.8)] {
        let each = time(iterations);
        assert!((each / expected - 1.0).abs() < 2e-3, "{iterations}: {each}");
    }
    // A page with a decoding failure is forwarded at once.
    let gives_up = SearchPage { fails_in_chip: true, iterations: 10, ..page() };
    let sooner =
        run(&settings, SearchLocation::Chips, &[SearchPage { iterations: 0, ..gives_up }]).time.as_us()
            - run(&settings, SearchLocation::Chips, &[gives_up]).time.as_us();
    assert!((sooner - (40.0 - 1.758)).abs() < 1e-3, "{sooner}");
}

#[test]
fn a_head_costs_a_sense_unless_its_page_is_sent() {
    let settings = channel(2);
    let senses = |next: SearchPage| {
        let first = SearchPage { asks_for_next_head: true, ..page() };
        run(&settings, SearchLocation::Chips, &[first, SearchPage { number: 1, ..next }]).senses
    };
    assert_eq!(senses(page()), 3);
    assert_eq!(senses(SearchPage { matched: true, ..page() }), 2);
    assert_eq!(senses(SearchPage { fails_in_chip: true, ..page() }), 2);
}

#[test]
fn further_passes_sense_unsent_pages_again_and_the_controller_loads_a_page_once() {
    let settings = channel(4);
    let of = |passes| (0..100).map(move |number| SearchPage { number, passes, ..SearchPage::default() });
    // 10 of 100 pages match in the first pass.
    let pages: Vec<_> = of(3)
        .map(
            |page| if page.number % 10 == 0 { SearchPage { matched: true, passes: 1, ..page } } else { page },
        )
        .collect();
    let phases = [SearchPhase { passes: 3, pages }];
    let [pif, pis] =
        [SearchLocation::Chips, SearchLocation::Controller].map(|place| run_all(&settings, place, &phases));
    assert_eq!((pif.senses, pif.counters.pages_from_chips), (100 + 90 + 90, 10));
    assert_eq!((pis.senses, pis.counters.controller_bytes), (100, 3 * 100 * 16_384));
    let once =
        run_all(&settings, SearchLocation::Chips, &[SearchPhase { passes: 1, pages: of(1).collect() }]);
    // The matching pages are in chips 0 and 2; the other two chips take exactly three times as long.
    assert_eq!(pif.time.as_ps(), 3 * once.time.as_ps());
}

#[test]
fn pages_that_are_read_cross_everything_and_phases_follow_each_other() {
    let settings = channel(4);
    let read = SearchPhase { passes: 0, pages: plain(100) };
    let timing = run_all(&settings, SearchLocation::Chips, std::slice::from_ref(&read));
    assert_eq!((timing.counters.pages_from_chips, timing.counters.bytes_to_host), (100, 100 * 16_384));
    assert_eq!((timing.counters.chips_busy_ps, timing.counters.tables), (0, 0));
    let twice = run_all(&settings, SearchLocation::Chips, &[read.clone(), read]);
    assert!((twice.time.as_us() / timing.time.as_us() - 2.0).abs() < 1e-6);
}

#[test]
fn one_accelerator_holds_a_controller_of_many_channels_back() {
    let time = |sets: &[&str]| run(&drive(sets).pif(), SearchLocation::Controller, &drawn(4000, 0.1, 0.0));
    let (one, each) = (time(&["pif.accelerators=1"]), time(&[]));
    // 4,000 pages of 13.65 µs one after another.
    assert!((one.time.as_us() / (4000.0 * 16_384.0 / 1200.0) - 1.0).abs() < 0.01, "{}", one.time);
    assert!(one.time.as_us() > 3.0 * each.time.as_us());
    assert!((one.parts.accelerators.as_us() / (4.0 * each.parts.accelerators.as_us()) - 1.0).abs() < 1e-6);
}

#[test]
fn every_fabric_carries_a_search_and_none_of_equal_channels_beats_the_ideal_one() {
    let pages = drawn(4000, 0.167, 0.05);
    let time = |fabric: &str| {
        let name = format!("fabric.name={fabric}");
        let settings = drive(&["array.rows=8", "array.cols=8", &name]).pif();
        run(&settings, SearchLocation::Chips, &pages).time.as_us()
    };
    let ideal = time("ideal");
    for fabric in ["bus", "pssd", "pnssd", "nossd", "venice"] {
        let time = time(fabric);
        // Channels of pSSD are twice as fast.
        assert!(
            time >= ideal || (fabric == "pssd" && time >= 0.9 * ideal),
            "{fabric}: {time}, ideal {ideal}"
        );
    }
}

#[test]
fn drawn_pages_have_exactly_the_configured_shares() {
    let pages = drawn(1000, 0.063, 0.1);
    let count = |is: fn(&SearchPage) -> bool| pages.iter().filter(|page| is(page)).count();
    assert_eq!((pages.len(), count(|page| page.matched), count(|page| page.fails_in_chip)), (1000, 63, 94));
    assert_eq!(count(|page| page.matched && page.fails_in_chip), 0);
    assert_ne!(pages, draw_pages(1000, 0.063, 0.1, 2));
}

#[test]
fn energy_has_two_totals_that_differ_by_the_arrays() {
    let timing = run(&channel(4), SearchLocation::Chips, &drawn(100, 0.1, 0.0));
    let arrays = timing.energy.total_uj() - timing.energy.total_without_arrays_uj();
    // 160 mW for 45 µs.
    assert!((arrays - 100.0 * 7.2).abs() < 1e-6, "{arrays}");
    assert!((timing.energy.chips_uj - 100.0 * 18.66e-3 * 40.0).abs() < 1e-6, "{}", timing.energy.chips_uj);
}

#[test]
fn a_design_beyond_its_chip_is_refused() {
    let check = |sets: &[&str]| drive(sets).pif().check();
    assert_eq!(check(&[]), Ok(()));
    assert_eq!(check(&["pif.decoder_mw=18.94"]), Ok(()));
    let error = check(&["pif.decoder_mw=18.95"]).unwrap_err();
    assert!(matches!(error, LimitError::Power { .. }));
    assert_eq!(
        error.to_string(),
        "a chip that senses (160 mW), matches (1.06 mW) and decodes (18.95 mW) needs 180.01 mW, more than the 180 mW of a \
         program; expected: a lower `pif.matcher_mw` or `pif.decoder_mw`"
    );
    assert!(matches!(check(&["pif.matcher_mm2=99.3"]), Err(LimitError::Area { .. })));
    assert!(matches!(check(&["flash.page_bytes=4096"]), Err(LimitError::Page { bytes: 4096 })));
    let full =
        drive(&["array.rows=1", "array.cols=1", "flash.blocks_per_plane=64", "flash.pages_per_block=1"]);
    let refused =
        time_search(&full.pif(), SearchLocation::Chips, &[SearchPhase { passes: 1, pages: plain(65) }]);
    // 7 % of the pages are spare.
    assert!(matches!(refused, Err(SearchRunError::Capacity { pages: 65, has: 59 })), "{refused:?}");
    // Decoder and matcher take 0.78 and 0.07 mm².
    assert_eq!(check(&["pif.free_mm2=0.86"]), Ok(()));
    let refused = time_search(&drive(&["pif.free_mm2=0.84"]).pif(), SearchLocation::Host, &[]);
    assert!(matches!(refused, Err(SearchRunError::Limit(LimitError::Area { .. }))));
}

fn any_page() -> impl Strategy<Value = SearchPage> {
    let extra_reads = prop_oneof![6 => Just(0_u8), 1 => Just(2), 1 => Just(8)];
    (any::<bool>(), prop::bool::weighted(0.2), extra_reads, any::<bool>(), prop::bool::weighted(0.1))
        .prop_map(|(matched, fails, extra_reads, asks_for_next_head, is_context)| SearchPage {
            matched,
            fails_in_chip: fails || extra_reads > 0,
            extra_reads,
            asks_for_next_head,
            is_context,
            ..page()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn every_search_comes_to_an_end_and_senses_each_page(
        pages in prop::collection::vec(any_page(), 0..200),
        fabric in prop::sample::select(vec!["bus", "pssd", "pnssd", "nossd", "venice", "ideal"]),
        place in prop::sample::select(SearchLocation::ALL.to_vec()),
    ) {
        let settings = drive(&["array.rows=4", "array.cols=4", &format!("fabric.name={fabric}")]).pif();
        let mut pages = pages;
        pages.iter_mut().zip(0..).for_each(|(page, number)| page.number = number);
        let timing = run(&settings, place, &pages);
        let is_sent = |page: &SearchPage| page.matched || page.fails_in_chip;
        let in_chips = place == SearchLocation::Chips;
        let heads = pages.windows(2).filter(|two| in_chips && two[0].asks_for_next_head && !is_sent(&two[1])).count();
        let again: u64 = pages.iter().map(|page| u64::from(page.extra_reads)).sum();
        let context = pages.iter().filter(|page| page.is_context && place != SearchLocation::Host).count();
        prop_assert_eq!(timing.senses, (pages.len() + context + heads) as u64 + again);
        let twice = run(&settings, place, &pages);
        prop_assert_eq!(timing, twice);
    }
}
