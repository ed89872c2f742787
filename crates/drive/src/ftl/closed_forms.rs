//! Write amplification of uniform random writes in closed form.
//!
//! # What it models
//! The number A of pages programmed for each page that the host writes, in the steady state of uniform random
//! writes. The host writes to U logical pages, for which αU physical pages are available
//! ([`SpareSpace`](super::SpareSpace) computes α).
//!
//! # How
//! Greedy, with blocks of N pages: blocks lose valid pages one by one, at rates proportional to their number
//! of valid pages, from N to the number X at which they are collected. This gives α = N ln((N + ½) / (X − ½))
//! / (N − X + 1). Each collection frees N − X + 1 pages, so A = N / (N − X + 1). X − ½ is found by bisection.
//!
//! First in, first out (FIFO): a page is still valid when its block is collected with the probability p =
//! exp(−α (1 − p)). This gives p = −W(−α exp(−α)) / α with Lambert's W, and A = 1 / (1 − p).
//!
//! # What is left out
//! Small numbers of blocks, since both forms assume many blocks per plane. Skewed and sequential writes,
//! trims, and requests of several pages.
//!
//! # Source
//! Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012 (both forms; FIFO as LRU). Xiang,
//! Kurkoski, "An improved analytical expression for write amplification in NAND flash", ICNC 2012 (FIFO).

use super::gc::VictimPolicy;

/// Number of bisections after which an interval between two 64-bit floating-point numbers cannot get
/// narrower.
const BISECTIONS: u32 = 100;

/// Returns the number of pages programmed for each page that the host writes, or `None` for victim policies
/// without a closed form and for drives without a spare page.
pub fn pages_per_written_page(victim: VictimPolicy, alpha: f64, pages_per_block: u32) -> Option<f64> {
    match victim {
        _ if alpha <= 1.0 => None,
        VictimPolicy::Greedy => Some(greedy(alpha, pages_per_block)),
        VictimPolicy::Fifo => Some(fifo(alpha)),
        _ => None,
    }
}

fn greedy(alpha: f64, pages_per_block: u32) -> f64 {
    let block = f64::from(pages_per_block);
    let top = block + 0.5;
    // Physical pages available for each valid page, as a function of the valid pages left in a block when it
    // is collected. The function is decreasing.
    let available = |bottom: f64| block * (top / bottom).ln() / (top - bottom);
    let bottom = root(|bottom| available(bottom) - alpha, (f64::MIN_POSITIVE, top));
    (block / (top - bottom)).max(1.0)
}

fn fifo(alpha: f64) -> f64 {
    // p = 1 is a root for every α. The other root, which is sought, lies below 1/α.
    let valid = root(|valid| (-alpha * (1.0 - valid)).exp() - valid, (0.0, 1.0 / alpha));
    1.0 / (1.0 - valid)
}

/// Returns the root of a decreasing function that is positive at the start of the interval and negative at
/// its end.
fn root(falling: impl Fn(f64) -> f64, interval: (f64, f64)) -> f64 {
    let (mut low, mut high) = interval;
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if falling(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found / expected - 1.0).abs() < tolerance, "{found}, not {expected}");
    }

    #[test]
    fn fifo_solves_lambert_s_equation_on_its_principal_branch() {
        for alpha in [1.01, 1.05, 1.2, 1.5, 2.0, 4.0] {
            let valid = 1.0 - 1.0 / fifo(alpha);
            let w = -alpha * valid;
            assert!(w > -1.0, "{alpha}: {w}");
            assert_near(w * w.exp(), -alpha * (-alpha).exp(), 1e-9);
        }
    }

    /// Measured value: uniform random writes of 4 KiB on a Micron 7450 MAX with 1,024 GiB of flash, from the
    /// drive's counters; Haas et al., "SSD-iq", PVLDB 18 (2025).
    #[test]
    fn fifo_is_within_two_per_cent_of_a_drive_that_was_measured() {
        for (used_gib, measured) in [(521.6, 1.278), (596.2, 1.410)] {
            assert_near(fifo(1024.0 / used_gib), measured, 0.02);
        }
    }

    #[test]
    fn greedy_has_fifo_s_amplification_in_the_limit_of_large_blocks_and_less_before() {
        for alpha in [1.05, 1.2, 2.0] {
            assert_near(greedy(alpha, 1 << 24), fifo(alpha), 1e-3);
            assert!(greedy(alpha, 64) < greedy(alpha, 256) && greedy(alpha, 256) < fifo(alpha), "{alpha}");
        }
    }

    #[test]
    fn policies_without_a_closed_form_and_drives_without_a_spare_page_have_no_figure() {
        assert_eq!(pages_per_written_page(VictimPolicy::RandomPp, 1.1, 64), None);
        assert_eq!(pages_per_written_page(VictimPolicy::Greedy, 1.0, 64), None);
    }

    #[test]
    fn no_page_is_programmed_for_less_than_a_page_written() {
        assert_near(greedy(1.2, 1), 1.0, 1e-9);
    }
}
