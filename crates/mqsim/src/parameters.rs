//! Macro for parameter sets: one declaration generates the typed structure and its reader.

use venice_params::nearest;

use super::finding::{Findings, Severity};
use super::tag_types::{LimitDisplay, TagType, TaggedValue, ValueLimits};
use super::tree::Element;
use venice_config::Problem;

/// Declares parameter sets. Each parameter has a field, a tag, limits, and one of the following rules for a
/// missing value:
///
/// - `default`: MQSim's compiled-in value applies;
/// - `assumed`: MQSim would use uninitialized memory; the given value applies, with a warning;
/// - `required`: MQSim would use uninitialized memory, and there is no substitute, so a missing value is an
///   error;
/// - `optional`: only some files need the parameter.
macro_rules! parameter_sets {
    ($(
        $(#[doc = $set_doc:literal])+
        $set:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $tag:literal, $limits:expr, $missing:ident $(($value:expr))?;
            )+
        }
    )+) => {$(
        $(#[doc = $set_doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $set {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        impl $set {
            /// Names of the parameters' XML elements.
            pub(super) const TAGS: &[&str] = &[$($tag),+];

            /// Reads the parameter set from the children of an element; `None` if a value is invalid.
            pub(super) fn read(
                element: &$crate::tree::Element,
                findings: &mut $crate::finding::Findings,
            ) -> Option<Self> {
                let mut fields = $crate::parameters::FieldReader { element, findings };
                $(let $field = fields.$missing($tag, &$limits $(, $value)?);)+
                Some(Self { $($field: $field?,)+ })
            }
        }
    )+};
}
pub(super) use parameter_sets;

/// Reader of single parameters from the children of an element.
pub(super) struct FieldReader<'a> {
    /// Parent element of the parameters.
    pub(super) element: &'a Element,
    /// List to which problems and remarks are added.
    pub(super) findings: &'a mut Findings,
}

impl FieldReader<'_> {
    /// Reads a parameter for which MQSim has a compiled-in value.
    pub(super) fn default<T: TagType + PartialOrd>(
        &mut self,
        tag: &'static str,
        limits: &ValueLimits<T>,
        value: T,
    ) -> Option<TaggedValue<T>> {
        Some(self.optional(tag, limits)?.unwrap_or(TaggedValue { value, tag, span: None }))
    }

    /// Reads a parameter that MQSim leaves uninitialised if it is missing. In that case, uses `assumed` and
    /// adds a warning.
    pub(super) fn assumed<T: TagType + PartialOrd>(
        &mut self,
        tag: &'static str,
        limits: &ValueLimits<T>,
        value: T,
    ) -> Option<TaggedValue<T>> {
        let given = self.optional(tag, limits)?;
        if given.is_none() {
            let text = format!("{tag} is missing, and MQSim has no default: {} is assumed", value.text());
            self.findings.warn(&self.element.name_span, text);
        }
        Some(given.unwrap_or(TaggedValue { value, tag, span: None }))
    }

    /// Reads a parameter that must be present.
    pub(super) fn required<T: TagType + PartialOrd>(
        &mut self,
        tag: &'static str,
        limits: &ValueLimits<T>,
    ) -> Option<TaggedValue<T>> {
        let given = self.optional(tag, limits)?;
        if given.is_none() {
            let problem = Problem::new(format!("`{tag}` is missing"));
            let expected = format!("expected: <{tag}>, {}{}", T::expected(), limits.shown());
            self.findings.refuse(&self.element.name_span, problem.note(expected));
        }
        given
    }

    /// Reads an optional parameter. Returns `Some(None)` if it is absent, and `None` if its value is invalid.
    #[expect(clippy::option_option, reason = "absent and invalid differ, and invalid was reported")]
    pub(super) fn optional<T: TagType + PartialOrd>(
        &mut self,
        tag: &'static str,
        limits: &ValueLimits<T>,
    ) -> Option<Option<TaggedValue<T>>> {
        let Some(child) = self.last(tag) else { return Some(None) };
        let value = T::from_text(&child.text);
        if let Some(value) = value.clone().filter(|value| limits.hold(value)) {
            return Some(Some(TaggedValue { value, tag, span: Some(child.text_span) }));
        }
        let message = format!("`{tag}` is {}", described(&child.text, value.is_some()));
        let hint = T::hint(&child.text).unwrap_or_else(|| "not possible".to_owned());
        let expected = format!("expected: {}{}", T::expected(), limits.shown());
        self.findings.refuse(&child.text_span, Problem::new(message).hint(Some(hint)).note(expected));
        None
    }

    /// Returns the last child with this tag, which is the one that MQSim uses. Adds a warning if there are
    /// several.
    fn last(&mut self, tag: &str) -> Option<Element> {
        let mut named: Vec<&Element> = self.element.named(tag).collect();
        let last = named.pop()?.clone();
        if !named.is_empty() {
            let text = format!("{tag} occurs {} times: the last one applies, as in MQSim", named.len() + 1);
            self.findings.warn(&last.name_span, text);
        }
        Some(last)
    }
}

fn described(text: &str, is_of_the_kind: bool) -> String {
    match (text.is_empty(), is_of_the_kind) {
        (true, _) => "empty".to_owned(),
        (false, true) => format!("{text}, which is out of range"),
        (false, false) => format!("`{text}`, which is of the wrong type"),
    }
}

/// Adds a warning about child elements that no parameter set declares; MQSim ignores them silently.
pub(super) fn report_unknown(element: &Element, known: &[&[&'static str]], findings: &mut Findings) {
    let tags = || known.iter().flat_map(|tags| tags.iter().copied());
    for child in &element.children {
        if tags().any(|tag| tag == child.name) {
            continue;
        }
        let meant = nearest(&child.name, tags());
        let meant = meant.map_or(String::new(), |tag| format!("; did you mean `{tag}`?"));
        let text = format!("{} is not a parameter of MQSim and is ignored, as in MQSim{meant}", child.name);
        findings.warn(&child.name_span, text);
    }
}

/// Adds a note that lists the parameters for which MQSim's compiled-in values apply.
pub(super) fn report_compiled_in(left_out: &[String], findings: &mut Findings) {
    if !left_out.is_empty() {
        let text = format!("absent, so that MQSim's compiled-in values apply: {}", left_out.join(", "));
        findings.remark(Severity::Note, None, text);
    }
}
