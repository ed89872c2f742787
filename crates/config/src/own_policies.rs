//! User-defined policies from other crates, which are selected by name like built-in ones.
//!
//! # How
//! A program [registers](register) its policies before it reads the first drive. Their names are then values
//! of the keys `fabric.name`, `ftl.victim` and `host.scheduler.scheme`, and their parameters are tables of a
//! drive file: `[fabric.NAME]`, `[ftl.NAME]`, `[host.scheduler.NAME]`. Help texts, the schema and error
//! messages include them, as they are derived from the same table of parameters.
//!
//! Some checks and settings name a built-in policy. For a user-defined policy they use a built-in substitute:
//! the bus, greedy garbage collection or `noop`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use venice_drive::ftl::{PlaneShape, VictimPolicy, VictimSelection};
use venice_drive::testkit::contract::victim;
use venice_fabric::{Fabric, FabricError, FabricKind, FabricSettings};
use venice_host::scheduler::{HostScheduler, SchedulerChoice, SchedulerSettings};
use venice_params::{AcceptedValues, Choice, Parameter, ParameterKind, ParameterSet, Section, Value};
use venice_sim::assembly::{PolicyIdentity, SelectedPolicies};

use super::entry::Entries;

/// Type of policy that other crates can define: fabric, host scheduler or victim policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyKind {
    /// Fabric, which connects the chips to the controllers.
    Fabric,
    /// Host scheduler, which orders the host's requests.
    HostScheduler,
    /// Victim policy, which chooses the block for garbage collection.
    Victim,
}

impl PolicyKind {
    /// All kinds of policies that other crates can define.
    pub const ALL: [Self; 3] = [Self::Fabric, Self::HostScheduler, Self::Victim];

    /// Returns the name of the kind, as in `venice policy new --kind`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fabric => "fabric",
            Self::HostScheduler => "host_scheduler",
            Self::Victim => "victim",
        }
    }

    /// Returns the key of a drive file that selects a policy of this kind.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Fabric => "fabric.name",
            Self::HostScheduler => "host.scheduler.scheme",
            Self::Victim => "ftl.victim",
        }
    }

    /// Returns the table of a drive file that contains the parameter tables of policies of this kind.
    const fn table(self) -> &'static str {
        match self {
            Self::Fabric => "fabric",
            Self::HostScheduler => "host.scheduler",
            Self::Victim => "ftl",
        }
    }

    const fn built_in(self) -> &'static [&'static str] {
        match self {
            Self::Fabric => FabricKind::NAMES,
            Self::HostScheduler => SchedulerChoice::NAMES,
            Self::Victim => VictimPolicy::NAMES,
        }
    }

    /// Returns the name of the built-in policy that checks and settings use in place of a user-defined policy
    /// of this kind.
    const fn stand_in(self) -> &'static str {
        match self {
            Self::Fabric => "bus",
            Self::HostScheduler => "noop",
            Self::Victim => "greedy",
        }
    }
}

type Select = Box<dyn Fn(&AcceptedValues<'_>, PolicyIdentity, &mut SelectedPolicies) + Send + Sync>;

/// Policy that another crate defines: a fabric, a host scheduler or a victim policy.
pub struct OwnPolicy {
    /// Type of the policy: fabric, host scheduler or victim policy.
    pub kind: PolicyKind,
    /// Name, as in configuration files.
    pub name: &'static str,
    /// Description of the policy in a few words.
    pub about: &'static str,
    sections: fn() -> Vec<Section>,
    parameters: &'static [Parameter],
    select: Select,
    check: Box<dyn Fn() + Send + Sync>,
}

impl OwnPolicy {
    /// Checks the policy, with the defaults of its parameters, against the contract of its kind.
    ///
    /// # Panics
    /// Panics with a description of the violation.
    pub fn check_contract(&self) {
        (self.check)();
    }

    /// Returns the reason why the policy cannot be registered after policies with the names `earlier`; `None`
    /// if it can.
    fn objection(&self, earlier: &BTreeSet<&str>) -> Option<String> {
        let is_word = |text: &str| {
            text.starts_with(|first: char| first.is_ascii_lowercase())
                && text.chars().all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '_'))
        };
        let prefix = format!("{}.{}.", self.kind.table(), self.name);
        if !is_word(self.name) {
            return Some("its name has other characters than a-z, 0-9 and _".to_owned());
        }
        if self.kind.built_in().contains(&self.name) {
            return Some("its name is built in".to_owned());
        }
        if earlier.contains(prefix.as_str()) {
            return Some("its name occurs twice".to_owned());
        }
        let misplaced = self
            .parameters
            .iter()
            .find(|parameter| parameter.key.strip_prefix(&prefix).is_none_or(|name| name.contains('.')));
        if let Some(parameter) = misplaced {
            return Some(format!("its parameter `{}` is not in `{prefix}`", parameter.key));
        }
        let required = self.parameters.iter().find(|parameter| parameter.default.is_none())?;
        Some(format!("its parameter `{}` has no default", required.key))
    }
}

/// User-defined policies of a program.
#[derive(Default)]
pub struct OwnPolicies(Vec<OwnPolicy>);

impl OwnPolicies {
    /// Creates an empty list of user-defined policies.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns true if the list contains no policy.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a fabric. `make` receives the fabric's own parameters, declared with the prefix `fabric.NAME.`,
    /// and the settings common to all fabrics. It rejects unsuitable settings with [`FabricError::External`].
    #[must_use]
    pub fn fabric<P, F>(
        self,
        name: &'static str,
        about: &'static str,
        make: fn(&P, &FabricSettings) -> Result<F, FabricError>,
    ) -> Self
    where
        P: ParameterSet + Send + Sync + 'static,
        F: Fabric + Clone + Send + 'static,
    {
        let select: Select = Box::new(move |values, identity, selected| {
            let own = P::from_values(values);
            selected.set_fabric(identity, move |settings| make(&own, settings));
        });
        let check = move || {
            venice_fabric::testkit::contract::check(name, |settings| make(&P::of_defaults(), settings));
        };
        self.with::<P>(PolicyKind::Fabric, name, about, select, Box::new(check))
    }

    /// Adds a host scheduler. `make` receives the scheduler's own parameters, declared with the prefix
    /// `host.scheduler.NAME.`, and the settings common to all schedulers.
    #[must_use]
    pub fn host_scheduler<P, S>(
        self,
        name: &'static str,
        about: &'static str,
        make: fn(&P, &SchedulerSettings) -> S,
    ) -> Self
    where
        P: ParameterSet + Send + Sync + 'static,
        S: HostScheduler + Send + 'static,
    {
        let select: Select = Box::new(move |values, identity, selected| {
            let own = P::from_values(values);
            selected.set_host_scheduler(identity, move |settings| make(&own, settings));
        });
        let check = move || {
            venice_host::testkit::contract::check(name, |settings| make(&P::of_defaults(), settings));
        };
        self.with::<P>(PolicyKind::HostScheduler, name, about, select, Box::new(check))
    }

    /// Adds a victim policy. `make` receives the policy's own parameters, declared with the prefix
    /// `ftl.NAME.`, the shape of a plane, and the seed of the run.
    #[must_use]
    pub fn victim<P, V>(
        self,
        name: &'static str,
        about: &'static str,
        make: fn(&P, PlaneShape, u64) -> V,
    ) -> Self
    where
        P: ParameterSet + Send + Sync + 'static,
        V: VictimSelection + Clone + Send + 'static,
    {
        let select: Select = Box::new(move |values, identity, selected| {
            let own = P::from_values(values);
            selected.set_victim(identity, move |shape, seed| make(&own, shape, seed));
        });
        let check = move || victim::check(name, |shape, seed| make(&P::of_defaults(), shape, seed));
        self.with::<P>(PolicyKind::Victim, name, about, select, Box::new(check))
    }

    fn with<P: ParameterSet>(
        mut self,
        kind: PolicyKind,
        name: &'static str,
        about: &'static str,
        select: Select,
        check: Box<dyn Fn() + Send + Sync>,
    ) -> Self {
        let (sections, parameters) = (P::sections as fn() -> Vec<Section>, P::DECLARED);
        self.0.push(OwnPolicy { kind, name, about, sections, parameters, select, check });
        self
    }

    /// Checks the names and parameters of all policies.
    fn validate(&self) -> Result<(), RegistrationError> {
        let mut earlier = BTreeSet::new();
        let prefixes: Vec<String> =
            self.0.iter().map(|policy| format!("{}.{}.", policy.kind.table(), policy.name)).collect();
        for (policy, prefix) in self.0.iter().zip(&prefixes) {
            if let Some(cause) = policy.objection(&earlier) {
                let (kind, name) = (policy.kind.name(), policy.name);
                return Err(RegistrationError(format!("the {kind} policy `{name}`: {cause}")));
            }
            earlier.insert(prefix.as_str());
        }
        Ok(())
    }
}

/// Error that states why policies cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistrationError(String);

impl fmt::Display for RegistrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RegistrationError {}

static REGISTERED: OnceLock<OwnPolicies> = OnceLock::new();

/// Registers the user-defined policies of this program, once and before the first drive is read.
///
/// # Errors
/// [`RegistrationError`] if a name or a parameter is unsuitable, if policies were registered before, or if a
/// drive has already been read.
pub fn register(policies: OwnPolicies) -> Result<(), RegistrationError> {
    policies.validate()?;
    let too_late = "policies are registered once, before the first drive is read";
    REGISTERED.set(policies).map_err(|_| RegistrationError(too_late.to_owned()))
}

/// Returns the registered policies. After the first call, no policies can be registered.
pub fn own_policies() -> &'static [OwnPolicy] {
    &REGISTERED.get_or_init(OwnPolicies::default).0
}

/// Adds the registered policies to the parameter table: their names become choices of the parameters that
/// select policies, and their own parameters become new sections.
pub(super) fn add_own(sections: &mut Vec<Section>) {
    for kind in PolicyKind::ALL {
        let own: Vec<&OwnPolicy> = own_policies().iter().filter(|policy| policy.kind == kind).collect();
        if let Some(section) =
            sections.iter_mut().find(|section| has(section, kind.key())).filter(|_| !own.is_empty())
        {
            let with_names = section.parameters.iter().map(|parameter| with_names(parameter, kind, &own));
            // Leaked at most once per program, since the table of parameters is built once.
            section.parameters = with_names.collect::<Vec<_>>().leak();
        }
    }
    sections.extend(own_policies().iter().flat_map(|policy| (policy.sections)()));
}

fn has(section: &Section, key: &str) -> bool {
    section.parameters.iter().any(|parameter| parameter.key == key)
}

/// Returns `parameter`, with the names of `own` added to its choices if it selects policies of this kind.
fn with_names(parameter: &Parameter, kind: PolicyKind, own: &[&OwnPolicy]) -> Parameter {
    let ParameterKind::Choice { noun, names, about } = parameter.kind else { return *parameter };
    if parameter.key != kind.key() {
        return *parameter;
    }
    let names = names.iter().copied().chain(own.iter().map(|policy| policy.name));
    let texts = about.iter().copied().chain(own.iter().map(|policy| policy.about));
    let about: &[&str] = if about.is_empty() { about } else { texts.collect::<Vec<_>>().leak() };
    let names = names.collect::<Vec<_>>().leak();
    Parameter { kind: ParameterKind::Choice { noun, names, about }, ..*parameter }
}

/// Returns `value`, or the name of the built-in substitute if `value` selects a user-defined policy.
pub(super) fn stand_in<'a>(key: &str, value: &'a Value) -> &'a Value {
    static STAND_INS: OnceLock<[Value; 3]> = OnceLock::new();
    let Some(policy) = selected_policy(key, value) else { return value };
    let all = STAND_INS.get_or_init(|| PolicyKind::ALL.map(|kind| Value::Choice(kind.stand_in())));
    &all[policy.kind as usize]
}

/// Returns true if a drive selects a user-defined policy of this kind.
pub(super) fn selects_own(entries: &Entries, kind: PolicyKind) -> bool {
    entries.of(kind.key()).is_some_and(|entry| selected_policy(kind.key(), &entry.value).is_some())
}

fn selected_policy(key: &str, value: &Value) -> Option<&'static OwnPolicy> {
    let Value::Choice(name) = value else { return None };
    own_policies().iter().find(|policy| policy.kind.key() == key && policy.name == *name)
}

/// Returns the user-defined policies that a drive selects.
pub(super) fn selected_policies(entries: &Entries) -> SelectedPolicies {
    let mut selected = SelectedPolicies::default();
    for kind in PolicyKind::ALL {
        let name = entries.of(kind.key()).map(|entry| &entry.value);
        let Some(policy) = name.and_then(|name| selected_policy(kind.key(), name)) else { continue };
        let known = policy
            .parameters
            .iter()
            .filter_map(|parameter| entries.of(parameter.key).map(|entry| (parameter.key, &entry.value)));
        let values: Vec<(&'static str, &Value)> = known.collect();
        let identity = PolicyIdentity {
            name: policy.name.to_owned(),
            values: values.iter().map(|&(_, value)| value.clone()).collect(),
        };
        (policy.select)(&AcceptedValues::new(values), identity, &mut selected);
    }
    selected
}

/// Returns the user-defined policy to which a parameter belongs, if this drive does not select that policy.
pub(super) fn unselected_policy(entries: &Entries, parameter: &Parameter) -> Option<&'static OwnPolicy> {
    let owner = own_policies()
        .iter()
        .find(|policy| policy.parameters.iter().any(|declared| declared.key == parameter.key))?;
    let chosen = entries.of(owner.kind.key()).map(|entry| &entry.value);
    (chosen != Some(&Value::Choice(owner.name))).then_some(owner)
}
