//! Options that would do nothing.

use crate::config::document::Place;
use crate::config::entry::Entries;
use crate::config::error::Problem;
use crate::config::table::{Config, parameters};

const SECTION: &str = "host.scheduler.";
const SCHEME: &str = "host.scheduler.scheme";

/// Options about the host's scheduler where there is none. A file may say such things of a drive: its scheme may be chosen later.
pub(in crate::config) fn scheduler_without_a_scheme(config: &Config, entries: &Entries) -> Vec<Problem> {
    if config.host_scheduler.scheme.0.is_some() {
        return Vec::new();
    }
    let keys = parameters().map(|parameter| parameter.key);
    let own = keys.filter(|key| key.starts_with(SECTION) && *key != SCHEME);
    own.filter_map(|key| Some(nothing_to_schedule(key, option(entries, key)?))).collect()
}

/// The option that gave a parameter its value, if one did.
fn option(entries: &Entries, key: &str) -> Option<Place> {
    entries.of(key)?.place.clone().filter(|place| place.span.is_none())
}

fn nothing_to_schedule(key: &str, place: Place) -> Problem {
    let message = format!("`{key}` does nothing: the host has no scheduler");
    Problem::new(message)
        .at(Some(place))
        .note(format!("choose one, as with --set {SCHEME}=piq, or leave `{key}` out"))
}
