//! Workloads that a program describes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::checks;
use super::definition::{self, MixDefinition};
use super::error::WorkloadError;
use super::layers::Definition;
use super::mix;
use super::spec::WorkloadSpec;
use super::text::Text;
use super::workload::Workload;
use crate::request::SourceError;

/// A workload that a program describes, by the text of its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// What messages and reports call it.
    pub label: String,
    /// The text, as of a file.
    pub text: String,
    /// Flows that its text names by their labels and which are described, too.
    pub flows: Vec<Described>,
}

impl Described {
    /// Reads and checks it.
    ///
    /// # Errors
    /// [`WorkloadError`], for a definition with a fault.
    pub fn load(&self) -> Result<Workload, SourceError> {
        Ok(self.loaded()?)
    }

    /// Everything that it says, with what it extends, as a table; its flows likewise.
    ///
    /// # Errors
    /// [`WorkloadError`], for a definition with a fault.
    pub fn complete(&self) -> Result<Json, SourceError> {
        self.loaded()?;
        Ok(complete(&self.definition()?, |name| self.flow(name))?)
    }

    fn loaded(&self) -> Result<Workload, WorkloadError> {
        let definition = self.definition()?;
        loaded(&definition, |name| checks::checked(&self.flow(name)?))
    }

    /// A flow, described here or to be had by its name.
    fn flow(&self, name: &str) -> Result<Definition, WorkloadError> {
        match self.flows.iter().find(|flow| flow.label == name) {
            Some(flow) => flow.definition(),
            None => Definition::of(Text::named(name)?),
        }
    }

    fn definition(&self) -> Result<Definition, WorkloadError> {
        Definition::of(Text::of(&self.label, &self.text))
    }
}

/// The workload of a definition; `flow` has those that a mix names.
pub(super) fn loaded(
    definition: &Definition,
    flow: impl Fn(&str) -> Result<WorkloadSpec, WorkloadError>,
) -> Result<Workload, WorkloadError> {
    if definition.is_mix() {
        return mix::checked(definition, flow);
    }
    Ok(Workload::single(checks::checked(definition)?))
}

/// Everything that a workload says that is known by name or path, with what it extends, as a table; its flows likewise.
///
/// # Errors
/// [`WorkloadError`], for a name that is none, a job file, and a definition with a fault.
pub fn complete_workload(name_or_path: &str) -> Result<Json, SourceError> {
    let text = Text::named(name_or_path)?;
    if text.is_jobs {
        let message = "a job file has no definition".to_owned();
        return Err(WorkloadError::Definition { file: text.file, message }.into());
    }
    let definition = Definition::of(text)?;
    loaded(&definition, super::load_flow)?;
    Ok(complete(&definition, |name| Definition::of(Text::named(name)?))?)
}

fn complete(
    definition: &Definition,
    flow: impl Fn(&str) -> Result<Definition, WorkloadError>,
) -> Result<Json, WorkloadError> {
    if !definition.is_mix() {
        return said::<definition::Definition>(definition);
    }
    let mix: MixDefinition = definition.parse()?;
    let flows = mix.flows.iter().map(|name| said::<definition::Definition>(&flow(name)?));
    let flows: Json = flows.collect::<Result<Vec<_>, WorkloadError>>()?.into();
    let mut all = said::<MixDefinition>(definition)?;
    all["flows"] = flows;
    Ok(all)
}

/// What a definition says, by its keys.
fn said<T: DeserializeOwned + Serialize>(definition: &Definition) -> Result<Json, WorkloadError> {
    let mut said = json!(definition.parse::<T>()?);
    said["name"] = definition.label.as_str().into();
    Ok(said)
}
