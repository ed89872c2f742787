//! User-defined policies: a fabric, a host scheduler and a victim selection policy from another crate.
//!
//! # How
//! A policy consists of a name and a constructor, which receives the drive's settings. It replaces the policy
//! named in the settings; all other settings remain. The call of [`ExternalPolicies::fabric`] compiles the
//! device for the fabric's type, so a user-defined fabric is as fast as a built-in one. The other two
//! policies use dynamic dispatch, and the rules of their interfaces are checked during the run.
//!
//! The report, including its configuration, contains the name of the user-defined policy instead of that of
//! the built-in one.

use serde_json::Value;
use venice_drive::device::{FabricConsumer, joining};
use venice_drive::ftl::{ExternalVictim, PlaneShape, VictimPolicy, VictimSelection};
use venice_fabric::{Fabric, FabricError, FabricKind, FabricSettings};
use venice_host::scheduler::{ExternalScheduler, HostScheduler, SchedulerChoice, SchedulerSettings};
use venice_params::Choice;

use super::selected::{SelectedPolicies, shape};
use super::{DriveSettings, SimulationError};

type MakeFabric = Box<dyn FnOnce(&FabricSettings) -> Result<Box<dyn FabricConsumer>, FabricError> + Send>;
type MakeScheduler = Box<dyn FnOnce(String, &SchedulerSettings) -> ExternalScheduler + Send>;
type MakeVictim = Box<dyn FnOnce(PlaneShape, u64) -> ExternalVictim + Send>;

/// User-defined policies of a run; by default there are none.
#[derive(Default)]
pub struct ExternalPolicies {
    fabric: Option<(String, MakeFabric)>,
    host_scheduler: Option<(String, MakeScheduler)>,
    victim: Option<(String, MakeVictim)>,
}

impl ExternalPolicies {
    /// Sets the fabric. The constructor receives the settings common to all fabrics; their field `own`
    /// contains the parameters of built-in fabrics only. The parameters of a user-defined fabric are defined
    /// in its own crate. For unsuitable settings, the constructor returns [`FabricError::External`].
    #[must_use]
    pub fn fabric<F: Fabric + Send + 'static>(
        mut self,
        name: &str,
        make: impl FnOnce(&FabricSettings) -> Result<F, FabricError> + Send + 'static,
    ) -> Self {
        let boxed = |settings: &FabricSettings| Ok(Box::new(make(settings)?) as Box<dyn FabricConsumer>);
        self.fabric = Some((name.to_owned(), Box::new(boxed)));
        self
    }

    /// Sets the host scheduler. The drive must have a host I/O queue (`host.scheduler.scheme` other than
    /// `"none"`).
    #[must_use]
    pub fn host_scheduler<S: HostScheduler + Send + 'static>(
        mut self,
        name: &str,
        make: impl FnOnce(&SchedulerSettings) -> S + Send + 'static,
    ) -> Self {
        let held = |name, settings: &SchedulerSettings| ExternalScheduler::new(name, make(settings));
        self.host_scheduler = Some((name.to_owned(), Box::new(held)));
        self
    }

    /// Sets the victim selection policy. The constructor receives the dimensions of a plane and the seed of
    /// the run. Preconditioning with MQSim's formula uses the formula for the replaced policy.
    #[must_use]
    pub fn victim<V: VictimSelection + Clone + Send + 'static>(
        mut self,
        name: &str,
        make: impl FnOnce(PlaneShape, u64) -> V + Send + 'static,
    ) -> Self {
        let held = |shape, seed| ExternalVictim::new(make(shape, seed), shape);
        self.victim = Some((name.to_owned(), Box::new(held)));
        self
    }

    /// Returns true if there are no user-defined policies.
    pub const fn is_empty(&self) -> bool {
        self.fabric.is_none() && self.host_scheduler.is_none() && self.victim.is_none()
    }

    /// Builds the policies for a drive.
    ///
    /// # Errors
    /// Returns [`SimulationError::ExternalPolicy`] if the name of a policy is in use or the drive cannot have
    /// such a policy, and [`SimulationError::Fabric`] if the constructor of the fabric fails.
    pub(super) fn build(mut self, drive: &DriveSettings) -> Result<BuiltPolicies, SimulationError> {
        self.add_selected(&drive.own);
        let names = self.names();
        names.check(drive)?;
        let fabric = match self.fabric {
            Some((_, make)) => make(&drive.fabric)?,
            None => joining(drive.fabric_kind, &drive.fabric)?,
        };
        let scheduled = drive.host.scheduler.as_ref().zip(self.host_scheduler);
        Ok(BuiltPolicies {
            fabric,
            host_scheduler: scheduled.map(|(settings, (name, make))| make(name, settings)),
            victim: self.victim.map(|(_, make)| make(shape(&drive.geometry), drive.ftl.seed)),
            names,
        })
    }

    /// Adds the policies that the drive selects by name, unless a policy of the same kind is already set.
    fn add_selected(&mut self, own: &SelectedPolicies) {
        if let (None, Some(own)) = (&self.fabric, own.fabric.clone()) {
            let make = own.make;
            self.fabric = Some((own.identity.name, Box::new(move |settings| make(settings))));
        }
        if let (None, Some(own)) = (&self.host_scheduler, own.host_scheduler.clone()) {
            let make = own.make;
            self.host_scheduler =
                Some((own.identity.name, Box::new(move |name, settings| make(name, settings))));
        }
        if let (None, Some(own)) = (&self.victim, own.victim.clone()) {
            let make = own.make;
            self.victim = Some((own.identity.name, Box::new(move |shape, seed| make(shape, seed))));
        }
    }

    fn names(&self) -> ExternalNames {
        ExternalNames {
            fabric: self.fabric.as_ref().map(|(name, _)| name.clone()),
            host_scheduler: self.host_scheduler.as_ref().map(|(name, _)| name.clone()),
            victim: self.victim.as_ref().map(|(name, _)| name.clone()),
        }
    }
}

/// Fabric of a drive, and its user-defined policies.
pub(super) struct BuiltPolicies {
    pub(super) fabric: Box<dyn FabricConsumer>,
    pub(super) host_scheduler: Option<ExternalScheduler>,
    pub(super) victim: Option<ExternalVictim>,
    pub(super) names: ExternalNames,
}

/// Names of the user-defined policies.
#[derive(Clone, Debug, Default)]
pub(super) struct ExternalNames {
    fabric: Option<String>,
    host_scheduler: Option<String>,
    victim: Option<String>,
}

impl ExternalNames {
    /// Returns four texts for each user-defined policy: its kind, its configuration key, its name, and the
    /// names of the built-in policies of this kind.
    fn each(&self) -> impl Iterator<Item = (&'static str, &'static str, &str, &'static [&'static str])> {
        let all = [
            ("fabric", "/fabric/name", &self.fabric, FabricKind::NAMES),
            ("host scheduler", "/host/scheduler/scheme", &self.host_scheduler, SchedulerChoice::NAMES),
            ("victim policy", "/ftl/victim", &self.victim, VictimPolicy::NAMES),
        ];
        all.into_iter().filter_map(|(what, key, name, taken)| Some((what, key, name.as_deref()?, taken)))
    }

    fn check(&self, drive: &DriveSettings) -> Result<(), SimulationError> {
        for (what, _, name, taken) in self.each() {
            if name.is_empty() || taken.contains(&name) {
                return Err(refused(what, name, "its name is empty or in the catalogue"));
            }
        }
        if let Some(name) = self.fabric.as_deref().filter(|_| !drive.fabric.faults.is_empty()) {
            return Err(refused("fabric", name, "only fabrics of the catalogue support `fabric.faults`"));
        }
        match &self.host_scheduler {
            Some(name) if drive.host.scheduler.is_none() => {
                let wrong = "the host has no I/O queue; expected: `host.scheduler.scheme = \"noop\"`, which it replaces";
                Err(refused("host scheduler", name, wrong))
            }
            _ => Ok(()),
        }
    }

    /// Returns the name of the user-defined fabric, if there is one.
    pub(super) fn fabric(&self) -> Option<&str> {
        self.fabric.as_deref()
    }

    /// Returns true if the host scheduler is user-defined.
    pub(super) const fn has_host_scheduler(&self) -> bool {
        self.host_scheduler.is_some()
    }

    /// Returns the error for a host scheduler that failed or violated the rules of its interface.
    pub(super) fn scheduler_failed(
        &self,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> SimulationError {
        failed("host scheduler", self.host_scheduler.as_deref(), cause)
    }

    /// Returns the error for a victim selection policy that violated the rules of its interface.
    pub(super) fn victim_failed(&self, broken: &str) -> SimulationError {
        failed("victim policy", self.victim.as_deref(), broken)
    }

    /// Returns the names of the components that may have caused an error, for the error's message: the
    /// user-defined policies, if there are any, and the simulator.
    pub(super) fn suspects(&self) -> String {
        let external: Vec<_> = self.each().map(|(what, _, name, _)| format!("the {what} `{name}`")).collect();
        if external.is_empty() {
            return "the simulator: please report it with the configuration".to_owned();
        }
        format!(
            "{}, or the simulator; run the contract tests first (`testkit::contract`)",
            external.join(", ")
        )
    }

    /// Replaces the names of built-in policies in a configuration by the names of the user-defined policies.
    pub(super) fn write_into(&self, config: &mut Value) {
        for (_, key, name, _) in self.each() {
            if let Some(value) = config.pointer_mut(key) {
                *value = name.into();
            }
        }
    }
}

fn failed(
    what: &'static str,
    name: Option<&str>,
    cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> SimulationError {
    SimulationError::ExternalPolicy { what, name: name.unwrap_or_default().to_owned(), cause: cause.into() }
}

fn refused(what: &'static str, name: &str, wrong: &str) -> SimulationError {
    failed(what, Some(name), wrong)
}
