//! Simulation engine alone: random 4-KiB reads at depth 16 on a drive of eight channels of four chips.
//!
//! `make bench` runs this benchmark and the complete commands of `benches/whole_commands.py`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use venice_config as config;
use venice_host::testkit::Script;
use venice_kernel::{RandomStream, SimTime};
use venice_requests::{Flow, HostRequest, LoopMode, Op};
use venice_sim::assembly::{RunOptions, Simulation};

const REQUESTS: u64 = 200_000;

fn random_reads(capacity_sectors: u64) -> Vec<HostRequest> {
    let mut random = RandomStream::new(1, "bench");
    let read = |random: &mut RandomStream| HostRequest {
        arrival: SimTime::ZERO,
        op: Op::Read,
        start_sector: random.below(capacity_sectors / 8) * 8,
        sectors: 8,
        queue: 0,
        pattern_set: 0,
    };
    (0..REQUESTS).map(|_| read(&mut random)).collect()
}

fn fabrics(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random_read_qd16");
    group.throughput(Throughput::Elements(REQUESTS)).sample_size(10);
    for fabric in ["bus", "nossd", "venice", "ideal"] {
        let drive = config::load("mqsim-default", Some(fabric), &[], None).expect("a shipped preset loads");
        let requests = random_reads(Simulation::capacity_sectors(drive.settings()));
        group.bench_function(fabric, |bencher| {
            bencher.iter(|| {
                let flow = Flow::new(Box::new(Script::new(requests.clone())), LoopMode::Closed { depth: 16 });
                let options = RunOptions::default();
                let mut run =
                    Simulation::new(drive.settings(), vec![flow], options).expect("the fabric fits");
                run.run().expect("the run succeeds");
                run.now_us()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, fabrics);
criterion_main!(benches);
