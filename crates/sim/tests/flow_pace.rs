//! Tests of the issue times of flows: starts, think times, limits on outstanding requests.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use venice_drive::observe::{RequestRow, WarmUp};
use venice_fabric::FabricKind;
use venice_host::testkit::{Script, pages};
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{Flow, LoopMode, Op, Pace};
use venice_sim::testkit::drive::{small_drive, try_run_flows};

fn us(us: u64) -> SimTime {
    SimTime::ZERO + SimSpan::from_us(us)
}

/// Returns log rows, in order of issue, of reads that arrive every `gap_us`.
fn rows(count: u64, gap_us: u64, mode: LoopMode, pace: Pace, stop: Option<SimTime>) -> Vec<RequestRow> {
    let requests = (0..count).map(|number| pages(Op::Read, number % 16, 1, us(number * gap_us))).collect();
    let flow = Flow::new(Box::new(Script::new(requests)), mode).at_pace(pace);
    let flow = stop.into_iter().fold(flow, Flow::until);
    let settings = small_drive(FabricKind::Ideal, 1, 1);
    let mut rows = try_run_flows(WarmUp::default(), &settings, vec![flow], &[]).unwrap().rows;
    rows.sort_by_key(|row| row.number);
    rows
}

#[test]
fn a_closed_loop_begins_at_its_start_with_all_its_depth() {
    let pace = Pace { start: us(70), ..Pace::default() };
    let rows = rows(6, 0, LoopMode::Closed { depth: 4 }, pace, None);
    assert!(rows[..4].iter().all(|row| row.arrival == us(70)), "{rows:?}");
    assert!(rows[4].arrival > us(70));
}

#[test]
fn a_closed_loop_thinks_after_each_completion() {
    let think = SimSpan::from_us(25);
    let thinking = rows(5, 0, LoopMode::Closed { depth: 1 }, Pace { think, ..Pace::default() }, None);
    for pair in thinking.windows(2) {
        assert_eq!(pair[1].arrival, pair[0].completed + think);
    }
    let at_once = rows(5, 0, LoopMode::Closed { depth: 1 }, Pace::default(), None);
    assert_eq!(at_once[1].arrival, at_once[0].completed);
}

#[test]
fn who_thinks_after_several_requests_issues_these_waits_for_all_and_thinks() {
    let think = SimSpan::from_us(200);
    let pace = Pace { think, think_requests: 5, ..Pace::default() };
    let rows = rows(12, 0, LoopMode::Closed { depth: 2 }, pace, None);
    let completed = |of: &[RequestRow]| {
        let mut all: Vec<SimTime> = of.iter().map(|row| row.completed).collect();
        all.sort_unstable();
        all
    };
    for (round, before) in rows.chunks(5).skip(1).zip(rows.chunks(5)) {
        let quiet = *completed(before).last().unwrap();
        assert!(round.iter().take(2).all(|row| row.arrival == quiet + think), "two at once, after thinking");
    }
    for round in rows.chunks_exact(5) {
        let done = completed(round);
        assert!(
            (2..5).all(|number| round[number].arrival == done[number - 2]),
            "two outstanding within a round"
        );
    }
    assert_eq!(rows.len(), 12, "the last round is not full");
}

#[test]
fn arrivals_with_room_are_on_time_and_others_wait_for_a_completion() {
    let bounded = |most| Pace { most_outstanding: Some(most), ..Pace::default() };
    let relaxed = rows(20, 500, LoopMode::Open, bounded(1), None);
    assert!(relaxed.iter().zip(0..).all(|(row, number)| row.arrival == us(number * 500)));
    // A read of one chip takes longer than a microsecond, so each request waits for the one before the last.
    let pressed = rows(20, 1, LoopMode::Open, bounded(2), None);
    for (number, row) in pressed.iter().enumerate().skip(2) {
        let mut earlier: Vec<SimTime> = pressed[..number].iter().map(|row| row.completed).collect();
        earlier.sort_unstable();
        assert_eq!(row.arrival, earlier[number - 2], "request {number}");
    }
}

#[test]
fn a_bounded_open_loop_catches_up_after_it_was_held_up() {
    // Ten requests at once, then one per millisecond: the ten are served one by one, the later ones are on
    // time.
    let mut requests: Vec<_> = (0..10).map(|page| pages(Op::Read, page, 1, us(0))).collect();
    requests.extend((1..5).map(|number| pages(Op::Read, number, 1, us(number * 1_000))));
    let pace = Pace { most_outstanding: Some(1), ..Pace::default() };
    let flow = Flow::new(Box::new(Script::new(requests)), LoopMode::Open).at_pace(pace);
    let settings = small_drive(FabricKind::Ideal, 1, 1);
    let rows = try_run_flows(WarmUp::default(), &settings, vec![flow], &[]).unwrap().rows;
    assert!(rows[1..10].iter().zip(&rows).all(|(row, before)| row.arrival == before.completed));
    assert!(rows[10..].iter().zip(1..).all(|(row, number)| row.arrival == us(number * 1_000)));
}

#[test]
fn a_bounded_open_loop_issues_nothing_after_its_stop() {
    let pace = Pace { most_outstanding: Some(1), ..Pace::default() };
    let stop = us(40);
    let stopped = rows(1_000, 1, LoopMode::Open, pace, Some(stop));
    assert!(stopped.len() > 2 && stopped.iter().all(|row| row.arrival <= stop), "{}", stopped.len());
    let on = rows(1_000, 1, LoopMode::Open, pace, None);
    assert_eq!(on[..stopped.len()], stopped[..]);
    assert!(on[stopped.len()].arrival > stop, "the next one would have been too late");
}
