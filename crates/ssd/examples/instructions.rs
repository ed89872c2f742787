//! The ten cases whose instructions `make instructions` counts: one of them, by its name; without one, their names.
//!
//! Only what [`counted`] does is counted. See `benches/instructions.py`.

#![allow(clippy::print_stdout, reason = "a program that says what it has done")]

use std::fmt::Write;
use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;
use std::process::ExitCode;

use venice_requests::traces::{TraceOptions, open_reader};
use venice_requests::workloads::load_workload;
use venice_requests::{Flow, LoopMode, RequestSource};
use venice_ssd::assembly::{RunOptions, Simulation};
use venice_ssd::config;
use venice_ssd::pif::{Phase, Place, draw_pages, time_search};
use venice_ssd::report::Provenance;

/// Work that is ready to be done, and that gives some number.
type Work = Box<dyn FnOnce() -> u64>;

/// What is done before work is counted.
type Prepare = fn() -> Work;

/// A closed loop of a workload on a drive.
struct Load {
    drive: &'static str,
    sets: &'static [&'static str],
    workload: &'static str,
    depth: u32,
    requests: u64,
}

const READ: Load =
    Load { drive: "mqsim-default", sets: &[], workload: "random-read", depth: 16, requests: 2_000 };

const SMALL_MAP: &[&str] = &["ftl.mapping=cached", "ftl.mapping_table_bytes=65536"];
const LARGE_MESH: &[&str] = &["array.rows=16", "array.cols=16"];

/// By name: what is prepared, and what is counted of it.
const CASES: [(&str, Prepare); 10] = [
    ("read", || run(&READ)),
    ("write", || run(&Load { workload: "random-write", ..READ })),
    ("mixed", || {
        run(&Load {
            drive: "venice-performance",
            workload: "mixed-70-30",
            depth: 32,
            requests: 1_500,
            ..READ
        })
    }),
    ("map", || run(&Load { sets: SMALL_MAP, workload: "mixed-70-30", depth: 32, requests: 800, ..READ })),
    ("cache", || {
        run(&Load { sets: &["cache.mode=write"], workload: "mixed-70-30", requests: 1_500, ..READ })
    }),
    ("mesh", || {
        run(&Load { drive: "venice-letter", sets: LARGE_MESH, depth: 1_024, requests: 2_500, ..READ })
    }),
    ("piq", || {
        run(&Load { drive: "piq-128gb", workload: "mixed-70-30", depth: 300, requests: 1_000, ..READ })
    }),
    ("pif", pif),
    ("trace", trace),
    ("report", report),
];

/// The drive, and requests for it.
fn simulation(load: &Load) -> Simulation {
    let fabric = if load.drive == "venice-letter" { Some("venice") } else { None };
    let sets: Vec<String> = load.sets.iter().map(|&set| set.to_owned()).collect();
    let drive = config::load(load.drive, fabric, &sets, None).expect("a shipped preset loads");
    let workload =
        load_workload(load.workload).expect("a shipped workload loads").with_requests(load.requests);
    let range = Simulation::capacity_sectors(drive.settings());
    let opened = workload.open(range, drive.settings().seed).expect("it fits the drive");
    let flow = |source| Flow::new(source, LoopMode::Closed { depth: load.depth });
    let flows = opened.into_iter().map(|opened| flow(opened.source)).collect();
    Simulation::new(drive.settings(), flows, RunOptions::default()).expect("the drive can be built")
}

fn run(load: &Load) -> Work {
    let mut simulation = simulation(load);
    Box::new(move || {
        simulation.run().expect("the run succeeds");
        simulation.now_us() as u64
    })
}

fn pif() -> Work {
    let settings = config::load("pif", None, &[], None).expect("a shipped preset loads").pif();
    let pages = draw_pages(2_000, 0.063, 0.01, 1);
    Box::new(move || {
        let timing = time_search(&settings, Place::Chips, &[Phase { passes: 1, pages }]);
        timing.expect("the search ends").time.as_ps()
    })
}

fn trace() -> Work {
    let mut text = String::new();
    for number in 0_u64..5_000 {
        let address = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 39) * 512;
        let time = 128_166_386_783_630_075 + number * 977;
        writeln!(text, "{time},hm,0,Write,{address},4096,{}", number % 9_999).expect("memory takes it");
    }
    let options = TraceOptions::format("msr-csv");
    let mut trace =
        open_reader(Cursor::new(text.into_bytes()), Path::new("trace"), &options).expect("it opens");
    Box::new(move || {
        let (mut batch, mut requests) = (Vec::new(), 0);
        while trace.source.fill(&mut batch, 1_024).expect("the trace is sound") > 0 {
            requests += batch.len() as u64;
            batch.clear();
        }
        requests
    })
}

fn report() -> Work {
    let mut simulation = simulation(&READ);
    simulation.run().expect("the run succeeds");
    Box::new(move || {
        let provenance = Provenance { config: serde_json::Value::Null, seed: 1, wall_s: 0.0 };
        let text = serde_json::to_string(&simulation.report(provenance)).expect("a report is JSON");
        text.len() as u64
    })
}

/// What is counted is what this function does.
fn counted(work: Work) -> u64 {
    work()
}

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        for (name, _) in CASES {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    };
    match CASES.iter().find(|case| case.0 == name) {
        Some((_, prepare)) => {
            let work = prepare();
            println!("{name} {}", black_box(counted(work)));
            ExitCode::SUCCESS
        }
        None => ExitCode::from(2),
    }
}
