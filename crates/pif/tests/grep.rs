//! `grep`'s lines against a naive search, over long and short lines, borders of pages, wear and modes.

use proptest::prelude::*;
use venice_pif::grep::{Grep, GrepError, Style, Wanted};
use venice_pif::store::{Mode, PAGE_BYTES, ReadSettings, SoftReads, StoredFile};
use venice_pif::wear::{Wear, WearModel};

fn settings(mode: Mode, program_erase_cycles: f64, retention_days: f64) -> ReadSettings {
    let wear = Wear { program_erase_cycles, retention_days, reads: 0.0 };
    ReadSettings { mode, model: WearModel::TLC_72_LAYERS, wear, soft: SoftReads::Six, seed: 1 }
}

fn lines_of(data: &[u8]) -> Vec<&[u8]> {
    data.strip_suffix(b"\n").unwrap_or(data).split(|&byte| byte == b'\n').collect()
}

fn holds(line: &[u8], pattern: &[u8]) -> bool {
    line.windows(pattern.len()).any(|window| window == pattern)
}

/// What `grep -Fn` prints, done without any cleverness.
fn naive(data: &[u8], patterns: &[Vec<u8>]) -> Vec<u8> {
    let mut output = Vec::new();
    for (index, line) in lines_of(data).into_iter().enumerate() {
        if !data.is_empty() && patterns.iter().any(|pattern| holds(line, pattern)) {
            output.extend_from_slice(format!("{}:", index + 1).as_bytes());
            output.extend_from_slice(line);
            output.push(b'\n');
        }
    }
    output
}

fn style(wanted: Wanted) -> Style {
    Style { wanted, with_name: false, with_number: true }
}

/// Three pages of letters, newlines about every `spacing` bytes.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let lengths = prop_oneof![0..40_usize, PAGE_BYTES - 3..PAGE_BYTES + 40, 2 * PAGE_BYTES..3 * PAGE_BYTES];
    (lengths, prop_oneof![Just(10_u64), Just(300), Just(20_000)], any::<u64>()).prop_map(
        |(length, spacing, seed)| {
            let mut random = venice_kernel::RandomStream::new(seed, "text");
            let mut byte = || if random.below(spacing) == 0 { b'\n' } else { b'a' + random.below(2) as u8 };
            (0..length).map(|_| byte()).collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn lines_counts_and_names_are_those_of_a_naive_search(
        data in text(),
        patterns in prop::collection::vec("[ab]{6,14}", 1..5),
        aged in any::<bool>(),
        mode in prop_oneof![Just(Mode::Functional), Just(Mode::Statistical), Just(Mode::Threshold)],
    ) {
        let patterns: Vec<Vec<u8>> = patterns.into_iter().map(String::into_bytes).collect();
        let expected = naive(&data, &patterns);
        let (cycles, days) = if aged { (2000.0, 365.0) } else { (500.0, 30.0) };
        let grep = Grep::new(&patterns, settings(mode, cycles, days)).unwrap();
        let file = StoredFile::store(data, 11, mode);
        let found = grep.search(&file, b"f", style(Wanted::Lines));
        prop_assert_eq!(found.search.unreadable().count(), 0);
        prop_assert_eq!(String::from_utf8(found.output), String::from_utf8(expected.clone()));
        let count = lines_of(&expected).iter().filter(|line| !line.is_empty()).count();
        let counted = grep.search(&file, b"f", style(Wanted::Count));
        prop_assert_eq!((counted.output, counted.context), (format!("{count}\n").into_bytes(), vec![]));
        let named = grep.search(&file, b"f", style(Wanted::Name));
        prop_assert_eq!(named.output, if count > 0 { b"f\n".to_vec() } else { vec![] });
    }
}

#[test]
fn parts_are_leftmost_longest_and_do_not_overlap() {
    let patterns = ["ab", "abcd", "cde"].map(|pattern| pattern.as_bytes().to_vec());
    let grep = Grep::new(&patterns, settings(Mode::Functional, 1.0, 0.0)).unwrap();
    let file = StoredFile::store(b"x\nabcde ab\n\ncde".to_vec(), 0, Mode::Functional);
    let style = Style { wanted: Wanted::Parts, with_name: true, with_number: true };
    let found = grep.search(&file, b"file", style);
    assert_eq!(String::from_utf8(found.output).unwrap(), "file:2:abcd\nfile:2:ab\nfile:4:cde\n");
    assert_eq!(found.lines, 2);
}

#[test]
fn a_line_over_pages_without_a_match_is_read_as_context() {
    let mut data = vec![b'.'; 4 * PAGE_BYTES];
    data[2 * PAGE_BYTES - 2..2 * PAGE_BYTES + 2].copy_from_slice(b"seam");
    let grep = Grep::new(&[b"seam".to_vec()], settings(Mode::Functional, 1000.0, 30.0)).unwrap();
    let found = grep.search(&StoredFile::store(data.clone(), 0, Mode::Functional), b"", style(Wanted::Lines));
    assert_eq!(found.output, [b"1:", &*data, b"\n"].concat());
    assert_eq!(found.context, [0, 1, 2, 3]);
}

#[test]
fn lines_with_an_unreadable_part_are_not_printed_and_their_pages_are_told() {
    let mut data = b"needle\n".repeat(2 * PAGE_BYTES / 7);
    data.resize(2 * PAGE_BYTES, b'.');
    let file = StoredFile::store(data, 0, Mode::Functional);
    let grep = Grep::new(&[b"needle".to_vec()], settings(Mode::Functional, 6000.0, 3650.0)).unwrap();
    let found = grep.search(&file, b"", style(Wanted::Lines));
    assert!(found.output.is_empty());
    let told: Vec<String> = found.search.unreadable().map(|page| page.to_string()).collect();
    assert_eq!(told[1], "the page at offset 16384 is unreadable: neither decoder corrects it");
    assert_eq!(told.len(), 2);
}

#[test]
fn newlines_separate_patterns_and_equal_ones_count_once() {
    let new = |patterns: &[&str]| {
        let patterns: Vec<Vec<u8>> = patterns.iter().map(|pattern| pattern.as_bytes().to_vec()).collect();
        Grep::new(&patterns, settings(Mode::Functional, 1.0, 0.0)).map(|_| ())
    };
    assert_eq!(new(&["a\nb", "b", "c\nd\ne\nf\ng\nh"]), Ok(()));
    assert!(matches!(new(&["a\nb\nc\nd\ne\nf\ng\nh\ni"]), Err(GrepError::Pattern(_))));
    assert!(matches!(new(&["a\n"]), Err(GrepError::Pattern(_))));
    assert!(matches!(new(&[]), Err(GrepError::Search(_))));
}
