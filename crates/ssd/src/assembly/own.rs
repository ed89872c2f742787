//! Policies from outside the catalogue: a fabric, a host scheduler and a victim policy that another crate brings.
//!
//! # How
//! Each is a name and how it is made from what the drive's settings say, and takes the place of the one that the settings name; whatever else they
//! say stays as it is. The drive is compiled for a fabric wherever [`OwnPolicies::fabric`] is called, so that one from outside costs what one of
//! the catalogue does. The two others stand behind a table of functions, and are held to their contracts while they work.
//!
//! The report has the name where it has that of a member of the catalogue, the configuration in it too.

use serde_json::Value;

use crate::device::{Joins, joining};
use crate::fabric::{Fabric, FabricError, FabricSettings};
use crate::ftl::{OwnVictim, PlaneShape, VictimPolicy, VictimSelection};
use crate::geometry::Geometry;
use crate::host::scheduler::{HostScheduler, OwnScheduler, SchedulerChoice, SchedulerSettings};
use crate::parameters::Choice;
use crate::registry::FabricKind;

use super::{DriveSettings, SimulationError};

type MakeFabric = Box<dyn FnOnce(&FabricSettings) -> Result<Box<dyn Joins>, FabricError> + Send>;
type MakeScheduler = Box<dyn FnOnce(String, &SchedulerSettings) -> OwnScheduler + Send>;
type MakeVictim = Box<dyn FnOnce(PlaneShape, u64) -> OwnVictim + Send>;

/// The policies of a run that are in no catalogue; by default none.
#[derive(Default)]
pub struct OwnPolicies {
    fabric: Option<(String, MakeFabric)>,
    host_scheduler: Option<(String, MakeScheduler)>,
    victim: Option<(String, MakeVictim)>,
}

impl OwnPolicies {
    /// With this fabric. What it is told are the settings of every fabric, whose parts `own` are those of the catalogue's; its own parameters are
    /// its crate's affair. Settings that do not suit it, it refuses with [`FabricError::Own`].
    #[must_use]
    pub fn fabric<F: Fabric + Send + 'static>(
        mut self,
        name: &str,
        make: impl FnOnce(&FabricSettings) -> Result<F, FabricError> + Send + 'static,
    ) -> Self {
        let boxed = |settings: &FabricSettings| Ok(Box::new(make(settings)?) as Box<dyn Joins>);
        self.fabric = Some((name.to_owned(), Box::new(boxed)));
        self
    }

    /// With this host scheduler. The drive must have an I/O queue in the host (`host.scheduler.scheme` other than `"none"`).
    #[must_use]
    pub fn host_scheduler<S: HostScheduler + Send + 'static>(
        mut self,
        name: &str,
        make: impl FnOnce(&SchedulerSettings) -> S + Send + 'static,
    ) -> Self {
        let held = |name, settings: &SchedulerSettings| OwnScheduler::new(name, make(settings));
        self.host_scheduler = Some((name.to_owned(), Box::new(held)));
        self
    }

    /// With this victim policy, made for planes of a shape and the seed of a run. Preconditioning by MQSim's formula takes that of the policy
    /// whose place it has.
    #[must_use]
    pub fn victim<V: VictimSelection + Clone + Send + 'static>(
        mut self,
        name: &str,
        make: impl FnOnce(PlaneShape, u64) -> V + Send + 'static,
    ) -> Self {
        let held = |shape, seed| OwnVictim::new(make(shape, seed), shape);
        self.victim = Some((name.to_owned(), Box::new(held)));
        self
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.fabric.is_none() && self.host_scheduler.is_none() && self.victim.is_none()
    }

    /// Makes them for a drive.
    ///
    /// # Errors
    /// [`SimulationError::OwnPolicy`] for a name that is taken, or what the drive has no place for; [`SimulationError::Fabric`].
    pub(super) fn build(self, drive: &DriveSettings) -> Result<BuiltPolicies, SimulationError> {
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

    fn names(&self) -> OwnNames {
        OwnNames {
            fabric: self.fabric.as_ref().map(|(name, _)| name.clone()),
            host_scheduler: self.host_scheduler.as_ref().map(|(name, _)| name.clone()),
            victim: self.victim.as_ref().map(|(name, _)| name.clone()),
        }
    }
}

fn shape(geometry: &Geometry) -> PlaneShape {
    PlaneShape { blocks: geometry.blocks_per_plane, pages: geometry.pages_per_block }
}

/// The fabric of a drive, and the policies that are its own.
pub(super) struct BuiltPolicies {
    pub(super) fabric: Box<dyn Joins>,
    pub(super) host_scheduler: Option<OwnScheduler>,
    pub(super) victim: Option<OwnVictim>,
    pub(super) names: OwnNames,
}

/// What the policies from outside the catalogue are called.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnNames {
    fabric: Option<String>,
    host_scheduler: Option<String>,
    victim: Option<String>,
}

impl OwnNames {
    /// Each that there is: what it is, its key in a drive's configuration, its name, the names that are taken.
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
                return Err(refused(what, name, "its name is empty or that of one of the catalogue"));
            }
        }
        if let Some(name) = self.fabric.as_deref().filter(|_| !drive.fabric.faults.is_empty()) {
            return Err(refused(
                "fabric",
                name,
                "what is lost with what fails, only fabrics of the catalogue say",
            ));
        }
        match &self.host_scheduler {
            Some(name) if drive.host.scheduler.is_none() => {
                let wrong = "the host has no I/O queue; set `host.scheduler.scheme` to \"noop\", whose place it takes";
                Err(refused("host scheduler", name, wrong))
            }
            _ => Ok(()),
        }
    }

    /// That of the fabric, if it is from outside.
    pub(super) fn fabric(&self) -> Option<&str> {
        self.fabric.as_deref()
    }

    /// Whether the host scheduler is from outside.
    pub(super) const fn has_host_scheduler(&self) -> bool {
        self.host_scheduler.is_some()
    }

    /// The host scheduler broke its contract or raised something.
    pub(super) fn scheduler_failed(
        &self,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> SimulationError {
        failed("host scheduler", self.host_scheduler.as_deref(), cause)
    }

    /// The victim policy broke its contract.
    pub(super) fn victim_failed(&self, broken: &str) -> SimulationError {
        failed("victim policy", self.victim.as_deref(), broken)
    }

    /// Whose bug it is when something happened that must not.
    pub(super) fn suspects(&self) -> String {
        let own: Vec<_> = self.each().map(|(what, _, name, _)| format!("the {what} `{name}`")).collect();
        if own.is_empty() {
            return "the simulator: please report it with the configuration".to_owned();
        }
        format!("{}, or the simulator; try the contract's tests first (`testkit::contract`)", own.join(", "))
    }

    /// Writes them into a configuration, where it names those whose places they have.
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
    SimulationError::OwnPolicy { what, name: name.unwrap_or_default().to_owned(), cause: cause.into() }
}

fn refused(what: &'static str, name: &str, wrong: &str) -> SimulationError {
    failed(what, Some(name), wrong)
}
