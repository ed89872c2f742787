//! Text of a workload definition, with the names of the file and of the workload.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::error::WorkloadError;
use super::presets::PRESETS;

/// File extension of workload definitions. Together with `JOB_SUFFIX` it distinguishes a path from the name
/// of a preset.
const TOML_SUFFIX: &str = "toml";
const JOB_SUFFIX: &str = "fio";

/// Text of a workload definition.
pub(super) struct DefinitionText {
    pub(super) content: Cow<'static, str>,
    /// Name of the file in messages.
    pub(super) file: String,
    /// Name of the workload in reports, unless the definition has the key `name`.
    pub(super) label: String,
    /// True for a fio job file.
    pub(super) is_jobs: bool,
    /// Folder of the file, to which paths in the definition are relative.
    folder: Option<PathBuf>,
}

impl DefinitionText {
    /// Reads the preset or file called `name_or_path`. A name that ends in `.toml` or `.fio` is a path.
    pub(super) fn named(name_or_path: &str) -> Result<Self, WorkloadError> {
        let path = Path::new(name_or_path);
        if ends_in(path, &[TOML_SUFFIX, JOB_SUFFIX]) {
            return Self::read(path);
        }
        let preset = PRESETS.iter().find(|(name, _)| *name == name_or_path);
        let (name, text) =
            preset.ok_or_else(|| WorkloadError::UnknownName { name: name_or_path.to_owned() })?;
        let file = format!("presets/workloads/{name}.toml");
        let content = Cow::Borrowed(*text);
        Ok(Self { content, file, label: (*name).to_owned(), is_jobs: false, folder: None })
    }

    /// Creates the text of a definition that a program passed.
    pub(super) fn of(label: &str, text: &str) -> Self {
        let (content, label) = (Cow::Owned(text.to_owned()), label.to_owned());
        Self { content, file: label.clone(), label, is_jobs: false, folder: None }
    }

    /// Creates an empty text for a part of this file. Messages show both the file and the part.
    pub(super) fn part(&self, label: &str) -> Self {
        let (file, folder) = (format!("{}, {label}", self.file), self.folder.clone());
        Self { content: Cow::Borrowed(""), file, label: label.to_owned(), is_jobs: false, folder }
    }

    /// Reads a preset or file that this definition names.
    pub(super) fn beside(&self, name_or_path: &str) -> Result<Self, WorkloadError> {
        let name = self.path_of(name_or_path);
        let path = Path::new(&name);
        let is_path = ends_in(path, &[TOML_SUFFIX, JOB_SUFFIX]);
        if is_path && path.exists() && !crate::input::is_regular(path, &[TOML_SUFFIX, JOB_SUFFIX]) {
            let message = format!("`{name_or_path}` is not a workload file");
            return Err(WorkloadError::of_file(&self.file, message, "a regular file (.toml or .fio)"));
        }
        Self::named(&name)
    }

    /// Converts a path in this definition to one relative to the working folder. Returns the name of a preset
    /// unchanged.
    pub(super) fn path_of(&self, name_or_path: &str) -> String {
        let is_path = ends_in(Path::new(name_or_path), &[TOML_SUFFIX, JOB_SUFFIX]);
        match &self.folder {
            Some(folder) if is_path => folder.join(name_or_path).display().to_string(),
            _ => name_or_path.to_owned(),
        }
    }

    fn read(path: &Path) -> Result<Self, WorkloadError> {
        let file = path.display().to_string();
        let text = crate::input::read_to_string(path)
            .map_err(|source| WorkloadError::Unreadable { file: file.clone(), source })?;
        let label = path.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
        let is_jobs = ends_in(path, &[JOB_SUFFIX]);
        let folder = path.parent().map(Path::to_path_buf);
        Ok(Self { content: Cow::Owned(text), file, label, is_jobs, folder })
    }
}

fn ends_in(path: &Path, suffixes: &[&str]) -> bool {
    let matches = |extension: &OsStr| suffixes.iter().any(|suffix| extension.eq_ignore_ascii_case(suffix));
    path.extension().is_some_and(matches)
}
