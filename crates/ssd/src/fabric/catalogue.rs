//! The fabrics there are: one line each, from which everything else follows.
//!
//! # What it models
//! Nothing: it is the catalogue. A drive asks its fabric with every transfer, so it is compiled for each one
//! ([`FabricKind::build_with`]); code that asks seldom takes a `Box<dyn Fabric>` ([`FabricKind::build`]).
//!
//! # How
//! To add a fabric: write its file with `fn new(&FabricSettings) -> Self`, [`Fabric`] and [`Model`], and add its line here. The shared
//! contract test finds it by itself. What it declares is in [`FabricSettings::own`], under the name of its module, and in the drive's
//! table.
//!
//! # What is left out
//! Ranges of single settings: those are checked where the configuration is read.

use venice_kernel::catalogue;

use super::{
    BusSettings, Fabric, FabricError, FaultSettings, FirstOnPath, Hold, Loss, MeshLink, Model, bus,
    decoupled, hlnand, ideal, nossd, pnssd, pssd, venice,
};
use crate::geometry::Array;
use crate::parameters::{choices, gather};

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

catalogue! {
    /// The fabrics, in the order in which tables show them.
    pub enum FabricKind, match_kind!;

    bus::Bus: "bus" => Bus;
    pssd::PSsd: "pssd" => PSsd;
    pnssd::PnSsd: "pnssd" => PnSsd;
    nossd::NoSsd: "nossd" => NoSsd;
    venice::Venice: "venice" => Venice;
    ideal::Ideal: "ideal" => Ideal;
    hlnand::HlNand: "hlnand" => HlNand;
    decoupled::Decoupled: "decoupled" => Decoupled;

    => gather! {
        /// Parameters of the fabrics, each as its file declares them.
        pub struct FabricParameters of Model
    }
}

choices! { kind FabricKind, "fabric"; }

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

/// How many of [`FabricKind::NAMES`] come first that Nadig et al., "Venice", ISCA 2023, compare; the others are
/// named there as related work (§7).
const COMPARED: usize = 6;

/// Names of the fabrics that the Venice paper compares, in the order of [`FabricKind::NAMES`].
pub fn paper_fabric_names() -> &'static [&'static str] {
    &FabricKind::NAMES[..COMPARED]
}

impl FabricKind {
    /// Checks that the fabric can be built over `settings`, each of which is in its range.
    ///
    /// # Errors
    /// A [`FabricError`] that says which settings do not go together, and why.
    pub fn validate(self, settings: &FabricSettings) -> Result<(), FabricError> {
        match_kind!(self, F => F::check(settings))?;
        self.loss(settings).check(settings.array, &settings.faults)
    }

    /// Returns the chips that no path leads to once everything has failed that will.
    pub fn loss(self, settings: &FabricSettings) -> Loss {
        match_kind!(self, F => F::loss(settings))
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
        Ok(match_kind!(self, F => visitor.visit(F::new(settings))))
    }

    /// Builds the fabric behind a table of functions, for code off the hot path.
    ///
    /// # Errors
    /// Those of [`FabricKind::validate`].
    pub fn build(self, settings: &FabricSettings) -> Result<Box<dyn Fabric>, FabricError> {
        self.build_with(settings, Boxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_compares_six_of_them() {
        assert_eq!(paper_fabric_names(), ["bus", "pssd", "pnssd", "nossd", "venice", "ideal"]);
    }
}
