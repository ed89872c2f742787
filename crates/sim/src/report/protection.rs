//! Section of the report with figures of bad blocks and of parity.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::{Device, WorkDone};
use venice_fabric::Fabric;

use super::bad_blocks::{BadBlockReport, bad_block_report};
use super::parity::{ParityReport, parity_report};

/// Bad blocks, and parity that protects data.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProtectionReport {
    /// Bad blocks; absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_blocks: Option<BadBlockReport>,
    /// Parity across dies (RAIN); absent if the drive has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parity: Option<ParityReport>,
}

impl ProtectionReport {
    /// Creates the section of bad blocks and parity. The function `write_amplification` returns the write
    /// amplification that includes the programs of parity.
    pub(super) fn of(
        device: &Device<dyn Fabric>,
        work: &WorkDone,
        write_amplification: impl FnOnce() -> Option<f64>,
    ) -> Self {
        Self {
            bad_blocks: bad_block_report(device),
            parity: parity_report(device, work, write_amplification),
        }
    }
}
