//! Every trace reader, detection and descriptions of columns: the first byte chooses, the second is the options.

#![no_main]

use std::panic;
use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use venice_requests::testkit::{check_trace, options_of};

/// libFuzzer's own hook would end the process at a panic of the Parquet decoder, which the reader catches. Panics
/// that nobody catches are still seen.
static QUIET: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    QUIET.call_once(|| panic::set_hook(Box::new(|_| {})));
    if let [way, details, bytes @ ..] = data {
        check_trace(bytes.to_vec(), &options_of(*way, *details), usize::from(details % 7) + 1);
    }
});
