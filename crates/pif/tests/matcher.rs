//! Tests that compare the matchers with a naive search.

use proptest::prelude::*;
use venice_nand::testkit::cases;
use venice_pif::matcher::{FastMatcher, MAX_STATES, Match, MatchState, Matcher, PatternError, PatternSet};

/// All matches, ordered by the offset of their last byte and then by pattern.
fn naive(patterns: &[Vec<u8>], page: &[u8]) -> Vec<Match> {
    let mut found = Vec::new();
    for (pattern, bytes) in patterns.iter().enumerate() {
        for start in 0..=page.len().saturating_sub(bytes.len()) {
            if page[start..].starts_with(bytes) {
                found.push(Match { start, end: start + bytes.len(), pattern });
            }
        }
    }
    found.sort_unstable_by_key(|one| (one.end, one.pattern));
    found
}

/// Bytes of three kinds: two letters, for many overlaps; four values that differ in one pair of bits each;
/// arbitrary.
fn bytes(length: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(prop::sample::select(b"ab".to_vec()), length.clone()),
        prop::collection::vec(prop::sample::select(vec![0x00, 0x01, 0x10, 0x41]), length.clone()),
        prop::collection::vec(any::<u8>(), length),
    ]
}

/// Page and 1 … 8 patterns: parts of the page, its prefix, its suffix, and others.
fn page_and_patterns() -> impl Strategy<Value = (Vec<u8>, Vec<Vec<u8>>)> {
    bytes(32..=400).prop_flat_map(|page| {
        let of_page = page.clone();
        let piece = (any::<prop::sample::Index>(), 1..=32_usize).prop_map(move |(start, length)| {
            let start = start.index(of_page.len());
            of_page[start..(start + length).min(of_page.len())].to_vec()
        });
        let (head, tail) = (page.clone(), page.clone());
        let pattern = prop_oneof![
            3 => piece,
            1 => (1..=32_usize).prop_map(move |length| head[..length].to_vec()),
            1 => (1..=32_usize).prop_map(move |length| tail[tail.len() - length..].to_vec()),
            2 => bytes(1..=32),
        ];
        (Just(page), prop::collection::vec(pattern, 1..=8))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(3_000, 30_000)))]

    #[test]
    fn both_matchers_find_what_a_naive_search_finds((page, patterns) in page_and_patterns()) {
        let expected = naive(&patterns, &page);
        let set = PatternSet::new(&patterns).unwrap();
        let matcher = Matcher::new(&set).unwrap();
        prop_assert!(matcher.states().iter().all(|&states| states <= MAX_STATES));
        prop_assert_eq!(matcher.find(&page), &expected[..]);
        prop_assert_eq!(matcher.contains(&page), !expected.is_empty());
        let fast = FastMatcher::new(&set);
        prop_assert_eq!(fast.find(&page), &expected[..]);
        prop_assert_eq!(fast.contains(&page), !expected.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(1_000, 10_000)))]

    #[test]
    fn matches_across_a_border_are_those_that_neither_side_has(
        (page, patterns) in page_and_patterns(),
        border in any::<prop::sample::Index>(),
    ) {
        let border = border.index(page.len() + 1);
        let (before, after) = page.split_at(border);
        let matcher = Matcher::new(&PatternSet::new(&patterns).unwrap()).unwrap();
        let mut state = MatchState::START;
        matcher.scan(&mut state, before, |_, _| ());
        let mut found = Vec::new();
        matcher.across(state, after, |end, pattern| found.push((border + end, pattern)));
        let straddles = |one: &&Match| one.start < border && border < one.end;
        let expected: Vec<_> =
            naive(&patterns, &page).iter().filter(straddles).map(|one| (one.end, one.pattern)).collect();
        prop_assert_eq!(&found, &expected);
        let may = patterns.iter().any(|pattern| (1..pattern.len()).any(|length| before.ends_with(&pattern[..length])));
        prop_assert_eq!(matcher.continues(state), may);
    }

    #[test]
    fn letters_of_either_case_are_found_as_in_texts_of_one_case(
        (page, patterns) in page_and_patterns(),
        spelt in any::<u64>(),
    ) {
        // Random case for each letter of the page.
        let in_case = |(at, byte): (usize, &u8)| if spelt >> (at % 64) & 1 == 1 { byte.to_ascii_uppercase() } else { *byte };
        let spelt: Vec<u8> = page.iter().enumerate().map(in_case).collect();
        let lower = |bytes: &[u8]| bytes.to_ascii_lowercase();
        let expected = naive(&patterns.iter().map(|pattern| lower(pattern)).collect::<Vec<_>>(), &lower(&spelt));
        let set = PatternSet::new(&patterns).unwrap().folding_case(true);
        let fast = FastMatcher::new(&set);
        prop_assert_eq!(fast.find(&spelt), &expected[..]);
        match Matcher::new(&set) {
            Ok(matcher) => prop_assert_eq!(matcher.find(&spelt), expected),
            Err(refused) => prop_assert_eq!(refused, PatternError::TooManyStates),
        }
    }

    #[test]
    fn the_state_carries_from_piece_to_piece(
        (page, patterns) in page_and_patterns(),
        piece in 1..100_usize,
    ) {
        let matcher = Matcher::new(&PatternSet::new(&patterns).unwrap()).unwrap();
        let (mut whole, mut pieces) = (Vec::new(), Vec::new());
        matcher.scan(&mut MatchState::default(), &page, |end, ending| whole.push((end, ending)));
        let mut exported = MatchState::START.0;
        for (index, bytes) in page.chunks(piece).enumerate() {
            let mut state = MatchState(exported);
            matcher.scan(&mut state, bytes, |end, ending| pieces.push((index * piece + end, ending)));
            exported = state.0;
        }
        prop_assert_eq!(whole, pieces);
    }
}

#[test]
fn what_only_three_machines_agree_on_is_not_found() {
    let matcher = Matcher::new(&PatternSet::new(["venice"]).unwrap()).unwrap();
    let page = *b"venice";
    for bit in 0..8 * page.len() {
        let mut page = page;
        page[bit / 8] ^= 1 << (bit % 8);
        assert!(!matcher.contains(&page), "bit {bit} differs");
    }
    assert!(matcher.contains(&page));
}

#[test]
fn no_pattern_matches_nothing() {
    let set = PatternSet::default();
    let matcher = Matcher::new(&set).unwrap();
    assert!(!matcher.contains(b"anything") && !FastMatcher::new(&set).contains(b"anything"));
    assert!(!matcher.continues(MatchState::START));
}

#[test]
fn the_tables_hold_about_1_2_kb_each() {
    let matcher = Matcher::new(&PatternSet::new(["a"]).unwrap()).unwrap();
    assert_eq!(matcher.images().each_ref().map(|image| image.as_bytes().len()), [1280; 4]);
}
