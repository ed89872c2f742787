//! Units of figures.

/// Units by suffix of a figure's name. If one suffix ends with another, the longer one comes first.
const ENDINGS: [(&str, &str); 10] = [
    ("_mb_per_s", "10^6 bytes/s"),
    ("_bytes", "bytes"),
    ("iops", "requests/s"),
    ("_pct", "%"),
    ("_mm2", "mm²"),
    ("_uj", "µJ"),
    ("_mw", "mW"),
    ("_us", "µs"),
    ("_ns", "ns"),
    ("_s", "s"),
];

/// Returns the unit that the suffix of a figure's name states. A breakdown after the unit is ignored, such as
/// `_by_chip` in `chip_pct_by_chip`.
pub(super) fn of_name(name: &str) -> Option<&'static str> {
    let name = name.split_once("_by_").map_or(name, |(whole, _)| whole);
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|&(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_of_a_name_determines_its_unit() {
        assert_eq!(of_name("bandwidth_mb_per_s"), Some("10^6 bytes/s"));
        assert_eq!(of_name("wall_s"), Some("s"));
        assert_eq!(of_name("by_row_us"), Some("µs"));
        assert_eq!(of_name("chip_pct_by_chip"), Some("%"));
    }

    #[test]
    fn a_name_without_a_suffix_has_no_unit() {
        assert_eq!(of_name("reads"), None);
        assert_eq!(of_name("us"), None);
    }
}
