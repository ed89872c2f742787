//! Cost of host schedulers: their decisions alone, and complete runs with and without a scheduler, with 512
//! requests in the I/O queue of the PIQ drive. The ratio of both is the share of scheduling in the time of a
//! run.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use venice_config::{self as config, ResolvedDrive};
use venice_host::scheduler::{
    CompletedRequest, ConflictMeter, DriveCapacity, HostScheduler, QueuedRequest, SchedulerSettings, Scheme,
};
use venice_host::testkit::Script;
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_nand::geometry::{Priority, RequestId};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{RunOptions, Simulation};

const REQUESTS: u64 = 50_000;
const QUEUE: u32 = 512;
/// Number of chips of the drive.
const UNITS: u64 = 64;

/// Distribution of request addresses.
#[derive(Clone, Copy)]
enum Load {
    /// One to eight pages, half of the requests in a thousandth of the drive.
    Mixed,
    /// One to eight pages, nine of ten requests starting at the first unit.
    HotUnit,
}

const LOADS: [(&str, Load); 2] = [("mixed", Load::Mixed), ("hot_unit", Load::HotUnit)];

fn requests(load: Load, capacity_sectors: u64) -> Vec<HostRequest> {
    let mut random = RandomStream::new(1, "bench");
    let places = capacity_sectors / 8 - 8;
    let place = |random: &mut RandomStream| match load {
        Load::Mixed if random.below(2) == 0 => random.below(places),
        Load::Mixed => random.below(places / 1000),
        Load::HotUnit if random.below(10) == 0 => random.below(places),
        Load::HotUnit => random.below(places / UNITS) * UNITS,
    };
    let mut one = || HostRequest {
        arrival: SimTime::ZERO,
        start_sector: place(&mut random) * 8,
        op: if random.below(10) < 7 { Op::Read } else { Op::Write },
        sectors: 8 * (1 + random.below(8) as u32),
        queue: 0,
        pattern_set: 0,
    };
    (0..REQUESTS).map(|_| one()).collect()
}

fn drive(scheme: &str, scheduling: &str) -> ResolvedDrive {
    let mut sets = vec![format!("host.scheduler.scheme={scheme}"), format!("ftl.scheduling={scheduling}")];
    if scheme != "none" {
        sets.push(format!("host.scheduler.queue_length={QUEUE}"));
    }
    config::load("piq-128gb", None, &sets, None).expect("a shipped preset loads")
}

/// Schedules all requests with a queue that is always full; each dispatch completes another request.
fn decide(settings: &SchedulerSettings, requests: &[HostRequest]) -> u64 {
    let mut scheduler = settings.scheme.build(settings);
    let room = DriveCapacity::unlimited();
    let mut meter = ConflictMeter::new(settings.units.units());
    let mut coming = requests.iter().enumerate().map(|(number, request)| {
        let location = settings.units.locate(request.start_sector, request.sectors);
        let since = SimTime::ZERO + SimSpan::from_us(number as u64);
        let HostRequest { op, start_sector, sectors, queue, .. } = *request;
        QueuedRequest {
            id: RequestId(number as u32),
            op,
            start_sector,
            sectors,
            queue,
            priority: Priority::default(),
            location,
            in_drive: location,
            since,
            batch: 0,
            tag: 0,
        }
    });
    for step in 0..=requests.len() as u64 + u64::from(QUEUE) {
        if let Some(queued) = coming.next() {
            meter.came(queued.op, queued.location);
            scheduler.add(queued);
            if scheduler.waiting() < (QUEUE - settings.drive_slots) as usize {
                continue;
            }
        }
        let now = SimTime::ZERO + SimSpan::from_us(step);
        if let Some(queued) = scheduler.next(now, &room) {
            scheduler.completed(CompletedRequest::at_once(&queued), now);
            meter.went(queued.op, queued.location);
        }
    }
    scheduler.counters().vector_tests
}

fn dispatch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("host_dispatch_512");
    group.throughput(Throughput::Elements(REQUESTS)).sample_size(10);
    for (name, load) in LOADS {
        for scheme in Scheme::ALL {
            let drive = drive(scheme.name(), "out_of_order");
            let settings = drive.settings().host.scheduler.expect("a scheme was chosen");
            let requests = requests(load, Simulation::capacity_sectors(drive.settings()));
            let id = BenchmarkId::new(scheme.name(), name);
            group.bench_function(id, |bencher| bencher.iter(|| decide(&settings, &requests)));
        }
    }
    group.finish();
}

fn run(drive: &ResolvedDrive, requests: &[HostRequest]) -> f64 {
    let flow = Flow::new(Box::new(Script::new(requests.to_vec())), LoopMode::Closed { depth: QUEUE });
    let mut run =
        Simulation::new(drive.settings(), vec![flow], RunOptions::default()).expect("the drive is possible");
    run.run().expect("the run succeeds");
    run.now_us()
}

fn whole_runs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("host_run_512");
    group.throughput(Throughput::Elements(REQUESTS)).sample_size(10);
    let of_host = Scheme::ALL.iter().map(|scheme| (scheme.name(), "out_of_order"));
    for (name, load) in LOADS {
        for (scheme, scheduling) in
            [("none", "out_of_order"), ("none", "paq")].into_iter().chain(of_host.clone())
        {
            let drive = drive(scheme, scheduling);
            let requests = requests(load, Simulation::capacity_sectors(drive.settings()));
            let id = BenchmarkId::new(format!("{scheme}/{scheduling}"), name);
            group.bench_function(id, |bencher| bencher.iter(|| run(&drive, &requests)));
        }
    }
    group.finish();
}

criterion_group!(benches, dispatch, whole_runs);
criterion_main!(benches);
