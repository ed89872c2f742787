//! Random read errors of drives.

use proptest::prelude::*;
use venice_drive::controller::{DecoderPlacement, EccParameters};
use venice_ecc::channel::SoftReads;
use venice_sim::assembly::DriveSettings;

/// Generates decoders and states of wear for a third of the drives, from pages without errors to pages that are
/// mostly uncorrectable.
pub fn read_error_options() -> impl Strategy<Value = Option<EccParameters>> {
    let placement = prop::sample::select(vec![DecoderPlacement::Pool, DecoderPlacement::PerRow]);
    let soft_reads = prop::sample::select(vec![SoftReads::None, SoftReads::Two, SoftReads::Six]);
    let recovery = (0_u32..=3, 50.0..=100.0, soft_reads);
    let wear = (0.0..=4_000.0, prop_oneof![Just(0.0), 0.0..=1_500.0], prop_oneof![Just(0.0), 0.0..=3_000.0]);
    let drawn = (1_u32..=3, placement, recovery, wear).prop_map(|(decoders, placement, recovery, wear)| {
        let (retries, retry_error_pct, soft_reads) = recovery;
        let (pe_cycles, retention_days, block_reads) = wear;
        EccParameters {
            decoders,
            placement,
            retries,
            retry_error_pct,
            soft_reads,
            pe_cycles,
            retention_days,
            block_reads,
            ..EccParameters::default()
        }
    });
    prop_oneof![2 => Just(None), 1 => drawn.prop_map(Some)]
}

/// Returns the number of requests that ended with an error, which all sections of a report must state.
pub fn failed_requests(report: &venice_sim::report::Report) -> u64 {
    let failed = report.requests.failed.unwrap_or(0);
    let grown = report.protection.bad_blocks.as_ref().and_then(|blocks| blocks.grown.as_ref());
    let sections = [
        grown.map(|grown| grown.requests_failed),
        report.ecc.as_ref().map(|ecc| ecc.requests_failed),
        report.faults.as_ref().map(|faults| faults.requests_failed),
    ];
    assert!(sections.into_iter().flatten().all(|found| found == failed), "{sections:?} {failed}");
    assert_eq!(report.requests.submitted, report.requests.completed + failed);
    failed
}

/// Changes a drive to have these read errors.
pub fn apply(errors: Option<EccParameters>, settings: &mut DriveSettings) {
    settings.ecc = errors.unwrap_or_default();
}
