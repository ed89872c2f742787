//! Tests of report texts: numbers must equal Python's notation.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../src/json.rs"]
mod json;

use json::to_json;

#[test]
fn numbers_are_written_as_python_writes_them() {
    for (value, expected) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (0.000_062_8, "6.28e-05"),
        (-3.73e-9, "-3.73e-09"),
        (5e-324, "5e-324"),
        (9_999_999_999_999_998.0, "9999999999999998.0"),
        (1e16, "1e+16"),
        (1.234_5e22, "1.2345e+22"),
        (f64::MAX, "1.7976931348623157e+308"),
    ] {
        assert_eq!(to_json(&value).unwrap(), expected);
    }
}
