//! Conversion of dotted keys (`a.b.c`) to nested JSON objects.

use serde_json::{Map, Value};

/// Inserts `value` under a dotted key, creating the intermediate objects.
pub(super) fn insert(root: &mut Map<String, Value>, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            root.insert(key.to_owned(), value);
        }
        Some((first, rest)) => {
            let inner = root.entry(first).or_insert_with(|| Value::Object(Map::new()));
            insert(inner.as_object_mut().expect("a table's name is never a parameter's"), rest, value);
        }
    }
}
