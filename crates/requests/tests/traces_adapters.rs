//! Tests that adapters change requests only as intended.

use proptest::prelude::*;
use venice_kernel::SimTime;
use venice_requests::adapters::{
    FilteredSource, LimitedSource, MergedSource, RateScale, RateScaledSource, RequestFilter, SearchCheck,
    SearchSupport, WrappedSource,
};
use venice_requests::request::{
    DeviceUse, HostRequest, Op, ReadCounters, RequestSource, SourceCounters, SourceError,
};

const READ: ReadCounters = ReadCounters {
    out_of_order: 3,
    moved_up: 2,
    skipped_bad: 1,
    other_ops: 4,
    trims: 2,
    trims_skipped: 1,
    flushes: 1,
    zero_size: 5,
    garbled_times: 6,
};

const DEVICES: DeviceUse = DeviceUse { devices: 7, device_layout: Some("overlay") };

/// Request source that returns given requests.
struct Given(Vec<HostRequest>, usize);

impl Given {
    fn new(requests: Vec<HostRequest>) -> Self {
        Self(requests, 0)
    }
}

impl RequestSource for Given {
    fn fill(&mut self, into: &mut Vec<HostRequest>, at_most: usize) -> Result<usize, SourceError> {
        let end = self.0.len().min(self.1 + at_most);
        into.extend_from_slice(&self.0[self.1..end]);
        let given = end - self.1;
        self.1 = end;
        Ok(given)
    }

    fn label(&self) -> &'static str {
        "given"
    }

    fn is_synthetic(&self) -> bool {
        true
    }

    fn total(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }

    fn counters(&self) -> SourceCounters {
        SourceCounters { read: READ, devices: DEVICES, folded: 1 }
    }
}

fn request(arrival_ps: u64, start_sector: u64, sectors: u32) -> HostRequest {
    HostRequest {
        arrival: SimTime::from_ps(arrival_ps),
        start_sector,
        sectors,
        queue: 2,
        op: Op::Read,
        pattern_set: 0,
    }
}

/// Reads in batches of two, into a vector that already holds a request of another source.
fn drain(source: &mut impl RequestSource) -> Result<Vec<HostRequest>, SourceError> {
    let mut all = vec![request(77, 1 << 40, 77)];
    while source.fill(&mut all, 2)? > 0 {}
    assert_eq!(all.remove(0), request(77, 1 << 40, 77), "what was in the vector before is left alone");
    Ok(all)
}

fn extents(requests: &[HostRequest]) -> Vec<(u64, u32)> {
    requests.iter().map(|request| (request.start_sector, request.sectors)).collect()
}

#[test]
fn a_limited_source_counts_a_trim_with_several_ranges_once() {
    let mut all: Vec<_> = (0..7).map(|number| request(number, number, 1)).collect();
    (all[1].op, all[2].op, all[3].op) = (Op::TrimRange, Op::TrimRange, Op::Trim);
    for (limit, expected) in [(1, 1), (2, 4), (3, 5)] {
        let mut source = LimitedSource::new(Given::new(all.clone()), limit);
        assert_eq!(drain(&mut source).unwrap(), all[..expected]);
    }
}

#[test]
fn a_limited_source_gives_the_first_requests_and_no_more() {
    let all: Vec<_> = (0..7).map(|number| request(number, number, 1)).collect();
    for (limit, expected) in [(0, 0), (3, 3), (7, 7), (9, 7)] {
        let mut source = LimitedSource::new(Given::new(all.clone()), limit);
        assert_eq!(source.total(), Some(expected as u64));
        assert_eq!(drain(&mut source).unwrap(), all[..expected]);
        assert_eq!(source.total(), Some(expected as u64), "the total is of the whole run");
    }
}

#[test]
fn a_scaled_source_changes_arrival_times_only() {
    let all = vec![request(0, 5, 6), request(10, 7, 8), request(25, 9, 10)];
    let mut source = RateScaledSource::new(Given::new(all), RateScale::new(2.5).unwrap());
    assert_eq!(drain(&mut source).unwrap(), [request(0, 5, 6), request(4, 7, 8), request(10, 9, 10)]);
}

#[test]
fn the_error_of_an_arrival_beyond_the_clock_names_the_request() {
    let all = vec![request(0, 0, 1), request(1 << 62, 0, 1), request(1 << 63, 0, 1)];
    let mut source = RateScaledSource::new(Given::new(all), RateScale::new(0.5).unwrap());
    assert_eq!(
        drain(&mut source).unwrap_err().to_string(),
        "request 3 arrives more than 213 days after the first, beyond the range of the simulator's clock\n  --> given\n   = \
         expected: an earlier arrival; raise the rate or limit the number of requests"
    );
}

#[test]
fn addresses_beyond_the_drive_fold_by_whole_pages() {
    // A drive of 12 pages of 8 sectors, plus 5 sectors that do not form a page.
    let all = vec![
        request(0, 88, 8),
        request(0, 96, 8),
        request(0, 96 + 13, 8),
        request(0, 93, 8),
        request(0, 960 + 95, 1),
        request(0, 3, 94),
        request(0, 0, 96),
        request(0, 96 + 50, 96),
    ];
    let mut source = WrappedSource::new(Given::new(all), 101, 8);
    let expected = [(88, 8), (0, 8), (13, 8), (85, 8), (95, 1), (0, 94), (0, 96), (0, 96)];
    assert_eq!(extents(&drain(&mut source).unwrap()), expected);
    assert_eq!(source.counters(), SourceCounters { read: READ, devices: DEVICES, folded: 1 + 6 });
}

#[test]
fn adapters_compose_over_a_boxed_source_and_forward_other_properties() {
    let boxed: Box<dyn RequestSource + Send> = Box::new(Given::new(vec![request(8, 200, 8); 4]));
    let scaled = RateScaledSource::new(LimitedSource::new(boxed, 3), RateScale::new(4.0).unwrap());
    let mut source = WrappedSource::new(scaled, 96, 8);
    assert_eq!((source.label(), source.is_synthetic(), source.total()), ("given", true, Some(3)));
    assert_eq!(drain(&mut source).unwrap(), [request(2, 8, 8); 3]);
    assert_eq!(source.counters(), SourceCounters { read: READ, devices: DEVICES, folded: 4 });
}

proptest! {
    #[test]
    fn every_folded_request_is_in_the_drive_and_keeps_its_place_in_the_page(
        start in 0_u64..1 << 50, sectors in 1_u32..20_000, pages in 4_000_u64..100_000,
    ) {
        let mut source = WrappedSource::new(Given::new(vec![request(0, start, sectors)]), pages * 8 + 3, 8);
        let folded = drain(&mut source).unwrap()[0];
        prop_assert!(folded.end_sector() <= pages * 8);
        prop_assert_eq!(folded.sectors, sectors);
        prop_assert_eq!(folded.start_sector % 8, start % 8);
        prop_assert_eq!(source.counters().folded - 1, u64::from(folded.start_sector != start));
    }
}

#[test]
fn a_filtered_source_gives_those_requests_that_hold() {
    let all: Vec<_> = (0..100)
        .map(|n| HostRequest {
            op: if n % 2 == 0 { Op::Read } else { Op::Write },
            queue: (n % 5) as u16,
            ..request(n, n * 8, (n % 7 + 1) as u32)
        })
        .collect();
    let kept = |keep: RequestFilter| {
        let found = drain(&mut FilteredSource::new(Given::new(all.clone()), keep)).unwrap();
        found.iter().map(|request| request.arrival.as_ps()).collect::<Vec<_>>()
    };
    let numbers = |holds: &dyn Fn(u64) -> bool| (0..100).filter(|&n| holds(n)).collect::<Vec<_>>();
    let time = SimTime::from_ps;
    assert_eq!(kept(RequestFilter::default()), numbers(&|_| true));
    assert_eq!(
        kept(RequestFilter { op: Some(Op::Write), ..RequestFilter::default() }),
        numbers(&|n| n % 2 == 1)
    );
    let window = Some(time(30)..time(40));
    assert_eq!(
        kept(RequestFilter { arrival: window, ..RequestFilter::default() }),
        numbers(&|n| (30..40).contains(&n))
    );
    assert_eq!(
        kept(RequestFilter { queues: vec![0, 3], ..RequestFilter::default() }),
        numbers(&|n| [0, 3].contains(&(n % 5)))
    );
    assert_eq!(
        kept(RequestFilter { sectors: Some(2..4), ..RequestFilter::default() }),
        numbers(&|n| (1..3).contains(&(n % 7)))
    );
    let range = Some(8..17);
    assert_eq!(kept(RequestFilter { start_sector: range, ..RequestFilter::default() }), [1, 2]);
}

#[test]
fn a_merged_source_is_in_order_and_counts_for_all() {
    let at = |times: &[u64]| Given::new(times.iter().map(|&ps| request(ps, ps, 1)).collect());
    let mut source = MergedSource::new([at(&[0, 5, 5, 9]), at(&[]), at(&[0, 5, 7])]);
    assert_eq!(source.total(), Some(7));
    let found = drain(&mut source).unwrap();
    let found: Vec<_> = found.iter().map(|request| (request.arrival.as_ps(), request.queue)).collect();
    assert_eq!(found, [(0, 0), (0, 2), (5, 0), (5, 0), (5, 2), (7, 2), (9, 0)]);
    assert_eq!((source.label(), source.counters().folded), ("given + given + given", 3));
    assert_eq!(source.counters().read.zero_size, 3 * READ.zero_size);
}

#[test]
fn search_ends_a_source_for_a_drive_without_searches() {
    let ops = [Op::Read, Op::Write, Op::Search, Op::Read];
    let given = |ops: &[Op]| {
        let at = |&op| HostRequest { op, ..request(0, 0, 8) };
        Given::new(ops.iter().map(at).collect())
    };
    for batch in [1, 3, 8] {
        let mut source = SearchCheck::new(given(&ops), SearchSupport::WriteCache);
        let mut requests = Vec::new();
        let error = loop {
            match source.fill(&mut requests, batch) {
                Ok(filled) => assert_ne!(filled, 0, "the search was passed on"),
                Err(error) => break error.to_string(),
            }
        };
        assert!(
            error.starts_with("request 3 is a search, which cannot be combined with a write cache"),
            "{error}"
        );
        assert_eq!(requests.iter().map(|request| request.op).collect::<Vec<_>>(), ops[..2]);
        assert_eq!(source.fill(&mut requests, batch).ok(), Some(0));
    }
    let mut source = SearchCheck::new(given(&ops[..2]), SearchSupport::Chips("too much".into()));
    assert_eq!(source.fill(&mut Vec::new(), 8).ok(), Some(2), "other requests pass");
    let mut source = SearchCheck::new(given(&ops), SearchSupport::Chips("too much".into()));
    assert_eq!(source.fill(&mut Vec::new(), 8).unwrap_err().to_string(), "too much");
}

#[test]
fn search_for_an_unknown_pattern_set_ends_a_source() {
    let of = |op, pattern_set| HostRequest { op, pattern_set, ..request(0, 0, 8) };
    let requests = || Given::new(vec![of(Op::Search, 1), of(Op::Read, 2), of(Op::Search, 2)]);
    let mut source = SearchCheck::new(requests(), SearchSupport::PatternSets(3));
    assert_eq!(source.fill(&mut Vec::new(), 9).unwrap(), 3, "all sets are known");
    let mut source = SearchCheck::new(requests(), SearchSupport::PatternSets(2));
    let mut found = Vec::new();
    let error = source.fill(&mut found, 9).unwrap_err().to_string();
    assert!(
        error.starts_with("request 3 searches for pattern set 2, but the last set of the drive is 1"),
        "{error}"
    );
    assert_eq!(found.len(), 2);
}
