//! Workloads that a program describes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::checks;
use super::definition::{self, MixDefinition};
use super::error::WorkloadError;
use super::layers::Definition;
use super::mix;
use super::text::Text;
use super::workload::Workload;
use crate::request::SourceError;

/// A workload that a program describes, by the text of its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// What messages and reports call it.
    pub label: String,
    /// The text, as of a file in the working folder.
    pub text: String,
}

impl Described {
    /// Reads and checks it.
    ///
    /// # Errors
    /// [`WorkloadError`], for a definition with a fault.
    pub fn load(&self) -> Result<Workload, SourceError> {
        Ok(loaded(&self.definition()?)?)
    }

    /// Everything that it says, with what it extends, as a table; its flows likewise.
    ///
    /// # Errors
    /// [`WorkloadError`], for a definition with a fault.
    pub fn complete(&self) -> Result<Json, SourceError> {
        Ok(complete(&self.definition()?)?)
    }

    fn definition(&self) -> Result<Definition, WorkloadError> {
        Definition::of(Text::of(&self.label, &self.text))
    }
}

/// The workload of a definition.
pub(super) fn loaded(definition: &Definition) -> Result<Workload, WorkloadError> {
    if definition.is_mix() {
        return mix::checked(definition);
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
    Ok(complete(&Definition::of(text)?)?)
}

fn complete(definition: &Definition) -> Result<Json, WorkloadError> {
    loaded(definition)?;
    if !definition.is_mix() {
        return said::<definition::Definition>(definition);
    }
    let mix: MixDefinition = definition.parse()?;
    let numbered = (1..).zip(&mix.flows);
    let flows =
        numbered.map(|(number, flow)| said::<definition::Definition>(&definition.flow(flow, number)?));
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
