//! Classification of all options of fio.
//!
//! - [No effect](no_effect): the option does not affect requests to the drive, and is ignored.
//! - [Simulated](simulated): the option is parsed by [`super::option::apply`].
//! - [Not simulated](not_simulated): the option changes requests. It is rejected with an error that names an
//!   alternative, unless its value has no effect.
//!
//! # Source
//!
//! `options.c` and `engines/` of fio 3.42. `conformance/fio_options.txt` lists the names, and a test compares
//! both lists.

mod no_effect;
mod not_simulated;
mod page;
mod simulated;

use super::super::error::nearest;
use super::JobProblem;
use super::lines::JobOption;
use not_simulated::OptionRefusal;
pub use page::reference_page;

/// Class of a fio option: without effect, simulated, or not simulated.
#[derive(Clone, Copy, Debug)]
pub(super) enum OptionClass {
    NoEffect,
    /// Simulated option with its name, of which the key in the file may be an alias.
    Simulated(&'static str),
    NotSimulated(&'static OptionRefusal),
}

/// Returns the class of the option with this name or alias.
fn class_of(key: &str) -> Option<OptionClass> {
    let simulated = || simulated::NAMES.iter().find(|names| names.contains(&key));
    let refused = || not_simulated::REFUSALS.iter().find(|refusal| refusal.names.contains(&key));
    if no_effect::names().any(|name| name == key) {
        return Some(OptionClass::NoEffect);
    }
    simulated()
        .map(|names| OptionClass::Simulated(names[0]))
        .or_else(|| refused().map(OptionClass::NotSimulated))
}

/// Returns the name of the option in an entry; `None` for an option that does not affect requests.
pub(super) fn read_as(entry: &JobOption<'_>) -> Result<Option<&'static str>, JobProblem> {
    match class_of(entry.key) {
        Some(OptionClass::NoEffect) => Ok(None),
        Some(OptionClass::Simulated(name)) => Ok(Some(name)),
        Some(OptionClass::NotSimulated(refusal)) if refusal.is_without_effect(entry.value) => Ok(None),
        Some(OptionClass::NotSimulated(refusal)) => Err(refusal.fault(entry)),
        None => Err(unknown(entry)),
    }
}

/// Iterates over all names and aliases of options.
fn known() -> impl Iterator<Item = &'static str> {
    let simulated = simulated::NAMES.iter().copied().flatten().copied();
    let refused = not_simulated::REFUSALS.iter().flat_map(|refusal| refusal.names).copied();
    no_effect::names().chain(simulated).chain(refused)
}

fn unknown(entry: &JobOption<'_>) -> JobProblem {
    let key = entry.key;
    let advice = match nearest(key, known()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "check its name in fio's documentation, or remove it".to_owned(),
    };
    JobProblem::new(entry.line, format!("unknown option `{key}`; {advice}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Returns the lines of the list of fio's options. A line contains a name, or an alias with its name.
    fn lines_of_fio() -> Vec<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/fio_options.txt");
        let list = std::fs::read_to_string(path).unwrap();
        let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn the_table_has_each_name_of_fio_once_and_no_other() {
        let (table, lines): (Vec<_>, _) = (known().collect(), lines_of_fio());
        let set: BTreeSet<_> = table.iter().copied().collect();
        let of_fio: BTreeSet<_> = lines.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(table.len(), set.len(), "a name is in two classes");
        assert_eq!(set.difference(&of_fio).collect::<Vec<_>>(), [] as [&&str; 0], "not of fio");
        assert_eq!(of_fio.difference(&set).collect::<Vec<_>>(), [] as [&&str; 0], "missing");
    }

    #[test]
    fn an_alias_has_the_class_of_its_name() {
        for (alias, name) in lines_of_fio().iter().filter_map(|line| line.split_once(' ')) {
            let class = |key| format!("{:?}", class_of(key));
            assert_eq!(class(alias), class(name), "{alias} {name}");
        }
    }

    #[test]
    fn each_refusal_states_the_effect_of_the_option_and_a_remedy() {
        for refusal in not_simulated::REFUSALS {
            for text in [refusal.effect, refusal.instead] {
                assert!(text.len() > 10 && !text.ends_with('.'), "{:?}: {text}", refusal.names);
            }
        }
    }
}
