//! Loaded drive: configuration, settings, and the origin of each value.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value as Json};
use venice_params::{Parameter, Section, Value};
use venice_pif::search_run::PifSettings;
use venice_sim::assembly::DriveSettings;

use super::check::{idle_settings, idle_settings_of_file_searches, located, over_budget_of_searches};
use super::entry::{Entries, ParameterEntry, ValueOrigin};
use super::error::ConfigError;
use super::explain;
use super::json::insert;
use super::own_policies::{selected_policies, unselected_policy};
use super::settings::{drive_settings, pif};
use super::table::{Config, SECTIONS, find, parameters};

/// Complete and validated drive.
#[derive(Clone, Debug)]
pub struct ResolvedDrive {
    config: Config,
    settings: DriveSettings,
    entries: Entries,
}

impl ResolvedDrive {
    /// Creates a loaded drive. `title` becomes its name if the configuration does not set one.
    pub(super) fn new(mut config: Config, mut entries: Entries, title: &str) -> Self {
        if config.drive.name.is_empty() {
            title.clone_into(&mut config.drive.name);
            if let Some((index, _)) = find("name") {
                entries.set(index, ParameterEntry::default_of(Value::Text(title.to_owned())));
            }
        }
        let settings = drive_settings(&config, selected_policies(&entries));
        Self { config, settings, entries }
    }

    /// Returns the settings of the models.
    pub fn settings(&self) -> &DriveSettings {
        &self.settings
    }

    /// Returns the settings of an in-flash search.
    pub fn pif(&self) -> PifSettings {
        pif(&self.config)
    }

    /// Returns the validated values, in the units of drive files.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Checks that the drive can execute searches.
    ///
    /// # Errors
    /// Returns a [`ConfigError`] if the chips exceed their power or area budget.
    pub fn check_searches(&self) -> Result<(), ConfigError> {
        match over_budget_of_searches(&self.config) {
            Some(conflict) => Err(ConfigError::new(vec![located(conflict, &self.entries)])),
            None => Ok(()),
        }
    }

    /// Returns one sentence per reason why configured settings have no effect on requests, or not the expected one.
    pub fn remarks(&self) -> Vec<String> {
        idle_settings(&self.config, &self.entries)
    }

    /// Returns one sentence per reason why configured settings have no effect on searches of files.
    pub fn remarks_on_file_searches(&self) -> Vec<String> {
        idle_settings_of_file_searches(&self.config, &self.entries)
    }

    /// Returns the origin of the value of `key`; `None` for an unknown key.
    pub fn origin(&self, key: &str) -> Option<ValueOrigin> {
        self.entries.of(key).map(ParameterEntry::origin)
    }

    /// Returns the text of [`explain`](super::explain()) with the drive's value and its origin.
    ///
    /// # Errors
    /// Returns a [`ConfigError`] with the nearest existing key if the key does not exist.
    pub fn explain(&self, key: &str) -> Result<String, ConfigError> {
        explain::explain_for(key, Some(&self.entries))
    }

    /// Returns the drive as a complete TOML file with all keys, their cited sources, and comments that name
    /// the layer of each value. Loading the file yields the same settings.
    pub fn to_toml(&self) -> String {
        // The keys of a table may be separate in the list of all parameters.
        let mut lines: BTreeMap<&str, String> = BTreeMap::new();
        for (parameter, entry) in self.written() {
            let _ = writeln!(lines.entry(parameter.section()).or_default(), "{}", line(parameter, entry));
        }
        let written = SECTIONS.iter().filter(|section| is_written(&self.entries, section));
        let sections = written.map(|section| headed(section, lines.get(section.name)));
        sections.collect::<Vec<_>>().join("\n")
    }

    /// Returns the values as a JSON object with the structure of the TOML file.
    pub fn to_json(&self) -> Json {
        let mut root = Map::new();
        for (parameter, entry) in self.written() {
            insert(&mut root, parameter.key, entry.value.to_json());
        }
        Json::Object(root)
    }

    /// Returns the parameters that a complete file contains: all except references to other files.
    fn written(&self) -> impl Iterator<Item = (&'static Parameter, &ParameterEntry)> {
        let known = parameters().enumerate().filter(|(_, parameter)| !is_reference(parameter));
        let stated =
            known.filter_map(|(index, parameter)| self.entries.get(index).map(|entry| (parameter, entry)));
        let stated = stated.filter(|(_, entry)| entry.value != Value::Texts(Vec::new()));
        stated.filter(|(parameter, _)| unselected_policy(&self.entries, parameter).is_none())
    }
}

/// Returns the lines of a section, with its TOML heading.
fn headed(section: &Section, lines: Option<&String>) -> String {
    let lines = lines.map_or("", String::as_str);
    if section.name.is_empty() { lines.to_owned() } else { format!("[{}]\n{lines}", section.name) }
}

/// True unless a section belongs to a user-defined policy that the drive does not select.
fn is_written(entries: &Entries, section: &Section) -> bool {
    section.parameters.first().is_none_or(|first| unselected_policy(entries, first).is_none())
}

/// True for keys that refer to other files, whose content a loaded drive already includes.
fn is_reference(parameter: &Parameter) -> bool {
    matches!(parameter.key, "extends" | "chip")
}

fn line(parameter: &Parameter, entry: &ParameterEntry) -> String {
    let value = entry.value.to_toml();
    let key = parameter.name();
    if parameter.section().is_empty() {
        return format!("{key} = {value}");
    }
    let ValueOrigin { place, cited } = entry.origin();
    let place = place.map_or("default".to_owned(), |place| place.replace(char::is_control, " "));
    match cited {
        Some(cited) => {
            let cited = Value::Text(cited).to_toml();
            format!("{key} = {{ value = {value}, source = {cited} }} # {place}")
        }
        None => format!("{key} = {value} # {place}"),
    }
}
