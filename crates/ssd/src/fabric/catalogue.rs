//! The fabrics there are: one line each, from which everything else follows.
//!
//! # What it models
//! Nothing: it is the catalogue. A line `"name" => module::Model` yields the variant of [`FabricKind`], the name in [`FABRIC_NAMES`]
//! and construction. A drive asks its fabric with every transfer, so it is compiled for each one ([`FabricKind::build_with`]); code
//! that asks seldom takes a `Box<dyn Fabric>` ([`FabricKind::build`]).
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

use super::{
    BusSettings, Fabric, FabricError, FaultSettings, FirstOnPath, Hold, Loss, MeshLink, OwnParameters,
};
use crate::geometry::Array;
use crate::parameters::{Choice, gather};

/// Code that is compiled for each fabric of the catalogue.
pub trait FabricVisitor {
    /// The result, of one type for all fabrics.
    type Output;

    /// Uses a fabric that was just built.
    fn visit<F: Fabric + Clone + Send + 'static>(self, fabric: F) -> Self::Output;
}

/// Hides the type of a fabric.
struct Boxed;

impl FabricVisitor for Boxed {
    type Output = Box<dyn Fabric>;

    fn visit<F: Fabric + Clone + Send + 'static>(self, fabric: F) -> Self::Output {
        Box::new(fabric)
    }
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

            /// Builds the fabric and passes it to `visitor` as its own type.
            ///
            /// # Errors
            /// Those of [`FabricKind::validate`].
            pub fn build_with<V: FabricVisitor>(
                self,
                settings: &FabricSettings,
                visitor: V,
            ) -> Result<V::Output, FabricError> {
                self.validate(settings)?;
                Ok(match self { $(Self::$model => visitor.visit($module::$model::new(settings)),)+ })
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

    /// Builds the fabric behind a table of functions, for code off the hot path.
    ///
    /// # Errors
    /// Those of [`FabricKind::validate`].
    pub fn build(self, settings: &FabricSettings) -> Result<Box<dyn Fabric>, FabricError> {
        self.build_with(settings, Boxed)
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
