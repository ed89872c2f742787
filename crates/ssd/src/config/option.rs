//! Options of the command line as a layer: `--fabric NAME`, `--set key=value`, `--seed S`.

use std::sync::Arc;

use super::document::{Document, Place};
use super::error::Problem;
use crate::parameters::{Raw, RawValue, parse_word};

/// A fabric that was asked for beside the drive.
#[derive(Clone, Copy, Debug)]
pub struct AskedFabric<'a> {
    /// Its name.
    pub name: &'a str,
    /// As what it was typed, `--fabrics bus,venice` for instance; without it, as `--fabric NAME`.
    pub typed: Option<&'a str>,
}

impl<'a> From<&'a str> for AskedFabric<'a> {
    fn from(name: &'a str) -> Self {
        Self { name, typed: None }
    }
}

/// One option that sets one key.
#[derive(Debug)]
pub(super) struct Setting {
    /// The option as it was typed.
    pub(super) place: Place,
    /// The full key.
    pub(super) key: String,
    /// What it is set to.
    pub(super) raw: Raw,
}

impl Setting {
    /// `--fabric NAME`, or one of several.
    pub(super) fn fabric(asked: AskedFabric<'_>) -> Self {
        let raw = Raw { span: 0..0, value: RawValue::Text(asked.name.to_owned()) };
        let typed = asked.typed.map_or_else(|| format!("--fabric {}", asked.name), str::to_owned);
        Self { place: option_place(typed), key: "fabric.name".to_owned(), raw }
    }

    /// `--seed S`.
    pub(super) fn seed(seed: u64) -> Self {
        let raw = Raw { span: 0..0, value: RawValue::Integer(i128::from(seed)) };
        Self { place: option_place(format!("--seed {seed}")), key: "run.seed".to_owned(), raw }
    }

    /// `--set key=value`: the value is TOML, and what is not TOML at all is taken as a text.
    pub(super) fn parse(argument: &str) -> Result<Self, Problem> {
        let place = option_place(format!("--set {argument}"));
        let Some((key, text)) = argument.split_once('=') else {
            let problem = Problem::new(format!("`{argument}` does not set anything")).at(Some(place));
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

fn option_place(name: String) -> Place {
    Place { document: Arc::new(Document { name, text: String::new() }), span: None }
}
