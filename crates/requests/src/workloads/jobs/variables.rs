//! Variables of the environment in a job file, written `${NAME}` as in fio.

use super::Fault;

/// The text with every variable's value in its place. Comments are left as they are.
pub(super) fn expanded(text: &str, value_of: impl Fn(&str) -> Option<String>) -> Result<String, Fault> {
    let mut whole = String::with_capacity(text.len());
    for (line, content) in (1..).zip(text.lines()) {
        if content.trim_start().starts_with(['#', ';']) {
            whole.push_str(content);
        } else {
            expand(content, line, &value_of, &mut whole)?;
        }
        whole.push('\n');
    }
    Ok(whole)
}

fn expand(
    content: &str,
    line: usize,
    value_of: &impl Fn(&str) -> Option<String>,
    into: &mut String,
) -> Result<(), Fault> {
    let mut rest = content;
    while let Some((before, after)) = rest.split_once("${") {
        let wrong = || {
            Fault::new(line, format!("`{content}` begins a variable that does not end; write `${{NAME}}`"))
        };
        let (name, behind) = after.split_once('}').ok_or_else(wrong)?;
        let value = value_of(name).ok_or_else(|| {
            Fault::new(line, format!("`${{{name}}}` has no value; set the environment variable {name}"))
        })?;
        into.push_str(before);
        into.push_str(&value);
        rest = behind;
    }
    into.push_str(rest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(name: &str) -> Option<String> {
        match name {
            "SIZE" => Some("4k".to_owned()),
            "UNIT" => Some("m".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn every_variable_of_a_line_has_its_value_and_comments_need_none() {
        let text = "bs=${SIZE}\n; ${OTHER}\nrate=2${UNIT},${SIZE}\n";
        let found = expanded(text, value_of).unwrap_or_default();
        assert_eq!(found, "bs=4k\n; ${OTHER}\nrate=2m,4k\n");
    }

    #[test]
    fn what_has_no_value_or_no_end_is_refused_with_its_line() {
        let refusal = |text| expanded(text, value_of).err();
        let none = Fault::new(2, "`${OTHER}` has no value; set the environment variable OTHER");
        assert_eq!(refusal("a=1\nb=${OTHER}"), Some(none));
        let open = Fault::new(1, "`b=${SIZE` begins a variable that does not end; write `${NAME}`");
        assert_eq!(refusal("b=${SIZE"), Some(open));
    }
}
