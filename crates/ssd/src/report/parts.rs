//! Parts of the report that their own files declare.
//!
//! # How
//! A part is a group of figures: a structure with its texts and units, and [`Part`], which says how it comes of a finished run. Its line
//! below gives it its name in the report. JSON, schema, reference page, Python's types and `venice report explain` follow from the
//! structure; where the line has no text, the structure's own is the group's.
//!
//! To add one: write its file, its `mod` line, and its line at the end of the list.

use schemars::JsonSchema;
use serde::Serialize;

use crate::device::Device;
use crate::fabric::Fabric;
use crate::geometry::Geometry;
use crate::power::{Activity, AreaSettings, PowerSettings};

/// What a part may look at.
pub(super) struct FinishedRun<'a> {
    /// The drive at the end of the run, with all that was recorded.
    pub(super) device: &'a Device<dyn Fabric>,
    /// How many of everything it has.
    pub(super) geometry: &'a Geometry,
    /// What its parts take.
    pub(super) power: &'a PowerSettings,
    /// What they take up on the board.
    pub(super) area: &'a AreaSettings,
    /// What was done, as far as energy depends on it.
    pub(super) activity: &'a Activity,
}

/// A group of figures that its own file declares.
pub(super) trait Part: JsonSchema + Serialize {
    /// The figures of a finished run.
    fn of(run: &FinishedRun<'_>) -> Self;
}

/// The catalogue: `name: module::Type`.
macro_rules! parts {
    ($($(#[doc = $doc:literal])* $name:ident: $module:ident::$type:ident;)+) => {
        /// The parts that declare themselves, each under its name at the report's top.
        #[derive(Clone, Debug, JsonSchema, Serialize)]
        #[allow(missing_docs, reason = "a part without a text in its line has that of its type")]
        pub struct Parts {
            $($(#[doc = $doc])* pub $name: super::$module::$type,)+
        }

        impl Parts {
            /// All of a finished run.
            pub(super) fn of(run: &FinishedRun<'_>) -> Self {
                Self { $($name: Part::of(run),)+ }
            }
        }
    };
}

parts! {
    /// Energy as the Venice paper computes it.
    energy_paper: energy::PaperEnergyReport;
    /// Area of the fabric's parts on the board.
    area: energy::AreaReport;
    /// Over-provisioning, and the write amplification that it makes of uniform random writes.
    over_provisioning: over_provisioning::OverProvisioningReport;
}
