//! Tests that compare the output of `grep` with a naive search: long and short lines, borders of pages and of
//! pieces of input, wear and error models.

use proptest::prelude::*;
use venice_ecc::channel::SoftReads;
use venice_nand::testkit::cases;
use venice_nand::wear::{PageWear, WearModel};
use venice_pif::grep::{FileSearch, Grep, GrepError, Options, OutputMode};
use venice_pif::store::{ErrorModel, PAGE_BYTES, ReadSettings};

fn settings(mode: ErrorModel, program_erase_cycles: f64, retention_days: f64) -> ReadSettings {
    let wear = PageWear { program_erase_cycles, retention_days, reads: 0.0 };
    let (model, soft) = (WearModel::default(), SoftReads::Six);
    ReadSettings {
        mode,
        model,
        wear,
        soft,
        chip_iterations: 300,
        chip_failing_checks: 1024,
        controller_failing_checks: 1024,
        seed: 1,
    }
}

fn young() -> ReadSettings {
    settings(ErrorModel::Functional, 1.0, 0.0)
}

/// Returns wear at which some pages, but not all, are unreadable without extra reads.
fn ragged() -> ReadSettings {
    ReadSettings { soft: SoftReads::None, ..settings(ErrorModel::Functional, 2000.0, 240.0) }
}

fn numbered(wanted: OutputMode) -> Options {
    Options { wanted, with_number: true, ..Options::default() }
}

fn searched(
    patterns: &[&str],
    options: Options,
    settings: ReadSettings,
    pieces: &[&[u8]],
) -> (String, FileSearch) {
    let patterns: Vec<Vec<u8>> = patterns.iter().map(|pattern| pattern.as_bytes().to_vec()).collect();
    let grep = Grep::new(&patterns, options, settings).expect("the patterns are expressions");
    let mut stream = FileSearch::new(&grep, b"f".to_vec(), 11);
    let mut has_printed = false;
    for piece in pieces {
        stream.feed(&grep, piece, false, &mut has_printed);
    }
    stream.feed(&grep, b"", true, &mut has_printed);
    (String::from_utf8(stream.take_output()).expect("the text is UTF-8"), stream)
}

fn context(stream: &FileSearch) -> Vec<usize> {
    (0..stream.pages().len()).filter(|&page| stream.pages()[page].is_context).collect()
}

fn lines_of(data: &[u8]) -> Vec<&[u8]> {
    data.strip_suffix(b"\n").unwrap_or(data).split(|&byte| byte == b'\n').collect()
}

fn holds(line: &[u8], pattern: &str) -> bool {
    line.windows(pattern.len()).any(|window| window == pattern.as_bytes())
}

/// Reference implementation of `grep -Fn`.
fn naive(data: &[u8], patterns: &[&str], inverted: bool) -> String {
    let mut output = Vec::new();
    for (index, line) in lines_of(data).into_iter().enumerate() {
        if !data.is_empty() && patterns.iter().any(|pattern| holds(line, pattern)) != inverted {
            output.extend_from_slice(format!("{}:", index + 1).as_bytes());
            output.extend_from_slice(line);
            output.push(b'\n');
        }
    }
    String::from_utf8(output).expect("the text is UTF-8")
}

/// Up to three pages of letters, with newlines about every `spacing` bytes.
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
    #![proptest_config(ProptestConfig::with_cases(cases(25, 200)))]
    #[test]
    fn lines_counts_and_names_are_those_of_a_naive_search(
        data in text(),
        patterns in prop::collection::vec("[ab]{6,14}", 1..12),
        piece in prop_oneof![1000..20_000_usize, Just(1 << 20)],
        aged in any::<bool>(),
        inverted in any::<bool>(),
        mode in prop_oneof![Just(ErrorModel::Functional), Just(ErrorModel::Statistical), Just(ErrorModel::Threshold)],
    ) {
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let expected = naive(&data, &patterns, inverted);
        let (cycles, days) = if aged { (2000.0, 365.0) } else { (500.0, 30.0) };
        let pieces: Vec<&[u8]> = data.chunks(piece).collect();
        let of = |wanted| {
            let options = Options { inverted, ..numbered(wanted) };
            searched(&patterns, options, settings(mode, cycles, days), &pieces)
        };
        let (output, stream) = of(OutputMode::Lines);
        prop_assert_eq!(stream.unreadable().count(), 0);
        prop_assert_eq!(&output, &expected);
        let count = expected.lines().count();
        let (output, stream) = of(OutputMode::Count);
        prop_assert_eq!((output, context(&stream)), (format!("{count}\n"), vec![]));
        prop_assert_eq!(of(OutputMode::Name).0, if count > 0 { "f\n" } else { "" });
        prop_assert_eq!(of(OutputMode::NameWithout).0, if count > 0 { "" } else { "f\n" });
    }

    #[test]
    fn a_match_across_a_border_is_found_wherever_lines_end(
        pages in 2..5_usize,
        cut in prop_oneof![Just(0), PAGE_BYTES - 50..PAGE_BYTES, 0..PAGE_BYTES],
        seams in prop::collection::vec((1..5_usize, 0..45_usize, any::<bool>()), 1..3),
        newlines in prop::collection::vec(0..5 * PAGE_BYTES, 0..4),
        piece in prop_oneof![1000..40_000_usize, Just(1 << 20)],
        aged in any::<bool>(),
    ) {
        let mut data = vec![b'.'; pages * PAGE_BYTES];
        // The second pattern exceeds the maximum length of a chip.
        let patterns = ["seam".to_owned(), "seem".repeat(10)];
        for (border, before, is_long) in seams {
            let pattern = &patterns[usize::from(is_long)];
            let start = border.min(pages - 1) * PAGE_BYTES - before.min(pattern.len());
            data[start..start + pattern.len()].copy_from_slice(pattern.as_bytes());
        }
        data.truncate(pages * PAGE_BYTES - cut);
        for at in newlines.into_iter().filter(|&at| at < pages * PAGE_BYTES - cut) {
            data[at] = b'\n';
        }
        let settings = if aged { settings(ErrorModel::Functional, 2000.0, 365.0) } else { young() };
        let pieces: Vec<&[u8]> = data.chunks(piece).collect();
        let patterns = [patterns[0].as_str(), patterns[1].as_str()];
        let (output, _) = searched(&patterns, numbered(OutputMode::Lines), settings, &pieces);
        prop_assert!(output == naive(&data, &patterns, false), "{} bytes printed", output.len());
    }

    #[test]
    fn a_line_is_lost_if_and_only_if_a_part_of_it_is_unreadable(
        data in text(),
        piece in prop_oneof![1000..20_000_usize, Just(1 << 20)],
    ) {
        let (output, stream) = searched(&["ab"], numbered(OutputMode::Lines), ragged(), &[&data]);
        let lost: Vec<usize> = stream.unreadable().collect();
        let mut expected = String::new();
        let mut start = 0;
        for (index, line) in lines_of(&data).into_iter().enumerate() {
            let end = start + line.len() + 1;
            let is_lost = lost.iter().any(|&page| start < page + PAGE_BYTES && page < end);
            if holds(line, "ab") && !is_lost {
                expected.extend([&(index + 1).to_string(), ":", &String::from_utf8_lossy(line), "\n"]);
            }
            start = end;
        }
        prop_assert_eq!(&output, &expected);
        let pieces: Vec<&[u8]> = data.chunks(piece).collect();
        let (counted, _) = searched(&["ab"], numbered(OutputMode::Count), ragged(), &pieces);
        prop_assert_eq!(counted, format!("{}\n", expected.lines().count()));
    }
}

#[test]
fn parts_are_leftmost_longest_and_do_not_overlap() {
    let options = Options { with_name: true, with_offset: true, ..numbered(OutputMode::Parts) };
    let (output, stream) = searched(&["ab", "abcd", "cde"], options, young(), &[b"x\nabcde ab\n\ncde"]);
    assert_eq!(output, "f:2:2:abcd\nf:2:8:ab\nf:4:12:cde\n");
    assert_eq!(stream.selected(), 2);
    let options = Options { is_extended: true, ..numbered(OutputMode::Parts) };
    assert_eq!(searched(&["(a|ab)(c|bcd)?"], options, young(), &[b"abcd\n"]).0, "1:abcd\n");
}

#[test]
fn a_line_over_pages_without_a_match_is_read_as_context() {
    let mut data = vec![b'.'; 4 * PAGE_BYTES];
    data[2 * PAGE_BYTES - 2..2 * PAGE_BYTES + 2].copy_from_slice(b"seam");
    let aged = settings(ErrorModel::Functional, 1000.0, 30.0);
    let (output, stream) = searched(&["seam"], numbered(OutputMode::Lines), aged, &[&data]);
    assert_eq!(output, format!("1:{}\n", String::from_utf8_lossy(&data)));
    assert_eq!(context(&stream), [0, 1, 2, 3]);
    assert!(stream.pages()[1].asks_for_next_head);
}

#[test]
fn a_line_at_a_pages_start_survives_an_unreadable_page_before_it() {
    // Lines of 16 bytes fill the pages: no line crosses a page border.
    let data: Vec<u8> = (0..6 * 1024).flat_map(|line| format!("needle {line:08}\n").into_bytes()).collect();
    let (output, stream) = searched(&["needle"], numbered(OutputMode::Lines), ragged(), &[&data]);
    let readable = 6 - stream.unreadable().count();
    assert!((1..6).contains(&readable), "{readable} pages are readable");
    assert_eq!(output.lines().count(), readable * 1024);
}

#[test]
fn more_than_eight_patterns_take_passes_and_longer_ones_are_completed_above() {
    let mut patterns: Vec<String> = (0..20).map(|index| format!("pattern {index:02}")).collect();
    patterns.push("x".repeat(40));
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let text = format!("{}\npattern 17\n{}\npattern 20\n", "x".repeat(39), "x".repeat(41));
    let grep = Grep::new(
        &patterns.iter().map(|pattern| pattern.as_bytes().to_vec()).collect::<Vec<_>>(),
        Options::default(),
        young(),
    );
    assert_eq!(grep.unwrap().searcher().passes(), 3);
    let (output, _) = searched(&patterns, Options::default(), young(), &[text.as_bytes()]);
    assert_eq!(output, format!("pattern 17\n{}\n", "x".repeat(41)));
}

#[test]
fn what_chips_cannot_search_for_is_read() {
    let passes = |patterns: &[&str], options: Options| {
        let patterns: Vec<Vec<u8>> = patterns.iter().map(|pattern| pattern.as_bytes().to_vec()).collect();
        Grep::new(&patterns, options, young()).unwrap().searcher().passes()
    };
    let extended = || Options { is_extended: true, ..Options::default() };
    assert_eq!(passes(&["[0-9]+"], extended()), 0);
    assert_eq!(passes(&["[0-9]+ errors?"], extended()), 1);
    assert_eq!(passes(&[""], Options::default()), 0);
    assert_eq!(passes(&["a"], Options { inverted: true, ..Options::default() }), 0);
    assert_eq!(
        passes(&["a"], Options { inverted: true, wanted: OutputMode::Count, ..Options::default() }),
        1
    );
}

#[test]
fn either_case_is_found_in_chips_that_hold_both() {
    let options = || Options { ignores_case: true, ..Options::default() };
    assert_eq!(searched(&["eRRor-1"], options(), young(), &[b"an Error-1\nerror 1\n"]).0, "an Error-1\n");
    let border = [&vec![b'.'; PAGE_BYTES - 2], &b"NEedle\n"[..]].concat();
    assert!(searched(&["needle"], options(), young(), &[&border]).0.ends_with("NEedle\n"));
}

#[test]
fn an_invalid_expression_is_reported() {
    let new = |pattern: &str| {
        let options = Options { is_extended: true, ..Options::default() };
        Grep::new(&[pattern.as_bytes().to_vec()], options, young()).err()
    };
    assert!(matches!(new("(a"), Some(GrepError::Expression(_))));
    assert!(new("a(b|c)*").is_none());
}
