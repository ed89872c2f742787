//! User-defined policies that a drive selects by name.
//!
//! # How
//! Settings can be copied and compared, and several runs can be built from them. They therefore contain
//! constructors of policies, whereas [`ExternalPolicies`](super::ExternalPolicies) contains the policies of a
//! single run. Two selections are equal if their names and parameter values are equal.

use std::fmt;
use std::sync::Arc;

use venice_drive::device::FabricConsumer;
use venice_drive::ftl::{ExternalVictim, PlaneShape, VictimSelection};
use venice_fabric::{Fabric, FabricError, FabricSettings};
use venice_host::scheduler::{ExternalScheduler, HostScheduler, SchedulerSettings};
use venice_nand::geometry::Geometry;
use venice_params::Value;

type FabricConstructor =
    dyn Fn(&FabricSettings) -> Result<Box<dyn FabricConsumer>, FabricError> + Send + Sync;
type SchedulerConstructor = dyn Fn(String, &SchedulerSettings) -> ExternalScheduler + Send + Sync;
type VictimConstructor = dyn Fn(PlaneShape, u64) -> ExternalVictim + Send + Sync;

/// User-defined policies of a drive; by default there are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectedPolicies {
    pub(super) fabric: Option<SelectedPolicy<FabricConstructor>>,
    pub(super) host_scheduler: Option<SelectedPolicy<SchedulerConstructor>>,
    pub(super) victim: Option<SelectedPolicy<VictimConstructor>>,
}

impl SelectedPolicies {
    /// Selects a fabric, built by `make` for each run.
    pub fn set_fabric<F: Fabric + Send + 'static>(
        &mut self,
        identity: PolicyIdentity,
        make: impl Fn(&FabricSettings) -> Result<F, FabricError> + Send + Sync + 'static,
    ) {
        let make = move |settings: &FabricSettings| Ok(Box::new(make(settings)?) as Box<dyn FabricConsumer>);
        self.fabric = Some(SelectedPolicy { identity, make: Arc::new(make) });
    }

    /// Selects a host scheduler, built by `make` for each run.
    pub fn set_host_scheduler<S: HostScheduler + Send + 'static>(
        &mut self,
        identity: PolicyIdentity,
        make: impl Fn(&SchedulerSettings) -> S + Send + Sync + 'static,
    ) {
        let make = move |name, settings: &SchedulerSettings| ExternalScheduler::new(name, make(settings));
        self.host_scheduler = Some(SelectedPolicy { identity, make: Arc::new(make) });
    }

    /// Selects a victim policy, built by `make` for each run.
    pub fn set_victim<V: VictimSelection + Clone + Send + 'static>(
        &mut self,
        identity: PolicyIdentity,
        make: impl Fn(PlaneShape, u64) -> V + Send + Sync + 'static,
    ) {
        let make = move |shape, seed| ExternalVictim::new(make(shape, seed), shape);
        self.victim = Some(SelectedPolicy { identity, make: Arc::new(make) });
    }

    /// Returns the name of the user-defined fabric, if one is selected.
    pub fn fabric_name(&self) -> Option<&str> {
        self.fabric.as_ref().map(|fabric| fabric.identity.name.as_str())
    }

    /// Returns true if a user-defined victim policy is selected.
    pub const fn has_victim(&self) -> bool {
        self.victim.is_some()
    }

    /// Builds the user-defined victim policy for planes of a drive with this geometry, if such a policy is
    /// selected.
    pub(super) fn build_victim(&self, geometry: &Geometry, seed: u64) -> Option<ExternalVictim> {
        self.victim.as_ref().map(|victim| (victim.make)(shape(geometry), seed))
    }
}

/// Returns the numbers of blocks and pages of a plane, as victim policies receive them.
pub(super) fn shape(geometry: &Geometry) -> PlaneShape {
    PlaneShape { blocks: geometry.blocks_per_plane, pages: geometry.pages_per_block }
}

/// Name of a user-defined policy, and the values of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyIdentity {
    /// Name, as in configuration files.
    pub name: String,
    /// Parameter values, in the order of their declaration.
    pub values: Vec<Value>,
}

/// Selected policy with its constructor.
pub(super) struct SelectedPolicy<Constructor: ?Sized> {
    pub(super) identity: PolicyIdentity,
    pub(super) make: Arc<Constructor>,
}

impl<Constructor: ?Sized> Clone for SelectedPolicy<Constructor> {
    fn clone(&self) -> Self {
        Self { identity: self.identity.clone(), make: Arc::clone(&self.make) }
    }
}

impl<Constructor: ?Sized> PartialEq for SelectedPolicy<Constructor> {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl<Constructor: ?Sized> fmt::Debug for SelectedPolicy<Constructor> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.identity.fmt(f)
    }
}
