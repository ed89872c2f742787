//! Configuration layers from files and presets: lookup by name or path, reading, parsing, error messages.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use venice_params::{RawTable, SyntaxError, nearest, parse_document};
use venice_requests::input;

use super::document::{Document, SourcePosition};
use super::error::Problem;
use super::presets::{self, CHIPS, DRIVES, Preset};

/// Role of a layer (drive or chip), which determines the available presets and the permitted keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayerRole {
    /// Layer of a complete drive, or of changes to one.
    Drive,
    /// Layer of a flash chip.
    Chip,
}

/// Configuration layer: a parsed file or preset.
#[derive(Debug)]
pub(super) struct ConfigLayer {
    /// Name and source text of the layer.
    pub(super) document: Arc<Document>,
    /// Parsed TOML table of the layer.
    pub(super) table: RawTable,
    /// Folder to which paths in the file are relative; `None` for a preset.
    folder: Option<PathBuf>,
    /// Name of the preset, or of the file without its extension.
    pub(super) title: String,
}

/// Table of a drive that was converted from another format than TOML.
#[derive(Debug)]
pub struct NamedTable {
    /// Text to which the positions of keys and values refer.
    pub document: Arc<Document>,
    /// Keys and values as in a drive file.
    pub table: RawTable,
    /// Name of the drive.
    pub title: String,
}

impl From<NamedTable> for ConfigLayer {
    fn from(NamedTable { document, table, title }: NamedTable) -> Self {
        Self { document, table, folder: None, title }
    }
}

/// Name of a file or preset to load, with the location where it is written.
#[derive(Debug)]
pub(super) struct Reference {
    /// Name of a preset, or a path.
    pub(super) name: String,
    /// Location where the name is written; `None` if the caller passed it.
    pub(super) place: Option<SourcePosition>,
    /// Folder in which relative paths start.
    pub(super) folder: Option<PathBuf>,
}

impl LayerRole {
    const fn presets(self) -> &'static [Preset] {
        match self {
            Self::Drive => DRIVES,
            Self::Chip => CHIPS,
        }
    }

    /// Returns the noun of the role, for messages.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Drive => "drive",
            Self::Chip => "chip",
        }
    }
}

impl ConfigLayer {
    /// Opens the preset or file of `reference`.
    pub(super) fn open(role: LayerRole, reference: &Reference) -> Result<Self, Vec<Problem>> {
        if let Some(preset) = presets::find(role.presets(), &reference.name) {
            return Self::parse(preset.path.to_owned(), preset.text.to_owned(), None, preset.name);
        }
        let path = reference.folder.as_deref().unwrap_or(Path::new("")).join(&reference.name);
        if !looks_like_a_path(&reference.name) && !path.exists() {
            return Err(vec![unknown_name(role, reference)]);
        }
        if reference.place.is_some() && path.exists() && !input::is_regular(&path, &["toml"]) {
            let problem = Problem::new(format!("`{}` is not a {} file", reference.name, role.noun()));
            return Err(vec![
                problem.at(reference.place.clone()).note("expected: a regular file that ends in .toml"),
            ]);
        }
        let text = read_text(&path).map_err(|message| {
            vec![Problem::new(message).at(reference.place.clone()).note(known_names(role))]
        })?;
        let title = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        let folder = path.parent().map(Path::to_path_buf);
        Self::parse(path.display().to_string(), text, folder, &title)
    }

    /// Creates a drive layer from text without a file; paths are relative to the working folder.
    pub(super) fn from_text(name: &str, text: &str) -> Result<Self, Vec<Problem>> {
        Self::parse(name.to_owned(), text.to_owned(), None, name)
    }

    fn parse(name: String, text: String, folder: Option<PathBuf>, title: &str) -> Result<Self, Vec<Problem>> {
        let document = Arc::new(Document { name, text });
        let table = parse_document(&document.text).map_err(|errors| {
            let mut problems: Vec<Problem> =
                errors.into_iter().map(|error| syntax_problem(&document, error)).collect();
            problems.sort_by_key(Problem::offset);
            problems
        })?;
        Ok(Self { document, table, folder, title: title.to_owned() })
    }

    /// Returns the file or preset named by the top-level string key `key`; `None` if it is absent or empty.
    pub(super) fn reference(&self, key: &str) -> Option<Reference> {
        let raw = self.table.get(key)?;
        let place = SourcePosition { document: Arc::clone(&self.document), span: Some(raw.span.clone()) };
        let cited = raw.as_table().and_then(|table| table.get("value"));
        let name = cited.unwrap_or(raw).as_text()?.to_owned();
        (!name.is_empty()).then(|| Reference { name, place: Some(place), folder: self.folder.clone() })
    }
}

fn looks_like_a_path(name: &str) -> bool {
    name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|ending| ending == "toml")
}

fn unknown_name(role: LayerRole, reference: &Reference) -> Problem {
    let name = &reference.name;
    let close = nearest(name, presets::names(role.presets()).into_iter());
    let hint = close.map_or("no such preset or file".to_owned(), |close| format!("did you mean `{close}`?"));
    let problem = Problem::new(format!("unknown {} `{name}`", role.noun()));
    problem.at(reference.place.clone()).hint(Some(hint)).note(known_names(role))
}

fn known_names(role: LayerRole) -> String {
    let names = presets::names(role.presets()).join(", ");
    format!("expected: one of the presets ({names}), or the path of a {} file (.toml)", role.noun())
}

/// Returns the text of a file.
///
/// # Errors
/// Returns the reason why the file cannot be read, as the first line of a message.
pub fn read_text(path: &Path) -> Result<String, String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(format!("`{shown}` is a folder, not a file"));
    }
    let bytes = input::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("no such file: `{shown}`"),
        _ => format!("cannot read `{shown}`: {error}"),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        format!("`{shown}` is not UTF-8 text (byte {})", valid + 1)
    })
}

fn syntax_problem(document: &Arc<Document>, error: SyntaxError) -> Problem {
    let place = SourcePosition { document: Arc::clone(document), span: error.span };
    Problem::new("this is not valid TOML").at(Some(place)).hint(Some(error.message))
}
