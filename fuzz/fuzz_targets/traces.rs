//! Fuzz target for all trace readers, format detection and column descriptions: the first byte selects the
//! format, the second the options.

#![no_main]

use libfuzzer_sys::fuzz_target;
use venice_requests::testkit::{check_trace, options_of};

fuzz_target!(|data: &[u8]| {
    if let [way, details, bytes @ ..] = data {
        check_trace(bytes.to_vec(), &options_of(*way, *details), usize::from(details % 7) + 1);
    }
});
