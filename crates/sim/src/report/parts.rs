//! Parts of the report that are declared in their own modules.
//!
//! # How
//! A part is a group of figures. Its structure, with doc comments and units, implements [`ReportPart`], which
//! computes the figures of a finished run. Its line in the list below defines its name in the report. JSON,
//! schema, reference page, Python types and `venice report explain` are generated from the structure. If the
//! line has no doc comment, the doc comment of the structure describes the group.
//!
//! To add a part, write its module, its `mod` line, and its line at the end of the list.

use schemars::JsonSchema;
use serde::Serialize;
use venice_drive::device::Device;
use venice_fabric::Fabric;
use venice_nand::geometry::Geometry;

use crate::power::{AreaSettings, PowerSettings, RunActivity};

/// Data from which parts of the report are computed.
pub(super) struct FinishedRun<'a> {
    /// Drive at the end of the run, with all its records.
    pub(super) device: &'a Device<dyn Fabric>,
    /// Geometry of the drive.
    pub(super) geometry: &'a Geometry,
    pub(super) power: &'a PowerSettings,
    pub(super) area: &'a AreaSettings,
    /// Activity from which energy is computed.
    pub(super) activity: &'a RunActivity,
}

/// Group of figures that is declared in its own module.
pub(super) trait ReportPart: JsonSchema + Serialize {
    /// Computes the figures of a finished run.
    fn of(run: &FinishedRun<'_>) -> Self;
}

/// Defines the parts of the report from lines of the form `name: module::Type`.
macro_rules! parts {
    ($($(#[doc = $doc:literal])* $name:ident: $module:ident::$type:ident;)+) => {
        /// Parts of the report that are declared in their own modules. Each part is a group at the top level
        /// of the report.
        #[derive(Clone, Debug, JsonSchema, Serialize)]
        #[allow(missing_docs, reason = "a part without a text in its line has that of its type")]
        pub struct Parts {
            $($(#[doc = $doc])* pub $name: super::$module::$type,)+
        }

        impl Parts {
            /// Computes all parts of the report of a finished run.
            pub(super) fn of(run: &FinishedRun<'_>) -> Self {
                Self { $($name: ReportPart::of(run),)+ }
            }
        }
    };
}

parts! {
    /// Energy as computed in the Venice paper.
    energy_paper: energy::PaperEnergyReport;
    /// Board area of chips, routers and wires.
    area: energy::AreaReport;
    /// Over-provisioning, and the resulting write amplification of uniform random writes.
    over_provisioning: over_provisioning::OverProvisioningReport;
}
