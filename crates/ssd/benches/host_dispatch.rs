//! What a host scheduler costs: its decisions alone, and whole runs with and without them, with 512 requests in the I/O
//! queue of the PIQ drive. The first over the second is the share of a run that goes into scheduling.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use venice_kernel::{RandomStream, SimSpan, SimTime};
use venice_ssd::assembly::{RunOptions, Simulation};
use venice_ssd::config::{self, Resolved};
use venice_ssd::geometry::RequestId;
use venice_ssd::host::scheduler::{ConflictMeter, HostScheduler, Queued, SchedulerSettings};
use venice_ssd::host::{Flow, HostRequest, LoopMode, Op};
use venice_ssd::testkit::drive::Script;

const REQUESTS: u64 = 50_000;
const QUEUE: u32 = 512;
const SCHEMES: [&str; 4] = ["noop", "rws", "piq_plus", "deadline"];

/// Reads and writes of one to eight pages, half of them in a thousandth of the drive.
fn requests(capacity_sectors: u64) -> Vec<HostRequest> {
    let mut random = RandomStream::new(1, "bench");
    let mut one = || {
        let places = capacity_sectors / 8 - 8;
        let places = if random.below(2) == 0 { places } else { places / 1000 };
        HostRequest {
            arrival: SimTime::ZERO,
            op: if random.below(10) < 7 { Op::Read } else { Op::Write },
            start_sector: random.below(places) * 8,
            sectors: 8 * (1 + random.below(8) as u32),
            queue: 0,
        }
    };
    (0..REQUESTS).map(|_| one()).collect()
}

fn drive(scheme: &str) -> Resolved {
    let sets = [
        format!("host.scheduler.scheme={scheme}"),
        format!("host.scheduler.queue_length={QUEUE}"),
        "host.scheduler.next_batch=as_slots_free".to_owned(),
    ];
    config::load("piq-128gb", None, &sets, None).expect("a shipped preset loads")
}

/// Decides about all requests, with a queue that is always full; one is complete whenever another goes.
fn decide(settings: &SchedulerSettings, requests: &[HostRequest]) -> u64 {
    let mut scheduler = settings.scheme.build(settings);
    let mut meter = ConflictMeter::new(settings.units.units());
    let mut coming = requests.iter().enumerate().map(|(number, request)| {
        let location = settings.units.locate(request.start_sector, request.sectors);
        let since = SimTime::ZERO + SimSpan::from_us(number as u64);
        let HostRequest { op, start_sector, .. } = *request;
        Queued { id: RequestId(number as u32), op, start_sector, location, in_drive: location, since }
    });
    for step in 0..=requests.len() as u64 + u64::from(QUEUE) {
        if let Some(queued) = coming.next() {
            meter.came(queued.op, queued.location);
            scheduler.add(queued);
            if scheduler.waiting() < (QUEUE - settings.drive_slots) as usize {
                continue;
            }
        }
        if let Some(queued) = scheduler.next(SimTime::ZERO + SimSpan::from_us(step)) {
            scheduler.completed(queued.location);
            meter.went(queued.op, queued.location);
        }
    }
    scheduler.counters().vector_tests
}

fn dispatch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("host_dispatch_512");
    group.throughput(Throughput::Elements(REQUESTS)).sample_size(10);
    for scheme in SCHEMES {
        let drive = drive(scheme);
        let settings = drive.settings().host.scheduler.expect("a scheme was chosen");
        let requests = requests(Simulation::capacity_sectors(drive.settings()));
        group.bench_function(scheme, |bencher| bencher.iter(|| decide(&settings, &requests)));
    }
    group.finish();
}

fn whole_runs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("host_run_512");
    group.throughput(Throughput::Elements(REQUESTS)).sample_size(10);
    for scheme in ["none"].into_iter().chain(SCHEMES) {
        let drive = drive(scheme);
        let requests = requests(Simulation::capacity_sectors(drive.settings()));
        group.bench_function(scheme, |bencher| {
            bencher.iter(|| {
                let depth = LoopMode::Closed { depth: QUEUE };
                let flow = Flow::new(Box::new(Script::new(requests.clone())), depth);
                let mut run = Simulation::new(drive.settings(), vec![flow], RunOptions::default())
                    .expect("the drive is possible");
                run.run().expect("the run succeeds");
                run.now_us()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, dispatch, whole_runs);
criterion_main!(benches);
