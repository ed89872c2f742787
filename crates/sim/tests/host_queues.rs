//! Host queues: rings, limits, arbitration and the SATA adapter, exact times.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use venice_drive::observe::RequestRow;
use venice_fabric::FabricKind;
use venice_host::testkit::pages;
use venice_host::{
    ArbitrationKind, ClassWeights, FlowId, HostEvent, HostEventSink, HostInterface, PageResult, Protocol,
};
use venice_kernel::{Rate, SimSpan, SimTime};
use venice_nand::geometry::{Priority, RequestId};
use venice_nand::latency::{Stage, StageClock};
use venice_nand::testkit::COMMAND;
use venice_requests::{HostRequest, LoopMode, Op};
use venice_sim::assembly::DriveSettings;
use venice_sim::testkit::drive::{run, small_drive};

const T_READ: SimSpan = SimSpan::from_us(3);
const HOP: SimSpan = SimSpan::from_us(50);

fn page_read() -> SimSpan {
    COMMAND + T_READ + Rate::from_mb_per_s(1200.0).time_for(4096)
}

/// Creates four channels of one chip, behind a link with zero message length.
fn drive(protocol: Protocol) -> DriveSettings {
    let mut settings = small_drive(FabricKind::Bus, 4, 1);
    settings.host.protocol = protocol;
    settings
}

fn read(queue: u16, page: u64) -> HostRequest {
    HostRequest { queue, ..pages(Op::Read, page, 1, SimTime::ZERO) }
}

/// Returns the rows of these requests, all issued at once, in the order of issue.
fn rows(settings: &DriveSettings, requests: Vec<HostRequest>) -> Vec<RequestRow> {
    let mut rows = run(settings, LoopMode::Open, requests).rows;
    rows.sort_by_key(|row| row.number);
    rows
}

fn completed(rows: &[RequestRow]) -> Vec<SimSpan> {
    rows.iter().map(|row| row.completed.since(SimTime::ZERO)).collect()
}

#[test]
fn each_queue_has_its_own_limit() {
    for protocol in [Protocol::Direct, Protocol::Nvme] {
        let mut settings = drive(protocol);
        settings.host.queue_depth = 1;
        let (one, two) = (page_read(), page_read() + page_read());
        let same = rows(&settings, vec![read(0, 0), read(0, 1)]);
        assert_eq!(completed(&same), [one, two], "{protocol:?}");
        assert_eq!(same[1].stages[Stage::Queue as usize], one);
        let different = rows(&settings, vec![read(0, 0), read(1, 1)]);
        assert_eq!(completed(&different), [one, one], "{protocol:?}");
        settings.host.drive_depth = 1;
        let different = rows(&settings, vec![read(0, 0), read(1, 1)]);
        assert_eq!(completed(&different), [one, two], "{protocol:?}: all together");
    }
}

#[test]
fn a_full_ring_holds_requests_back_until_the_host_learns_of_room() {
    let mut settings = drive(Protocol::Nvme);
    let entered = |settings: &DriveSettings| {
        let rows = rows(settings, vec![read(0, 0), read(0, 1), read(1, 2)]);
        let entered: Vec<_> = rows.iter().map(|row| row.fetched.since(SimTime::ZERO)).collect();
        (entered, completed(&rows))
    };
    let (zero, one, two) = (SimSpan::ZERO, page_read(), page_read() + page_read());
    settings.host.queue_entries = 2;
    assert_eq!(entered(&settings), (vec![zero, one, zero], vec![one, two, one]), "one entry stays empty");
    settings.host.queue_entries = 3;
    assert_eq!(entered(&settings), (vec![zero; 3], vec![one; 3]));
}

#[test]
fn device_latency_counts_from_the_entry_into_the_ring() {
    let mut settings = drive(Protocol::Nvme);
    settings.host.queue_entries = 2;
    let outcome = run(&settings, LoopMode::Open, vec![read(0, 0), read(0, 1)]);
    assert_eq!(outcome.report.device_latency_us.all.max, Some(page_read().as_us()));
    assert_eq!(outcome.report.latency_us.all.max, Some((page_read() + page_read()).as_us()));
}

#[test]
fn the_next_command_is_fetched_when_one_is_served_before_the_host_knows() {
    let mut settings = drive(Protocol::Nvme);
    settings.host.link.latency = HOP;
    settings.host.queue_depth = 1;
    let found = completed(&rows(&settings, vec![read(0, 0), read(0, 1)]));
    // Doorbell, fetch, entry; then the page; then data and completion. The second command is fetched after
    // the first page.
    let served = HOP * 3 + page_read();
    assert_eq!(found, [served + HOP, served + HOP * 2 + page_read() + HOP]);
}

#[test]
fn an_adapter_passes_requests_and_completions_one_by_one_into_one_queue() {
    let mut settings = drive(Protocol::Sata);
    settings.host.adapter_delay = HOP;
    let found = rows(&settings, vec![read(0, 0), read(1, 1)]);
    // The second enters the queue one delay after the first and leaves the adapter one delay later as well.
    assert_eq!(completed(&found), [HOP * 2 + page_read(), HOP * 3 + page_read()]);
    let entered: Vec<_> = found.iter().map(|row| row.fetched.since(SimTime::ZERO)).collect();
    assert_eq!(entered, [HOP, HOP * 2]);
    settings.host.adapter_delay = SimSpan::ZERO;
    settings.host.queue_entries = 2;
    let found = rows(&settings, vec![read(0, 0), read(1, 1)]);
    assert_eq!(completed(&found), [page_read(), page_read() + page_read()], "one ring for all");
}

/// Returns the number of each queue's requests among the first `count` completions.
fn shares(settings: &DriveSettings, queues: u16, of_each: u64, count: usize) -> Vec<usize> {
    let requests = (0..of_each).flat_map(|n| (0..queues).map(move |queue| read(queue, n % 4))).collect();
    let rows = run(settings, LoopMode::Open, requests).rows;
    let of = |queue| rows.iter().take(count).filter(|row| row.queue == queue).count();
    (0..queues).map(of).collect()
}

#[test]
fn where_the_drive_is_full_queues_are_fetched_by_weight_and_urgent_ones_first() {
    let mut settings = drive(Protocol::Nvme);
    settings.host.drive_depth = 1;
    settings.host.priorities = vec![Priority::Low, Priority::Medium, Priority::High];
    assert_eq!(shares(&settings, 3, 80, 1 + 84), [1 + 28, 28, 28], "in turn");
    settings.host.arbitration.kind = ArbitrationKind::WeightedRoundRobin;
    // The first request, of the low queue, finds the drive idle; then twelve rounds of 4 + 2 + 1.
    assert_eq!(shares(&settings, 3, 80, 1 + 84), [1 + 12, 24, 48]);
    settings.host.arbitration.weights = ClassWeights { high: 1, medium: 5, low: 2 };
    assert_eq!(shares(&settings, 3, 80, 1 + 80), [1 + 20, 50, 10]);
    settings.host.priorities[1] = Priority::Urgent;
    assert_eq!(shares(&settings, 3, 80, 1 + 80), [1, 80, 0]);
}

/// Pending events, by time and order of scheduling.
#[derive(Default)]
struct EventSink {
    entries: BTreeMap<(SimTime, usize), HostEvent>,
    order: usize,
}

impl HostEventSink for EventSink {
    fn post(&mut self, at: SimTime, event: HostEvent) {
        self.entries.insert((at, self.order), event);
        self.order += 1;
    }
}

impl EventSink {
    fn next(&mut self, end: SimTime) -> Option<(SimTime, HostEvent)> {
        let (&key, _) = self.entries.range(..=(end, usize::MAX)).next()?;
        self.entries.remove(&key).map(|event| (key.0, event))
    }
}

/// Host interface that the test controls: commands stay in the drive until the test ends them.
struct Interface {
    host: HostInterface,
    event_sink: EventSink,
    in_drive: Vec<RequestId>,
    completions: Vec<(u64, SimTime)>,
}

impl Interface {
    fn new(settings: &DriveSettings) -> Self {
        Self {
            host: HostInterface::new(&settings.host, Vec::new(), None),
            event_sink: EventSink::default(),
            in_drive: Vec::new(),
            completions: Vec::new(),
        }
    }

    fn submit(&mut self, request: HostRequest, now: SimTime) {
        self.host.submit(FlowId(0), request, now, &mut self.event_sink);
    }

    fn page_finished(&mut self, id: RequestId, now: SimTime) {
        let clock = StageClock::start(now);
        let page = PageResult { clock: &clock, conflicted: false, has_failed: false };
        self.host.transport.page_finished(id, &page, now, &mut self.event_sink);
    }

    /// Starts a command in the drive, if one is given.
    fn begin(&mut self, command: Option<RequestId>, now: SimTime) {
        let Some(id) = command else { return };
        self.host.transport.set_outstanding(id, 1, now, &mut self.event_sink);
        self.in_drive.push(id);
    }

    /// Processes all events up to a time.
    fn until(&mut self, end: SimTime) {
        while let Some((now, event)) = self.event_sink.next(end) {
            let event_sink = &mut self.event_sink;
            match event {
                HostEvent::Announced(id) => self.host.transport.announced(id, now, event_sink),
                HostEvent::EntryDue(id) => {
                    let is_whole = self.host.transport.entry_due(id, now, event_sink);
                    self.begin(is_whole.then_some(id), now);
                }
                HostEvent::Fetched(id) => {
                    let is_whole = self.host.transport.fetched(id, now, event_sink);
                    self.begin(is_whole.then_some(id), now);
                }
                HostEvent::DataDue(_) | HostEvent::DataFetched(_) => unreachable!("nothing is written"),
                HostEvent::Completed(id) => {
                    assert!(self.host.complete(id, now, event_sink));
                    self.completions.push((self.host.transport.requests[id].number, now));
                    self.host.transport.requests.forget(id);
                }
                HostEvent::Arrival(_) | HostEvent::Issue(_) => unreachable!("there is no flow"),
                HostEvent::Submitted(id) => self.host.leave_core(id, now, event_sink),
                HostEvent::SliceStart(_) => unreachable!("the host has no time slices"),
                HostEvent::Passed(_) => unreachable!("there is no adapter"),
                HostEvent::CompletionRoom(queue) => {
                    self.host.transport.completion_room(queue, now, event_sink);
                }
                HostEvent::SchedulerWakes => self.host.scheduler_wakes(now, event_sink),
                HostEvent::CollectionNotice(_) => unreachable!("the host has no scheduler"),
            }
        }
    }

    /// Ends all commands in the drive.
    fn end_all(&mut self, now: SimTime) {
        self.until(now);
        for id in std::mem::take(&mut self.in_drive) {
            self.page_finished(id, now);
        }
    }
}

#[test]
fn a_completion_without_room_in_its_ring_waits_for_the_hosts_doorbell() {
    let mut settings = drive(Protocol::Nvme);
    settings.host.link.latency = HOP;
    settings.host.queue_entries = 3;
    let mut interface = Interface::new(&settings);
    let at = |hops: u64| SimTime::ZERO + HOP * hops;
    for page in 0..4 {
        interface.submit(read(0, page), SimTime::ZERO);
    }
    // Two commands are in the drive after three hops. The first ends; its completion reports to the host that
    // both were fetched, and the two others follow.
    interface.until(at(3));
    let first = interface.in_drive.remove(0);
    interface.page_finished(first, at(3));
    // At seven hops three commands are in the drive and all end at once: two completions have free entries,
    // the third is sent when the doorbell for one of them has arrived, two hops later.
    interface.end_all(at(7));
    interface.until(at(20));
    assert_eq!(interface.completions, [(0, at(4)), (1, at(8)), (2, at(8)), (3, at(10))]);
}

#[test]
fn however_many_wait_those_on_their_way_are_few_and_go_in_order() {
    for protocol in [Protocol::Direct, Protocol::Nvme] {
        let mut settings = drive(protocol);
        (settings.host.queue_depth, settings.host.queue_entries) = (2, 5);
        let mut interface = Interface::new(&settings);
        for page in 0..1_000 {
            interface.submit(read(0, page), SimTime::ZERO);
        }
        let (mut instant, mut farthest) = (0, 0);
        while interface.completions.len() < 1_000 {
            instant += 1;
            interface.until(SimTime::ZERO + SimSpan::from_us(instant));
            assert_eq!(interface.in_drive.len(), 2, "{protocol:?} {instant}");
            farthest = interface.in_drive.iter().map(|id| id.0).max().max(Some(farthest)).unwrap_or(0);
            interface.end_all(SimTime::ZERO + SimSpan::from_us(instant));
            interface.until(SimTime::ZERO + SimSpan::from_us(instant));
        }
        assert!(farthest < 8, "{protocol:?}: place {farthest}");
        assert!(interface.completions.iter().map(|&(number, _)| number).eq(0..1_000), "{protocol:?}");
    }
}

#[test]
fn requests_that_wait_for_the_drive_come_near_before_it_takes_them() {
    let mut settings = drive(Protocol::Direct);
    settings.host.queue_depth = 2;
    let mut interface = Interface::new(&settings);
    for page in 0..20 {
        interface.submit(read(0, page), SimTime::ZERO);
    }
    let near =
        |interface: &mut Interface| interface.host.prefetch_next::<4>(FlowId(0)).map(|near| near.to_vec());
    let sectors = |pages: std::ops::Range<u64>| Some(pages.map(|page| read(0, page).start_sector).collect());
    assert_eq!(near(&mut interface), sectors(2..6), "two are in the drive");
    for instant in 1..4 {
        assert_eq!(near(&mut interface), None, "{instant}: they are near until all of them were taken");
        interface.end_all(SimTime::ZERO + SimSpan::from_us(instant));
    }
    assert_eq!(near(&mut interface), sectors(6..10));
}
