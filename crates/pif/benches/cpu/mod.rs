//! Benchmark timing in processor time of the thread, so that other jobs on the machine have no influence.

use std::hint::black_box;
use std::time::Duration;

use criterion::Bencher;
use rustix::time::{ClockId, clock_gettime};

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Measures `routine` in processor time; otherwise as `Bencher::iter`.
pub fn iterate<O>(bencher: &mut Bencher<'_>, mut routine: impl FnMut() -> O) {
    bencher.iter_custom(|iterations| {
        let start = now();
        for _ in 0..iterations {
            black_box(routine());
        }
        now().saturating_sub(start)
    });
}
