//! Tests of randomly damaged traces: no panic, and no violation of the contract.
//!
//! The fuzz target in `fuzz/` runs this check without a time limit.

#![expect(clippy::unwrap_used, reason = "a test may fail by a panic, in its own functions too")]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use venice_requests::testkit::{check_trace, options_of};

/// Random damage of a file: change of some bytes.
#[derive(Clone, Debug)]
enum Damage {
    /// Replacement of a byte.
    Byte(Index, u8),
    /// Insertion of a text.
    Insert(Index, &'static str),
    /// Removal of a range.
    Cut(Index, Index),
    /// Duplication of a range.
    Repeat(Index, Index),
}

/// Texts that are special in some format.
const WORDS: [&str; 26] = [
    "-",
    "-1",
    "\0",
    "\n",
    "\r\n",
    ",",
    ".",
    " ",
    "\t",
    "e",
    "1E+19",
    "18446744073709551615",
    "99999999999999999999",
    "0x",
    "fio version 2 iolog\n",
    "\u{feff}",
    "CPU0 (8,16):\n",
    "1266874889.7",
    "#",
    "\u{1f}\u{8b}",
    "\"",
    "\"\"",
    "1.5e-3",
    "9e99",
    "2024-06-01T12:00:00Z",
    ",time,op,offset,size\n",
];

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let damage = prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        (any::<Index>(), proptest::sample::select(&WORDS[..]))
            .prop_map(|(at, word)| Damage::Insert(at, word)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Cut(from, to)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Repeat(from, to)),
    ];
    prop::collection::vec(damage, 0..8)
}

fn damaged(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        let place = |index: &Index| index.index(bytes.len() + 1);
        match damage {
            Damage::Byte(at, byte) => {
                let at = place(at);
                bytes.splice(at..(at + 1).min(bytes.len()), [*byte]);
            }
            Damage::Insert(at, word) => {
                let at = place(at);
                bytes.splice(at..at, word.bytes());
            }
            Damage::Cut(from, to) => {
                let (from, to) = (place(from).min(place(to)), place(from).max(place(to)));
                // A cut removes at most 20 bytes, so that most of the file remains.
                bytes.drain(from..to.min(from + 20));
            }
            Damage::Repeat(from, to) => {
                let (from, to) = (place(from).min(place(to)), place(from).max(place(to)));
                bytes.extend_from_within(from..to);
            }
        }
    }
    bytes
}

fn seeds() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Parquet has no decoder here.
    let is_seed =
        |path: &PathBuf| path.extension().is_some_and(|kind| kind != "md") && !path.ends_with("parquet.bin");
    let mut seeds: Vec<_> = files.filter(is_seed).collect();
    seeds.sort();
    assert!(seeds.len() >= 20);
    seeds
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn no_damage_breaks_the_contract(
        seed: Index,
        damages in damages(),
        // The file is mostly read in its own format.
        way in prop_oneof![4 => Just(255), 1 => 0_u8..32],
        details: u8,
        batch in 1_usize..20,
    ) {
        let bytes = fs::read(seed.get(&seeds())).unwrap();
        check_trace(damaged(bytes, &damages), &options_of(way, details), batch);
    }
}

#[test]
fn undamaged_traces_pass_the_same_check() {
    for path in seeds() {
        let found = check_trace(fs::read(&path).unwrap(), &options_of(255, 0), 3);
        assert_eq!(found, 8, "{}", path.display());
    }
}
