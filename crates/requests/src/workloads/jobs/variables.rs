//! Environment variables in a job file, written `${NAME}` as in fio.

use super::JobProblem;
use super::lines::without_comment;

/// Returns the text without comments and with variables replaced by their values, and a problem for each line
/// with an undefined variable. Undefined variables become empty.
pub(super) fn expanded(text: &str, value_of: impl Fn(&str) -> Option<String>) -> (String, Vec<JobProblem>) {
    let (mut whole, mut faults) = (String::with_capacity(text.len()), Vec::new());
    for (line, content) in (1..).zip(text.lines()) {
        let start = whole.len();
        let code = without_comment(content);
        if let Err(fault) = expand(code, line, &value_of, &mut whole) {
            whole.truncate(start);
            faults.push(fault);
        }
        whole.push('\n');
    }
    (whole, faults)
}

fn expand(
    content: &str,
    line: usize,
    value_of: &impl Fn(&str) -> Option<String>,
    into: &mut String,
) -> Result<(), JobProblem> {
    let mut rest = content;
    while let Some((before, after)) = rest.split_once("${") {
        let wrong = || {
            JobProblem::new(line, format!("`{content}` has an unterminated variable; expected: `${{NAME}}`"))
        };
        let (name, behind) = after.split_once('}').ok_or_else(wrong)?;
        let value = value_of(name).ok_or_else(|| {
            JobProblem::new(
                line,
                format!("`${{{name}}}` has no value; expected: the environment variable {name}"),
            )
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
        let text = "bs=${SIZE}\n; ${OTHER}\nrate=2${UNIT},${SIZE} # ${OTHER}\n";
        let found = expanded(text, value_of);
        assert_eq!(found, ("bs=4k\n\nrate=2m,4k \n".to_owned(), Vec::new()));
    }

    #[test]
    fn lines_without_a_value_or_an_end_are_reported_and_left_empty() {
        let (text, faults) = expanded("a=1\nb=${OTHER}\nc=${SIZE}\nb=${SIZE", value_of);
        assert_eq!(text, "a=1\n\nc=4k\n\n");
        let none = JobProblem::new(2, "`${OTHER}` has no value; expected: the environment variable OTHER");
        let open = JobProblem::new(4, "`b=${SIZE` has an unterminated variable; expected: `${NAME}`");
        assert_eq!(faults, [none, open]);
    }
}
