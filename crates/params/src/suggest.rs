//! Suggestion of the most similar existing name for an unknown one.

use strsim::damerau_levenshtein;

/// Minimum length of a prefix that is accepted as an abbreviation.
const SHORTEST_PREFIX: usize = 3;

/// Returns the name that is most similar to `typed` or that starts with it; the first one on a tie.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let scored = names.filter_map(|name| distance(&typed, name).map(|distance| (distance, name)));
    scored.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Returns the edit distance of two similar names; `None` if they are not similar. Similar names differ by at
/// most one edit, plus one per four letters of `name`, or `typed` is a prefix of `name`.
fn distance(typed: &str, name: &str) -> Option<usize> {
    let slips = damerau_levenshtein(typed, &name.to_lowercase());
    let allowed = 1 + name.chars().count() / 4;
    let begins = typed.len() >= SHORTEST_PREFIX && name.starts_with(typed);
    (slips <= allowed || begins).then_some(slips)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_pair_of_letters_is_one_slip() {
        assert_eq!(nearest("vencie", ["bus", "venice", "ideal"].into_iter()), Some("venice"));
    }

    #[test]
    fn capitals_do_not_matter() {
        assert_eq!(nearest("PSSD", ["pssd", "pnssd"].into_iter()), Some("pssd"));
    }

    #[test]
    fn the_beginning_of_a_name_is_enough_when_nothing_is_closer() {
        assert_eq!(nearest("tlc", ["z-nand-venice", "tlc-venice"].into_iter()), Some("tlc-venice"));
        assert_eq!(nearest("bus", ["business", "bug"].into_iter()), Some("bug"));
    }

    #[test]
    fn no_name_is_suggested_for_a_very_different_one() {
        assert_eq!(nearest("crossbar", ["bus", "venice", "ideal"].into_iter()), None);
    }
}
