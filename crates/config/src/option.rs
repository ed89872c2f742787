//! Command-line options as configuration layers: `--fabric NAME`, `--set key=value`, `--seed S`.

use std::sync::Arc;

use venice_params::{PositionedValue, RawValue, parse_word};

use super::document::{Document, SourcePosition};
use super::error::Problem;

/// Fabric selected on the command line.
#[derive(Clone, Copy, Debug)]
pub struct FabricOption<'a> {
    /// Name of the selected fabric.
    pub name: &'a str,
    /// Command-line option as typed, such as `--fabrics bus,venice`; `None` if it was `--fabric NAME`.
    pub typed: Option<&'a str>,
}

impl<'a> From<&'a str> for FabricOption<'a> {
    fn from(name: &'a str) -> Self {
        Self { name, typed: None }
    }
}

/// Command-line option that sets one key.
#[derive(Debug)]
pub(super) struct OptionSetting {
    /// Location of the option, whose document is named like the option as typed.
    pub(super) place: SourcePosition,
    /// Full key of the parameter that the option sets.
    pub(super) key: String,
    /// Value for the parameter.
    pub(super) raw: PositionedValue,
}

impl OptionSetting {
    /// Creates the setting of `--fabric NAME`, or of one name of `--fabrics`.
    pub(super) fn fabric(option: FabricOption<'_>) -> Self {
        let raw = PositionedValue { span: 0..0, value: RawValue::Text(option.name.to_owned()) };
        let typed = option.typed.map_or_else(|| format!("--fabric {}", option.name), str::to_owned);
        Self { place: option_place(typed), key: "fabric.name".to_owned(), raw }
    }

    /// Creates the setting of `--seed S`.
    pub(super) fn seed(seed: u64) -> Self {
        let raw = PositionedValue { span: 0..0, value: RawValue::Integer(i128::from(seed)) };
        Self { place: option_place(format!("--seed {seed}")), key: "run.seed".to_owned(), raw }
    }

    /// Parses `--set key=value`. The value is TOML; text that is not valid TOML becomes a string.
    pub(super) fn parse(argument: &str) -> Result<Self, Problem> {
        let place = option_place(format!("--set {argument}"));
        let Some((key, text)) = argument.split_once('=') else {
            let problem = Problem::new(format!("`{argument}` is not an assignment")).at(Some(place));
            return Err(problem.note("expected: key=value, for example flash.t_read_us=45"));
        };
        let key = key.trim().to_owned();
        match parse_word(text.trim()) {
            Ok(raw) => Ok(Self { place, key, raw }),
            Err(error) => {
                let problem = Problem::new(format!("the value of `{key}` is not valid TOML"));
                Err(problem.at(Some(place)).note(error.message))
            }
        }
    }
}

fn option_place(name: String) -> SourcePosition {
    SourcePosition { document: Arc::new(Document { name, text: String::new() }), span: None }
}
