//! Catalogue of fabrics: one line per fabric, from which names, settings and static dispatch are generated.
//!
//! # How
//! A drive calls its fabric for every transfer. Its code is therefore compiled separately for each fabric
//! type ([`FabricKind::build_with`]). Code off the hot path uses a `Box<dyn Fabric>` ([`FabricKind::build`]).
//!
//! To add a fabric, write its module with `fn new(&FabricSettings) -> Self`, [`Fabric`] and [`FabricModel`],
//! and add its line here. The shared contract test includes it automatically. Its parameters are then in
//! [`FabricSettings::own`] under the name of its module, and in the `fabric` section of drive files.
//!
//! # What is left out
//! Checks of the range of each setting, which are made when the configuration is read.

use std::borrow::Cow;

use venice_nand::geometry::Array;
use venice_params::{catalogue, choices, gather};

use super::{
    BusSettings, Fabric, FabricError, FabricModel, FaultSettings, FirstOnPath, Hold, MeshLink,
    UnreachableChips, bus, decoupled, hlnand, ideal, nossd, pnssd, pssd, venice,
};

/// Visitor that receives a newly built fabric. Its method is compiled separately for each fabric type
/// (monomorphised).
pub trait FabricVisitor {
    /// Type of the visitor's result, independent of the fabric.
    type Output;

    /// Receives a newly built fabric and returns a result.
    fn visit<F: Fabric + Clone + Send + 'static>(self, fabric: F) -> Self::Output;
}

/// Visitor that returns the fabric as a boxed trait object.
struct FabricBoxingVisitor;

impl FabricVisitor for FabricBoxingVisitor {
    type Output = Box<dyn Fabric>;

    fn visit<F: Fabric + Clone + Send + 'static>(self, fabric: F) -> Self::Output {
        Box::new(fabric)
    }
}

catalogue! {
    /// Built-in fabrics, in the order of comparison tables.
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
        /// Parameters of all fabrics; each fabric's module declares its own.
        pub struct FabricParameters of FabricModel
    }
}

choices! { kind FabricKind, "fabric"; }

/// Settings of all fabrics; each fabric reads its own part.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricSettings {
    /// Array of chips that the fabric connects.
    pub array: Array,
    /// Seed of the fabric's random number generators.
    pub seed: u64,
    /// True if pages may be copied from chip to chip without a controller, on fabrics that support this.
    pub chip_to_chip: bool,
    /// Order in which waiting transfers are offered a path.
    pub first_on_path: FirstOnPath,
    /// Duration for which a path stays reserved: one transfer, a whole read, or also a whole program.
    /// Packet-switched fabrics ignore it.
    pub hold: Hold,
    /// True if an erase holds its path as a program does. It has an effect only with [`Hold::Request`].
    pub hold_erases: bool,
    /// Settings of shared and direct channels.
    pub bus: BusSettings,
    /// Settings of the links between routers of meshes.
    pub mesh_link: MeshLink,
    /// Configured faults of the fabric's parts.
    pub faults: FaultSettings,
    /// Fabric-specific parameters, under the name of each fabric's module.
    pub own: FabricParameters,
}

/// Number of fabrics that Nadig et al., "Venice", ISCA 2023, compare. They are the first of
/// [`FabricKind::NAMES`]. The paper mentions the other fabrics as related work (§7).
const COMPARED: usize = 6;

/// Returns the names of the fabrics that the Venice paper compares, in the order of [`FabricKind::NAMES`].
pub fn paper_fabric_names() -> &'static [&'static str] {
    &FabricKind::NAMES[..COMPARED]
}

impl FabricKind {
    /// Checks that the fabric can be built from `settings`. Assumes that each setting is within its range,
    /// which is checked when the configuration is read.
    ///
    /// # Errors
    /// Returns a [`FabricError`] that names the settings in conflict and the reason.
    pub fn validate(self, settings: &FabricSettings) -> Result<(), FabricError> {
        let (kind, settings) = self.built_as(settings);
        match_kind!(kind, F => F::check(&settings))?;
        self.loss(&settings).check(settings.array, &settings.faults)
    }

    /// Returns the chips that no controller reaches after all configured faults.
    pub fn loss(self, settings: &FabricSettings) -> UnreachableChips {
        let (kind, settings) = self.built_as(settings);
        match_kind!(kind, F => F::loss(&settings))
    }

    /// Returns the kind of fabric that is actually built, and its settings: NoSSD with circuit switching is
    /// built as a Venice mesh.
    fn built_as(self, settings: &FabricSettings) -> (Self, Cow<'_, FabricSettings>) {
        match nossd::circuit_settings(settings).filter(|_| self == Self::NoSsd) {
            Some(circuits) => (Self::Venice, Cow::Owned(circuits)),
            None => (self, Cow::Borrowed(settings)),
        }
    }

    /// Builds the fabric and passes it to `visitor` with its concrete type.
    ///
    /// # Errors
    /// Returns the errors of [`FabricKind::validate`].
    pub fn build_with<V: FabricVisitor>(
        self,
        settings: &FabricSettings,
        visitor: V,
    ) -> Result<V::Output, FabricError> {
        self.validate(settings)?;
        let (kind, settings) = self.built_as(settings);
        Ok(match_kind!(kind, F => visitor.visit(F::new(&settings))))
    }

    /// Builds the fabric as a trait object, for code off the hot path.
    ///
    /// # Errors
    /// Returns the errors of [`FabricKind::validate`].
    pub fn build(self, settings: &FabricSettings) -> Result<Box<dyn Fabric>, FabricError> {
        self.build_with(settings, FabricBoxingVisitor)
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
