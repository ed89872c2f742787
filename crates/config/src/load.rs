//! Loading of a drive from its layers, lowest first: defaults, chip, extended drives, the drive, options.

use super::check::{conflicts, located, scheduler_without_a_scheme};
use super::error::{ConfigError, Problem};
use super::layer::{ConfigLayer, LayerRole, NamedTable, Reference};
use super::option::{FabricOption, OptionSetting};
use super::own_policies::stand_in;
use super::reader::LayerReader;
use super::resolved_drive::ResolvedDrive;
use super::table::{Config, parameters};

/// Maximum length of a chain of files that extend each other; a longer chain is reported as a cycle.
const LONGEST_CHAIN: usize = 16;

/// Loads a drive.
///
/// `drive` is the name of a preset or the path of a file. `fabric` is the argument of `--fabric`, `sets` are
/// the arguments of `--set` (`key=value`), and `seed` is the argument of `--seed`. Later options override
/// earlier ones, and options override the file.
///
/// # Errors
/// Returns a [`ConfigError`] with all problems of all layers.
pub fn load(
    drive: &str,
    fabric: Option<&str>,
    sets: &[String],
    seed: Option<u64>,
) -> Result<ResolvedDrive, ConfigError> {
    load_described(drive, &[], fabric.map(FabricOption::from), sets, seed)
}

/// Loads a drive with additional settings from a program. The settings `program_sets` (`key=value`) override
/// `drive` as if they were part of its file.
///
/// # Errors
/// Returns a [`ConfigError`] with all problems of all layers.
pub fn load_described(
    drive: &str,
    program_sets: &[String],
    fabric: Option<FabricOption<'_>>,
    sets: &[String],
    seed: Option<u64>,
) -> Result<ResolvedDrive, ConfigError> {
    let reference = Reference { name: drive.to_owned(), place: None, folder: None };
    load_layers(ConfigLayer::open(LayerRole::Drive, &reference), program_sets, fabric, sets, seed)
}

/// Loads a drive from TOML text, as [`load`] does from a file; messages show `name` as the file name.
///
/// # Errors
/// Returns a [`ConfigError`] with all problems of all layers.
pub fn load_text(name: &str, text: &str, sets: &[String]) -> Result<ResolvedDrive, ConfigError> {
    load_layers(ConfigLayer::from_text(name, text), &[], None, sets, None)
}

/// Loads a drive from a table that was converted from another format, with command-line options.
///
/// # Errors
/// Returns a [`ConfigError`] with all problems. Problems of the table have the positions that the table
/// states.
pub fn load_table(
    table: NamedTable,
    fabric: Option<FabricOption<'_>>,
    sets: &[String],
    seed: Option<u64>,
) -> Result<ResolvedDrive, ConfigError> {
    load_layers(Ok(table.into()), &[], fabric, sets, seed)
}

/// Loads a drive from the layer `first`, the layers that it extends, the settings of a program, and
/// command-line options.
fn load_layers(
    first: Result<ConfigLayer, Vec<Problem>>,
    program_sets: &[String],
    fabric: Option<FabricOption<'_>>,
    sets: &[String],
    seed: Option<u64>,
) -> Result<ResolvedDrive, ConfigError> {
    let mut problems = Vec::new();
    let mut settings = read_settings(None, program_sets, None, &mut problems);
    let own = settings.len();
    settings.extend(read_settings(fabric, sets, seed, &mut problems));
    let Some(chain) = keep(first.and_then(extend), &mut problems) else {
        return Err(ConfigError::new(problems));
    };
    let chip = keep(open_chip(&chain, &settings), &mut problems).flatten();
    let mut reader = read_layers(&chain, chip.as_ref(), &settings);
    reader.problems.splice(0..0, problems);
    if reader.problems.is_empty() {
        reader.report_missing(&chain[0].document);
    }
    finish(reader, &chain[0].title, &settings[own..])
}

fn read_layers(chain: &[ConfigLayer], chip: Option<&ConfigLayer>, settings: &[OptionSetting]) -> LayerReader {
    let mut reader = LayerReader::new();
    if let Some(chip) = chip {
        reader.read_layer(chip, LayerRole::Chip, false);
    }
    for (depth, layer) in chain.iter().enumerate().rev() {
        reader.read_layer(layer, LayerRole::Drive, depth == 0);
    }
    for setting in settings {
        reader.read_setting(setting);
    }
    reader
}

/// Checks combinations of values and computes the settings of the drive.
fn finish(
    mut reader: LayerReader,
    title: &str,
    options: &[OptionSetting],
) -> Result<ResolvedDrive, ConfigError> {
    if reader.has_all_values() {
        let values = reader.entries.values().unwrap_or_default();
        let stand_ins = parameters().zip(values).map(|(parameter, value)| stand_in(parameter.key, value));
        let config = Config::from_values(stand_ins);
        let found: Vec<Problem> =
            conflicts(&config).into_iter().map(|conflict| located(conflict, &reader.entries)).collect();
        reader.problems.extend(found);
        reader.problems.extend(scheduler_without_a_scheme(&config, options));
        if reader.problems.is_empty() {
            return Ok(ResolvedDrive::new(config, reader.entries, title));
        }
    }
    Err(ConfigError::new(reader.into_problems()))
}

fn read_settings(
    fabric: Option<FabricOption<'_>>,
    sets: &[String],
    seed: Option<u64>,
    problems: &mut Vec<Problem>,
) -> Vec<OptionSetting> {
    let parsed = sets
        .iter()
        .filter_map(|set| OptionSetting::parse(set).map_err(|problem| problems.push(problem)).ok());
    let parsed: Vec<OptionSetting> = parsed.collect();
    fabric.map(OptionSetting::fabric).into_iter().chain(parsed).chain(seed.map(OptionSetting::seed)).collect()
}

fn keep<T>(result: Result<T, Vec<Problem>>, problems: &mut Vec<Problem>) -> Option<T> {
    result.map_err(|found| problems.extend(found)).ok()
}

/// Returns the drive's layer followed by the layers that it extends, directly and indirectly.
fn extend(first: ConfigLayer) -> Result<Vec<ConfigLayer>, Vec<Problem>> {
    let mut chain = vec![first];
    while let Some(reference) = chain.last().and_then(|layer| layer.reference("extends")) {
        if chain.len() == LONGEST_CHAIN {
            let message = format!(
                "more than {LONGEST_CHAIN} drives extend one another; expected: a chain of `extends` without a cycle"
            );
            return Err(vec![Problem::new(message).at(reference.place)]);
        }
        chain.push(ConfigLayer::open(LayerRole::Drive, &reference)?);
    }
    Ok(chain)
}

/// Opens the chip that the highest layer with the key `chip` names.
fn open_chip(chain: &[ConfigLayer], settings: &[OptionSetting]) -> Result<Option<ConfigLayer>, Vec<Problem>> {
    let from_option = settings.iter().rev().find(|setting| setting.key == "chip").and_then(option_reference);
    let reference = from_option.or_else(|| chain.iter().find_map(|layer| layer.reference("chip")));
    reference.map(|reference| ConfigLayer::open(LayerRole::Chip, &reference)).transpose()
}

fn option_reference(setting: &OptionSetting) -> Option<Reference> {
    let name = setting.raw.as_text().filter(|name| !name.is_empty())?.to_owned();
    Some(Reference { name, place: Some(setting.place.clone()), folder: None })
}
