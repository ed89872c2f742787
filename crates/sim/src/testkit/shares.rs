//! Check that all percentages of a report are possible.

use serde_json::Value;

use crate::report::Report;

/// Names of report fields in % that are changes or ratios, and not shares of a whole.
const CHANGES: [&str; 4] = ["drift_pct", "wires_saved_pct", "routers_pct", "die_overhead_pct"];
/// Tolerance for the rounding of floating-point sums, in %.
const ROUNDING_PCT: f64 = 1e-6;

/// Returns the shares of a report that are not between 0 and 100 %, each with its path. Fields whose name
/// ends in `_pct` or contains `_pct_` are shares, except for changes and ratios. The configuration is not
/// checked.
pub fn impossible_shares(report: &Report) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(Value::Object(fields)) = serde_json::to_value(report) {
        // These contain changes and capacities, which can be negative or exceed 100 %.
        let no_shares = ["config", "steadiness", "over_provisioning"];
        fields.iter().filter(|(name, _)| !no_shares.contains(&name.as_str())).for_each(|(name, value)| {
            collect(name, value, is_share(name), &mut found);
        });
    }
    found
}

fn is_share(name: &str) -> bool {
    (name.ends_with("_pct") || name.contains("_pct_")) && !CHANGES.contains(&name)
}

fn collect(path: &str, value: &Value, is_shares: bool, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(&format!("{path}.{name}"), value, is_shares || is_share(name), found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(path, item, is_shares, found);
            }
        }
        Value::Number(number) if is_shares => {
            let share = number.as_f64().unwrap_or(f64::NAN);
            if !(-ROUNDING_PCT..=100.0 + ROUNDING_PCT).contains(&share) {
                found.push(format!("{path} = {share}"));
            }
        }
        _ => {}
    }
}
