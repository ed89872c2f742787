//! Workloads whose definition is supplied by a program.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::checks;
use super::definition::{self, MixDefinition};
use super::error::WorkloadError;
use super::layers::LayeredDefinition;
use super::mix;
use super::text::DefinitionText;
use super::workload::Workload;
use crate::request::SourceError;

/// Workload defined by a program, with the definition as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescribedWorkload {
    /// Name in messages and reports.
    pub label: String,
    /// Text of the definition. Paths in it are relative to the working folder.
    pub text: String,
}

impl DescribedWorkload {
    /// Parses and validates the definition.
    ///
    /// # Errors
    /// [`WorkloadError`] for an invalid definition.
    pub fn load(&self) -> Result<Workload, SourceError> {
        Ok(loaded(&self.definition()?)?)
    }

    /// Returns the definition of the workload and its flows as a table, including all inherited values.
    ///
    /// # Errors
    /// [`WorkloadError`] for an invalid definition.
    pub fn complete(&self) -> Result<Json, SourceError> {
        Ok(complete(&self.definition()?)?)
    }

    fn definition(&self) -> Result<LayeredDefinition, WorkloadError> {
        LayeredDefinition::of(DefinitionText::of(&self.label, &self.text))
    }
}

/// Parses and validates the workload of a definition.
pub(super) fn loaded(definition: &LayeredDefinition) -> Result<Workload, WorkloadError> {
    if definition.is_mix() {
        return mix::checked(definition);
    }
    Ok(Workload::single(checks::checked(definition)?))
}

/// Returns the definition of a named workload or file and its flows as a table, including all inherited
/// values.
///
/// # Errors
/// [`WorkloadError`] for an unknown name, a job file, or an invalid definition.
pub fn complete_workload(name_or_path: &str) -> Result<Json, SourceError> {
    let text = DefinitionText::named(name_or_path)?;
    if text.is_jobs {
        return Err(WorkloadError::of_file(&text.file, "a job file has no definition", "a workload").into());
    }
    Ok(complete(&LayeredDefinition::of(text)?)?)
}

fn complete(definition: &LayeredDefinition) -> Result<Json, WorkloadError> {
    loaded(definition)?;
    if !definition.is_mix() {
        return content_of::<definition::WorkloadDefinition>(definition);
    }
    let mix: MixDefinition = definition.parse()?;
    let numbered = (1..).zip(&mix.flows);
    let flows = numbered
        .map(|(number, flow)| content_of::<definition::WorkloadDefinition>(&definition.flow(flow, number)?));
    let flows: Json = flows.collect::<Result<Vec<_>, WorkloadError>>()?.into();
    let mut all = content_of::<MixDefinition>(definition)?;
    all["flows"] = flows;
    Ok(all)
}

/// Returns the values of a definition as a JSON object.
fn content_of<T: DeserializeOwned + Serialize + JsonSchema>(
    definition: &LayeredDefinition,
) -> Result<Json, WorkloadError> {
    let mut values = json!(definition.parse::<T>()?);
    values["name"] = definition.label.as_str().into();
    Ok(values)
}
