//! The fabrics there are: one line each, from which everything else follows.
//!
//! # What it models
//! Nothing: it is the catalogue. A line `"name" => module::Model` yields the variant of [`FabricKind`] and of
//! [`AnyFabric`], the name in [`FABRIC_NAMES`], construction, and dispatch by `match` for who asks seldom; a drive, which asks
//! with every transfer, [is given](AnyFabric::give_to) the fabric itself.
//! `if check` adds a condition on the settings that it states.
//!
//! # How
//! To add a fabric: write its file with `fn new(&FabricSettings) -> Self` and the [`Fabric`] trait,
//! `fn loss(&FabricSettings) -> Loss`, which says what is lost with what fails, and [`OwnParameters`], and
//! add its line here. The shared contract test finds it by itself. What it declares is in [`FabricSettings::own`], under the name of its
//! module, and in the drive's table.
//!
//! # What is left out
//! Ranges of single settings: those are checked where the configuration is read.

use std::fmt;
use std::ops::Range;

use venice_kernel::{SimSpan, SimTime};

use super::{
    BusSettings, DomainId, Fabric, FabricCounters, FabricError, FabricEvent, FaultSettings, Features,
    FirstOnPath, Hold, Loss, MeshLink, Offer, Outbox, OwnParameters, Place, Transfer, Wiring,
};
use crate::geometry::{Array, ChipId, DieId};
use crate::parameters::{Choice, gather};

/// Makes something of a fabric that is compiled once for each of them.
pub trait WithFabric {
    /// What is made; the same of every fabric.
    type Made;

    /// Makes it.
    fn make<F: Fabric + Send + 'static>(self, fabric: F, kind: FabricKind) -> Self::Made;
}

/// The catalogue: `"name" => module::Model`, with `if module::Model::check` where some arrays do not suit it.
macro_rules! fabrics {
    ($($name:literal => $module:ident::$model:ident $(if $check:path)?),+ $(,)?) => {
        $(use super::$module;)+

        gather! {
            /// The parameters of all fabrics, each as its file declares them.
            pub struct FabricParameters of OwnParameters;
            $($module::$model),+
        }

        /// Names of the fabrics, as users write them, in the order in which tables show them.
        pub const FABRIC_NAMES: &[&str] = &[$($name),+];

        /// Which fabric.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FabricKind {
            $(#[doc = concat!("`", $name, "`: see [`", stringify!($module), "`].")] $model,)+
        }

        impl FabricKind {
            /// Every kind, in the order of [`FABRIC_NAMES`].
            pub const ALL: &[Self] = &[$(Self::$model),+];

            /// The name, as users write it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$model => $name,)+ }
            }

            /// Whether this fabric can be built over `settings`, each of which is in its range.
            ///
            /// # Errors
            /// A [`FabricError`] that says which settings do not go together, and why.
            pub fn validate(self, settings: &FabricSettings) -> Result<(), FabricError> {
                match self {
                    $(Self::$model => fabrics!(@check settings $($check)?),)+
                }?;
                self.loss(settings).check(settings.array, &settings.faults)
            }

            /// The chips that nobody reaches once everything has failed that will.
            pub fn loss(self, settings: &FabricSettings) -> Loss {
                match self { $(Self::$model => $module::$model::loss(settings),)+ }
            }

            fn build_validated(self, settings: &FabricSettings) -> AnyFabric {
                match self { $(Self::$model => AnyFabric::$model($module::$model::new(settings)),)+ }
            }
        }

        /// Any of the fabrics, dispatched by `match`.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a drive has one fabric; a box would cost each call")]
        pub enum AnyFabric {
            $(#[doc = concat!("The fabric called `", $name, "`.")] $model($module::$model),)+
        }

        impl AnyFabric {
            /// Which fabric this is.
            pub const fn kind(&self) -> FabricKind {
                match self { $(Self::$model(_) => FabricKind::$model,)+ }
            }

            /// Gives the fabric itself to who makes something of it.
            pub fn give_to<M: WithFabric>(self, maker: M) -> M::Made {
                match self { $(Self::$model(fabric) => maker.make(fabric, FabricKind::$model),)+ }
            }
        }

        impl Fabric for AnyFabric {
            fn domains(&self) -> Vec<Range<u32>> {
                match self { $(Self::$model(fabric) => fabric.domains(),)+ }
            }

            #[inline]
            fn domain_of(&self, chip: ChipId) -> DomainId {
                match self { $(Self::$model(fabric) => fabric.domain_of(chip),)+ }
            }

            fn features(&self) -> Features {
                match self { $(Self::$model(fabric) => fabric.features(),)+ }
            }

            #[inline]
            fn offer(&mut self, transfer: &Transfer, now: SimTime, out: &mut Outbox) -> Offer {
                match self { $(Self::$model(fabric) => fabric.offer(transfer, now, out),)+ }
            }

            #[inline]
            fn takes_nothing(&self, domain: DomainId) -> bool {
                match self { $(Self::$model(fabric) => fabric.takes_nothing(domain),)+ }
            }

            #[inline]
            fn refuses(&self, chip: ChipId, now: SimTime) -> bool {
                match self { $(Self::$model(fabric) => fabric.refuses(chip, now),)+ }
            }

            #[inline]
            fn puts_off(&self, chip: ChipId) -> bool {
                match self { $(Self::$model(fabric) => fabric.puts_off(chip),)+ }
            }

            #[inline]
            fn next_is_of(&mut self, chip: ChipId, since: SimTime) {
                match self { $(Self::$model(fabric) => fabric.next_is_of(chip, since),)+ }
            }

            #[inline]
            fn joins(&self, from: ChipId, to: ChipId) -> bool {
                match self { $(Self::$model(fabric) => fabric.joins(from, to),)+ }
            }

            #[inline]
            fn offer_copy(&mut self, transfer: &Transfer, from: ChipId, now: SimTime, out: &mut Outbox) -> Offer {
                match self { $(Self::$model(fabric) => fabric.offer_copy(transfer, from, now, out),)+ }
            }

            #[inline]
            fn idle_time_of_copy(&self, transfer: &Transfer, from: ChipId) -> SimSpan {
                match self { $(Self::$model(fabric) => fabric.idle_time_of_copy(transfer, from),)+ }
            }

            #[inline]
            fn handle(&mut self, event: FabricEvent, now: SimTime, out: &mut Outbox) {
                match self { $(Self::$model(fabric) => fabric.handle(event, now, out),)+ }
            }

            #[inline]
            fn holds_path(&self, die: DieId) -> bool {
                match self { $(Self::$model(fabric) => fabric.holds_path(die),)+ }
            }

            #[inline]
            fn idle_time(&self, transfer: &Transfer) -> SimSpan {
                match self { $(Self::$model(fabric) => fabric.idle_time(transfer),)+ }
            }

            fn faults_due(&mut self, now: SimTime, out: &mut Outbox) {
                match self { $(Self::$model(fabric) => fabric.faults_due(now, out),)+ }
            }

            fn reaches(&self, chip: ChipId) -> bool {
                match self { $(Self::$model(fabric) => fabric.reaches(chip),)+ }
            }

            fn is_quiet(&self) -> bool {
                match self { $(Self::$model(fabric) => fabric.is_quiet(),)+ }
            }

            fn counters(&self) -> FabricCounters {
                match self { $(Self::$model(fabric) => fabric.counters(),)+ }
            }

            fn wiring(&self) -> Wiring {
                match self { $(Self::$model(fabric) => fabric.wiring(),)+ }
            }

            fn scout_hop_time(&self) -> SimSpan {
                match self { $(Self::$model(fabric) => fabric.scout_hop_time(),)+ }
            }

            fn path_busy(&self, now: SimTime) -> Vec<SimSpan> {
                match self { $(Self::$model(fabric) => fabric.path_busy(now),)+ }
            }

            fn way_of(&self, chip: ChipId, die: DieId, way: &mut Vec<u32>) -> bool {
                match self { $(Self::$model(fabric) => fabric.way_of(chip, die, way),)+ }
            }

            fn places(&self) -> Vec<Place> {
                match self { $(Self::$model(fabric) => fabric.places(),)+ }
            }
        }
    };
    (@check $settings:ident) => { Ok::<(), FabricError>(()) };
    (@check $settings:ident $check:path) => { $check($settings) };
}

fabrics! {
    "bus" => bus::Bus,
    "pssd" => pssd::PSsd,
    "pnssd" => pnssd::PnSsd if pnssd::PnSsd::check,
    "nossd" => nossd::NoSsd if nossd::NoSsd::check,
    "venice" => venice::Venice,
    "ideal" => ideal::Ideal,
    "hlnand" => hlnand::HlNand,
    "decoupled" => decoupled::Decoupled,
}

/// Settings of every fabric; each reads its own part.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricSettings {
    /// The chips to be joined.
    pub array: Array,
    /// Seed of the fabric's random choices.
    pub seed: u64,
    /// Whether chips send pages to each other, on fabrics that can.
    pub chip_to_chip: bool,
    /// What goes first of several transfers that wait.
    pub first_on_path: FirstOnPath,
    /// What a path is held for. Packets hold none.
    pub hold: Hold,
    /// Shared channels and direct channels.
    pub bus: BusSettings,
    /// Links between routers, for the meshes.
    pub mesh_link: MeshLink,
    /// What fails.
    pub faults: FaultSettings,
    /// What each fabric declares in its file, under the name of its module.
    pub own: FabricParameters,
}

/// How many of [`FABRIC_NAMES`] come first that Nadig et al., "Venice", ISCA 2023, compare; the others are
/// named there as related work (§7).
const COMPARED: usize = 6;

/// Names of the fabrics that the Venice paper compares, in the order of [`FABRIC_NAMES`].
pub fn paper_fabric_names() -> &'static [&'static str] {
    &FABRIC_NAMES[..COMPARED]
}

impl Choice for FabricKind {
    const NOUN: &'static str = "fabric";
    const NAMES: &'static [&'static str] = FABRIC_NAMES;
    fn from_name(name: &str) -> Option<Self> {
        Self::from_name(name)
    }
}

impl FabricKind {
    /// The kind of this name, if there is one; names are in lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Builds the fabric.
    ///
    /// # Errors
    /// Those of [`FabricKind::validate`].
    pub fn build(self, settings: &FabricSettings) -> Result<AnyFabric, FabricError> {
        self.validate(settings)?;
        Ok(self.build_validated(settings))
    }
}

impl fmt::Display for FabricKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_its_kind_and_back() {
        assert!(!FABRIC_NAMES.is_empty());
        assert_eq!(FABRIC_NAMES.len(), FabricKind::ALL.len());
        for (&name, &kind) in FABRIC_NAMES.iter().zip(FabricKind::ALL) {
            assert_eq!(FabricKind::from_name(name), Some(kind));
            assert_eq!(kind.to_string(), name);
        }
    }

    #[test]
    fn the_paper_compares_six_of_them() {
        assert_eq!(paper_fabric_names(), ["bus", "pssd", "pnssd", "nossd", "venice", "ideal"]);
    }

    #[test]
    fn a_name_must_be_written_exactly() {
        for name in ["", "Bus", "bus ", "omnibus"] {
            assert_eq!(FabricKind::from_name(name), None);
        }
    }
}
