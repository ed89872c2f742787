//! Burstiness of arrivals on several time scales.
//!
//! The measure is the index of dispersion for counts. Time is divided into windows of one length, and the
//! variance of the number of arrivals per window is divided by its mean. A Poisson process has index 1 on
//! every scale. An index that grows with the window length indicates correlated bursts. Source: Gusella,
//! "Characterizing the variability of arrival processes with indexes of dispersion", IEEE Journal on Selected
//! Areas in Communications 9(2), 1991.

use serde::Serialize;

const PS_PER_US: u64 = 1_000_000;

/// Window lengths in microseconds: from 100 us to 100 s.
const WINDOWS_US: [u64; 7] = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Minimum number of windows from which the variance is estimated.
const FEWEST_WINDOWS: u64 = 30;

/// Index of dispersion for counts, for one window length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dispersion {
    /// Length of a window in microseconds.
    pub window_us: u64,
    /// Number of complete windows from the first arrival to the last.
    pub windows: u64,
    /// Variance of the number of requests per window, divided by its mean.
    pub index: f64,
    /// Maximum number of requests in a window.
    pub most: u64,
}

/// Numbers of arrivals in windows of each length.
pub(super) struct BurstCounts {
    scales: [Scale; WINDOWS_US.len()],
}

#[derive(Clone, Copy)]
struct Scale {
    window_ps: u64,
    /// Number of complete windows so far.
    windows: u64,
    /// End of the current window, in picoseconds.
    end_ps: u64,
    /// Number of requests in the current window.
    count: u64,
    most: u64,
    sum: u128,
    squares: u128,
}

impl BurstCounts {
    pub(super) fn new() -> Self {
        let scale = |us: u64| {
            let window_ps = us * PS_PER_US;
            Scale { window_ps, windows: 0, end_ps: window_ps, count: 0, most: 0, sum: 0, squares: 0 }
        };
        Self { scales: WINDOWS_US.map(scale) }
    }

    #[inline]
    pub(super) fn add(&mut self, arrival_ps: u64) {
        for scale in &mut self.scales {
            if arrival_ps >= scale.end_ps {
                scale.close(arrival_ps);
            }
            scale.count += 1;
        }
    }

    /// Returns the index of dispersion for each window length with enough windows. The incomplete last window
    /// is excluded.
    pub(super) fn dispersions(&self) -> Vec<Dispersion> {
        self.scales.iter().filter(|scale| scale.windows >= FEWEST_WINDOWS).map(Scale::dispersion).collect()
    }
}

impl Scale {
    /// Ends the current window, and all empty windows before the one that contains `arrival_ps`.
    fn close(&mut self, arrival_ps: u64) {
        self.sum += u128::from(self.count);
        self.squares += u128::from(self.count) * u128::from(self.count);
        self.most = self.most.max(self.count);
        self.count = 0;
        self.windows = arrival_ps / self.window_ps;
        self.end_ps = (arrival_ps - arrival_ps % self.window_ps).saturating_add(self.window_ps);
    }

    fn dispersion(&self) -> Dispersion {
        let windows = self.windows as f64;
        let mean = self.sum as f64 / windows;
        let variance = (self.squares as f64 / windows - mean * mean).max(0.0);
        let window_us = self.window_ps / PS_PER_US;
        Dispersion { window_us, windows: self.windows, index: variance / mean, most: self.most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dispersions(arrivals_us: impl IntoIterator<Item = u64>) -> Vec<Dispersion> {
        let mut bursts = BurstCounts::new();
        arrivals_us.into_iter().for_each(|us| bursts.add(us * PS_PER_US));
        bursts.dispersions()
    }

    #[test]
    fn a_clock_has_no_dispersion() {
        let found = dispersions((0..=300_000).map(|n| n * 10));
        assert_eq!(found.iter().map(|one| one.window_us).collect::<Vec<_>>(), [100, 1_000, 10_000, 100_000]);
        assert!(found.iter().all(|one| one.index == 0.0 && one.most == one.window_us / 10), "{found:?}");
        assert_eq!(found[0].windows, 30_000);
    }

    #[test]
    fn bursts_have_the_variance_of_their_counts() {
        // Every tenth window of 1 ms has 10 requests: mean 1, variance 9. Windows of 10 ms have equal counts.
        let found = dispersions((0..=10_000).map(|n| n / 10 * 10_000));
        let index = |us| found.iter().find(|one| one.window_us == us).unwrap().index;
        assert!((index(1_000) - 9.0).abs() < 1e-9);
        assert!((index(100) - 9.9).abs() < 1e-9);
        assert!(index(10_000) < 1e-9);
    }

    #[test]
    fn a_poisson_process_has_one_at_every_scale() {
        let (mut state, mut us) = (1_u64, 0.0);
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            us -= 50.0 * (((state >> 11) as f64 + 1.0) / (1_u64 << 53) as f64).ln();
            us as u64
        };
        let found = dispersions((0..2_000_000).map(|_| next()));
        assert!(found.len() >= 5);
        for one in found {
            let deviation = (2.0 / one.windows as f64).sqrt();
            assert!((one.index - 1.0).abs() < 4.0 * deviation, "{one:?}");
        }
    }

    #[test]
    fn a_short_trace_has_no_dispersion() {
        assert_eq!(dispersions([0, 2_999]), []);
        assert_eq!(dispersions([0, 3_000]).len(), 1);
        assert_eq!(dispersions([0, 213 * 86_400_000_000]).len(), WINDOWS_US.len());
    }
}
