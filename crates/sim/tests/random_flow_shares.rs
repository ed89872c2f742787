//! Random flows that share their requests in proportion to weights: bounds of each share, depths, and ends of runs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use venice_drive::observe::{RequestRow, WarmUp};
use venice_fabric::FabricKind;
use venice_host::HostCoreParameters;
use venice_host::testkit::{Script, pages};
use venice_kernel::{SimSpan, SimTime};
use venice_requests::{Flow, FlowShare, LoopMode, Op, Pace};
use venice_sim::testkit::drive::{RunOutcome, small_drive, try_run_flows};

/// Number of requests of each random flow.
const REQUESTS: u64 = 120;

/// Flow of a group.
#[derive(Clone, Copy, Debug)]
struct Job {
    op: Op,
    requests: u64,
    weight: u32,
    depth: u32,
    pause: Option<SimSpan>,
    stop: Option<SimTime>,
}

impl Job {
    fn flow(&self, queue: u16) -> Flow {
        let requests = (0..self.requests).map(|page| pages(self.op, page % 24, 1, SimTime::ZERO)).collect();
        let share = Some(FlowShare { group: 3, weight: self.weight, pause: self.pause });
        let flow = Flow::new(Box::new(Script::new(requests)), LoopMode::Closed { depth: self.depth });
        let flow = flow.on_queue(queue).at_pace(Pace { share, ..Pace::default() });
        self.stop.into_iter().fold(flow, Flow::until)
    }
}

fn run(jobs: &[Job], cores: HostCoreParameters) -> RunOutcome {
    let mut settings = small_drive(FabricKind::Bus, 2, 2);
    settings.host.cores = cores;
    let flows = jobs.iter().zip(0..).map(|(job, queue)| job.flow(queue)).collect();
    let mut outcome = try_run_flows(WarmUp::default(), &settings, flows, &[]).unwrap();
    outcome.rows.sort_by_key(|row| row.number);
    outcome
}

/// Checks that no flow issues a request beyond its share while all flows of the group go on.
fn check_shares(jobs: &[Job], rows: &[RequestRow]) {
    let mut issued = vec![0_u64; jobs.len()];
    let all: u64 = jobs.iter().map(|job| u64::from(job.weight)).sum();
    for (row, before) in rows.iter().zip(1_u64..) {
        let flow = usize::from(row.queue);
        assert!(
            issued[flow] * all <= u64::from(jobs[flow].weight) * before,
            "request {before} of flow {flow}"
        );
        issued[flow] += 1;
        if issued[flow] == jobs[flow].requests {
            return;
        }
    }
}

/// Checks that no flow has more requests outstanding than its depth.
fn check_depths(jobs: &[Job], rows: &[RequestRow]) {
    for (number, row) in rows.iter().enumerate() {
        let is_outstanding = |other: &&RequestRow| other.queue == row.queue && other.completed > row.arrival;
        let outstanding = rows[..number].iter().filter(is_outstanding).count();
        assert!(outstanding < jobs[usize::from(row.queue)].depth as usize, "request {number}");
    }
}

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let pause = prop_oneof![Just(None), (0_u64..30_000).prop_map(|ns| Some(SimSpan::from_ns(ns)))];
    let stop = prop_oneof![
        2 => Just(None),
        1 => (1_u64..3_000).prop_map(|us| Some(SimTime::ZERO + SimSpan::from_us(us))),
    ];
    let op = prop_oneof![Just(Op::Read), Just(Op::Write)];
    let job = (op, 1_u32..40, 1_u32..30, pause, stop).prop_map(|(op, weight, depth, pause, stop)| Job {
        op,
        requests: REQUESTS,
        weight,
        depth,
        pause,
        stop,
    });
    prop::collection::vec(job, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn flows_keep_to_their_shares_and_depths_and_end(
        jobs in jobs(),
        cores in 0_u32..3,
        core_ns in 0_u64..3_000,
        core_per_queue in any::<bool>(),
        variation_pct in prop_oneof![Just(0.0), 0.0..=100.0],
        slice_us in prop_oneof![Just(0_u64), 1_u64..100],
        core_polling in any::<bool>(),
    ) {
        let core_request = SimSpan::from_ns(core_ns);
        let core_slice = SimSpan::from_us(slice_us);
        let cores = HostCoreParameters {
            cores,
            core_request,
            variation_pct,
            core_per_queue,
            core_slice,
            core_polling,
            ..HostCoreParameters::default()
        };
        let outcome = run(&jobs, cores);
        check_depths(&jobs, &outcome.rows);
        if jobs.iter().all(|job| job.stop.is_none()) {
            check_shares(&jobs, &outcome.rows);
            prop_assert_eq!(outcome.rows.len() as u64, REQUESTS * jobs.len() as u64);
        }
        for (job, queue) in jobs.iter().zip(0..) {
            let own = outcome.rows.iter().filter(|row| row.queue == queue);
            prop_assert!(own.clone().all(|row| job.stop.is_none_or(|stop| row.arrival <= stop)));
        }
        let last = outcome.rows.iter().map(|row| row.completed).max();
        let first = outcome.rows.iter().map(|row| row.arrival).min();
        let span = last.zip(first).map_or(SimSpan::ZERO, |(last, first)| last.since(first));
        prop_assert!((outcome.report.makespan_us - span.as_us()).abs() < 1e-3);
    }
}

#[test]
fn flow_that_waits_for_its_requests_issues_bursts_of_equal_size() {
    let pause = Some(SimSpan::ZERO);
    let job = |op, weight| Job { op, requests: REQUESTS, weight, depth: 100, pause, stop: None };
    let rows = run(&[job(Op::Read, 9), job(Op::Write, 1)], HostCoreParameters::default()).rows;
    let reads: Vec<_> = rows.iter().filter(|row| row.queue == 0).collect();
    let mut bursts: Vec<usize> = Vec::new();
    for (number, read) in reads.iter().enumerate() {
        let is_first = reads[..number].iter().all(|before| before.completed <= read.arrival);
        if is_first { bursts.push(1) } else { *bursts.last_mut().unwrap() += 1 }
    }
    // Reads wait at 9 x (writes + 1) + 1. Meanwhile, two writes are within the share of writes.
    assert_eq!(bursts[..5], [19, 18, 18, 18, 18], "{bursts:?}");
}

/// The second flow has issued its last request when it is beyond its share. It does not wait for a share that it no
/// longer needs, which would end only after its pause of a second.
#[test]
fn flow_without_further_requests_leaves_its_group_at_once() {
    let pause = Some(SimSpan::from_us(1_000_000));
    let job = |requests, depth| Job { op: Op::Read, requests, weight: 1, depth, pause, stop: None };
    for (requests, pauses) in [(3, 0), (7, 1)] {
        let outcome = run(&[job(60, 1), job(requests, 4)], HostCoreParameters::default());
        assert_eq!(outcome.rows.len() as u64, 60 + requests);
        let rest_us = outcome.report.makespan_us - f64::from(pauses) * 1e6;
        assert!((0.0..1_000.0).contains(&rest_us), "{requests}: {rest_us}");
    }
}
