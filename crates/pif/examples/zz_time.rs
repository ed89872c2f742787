//! Temporary.
#![allow(missing_docs, clippy::all, clippy::pedantic, clippy::print_stdout, clippy::unwrap_used)]
use std::io::Read;
use venice_pif::grep::{Grep, Options, Stream, Wanted};
use venice_pif::store::{Correction, Mode, ReadSettings, SoftReads};
use venice_pif::wear::{Wear, WearModel};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (cycles, days) = (a[1].parse().unwrap(), a[2].parse().unwrap());
    let wear = Wear { program_erase_cycles: cycles, retention_days: days, reads: 0.0 };
    let s = ReadSettings {
        mode: Mode::Functional,
        model: WearModel::TLC_72_LAYERS,
        wear,
        soft: SoftReads::Six,
        chip_iterations: 300,
        chip_failing_checks: 296,
        controller_failing_checks: 296,
        seed: 1,
    };
    let flags = &a[3];
    let o = Options {
        wanted: if flags.contains('c') { Wanted::Count } else { Wanted::Lines },
        whole_lines: flags.contains('x'),
        words: flags.contains('w'),
        ignores_case: flags.contains('i'),
        inverted: flags.contains('v'),
        with_number: flags.contains('n'),
        ..Options::default()
    };
    let grep = Grep::new(&[a[4].as_bytes().to_vec()], o, s).unwrap();
    let mut first = 0;
    let mut out = 0;
    let mut has = false;
    let mut by = [0usize; 5];
    let mut its = (0u64, 0u64);
    let mut buf = vec![0u8; 16 << 20];
    for f in &a[5..] {
        let mut file = std::fs::File::open(f).unwrap();
        let mut stream = Stream::new(&grep, b"f".to_vec(), first);
        loop {
            let mut n = 0;
            while n < buf.len() {
                let k = file.read(&mut buf[n..]).unwrap();
                if k == 0 {
                    break;
                }
                n += k;
            }
            let last = n < buf.len();
            stream.feed(&grep, &buf[..n], last, &mut has);
            out += stream.take_output().len();
            if last {
                break;
            }
        }
        first += stream.pages().len() as u64;
        for p in stream.pages() {
            its.0 += p.fate.ecc_w_iterations as u64;
            its.1 += p.fate.ecc_s_iterations as u64;
            by[match p.fate.by {
                Correction::Chip => 0,
                Correction::Controller => 1,
                Correction::Soft { extra_reads: 2 } => 2,
                Correction::Soft { .. } => 3,
                Correction::Nobody => 4,
            }] += 1;
        }
        out += stream.selected() as usize;
    }
    println!("pages {first} out {out} by {by:?} iterations {its:?}");
}
