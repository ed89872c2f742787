//! New names of renamed configuration keys, in drive files and in other files.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// New names of renamed keys by old name, for each kind of file.
pub type Renames = BTreeMap<String, BTreeMap<String, String>>;

const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets/renames.toml"));

static RENAMES: LazyLock<Renames> =
    LazyLock::new(|| toml::from_str(TEXT).expect("presets/renames.toml has tables of names"));

/// Returns the new names of renamed keys by their old names, for each kind of file.
pub fn renamed_keys() -> &'static Renames {
    &RENAMES
}

/// Returns the new name of a renamed key of drive files.
pub(super) fn present_name(key: &str) -> Option<&'static str> {
    RENAMES.get("drive")?.get(key).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::super::table::find;
    use super::*;

    #[test]
    fn messages_consult_every_kind_of_file() {
        assert_eq!(RENAMES.keys().collect::<Vec<_>>(), ["drive"]);
    }

    #[test]
    fn old_names_are_unknown_and_present_names_exist() {
        for (old, present) in &RENAMES["drive"] {
            assert!(find(old).is_none(), "{old} is a key");
            assert!(find(present).is_some(), "{present} is no key");
        }
    }
}
