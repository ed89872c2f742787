//! Benchmark timing in processor time of the thread, so that other jobs on the machine have little influence.

use std::hint::black_box;

use cpu_time::ThreadTime;
use criterion::Bencher;

/// Measures `routine` as `Bencher::iter` does, but in processor time.
pub fn iterate<O>(bencher: &mut Bencher<'_>, mut routine: impl FnMut() -> O) {
    bencher.iter_custom(|iterations| {
        let start = ThreadTime::now();
        for _ in 0..iterations {
            black_box(routine());
        }
        start.elapsed()
    });
}
