//! Random pages with given shares of matches and decoding failures, for experiments without real data.

use venice_kernel::RandomStream;

use super::SearchPage;

/// Returns `count` pages in random order. A share `selectivity` of all pages matches. Of the other pages, a
/// share `failure` cannot be decoded in the chip. Both shares are exact.
pub fn draw_pages(count: usize, selectivity: f64, failure: f64, seed: u64) -> Vec<SearchPage> {
    let share = |of: usize, ratio: f64| (of as f64 * ratio).round() as usize;
    let matched = share(count, selectivity).min(count);
    let failed = matched + share(count - matched, failure).min(count - matched);
    let page = |index| SearchPage {
        matched: index < matched,
        fails_in_chip: (matched..failed).contains(&index),
        passes: 1,
        ..SearchPage::default()
    };
    let mut pages: Vec<SearchPage> = (0..count).map(page).collect();
    let mut random = RandomStream::new(seed, "pages");
    for last in (1..count).rev() {
        pages.swap(last, random.below(last as u64 + 1) as usize);
    }
    pages.iter_mut().zip(0..).for_each(|(page, number)| page.number = number);
    pages
}
