//! Options that would do nothing.

use crate::config::error::Problem;
use crate::config::option::Setting;
use crate::config::table::Config;

const SECTION: &str = "host.scheduler.";
const SCHEME: &str = "host.scheduler.scheme";

/// Options about the host's scheduler where there is none. What describes a drive may say such things: its scheme may be chosen later.
pub(in crate::config) fn scheduler_without_a_scheme(config: &Config, options: &[Setting]) -> Vec<Problem> {
    if config.host_scheduler.scheme.0.is_some() {
        return Vec::new();
    }
    let own = options.iter().filter(|option| option.key.starts_with(SECTION) && option.key != SCHEME);
    own.map(nothing_to_schedule).collect()
}

fn nothing_to_schedule(option: &Setting) -> Problem {
    let key = &option.key;
    let message = format!("`{key}` does nothing: the host has no scheduler");
    Problem::new(message)
        .at(Some(option.place.clone()))
        .note(format!("choose one, as with --set {SCHEME}=piq, or leave `{key}` out"))
}
