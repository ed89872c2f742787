//! A definition, and what messages and reports call it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::error::WorkloadError;
use super::presets::PRESETS;

/// Suffixes by which a path is told from a preset's name.
const TOML_SUFFIX: &str = "toml";
const JOB_SUFFIX: &str = "fio";

/// A definition as its author wrote it.
pub(super) struct Text {
    pub(super) content: Cow<'static, str>,
    /// What messages call it.
    pub(super) file: String,
    /// What reports call it, unless it has a name.
    pub(super) label: String,
    /// Whether it is a job file of fio.
    pub(super) is_jobs: bool,
    /// Where the file is: what it extends is looked for beside it.
    folder: Option<PathBuf>,
}

impl Text {
    /// The preset of a name, or the file of a path: what ends in `.toml` or `.fio` is one.
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

    /// One that a program describes.
    pub(super) fn of(label: &str, text: &str) -> Self {
        let (content, label) = (Cow::Owned(text.to_owned()), label.to_owned());
        Self { content, file: label.clone(), label, is_jobs: false, folder: None }
    }

    /// What this one extends.
    pub(super) fn extended(&self, name_or_path: &str) -> Result<Self, WorkloadError> {
        let beside = self.folder.as_ref().map(|folder| folder.join(name_or_path));
        match beside.filter(|path| ends_in(path, &[TOML_SUFFIX, JOB_SUFFIX])) {
            Some(path) => Self::read(&path),
            None => Self::named(name_or_path),
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
