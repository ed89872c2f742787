//! Adapters: request sources that change the requests of another source.
//!
//! Each adapter follows the contract of [`super::request`] and forwards the properties that it does not
//! change.

/// Generates methods of [`RequestSource`](crate::RequestSource) that forward to the field `inner`.
macro_rules! passes_on {
    ($($method:ident),*) => { $(passes_on!(@ $method);)* };
    (@ label) => { fn label(&self) -> &str { self.inner.label() } };
    (@ is_synthetic) => { fn is_synthetic(&self) -> bool { self.inner.is_synthetic() } };
    (@ total) => { fn total(&self) -> Option<u64> { self.inner.total() } };
    (@ format_choice) => {
        fn format_choice(&self) -> $crate::request::FormatChoice { self.inner.format_choice() }
    };
    (@ write_law) => { fn write_law(&self) -> $crate::request::WriteLaw { self.inner.write_law() } };
    (@ counters) => {
        fn counters(&self) -> $crate::request::SourceCounters { self.inner.counters() }
    };
    (@ device_name) => {
        fn device_name(&self, queue: u16) -> String { self.inner.device_name(queue) }
    };
}

mod concatenation;
mod filter;
mod limit;
mod merge;
mod rate_scaling;
mod resampling;
mod search_check;
mod shift;
mod wraparound;

pub use concatenation::{ConcatenatedDevices, FirstSectors};
pub use filter::{FilteredSource, RequestFilter};
pub use limit::LimitedSource;
pub use merge::MergedSource;
pub use rate_scaling::{RateScale, RateScaledSource};
pub use resampling::{BlockLength, Reopen, ResampledSource, Resampling, ResamplingMethod};
pub use search_check::{SearchCheck, SearchSupport};
pub use shift::ShiftedSource;
pub use wraparound::{WrappedSource, Wrapping};
