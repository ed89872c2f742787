//! Tests of fio job files: supported options behave as documented for fio, others cause an error that names
//! them.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::collections::{BTreeMap, BTreeSet};

use tempfile::TempDir;
use venice_kernel::{SimSpan, SimTime};
use venice_requests::request::{HostRequest, Op, SourceError};
use venice_requests::workloads::{
    DrivePart, Gaps, JobFault, Pacing, Workload, WorkloadError, WorkloadSpec, fio_options_page, load_workload,
};
use venice_requests::{FlowShare, SteadyFigure, SteadyStateCriterion};

const CAPACITY_SECTORS: u64 = 1 << 21;

fn load(text: &str) -> Result<Workload, SourceError> {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("job.fio");
    std::fs::write(&path, text).unwrap();
    load_workload(path.to_str().unwrap())
}

/// Returns the only flow of a job with these options.
fn job(options: &str) -> WorkloadSpec {
    let workload = load(&format!("[one]\n{options}\n")).unwrap();
    assert_eq!(workload.flows().len(), 1);
    workload.flows()[0].spec.clone()
}

fn requests(options: &str) -> Vec<HostRequest> {
    let mut source = job(options).source(CAPACITY_SECTORS, 3).unwrap();
    let mut all = Vec::new();
    while source.fill(&mut all, 100).unwrap() > 0 {}
    all
}

/// Returns the error message without the folder.
#[track_caller]
fn refusal(text: &str) -> String {
    let message = load(text).unwrap_err().to_string();
    message.rsplit_once("/job.fio").map(|(_, rest)| format!("job.fio{rest}")).unwrap()
}

#[test]
fn a_job_ends_when_it_has_transferred_its_size() {
    assert_eq!(job("rw=read\nbs=4k\nsize=1m").requests(), 256);
    assert_eq!(job("rw=read\nbs=4k\nsize=1m\nio_size=4m").requests(), 1024);
    assert_eq!(job("rw=read\nsize=1m").requests(), 256, "a block is 4k unless said otherwise");
}

#[test]
fn number_ios_ends_a_job_earlier_and_never_later() {
    assert_eq!(job("rw=read\nbs=4k\nsize=1m\nnumber_ios=10").requests(), 10);
    assert_eq!(job("rw=read\nbs=4k\nsize=1m\nnumber_ios=1000").requests(), 256);
}

#[test]
fn a_runtime_ends_a_job_and_time_based_goes_on_until_then() {
    let spec = job("rw=read\nbs=4k\nsize=1m\nruntime=2s\nstartdelay=500ms");
    assert_eq!((spec.requests(), spec.start()), (256, SimTime::ZERO + SimSpan::from_us(500_000)));
    assert_eq!(spec.stop(), Some(SimTime::ZERO + SimSpan::from_us(2_500_000)));
    assert!(job("rw=read\nbs=4k\nsize=1m\nruntime=2\ntime_based").requests() > 1 << 30);
}

#[test]
fn sequential_jobs_go_through_their_region_and_begin_again() {
    let starts: Vec<u64> =
        requests("rw=write\nbs=4k\nsize=16k\nio_size=24k").iter().map(|r| r.start_sector).collect();
    assert_eq!(starts, [0, 8, 16, 24, 0, 8]);
}

#[test]
fn mixed_sequential_reads_and_writes_have_a_place_each() {
    for (op, all) in
        [(Op::Read, requests("rw=rw\nbs=4k\nsize=1m")), (Op::Write, requests("rw=readwrite\nbs=4k\nsize=1m"))]
    {
        let own = all.iter().filter(|request| request.op == op);
        assert!(own.zip(0..).all(|(request, number)| request.start_sector == 8 * number));
    }
}

#[test]
fn random_jobs_visit_every_block_once_by_default() {
    let blocks = |options: &str| {
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        for request in requests(options) {
            *counts.entry(request.start_sector / 8).or_default() += 1;
        }
        counts
    };
    let map = blocks("rw=randread\nbs=4k\nsize=4m");
    assert!(map.len() == 1024 && map.values().all(|&count| count == 1));
    for options in ["norandommap", "norandommap=1", "random_distribution=zipf:0.5", "blockalign=512"] {
        assert!(blocks(&format!("rw=randread\nbs=4k\nsize=4m\n{options}")).len() < 1000, "{options}");
    }
    assert_eq!(blocks("rw=randread\nbs=4k\nsize=4m\nnorandommap=0").len(), 1024);
    assert_eq!(blocks("rw=randread\nbs=4k\nsize=4m\nblockalign=4k").len(), 1024, "the smallest block is 4k");
    let lfsr = "rw=randread\nbs=4k\nsize=4m\nnorandommap\nrandom_generator=lfsr";
    assert_eq!(blocks(lfsr).len(), 1024, "this generator visits each block once without a map");
}

/// Returns the greatest common divisors, in sectors, of the start addresses of reads and of writes.
fn alignments(options: &str) -> [u64; 2] {
    let divisor = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let mut found = [0, 0];
    for request in requests(options) {
        let side = usize::from(request.op != Op::Read);
        found[side] = divisor(found[side], request.start_sector);
    }
    found
}

#[test]
fn blockalign_lists_alignments_of_reads_and_writes_as_fio_reads_them() {
    let mixed = "rw=randrw\nsize=64m\nbssplit=32k/50:64k/50,4k\nnorandommap\nblockalign=";
    for (value, expected) in [
        ("16k", [32, 32]),
        ("16k,4k", [32, 8]),
        ("4k,16k", [8, 32]),
        ("32k/50:64k/50,4k", [64, 8]),
        ("4k/25:16k/25:64k/50", [8, 32]),
        ("4k-8k", [8, 16]),
        (",8k", [64, 16]),
    ] {
        assert_eq!(alignments(&format!("{mixed}{value}")), expected, "{value}");
    }
    assert_eq!(alignments("rw=randrw\nsize=64m\nbs=32k,4k"), [64, 8], "the smallest block of each");
    assert_eq!(alignments("rw=randrw\nsize=64m\nbs=8k:16k"), [16, 32], "as a comma");
}

#[test]
fn reads_and_writes_are_uniform_over_the_blocks_of_their_own_alignment() {
    let mut counts = [BTreeMap::new(), BTreeMap::new()];
    for request in requests("rw=randrw\nsize=120k\nbs=2k\nio_size=40m\nnorandommap\nblockalign=4k,6k") {
        *counts[usize::from(request.op != Op::Read)].entry(request.start_sector).or_insert(0_u32) += 1;
    }
    for (counts, blocks) in counts.iter().zip([30, 20]) {
        assert_eq!(counts.len(), blocks);
        let mean = f64::from(counts.values().sum::<u32>()) / blocks as f64;
        assert!(mean > 300.0, "{mean}");
        // Five standard deviations.
        assert!(
            counts.values().all(|&count| (f64::from(count) - mean).abs() < 5.0 * mean.sqrt()),
            "{counts:?}"
        );
    }
}

#[test]
fn ranges_of_a_job_without_trims_are_named_once() {
    let remarks =
        |options: &str| load(&format!("[one]\nsize=1m\nnum_range=4\n{options}\n")).unwrap().remarks();
    assert_eq!(remarks("rw=write\nnumjobs=3"), ["`num_range` has no effect on jobs without trims"]);
    assert_eq!(remarks("rw=randrw"), ["`num_range` has no effect on jobs without trims"]);
    assert_eq!(remarks("rw=randtrim"), [""; 0]);
    assert_eq!(
        job("rw=write\nsize=1m\nnum_range=4").requests(),
        256,
        "the length of a write is that of a block"
    );
}

#[test]
fn depth_of_zero_is_refused_as_by_fio() {
    let message = refusal("[a]\nrw=read\nsize=1m\niodepth=0\n");
    assert!(message.contains("as in fio, which refuses a depth of 0"), "{message}");
}

#[test]
fn rwmix_is_the_share_of_reads() {
    let share = |options: &str| {
        let all = requests(&format!("bs=4k\nsize=40m\n{options}"));
        all.iter().filter(|request| request.op == Op::Read).count() as f64 / all.len() as f64
    };
    assert!((share("rw=randrw\nrwmixread=70") - 0.7).abs() < 0.02);
    assert!((share("rw=randrw\nrwmixwrite=80") - 0.2).abs() < 0.02);
    assert!((share("rw=randrw") - 0.5).abs() < 0.02);
    assert!((share("rw=randwrite\nrwmixread=70")).abs() < 1e-9, "a job of writes has no mix");
}

#[test]
fn bssplit_weighs_sizes_and_shares_out_the_rest() {
    let shares = |split: &str| {
        let all =
            requests(&format!("rw=randread\nnorandommap\nsize=400m\nbssplit={split}\nnumber_ios=20000"));
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for request in &all {
            *counts.entry(request.sectors / 2).or_default() += 100.0 / all.len() as f64;
        }
        counts
    };
    for (split, expected) in [
        ("4k/10:64k/50:32k/40", [(4, 10.0), (32, 40.0), (64, 50.0)]),
        ("4k/50:1k/:32k/", [(1, 25.0), (4, 50.0), (32, 25.0)]),
        // The last size receives the remainder, as in fio.
        ("4k/10:8k/10:64k/10", [(4, 10.0), (8, 10.0), (64, 80.0)]),
    ] {
        let found = shares(split);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), expected.map(|(size, _)| size));
        for (size, share) in expected {
            assert!((found[&size] - share).abs() < 1.5, "{split}: {found:?}");
        }
    }
}

#[test]
fn distributions_have_fio_s_parameters() {
    let hottest = |law: &str| {
        let all = requests(&format!("rw=randread\nbs=4k\nsize=4m\nio_size=160m\nrandom_distribution={law}"));
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        for request in &all {
            *counts.entry(request.start_sector).or_default() += 1;
        }
        let mut counts: Vec<usize> = counts.into_values().collect();
        counts.sort_unstable_by(|one, other| other.cmp(one));
        counts.iter().take(205).sum::<usize>() as f64 / all.len() as f64
    };
    let weight = |ranks| (1..=ranks).map(|rank| f64::from(rank).powf(-1.2)).sum::<f64>();
    assert!((hottest("zipf:1.2") - weight(205) / weight(1024)).abs() < 0.02);
    assert!((hottest("pareto:0.2") - 0.8).abs() < 0.02, "a fifth of the blocks has four fifths");
    let middle = requests("rw=randread\nbs=4k\nsize=4m\nio_size=160m\nrandom_distribution=normal:10");
    let inside =
        middle.iter().filter(|request| (512 * 8_u64).abs_diff(request.start_sector) < 8 * 102).count();
    assert!((inside as f64 / middle.len() as f64 - 0.683).abs() < 0.02, "one deviation either way");
    assert!((hottest("random") - 0.2).abs() < 0.06, "even");
}

#[test]
fn iodepth_and_thinktime_pace_a_closed_loop() {
    let closed =
        |depth, think_us| Pacing::ClosedLoop { depth, think: SimSpan::from_us(think_us), think_requests: 1 };
    assert_eq!(job("rw=read\nsize=1m").pacing(), closed(1, 0));
    assert_eq!(job("rw=read\nsize=1m\niodepth=32\nioengine=libaio").pacing(), closed(32, 0));
    assert_eq!(job("rw=read\nsize=1m\nthinktime=50").pacing(), closed(1, 50));
    assert_eq!(
        job("rw=read\nsize=1m\nthinktime=2ms\niodepth=8").pacing(),
        closed(1, 2000),
        "fio caps the depth"
    );
}

#[test]
fn rates_pace_an_open_loop_that_iodepth_bounds() {
    let open = |options: &str| match job(&format!("rw=read\nsize=1m\n{options}")).pacing() {
        Pacing::OpenLoop(open) => (open.mean_gap, open.gaps, open.most_outstanding),
        Pacing::ClosedLoop { .. } => panic!("a rate is no closed loop"),
    };
    assert_eq!(open("bs=4k\nrate_iops=1000\niodepth=4"), (SimSpan::from_us(1000), Gaps::Constant, Some(4)));
    assert_eq!(
        open("bs=8k\nrate=8m\nrate_process=poisson"),
        (SimSpan::from_ps(976_562_500), Gaps::Exponential, Some(1))
    );
    assert_eq!(open("bs=4k\nrate=4m\nrate_iops=100").0, SimSpan::from_us(10_000), "both caps hold");
}

#[test]
fn thinking_after_several_requests_keeps_the_depth() {
    let pacing = job("rw=read\nsize=1m\nthinktime=2ms\nthinktime_blocks=15\niodepth=8").pacing();
    assert_eq!(pacing, Pacing::ClosedLoop { depth: 8, think: SimSpan::from_us(2000), think_requests: 15 });
}

#[test]
fn reads_and_writes_have_sizes_of_their_own_and_one_size_is_for_both() {
    let sizes = |options: &str| {
        let all = requests(&format!("rw=randrw\nnorandommap\nsize=4m\nnumber_ios=400\n{options}"));
        let of = |op| {
            let own: BTreeSet<u32> =
                all.iter().filter(|request| request.op == op).map(|request| request.sectors / 2).collect();
            own.into_iter().collect::<Vec<_>>()
        };
        (of(Op::Read), of(Op::Write))
    };
    assert_eq!(sizes("bs=8k"), (vec![8], vec![8]));
    assert_eq!(sizes("bs=8k,32k"), (vec![8], vec![32]));
    assert_eq!(sizes("bs=,32k"), (vec![4], vec![32]), "what is left open is fio's default");
    assert_eq!(sizes("bs=8k,32k,64m"), (vec![8], vec![32]), "the job has no trims");
    assert_eq!(sizes("bssplit=4k/50:8k/50,64k/100"), (vec![4, 8], vec![64]));
    let writes = requests("rw=write\nsize=4m\nbssplit=4k/100,64k/100\nnumber_ios=5");
    assert!(writes.iter().all(|request| request.sectors == 128), "a job of writes has those of writes");
}

#[test]
fn trims_have_a_size_of_their_own_and_may_precede_writes() {
    let trims = |options: &str| -> Vec<_> {
        let all = requests(&format!("size=256k\n{options}"));
        all.iter().map(|request| (request.op, request.start_sector, request.sectors)).collect()
    };
    let sequential = |of: &[Op]| -> Vec<_> {
        (0..4).flat_map(|block| of.iter().map(move |&op| (op, block * 128, 128))).collect()
    };
    for options in ["bs=64k", "bs=4k,64k", "bs=4k,8k,64k"] {
        assert_eq!(trims(&format!("rw=trim\n{options}")), sequential(&[Op::Trim]), "{options}");
    }
    let four = trims("rw=trim\nbs=32k\nnum_range=4");
    let ops: Vec<_> = four.iter().map(|request| request.0).collect();
    assert_eq!(ops, [[Op::TrimRange; 3].as_slice(), &[Op::Trim]].concat().repeat(2), "each trim has four");
    assert!(four.iter().zip(0..8).all(|(request, block)| request.1 == block * 64));
    assert_eq!(trims("rw=trimwrite\nbs=64k"), sequential(&[Op::Trim, Op::Write]));
    assert_eq!(trims("rw=trimwrite\nbs=64k\nnumber_ios=2"), sequential(&[Op::Trim, Op::Write])[..4]);
    let mut random = trims("rw=randtrim\nbs=64k");
    random.sort_by_key(|request| request.1);
    assert_eq!(random, sequential(&[Op::Trim]), "the random map holds for trims");
}

#[test]
fn percentage_random_is_the_share_that_does_not_go_on_from_the_one_before() {
    let jumps = |options: &str, op: Op| {
        let all = requests(&format!("bs=4k\nsize=400m\nnorandommap\nnumber_ios=40000\n{options}"));
        let own: Vec<u64> =
            all.iter().filter(|request| request.op == op).map(|request| request.start_sector).collect();
        let jumps = own.windows(2).filter(|pair| pair[1] != pair[0] + 8).count();
        jumps as f64 / (own.len() - 1) as f64
    };
    assert!((jumps("rw=randread\npercentage_random=30", Op::Read) - 0.30).abs() < 0.01);
    assert!((jumps("rw=randrw\npercentage_random=81,14", Op::Read) - 0.81).abs() < 0.01);
    assert!((jumps("rw=randrw\npercentage_random=81,14", Op::Write) - 0.14).abs() < 0.01);
    assert!((jumps("rw=randwrite\npercentage_random=0,20", Op::Write) - 0.20).abs() < 0.01);
    assert!(jumps("rw=randwrite\npercentage_random=100,0,0", Op::Write).abs() < 1e-9);
    assert!((jumps("rw=randread", Op::Read) - 1.0).abs() < 0.001);
}

#[test]
fn a_job_of_both_directions_with_a_rate_is_two_each_at_its_own() {
    let workload =
        load("[a]\nrw=randrw\nrwmixread=75\nsize=4m\nrate_iops=3000,\nnumber_ios=100\niodepth=4\n").unwrap();
    let flows: Vec<_> = workload
        .flows()
        .iter()
        .map(|flow| (flow.spec.label().to_owned(), flow.spec.read_ratio(), flow.spec.requests()))
        .collect();
    assert_eq!(flows, [("job/a.reads".to_owned(), 1.0, 75), ("job/a.writes".to_owned(), 0.0, 25)]);
    let open = matches!(workload.flows()[0].spec.pacing(), Pacing::OpenLoop(open) if open.most_outstanding == Some(4));
    let closed = matches!(workload.flows()[1].spec.pacing(), Pacing::ClosedLoop { depth: 4, .. });
    assert!(open && closed, "a rate for reads alone leaves writes as fast as they can");
}

#[test]
fn reads_and_writes_of_a_job_share_its_queue() {
    let text = "[a]\nrw=randrw\nsize=4m\nrate_iops=3000\nnumber_ios=100\nnumjobs=2\n[b]\nrw=read\nsize=1m\n";
    let workload = load(text).unwrap();
    let queues = |name: &str| -> Vec<u16> {
        let own = workload.flows().iter().filter(|flow| flow.spec.label().ends_with(name));
        own.map(|flow| flow.queue).collect()
    };
    assert_eq!([queues(".reads"), queues(".writes"), queues("/b")], [vec![0, 1], vec![0, 1], vec![2]]);
}

#[test]
fn loops_go_through_the_region_so_often() {
    assert_eq!(job("rw=write\nbs=4k\nsize=1m\nloops=3").requests(), 768);
    // Half of the drive is 512 MiB: 4,096 requests of 128 KiB, twice.
    let spec = job("rw=write\nbs=128k\nsize=50%\nloops=2");
    assert_eq!(spec.source(CAPACITY_SECTORS, 1).unwrap().total(), Some(8192));
}

#[test]
fn a_ramp_comes_before_the_runtime_and_is_not_measured() {
    let at = |us| SimTime::ZERO + SimSpan::from_us(us);
    let spec = job("rw=read\nsize=1m\nruntime=2s\ntime_based\nramp_time=500ms\nstartdelay=1");
    assert_eq!((spec.measured_from(), spec.stop()), (at(1_500_000), Some(at(3_500_000))));
    assert_eq!(job("rw=read\nsize=1m\nstartdelay=1").measured_from(), SimTime::ZERO);
}

#[test]
fn an_offset_in_per_cent_is_of_the_drive_and_aligned() {
    let start = |options: &str| {
        let workload = load(&format!("[a]\nrw=read\nbs=4k\nnumber_ios=4\n{options}\n")).unwrap();
        let mut flows = workload.open(CAPACITY_SECTORS, 1).unwrap();
        let mut all = Vec::new();
        flows.pop().unwrap().source.fill(&mut all, 10).unwrap();
        all[0].start_sector
    };
    // A tenth of 2,097,152 sectors is 209,715.2.
    assert_eq!(start("offset=10%"), 209_712);
    assert_eq!(start("offset=10%\noffset_align=1m"), 208_896);
    assert_eq!(start("offset=10%\noffset_increment=20%\nnumjobs=2"), 629_144);
    assert_eq!(start("offset=1m"), 2048);
}

#[test]
fn jobs_are_flows_with_global_before_them_and_clones_after() {
    let text = "; two kinds\n[global]\nbs=8k\nsize=1m\n[reader]\nrw=randread\nnumjobs=2\noffset=1m\noffset_increment=2m\n\
                [global]\niodepth=4\n[writer]\nrw=write\nbs=16k\n";
    let workload = load(text).unwrap();
    let flows: Vec<_> = workload
        .flows()
        .iter()
        .map(|flow| (flow.spec.label().to_owned(), flow.spec.requests(), flow.space))
        .collect();
    let expected = [
        ("job/reader.0".to_owned(), 128, DrivePart::From(2048)),
        ("job/reader.1".to_owned(), 128, DrivePart::From(6144)),
        ("job/writer".to_owned(), 64, DrivePart::From(0)),
    ];
    assert_eq!(flows, expected);
    let depth = |flow: usize| match workload.flows()[flow].spec.pacing() {
        Pacing::ClosedLoop { depth, .. } => depth,
        Pacing::OpenLoop(_) => 0,
    };
    assert_eq!((depth(0), depth(2)), (1, 4), "what is global is so for the jobs that follow");
    let opened = workload.open(CAPACITY_SECTORS, 1).unwrap();
    let first: Vec<u64> = opened
        .into_iter()
        .map(|mut flow| {
            let mut all = Vec::new();
            while flow.source.fill(&mut all, 64).unwrap() > 0 {}
            all.iter().map(|request| request.start_sector).min().unwrap()
        })
        .collect();
    assert_eq!(first, [2048, 6144, 0]);
}

#[test]
fn options_without_meaning_for_a_drive_are_passed_over() {
    let options = "rw=read\nsize=1m\ndirect=1\nioengine=io_uring\nfilename=/dev/nvme0n1\ngroup_reporting\nthread\nname=x";
    assert_eq!(job(options), job("rw=read\nsize=1m"));
}

#[test]
fn what_is_not_read_is_refused_by_name_with_its_line() {
    let cases = [
        (
            "[a]\nrw=read\nsize=1m\n[b]\nrw=read\nsize=1m\nstonewall\n",
            "job.fio, line 7: `stonewall` is not simulated: all jobs of a file run concurrently; expected: a separate file for later jobs",
        ),
        (
            "[a]\nrw=read\nsize=1m\nbsrange=1k-4k\n",
            "job.fio, line 4: `bsrange` is not simulated: it draws sizes from a range; list the sizes with `bssplit`",
        ),
        (
            "[a]\nrw=read\nsize=1m\nrwmixreed=3\n",
            "job.fio, line 4: unknown option `rwmixreed`; did you mean `rwmixread`?",
        ),
        (
            "[a]\nrw=read\nsize=1m\nqqq=3\n",
            "job.fio, line 4: unknown option `qqq`; \
          check its name in fio's documentation, or remove it",
        ),
        (
            "[a]\nrw=read\nsize=1m\ninclude other.fio\n",
            "job.fio, line 4: `include` is not supported; expected: the lines of that file here",
        ),
        (
            "[a]\nsize=${VENICE_NO_SUCH}\n",
            "job.fio, line 2: `${VENICE_NO_SUCH}` has no value; expected: the environment variable VENICE_NO_SUCH",
        ),
        (
            "bs=4k\n[a]\nrw=read\nsize=1m\n",
            "job.fio, line 1: `bs=4k` precedes the first section; expected: [global] or a job in brackets",
        ),
        (
            "[a\nrw=read\nsize=1m\n",
            "job.fio, line 1: invalid section `[a`; expected: the name of a job in brackets",
        ),
        (
            "[global]\nbs=4k\n",
            "job.fio, line 1: the file has no jobs; expected: a line with the name of a job in brackets, and its options",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(text), expected);
    }
}

#[test]
fn a_wrong_value_is_reported_with_the_expected_one() {
    let cases = [
        ("bs=4q", "`bs` is `4q`; expected: a multiple of 512 bytes up to 64m"),
        ("bs=1000", "`bs` is `1000`; expected: a multiple of 512 bytes up to 64m"),
        (
            "bs=1k,2k,3k,4k",
            "`bs` is `1k,2k,3k,4k`; expected: at most three values: for reads, writes and trims",
        ),
        (
            "iodepth=4,8",
            "`iodepth` is `4,8`; expected: one value for reads and writes; make two jobs for two values",
        ),
        ("offset=100%", "`offset` is `100%`; expected: a multiple of 512 bytes, or from 0% to 99%"),
        (
            "rw=readtrim",
            "`rw` is `readtrim`; expected: read, write, rw, trim or trimwrite, or one of these with `rand` before it",
        ),
        ("rw", "`rw` has no value; expected: a value"),
        (
            "iodepth=0",
            "`iodepth` is `0`; expected: a whole number from 1 to 65536, as in fio, which refuses a depth of 0",
        ),
        ("bssplit=4k/60:8k/60", "`bssplit` is `4k/60:8k/60`; expected: shares that add up to 100"),
        (
            "runtime=soon",
            "`runtime` is `soon`; expected: a time such as 30, 500us, 10ms, 2s, 5m or 1h, of at most 11 days",
        ),
        (
            "random_distribution=zoned:50/5",
            "`random_distribution` is `zoned:50/5`; expected: random, zipf:THETA, pareto:POWER \
          or normal:DEVIATION",
        ),
        (
            "random_distribution=zipf:9",
            "`random_distribution` is `zipf:9`; expected: zipf with a theta from 0.01 to 5",
        ),
        (
            "ss=iops",
            "`ss` is `iops`; expected: iops, bw or lat, or one with _slope, and a limit: iops:2%, bw_slope:1m, lat:50us",
        ),
        (
            "ss=cpu:2%",
            "`ss` is `cpu:2%`; expected: iops, bw or lat, or one with _slope, and a limit: iops:2%, bw_slope:1m, \
          lat:50us",
        ),
        ("ss_interval=0", "`ss_interval` is `0`; expected: above 0"),
        ("time_based=yes", "`time_based` is `yes`; expected: 0 or 1"),
        ("size=0%", "`size` is `0%`; expected: a number of bytes, or from 1% to 100%"),
        ("size=nan%", "`size` is `nan%`; expected: a number of bytes, or from 1% to 100%"),
    ];
    for (line, expected) in cases {
        let found = refusal(&format!("[a]\n{line}\n"));
        assert_eq!(found, format!("job.fio, line 2: {expected}"));
    }
}

#[test]
fn an_unsupported_value_is_reported_with_the_expected_one() {
    let cases = [
        (
            "rw=randread:8",
            "`rw` is `randread:8`; expected: no number; use `percentage_random` for runs of requests",
        ),
        ("direct=0", "`direct` is `0`; expected: 1, since the host's page cache is not simulated"),
        ("buffered", "`buffered` has no value; expected: 0, since the host's page cache is not simulated"),
        (
            "filename=/dev/a:/dev/b",
            "`filename` is `/dev/a:/dev/b`; expected: one name; make a job for each file, with `offset` and `size`",
        ),
        ("ioengine=cpuio", "`ioengine` is `cpuio`; expected: an engine that reads and writes data"),
    ];
    for (line, expected) in cases {
        let found = refusal(&format!("[a]\n{line}\n"));
        assert_eq!(found, format!("job.fio, line 2: {expected}"));
    }
}

#[test]
fn the_last_value_of_a_repeated_option_applies() {
    let sizes = "rw=write\nbs=8k\nsize=64k\nblocksize=16k";
    assert_eq!(requests(sizes).len(), 4);
    assert!(requests("rw=write\nsize=64k\nsync=1\nsync=0").iter().all(|request| request.op == Op::Write));
    for cached in ["direct=0\ndirect=1", "buffered=1\ndirect=1", "direct=0\nbuffered=0"] {
        assert_eq!(requests(&format!("rw=write\nsize=64k\n{cached}")).len(), 16);
    }
    load("[global]\ndirect=0\n[a]\nrw=read\nsize=64k\ndirect=1\n").unwrap();
}

#[test]
fn a_repeated_option_is_refused_for_an_invalid_value_and_for_its_last_one() {
    let cases = [
        ("[a]\nrw=read\ndirect=1\ndirect=0\n", 4, "`direct` is `0`; expected: 1"),
        ("[global]\ndirect=0\n[a]\nrw=read\n[b]\nrw=read\n", 2, "`direct` is `0`; expected: 1"),
        ("[a]\nrw=raed\nrw=read\n", 2, "`rw` is `raed`; expected: "),
    ];
    for (text, line, expected) in cases {
        let found = refusal(text);
        assert!(found.starts_with(&format!("job.fio, line {line}: {expected}")), "{found}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn a_size_above_100_per_cent_is_the_whole_drive() {
    for size in ["101%", "200%"] {
        assert_eq!(job(&format!("rw=read\nsize={size}")), job("rw=read\nsize=100%"));
    }
}

#[test]
fn a_job_that_makes_no_sense_is_refused_at_its_head() {
    let cases = [
        ("size=1m", "has no operation; expected: `rw`"),
        (
            "rw=read",
            "has neither a size nor a runtime; expected: `size`, `io_size`, `number_ios` or `runtime`",
        ),
        ("rw=read\nsize=1m\ntime_based", "has `time_based` without `runtime`; expected: both"),
        (
            "rw=read\nsize=1m\noffset=10%\noffset_increment=1m",
            "has `offset` and `offset_increment` in different units; expected: both in %, or both in bytes",
        ),
        (
            "rw=read\nsize=1m\nss=iops:5%\nss_dur=2500ms",
            "has an invalid `ss_dur`; expected: a multiple of `ss_interval` (1 s by default), at least 2",
        ),
        (
            "rw=read\nsize=1m\nioengine=psync\niodepth=4",
            "combines an `iodepth` above 1 with an `ioengine` of one outstanding request; expected: one of them",
        ),
    ];
    for (options, expected) in cases {
        assert_eq!(refusal(&format!("\n[a]\n{options}\n")), format!("job.fio, line 2: [a] {expected}"));
    }
}

#[test]
fn a_job_beyond_the_drive_is_refused_when_it_is_opened() {
    let workload = load("[far]\nrw=read\nsize=1m\noffset=2g\n").unwrap();
    let text = workload.open(CAPACITY_SECTORS, 1).err().unwrap().to_string();
    assert!(
        text.starts_with("the footprint is 4194305 sectors, but the drive has 2097152\n  --> job/far"),
        "{text}"
    );
}

#[test]
fn a_job_ends_when_it_is_steady_as_fio_has_it() {
    let goal = |options: &str| job(&format!("rw=read\nsize=1m\n{options}")).steady();
    let span = SimSpan::from_us;
    let expected = SteadyStateCriterion {
        figure: SteadyFigure::Bandwidth,
        by_slope: true,
        limit: 0.1,
        limit_is_pct: true,
        window: span(300_000_000),
        interval: span(1_000_000),
        ramp: span(60_000_000),
        group: 1024,
    };
    assert_eq!(goal("ss=bw_slope:0.1%\nss_dur=300\nss_ramp=1m"), Some(expected));
    assert_eq!(goal("ss=bw_slope:0.1%"), None, "without a duration nothing is judged");
    let by_default = goal("ss_dur=10").unwrap();
    assert_eq!((by_default.figure, by_default.by_slope, by_default.limit), (SteadyFigure::Iops, true, 0.01));
    let limits = [("iops:500", 500.0), ("bw:2m", 2_097_152.0), ("lat:50us", 50_000.0)];
    for (text, limit) in limits {
        let found =
            goal(&format!("steadystate={text}\nsteadystate_duration=2\nsteadystate_check_interval=500ms"));
        let found = found.unwrap();
        assert_eq!((found.limit, found.limit_is_pct, found.by_slope), (limit, false, false), "{text}");
        assert_eq!((found.interval, found.intervals()), (span(500_000), 4));
    }
}

#[test]
fn jobs_of_a_reporting_group_are_judged_together_and_others_alone() {
    let groups = |text: &str| -> Vec<u32> {
        let workload = load(text).unwrap();
        workload.flows().iter().map(|flow| flow.spec.steady().unwrap().group).collect()
    };
    let job = "rw=read\nsize=1m\nss=iops:5%\nss_dur=2\n";
    assert_eq!(groups(&format!("[a]\n{job}numjobs=2\n[b]\n{job}")), [1024, 1025, 1026]);
    let group = "[global]\ngroup_reporting\n";
    assert_eq!(groups(&format!("{group}[a]\n{job}numjobs=2\n[b]\n{job}[c]\nnew_group\n{job}")), [0, 0, 0, 1]);
}

#[test]
fn without_a_runtime_time_based_has_no_effect_on_steady_jobs() {
    let spec = job("rw=read\nbs=4k\nsize=1m\nloops=20\ntime_based\nss=iops:5%\nss_dur=2");
    assert_eq!((spec.requests(), spec.stop()), (256 * 20, None));
}

#[test]
fn of_a_range_of_lengths_the_lower_end_counts_as_in_fio() {
    assert_eq!(
        job("rw=read\nsize=1m\nbssplit=4k/60:36k-60k/40"),
        job("rw=read\nsize=1m\nbssplit=4k/60:36k/40")
    );
}

#[test]
fn loops_without_a_size_cover_the_whole_drive() {
    let spec = job("rw=read\nbs=1m\nloops=2");
    let mut source = spec.source(CAPACITY_SECTORS, 3).unwrap();
    let mut all = Vec::new();
    while source.fill(&mut all, 100).unwrap() > 0 {}
    assert_eq!(all.len() as u64, 2 * CAPACITY_SECTORS / 2048);
    assert_eq!(job("rw=read\nsize=1m\nbssplit=4k/95:8k/5."), job("rw=read\nsize=1m\nbssplit=4k/95:8k/5"));
}

/// Returns the problems of an invalid file with their lines, without the last line of the message.
fn problems(text: &str) -> Vec<(usize, String)> {
    let Err(SourceError::Workload(error)) = load(text) else { panic!("the file is right: {text}") };
    match error.downcast_ref() {
        Some(WorkloadError::Jobs { faults, .. }) => {
            faults.iter().map(|JobFault { line, message }| (*line, message.clone())).collect()
        }
        _ => panic!("{error}"),
    }
}

#[test]
fn all_problems_of_a_file_are_reported_at_once_in_the_order_of_their_lines() {
    let text =
        "[global]\nprio=2\nbs=4q\n[a]\nrw=rad\nzonesize=1m\n[b]\nprio=1\nrwmixreed=2\nthinktime=1\nrate=1m\n";
    let lines: Vec<usize> = problems(text).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [2, 3, 5, 6, 8, 9]);
    let text = "[a]\nprio=1\nrate=1m\n";
    let lines: Vec<usize> = problems(text).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [1, 1, 2], "a refused option hides no problem of the job: no rw, no end");
    let message = load("[a]\nrw=read\nsize=1m\nzonesize=1m\nprio=3\n").unwrap_err().to_string();
    let lines: Vec<&str> =
        message.lines().map(|line| line.split_at(line.find("job.fio").unwrap()).1).collect();
    assert!(
        lines[0].starts_with("job.fio, line 4: `zonesize`")
            && message.lines().nth(1).unwrap().starts_with("error: ")
    );
    assert!(lines[1].starts_with("job.fio, line 5: `prio`"));
    assert_eq!(lines[2], "job.fio; nothing was run");
}

#[test]
fn each_option_that_changes_requests_and_is_not_simulated_has_its_advice() {
    let cases = [
        ("prio=4", "give each job its share with `rate_iops`"),
        ("thinktime_iotime=9s", "`thinktime_blocks`"),
        ("zonesize=64m", "`offset` and `size`"),
        ("zonemode=zbd", "`offset` and `size`"),
        ("dataplacement=fdp", "ftl.write_streams"),
        ("file_service_type=sequential", "a job for each region"),
        ("iodepth_batch_complete=16", "`thinktime_blocks`"),
        ("blocksize_range=1k-4k", "`bssplit`"),
        ("verify=crc32c", "--audit"),
        ("ioscheduler=mq-deadline", "host.scheduler.scheme"),
    ];
    for (option, advice) in cases {
        let (name, _) = option.split_once('=').unwrap();
        let found = problems(&format!("[a]\nrw=read\nsize=1m\n{option}\n"));
        let [(4, message)] = &found[..] else { panic!("{option}: {found:?}") };
        assert!(message.starts_with(&format!("`{name}` is not simulated: ")), "{message}");
        assert!(message.contains(advice), "{message}");
    }
}

#[test]
fn jobs_with_a_flow_share_their_requests_by_weight() {
    let text = "[global]\nbs=4k\nsize=1m\nflow_id=3\n[a]\nrw=read\nflow=9\nflow_sleep=20\n[b]\nrw=write\nflow=1\nnumjobs=2\n";
    let shares: Vec<_> = load(text).unwrap().flows().iter().map(|flow| flow.spec.share()).collect();
    let of = |weight, pause| Some(FlowShare { group: 3, weight, pause });
    assert_eq!(shares, [of(9, Some(SimSpan::from_us(20))), of(1, None), of(1, None)]);
    assert_eq!(job("rw=read\nsize=1m\nflow_id=3\nflow_sleep=20").share(), None, "it has no weight");
}

#[test]
fn a_flow_excludes_a_pace_of_its_own() {
    for (other, named) in [
        ("rate_iops=100", "a rate or a think time"),
        ("thinktime=5", "a rate or a think time"),
        ("ss_dur=4", "`ss_dur`"),
    ] {
        let message = refusal(&format!("[a]\nrw=read\nsize=1m\nflow=4\n{other}\n"));
        assert!(message.contains("combines `flow` with") && message.contains(named), "{message}");
    }
}

#[test]
fn values_that_leave_requests_as_they_are_are_passed_over() {
    let options = "flow=0\nsync=none\nzonemode=none\nfsync=0\nverify=0\nnrfiles=1\niodepth_low=0\nbuffered=0\n\
                   iodepth_batch_complete_min=1\nioscheduler=none\ndataplacement=none\nfile_service_type=roundrobin\n\
                   write_mode=write\niodepth_batch=8\nstonewall\nexitall\nfilename=/dev/disk/by-path/pci-0000\\:01";
    assert_eq!(job(options_of_a_read(options).as_str()), job("rw=read\nsize=1m"));
}

fn options_of_a_read(options: &str) -> String {
    format!("rw=read\nsize=1m\n{options}")
}

#[test]
fn options_of_fio_alone_and_of_its_engines_are_passed_over() {
    let options = "disk_util=0\ncontinue_on_error=all\nlog_max_value=1\ncmd_type=nvme\nmem=mmap\nclocksource=cpu\n\
                   nice=5\ncgroup=a\nuid=1\nbwavgtime=500\nsignificant_figures=4\nverify_fatal=1\nunit_base=8\n\
                   hipri\nsqthread_poll=1\nfixedbufs\nhttp_host=a:80\nrbdname=b\nend_fsync=1\nrandrepeat=0";
    assert_eq!(job(options_of_a_read(options).as_str()), job("rw=read\nsize=1m"));
}

/// Returns the operations of the only flow of a job.
fn operations(options: &str) -> Vec<Op> {
    requests(options).iter().map(|request| request.op).collect()
}

#[test]
fn slower_one_of_thinktime_and_rate_determines_the_pace() {
    // 1,000 requests a second are one each millisecond; ten think times of 5 ms are slower, one is not.
    let paced = |think: &str| job(&format!("rw=read\nbs=4k\nsize=1m\nrate_iops=1000\n{think}")).pacing();
    let thinking = paced("thinktime=5ms\nthinktime_blocks=2");
    assert_eq!(thinking, Pacing::ClosedLoop { depth: 1, think: SimSpan::from_us(5000), think_requests: 2 });
    assert_eq!(paced("thinktime=5ms\nthinktime_blocks=10"), paced("thinktime_blocks=1"));
}

#[test]
fn block_size_ends_at_the_separator_of_a_split() {
    assert_eq!(
        job("rw=write\nsize=1m\nblocksize=,4k/15:1024k:85,").sizes(),
        job("rw=write\nsize=1m\nbs=4k").sizes()
    );
}

#[test]
fn fsync_flushes_after_each_number_of_writes_and_does_not_count_for_the_length() {
    use Op::{Flush, Write};
    for option in ["fsync=2", "fdatasync=2"] {
        let found = operations(&format!("rw=write\nbs=4k\nsize=20k\n{option}"));
        assert_eq!(found, [Write, Write, Flush, Write, Write, Flush, Write], "{option}");
    }
    assert!(!operations("rw=read\nsize=20k\nfsync=1").contains(&Flush));
}

#[test]
fn flushes_do_not_count_for_the_length_of_a_mixed_job() {
    for read_pct in [10, 50, 90] {
        let mixed = operations(&format!("rw=randrw\nrwmixread={read_pct}\nbs=4k\nsize=4m\nfsync=1"));
        let of = |op: Op| mixed.iter().filter(|&&other| other == op).count();
        assert_eq!(of(Op::Read) + of(Op::Write), 1024);
        let flushes_after_the_last_request = usize::from(mixed.last() == Some(&Op::Write));
        assert_eq!(of(Op::Flush) + flushes_after_the_last_request, of(Op::Write));
    }
}

#[test]
fn synchronous_writes_have_forced_unit_access() {
    for option in ["sync=1", "sync=dsync", "sync=sync", "sync", "writefua=1"] {
        assert_eq!(operations(&format!("rw=write\nbs=4k\nsize=8k\n{option}")), [Op::FuaWrite; 2], "{option}");
    }
    for option in ["sync=0", "sync=none", "writefua=0", "write_barrier=1"] {
        assert_eq!(operations(&format!("rw=write\nbs=4k\nsize=8k\n{option}")), [Op::Write; 2], "{option}");
    }
}

#[test]
fn exitall_is_passed_over_where_all_jobs_end_at_one_instant() {
    let by_time = "[global]\nrw=read\nexitall\ntime_based\nruntime=1s\n[a]\nsize=1m\n[b]\nsize=2m\n";
    assert_eq!(load(by_time).unwrap().flows().len(), 2);
    for other in ["[c]\nsize=1m\nruntime=2s\n", "[c]\nsize=1m\ntime_based=0\n"] {
        let found = problems(&format!("{by_time}{other}"));
        let [(3, message)] = &found[..] else { panic!("{found:?}") };
        assert!(message.starts_with("`exitall` is not simulated"), "{message}");
    }
}

#[test]
fn each_simulated_option_is_read() {
    let page = fio_options_page();
    let simulated = page.split_once("## Simulated").unwrap().1.split_once("## ").unwrap().0;
    let names: Vec<&str> = simulated.split('`').skip(1).step_by(2).collect();
    assert!(names.len() > 40);
    for name in names.into_iter().filter(|name| !["ioengine", "filename", "directory"].contains(name)) {
        let found = problems(&format!("[a]\nrw=read\nsize=1m\n{name}=a?b\n"));
        let [(4, message)] = &found[..] else { panic!("{name}: {found:?}") };
        assert!(message.starts_with(&format!("`{name}` is `a?b`; expected: ")), "{message}");
    }
}

#[test]
fn comments_end_lines_as_in_fio() {
    assert_eq!(
        job("rw=read ; sequential\nsize=1m  # a mebibyte, not ${VENICE_NO_SUCH}"),
        job("rw=read\nsize=1m")
    );
}

#[test]
fn another_number_of_requests_is_divided_by_weight_within_each_group() {
    let text = "[global]\nrw=randread\nruntime=10\nflow_id=1\n[a]\nflow=9\n[b]\nflow=1\n[c]\nnumber_ios=7\n";
    let requests = |text: &str| -> Vec<u64> {
        load(text).unwrap().with_requests(1_000).flows().iter().map(|flow| flow.spec.requests()).collect()
    };
    assert_eq!(requests(&text[..text.find("[c]").unwrap()]), [900, 100]);
    let other_group = text.replace("number_ios=7", "flow=5\nflow_id=2");
    assert_eq!(requests(&other_group), [600, 66, 334]);
}
