//! Parameter sets: one declaration yields the typed structure and its reading.

use super::super::error::Problem;
use super::finding::{Findings, Level};
use super::tagged::{Limits, Setting, Shown, Tagged};
use super::tree::Element;
use crate::suggest::nearest;

/// Declares parameter sets: for each parameter its field, its tag, what it may be, and what happens when
/// the file does not give it.
///
/// - `default`: MQSim has this value compiled in;
/// - `assumed`: MQSim would use whatever is in memory; this value is taken, with a warning;
/// - `required`: as `assumed`, but there is no value that could be taken;
/// - `optional`: only some files need it.
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
            /// The tags of the set.
            pub(super) const TAGS: &[&str] = &[$($tag),+];

            /// Reads the set from the children of an element; nothing when one of them is wrong.
            pub(super) fn read(
                element: &$crate::config::mqsim::tree::Element,
                findings: &mut $crate::config::mqsim::finding::Findings,
            ) -> Option<Self> {
                let mut fields = $crate::config::mqsim::parameters::Fields { element, findings };
                $(let $field = fields.$missing($tag, &$limits $(, $value)?);)+
                Some(Self { $($field: $field?,)+ })
            }
        }
    )+};
}
pub(super) use parameter_sets;

/// The parameters of an element, taken one by one.
pub(super) struct Fields<'a> {
    /// The element that has them for children.
    pub(super) element: &'a Element,
    /// Where problems go.
    pub(super) findings: &'a mut Findings,
}

impl Fields<'_> {
    /// A parameter for which MQSim has a value compiled in.
    pub(super) fn default<T: Tagged + PartialOrd>(
        &mut self,
        tag: &'static str,
        limits: &Limits<T>,
        value: T,
    ) -> Option<Setting<T>> {
        Some(self.optional(tag, limits)?.unwrap_or(Setting { value, tag, span: None }))
    }

    /// A parameter that MQSim leaves to chance when it is missing.
    pub(super) fn assumed<T: Tagged + PartialOrd>(
        &mut self,
        tag: &'static str,
        limits: &Limits<T>,
        value: T,
    ) -> Option<Setting<T>> {
        let given = self.optional(tag, limits)?;
        if given.is_none() {
            let text = format!("{tag} is missing, and MQSim has no default: {} is taken", value.text());
            self.findings.warn(&self.element.name_span, text);
        }
        Some(given.unwrap_or(Setting { value, tag, span: None }))
    }

    /// A parameter that has to be there.
    pub(super) fn required<T: Tagged + PartialOrd>(
        &mut self,
        tag: &'static str,
        limits: &Limits<T>,
    ) -> Option<Setting<T>> {
        let given = self.optional(tag, limits)?;
        if given.is_none() {
            let problem = Problem::new(format!("`{tag}` is missing"));
            let expected = format!("expected: <{tag}>, {}{}", T::expected(), limits.shown());
            self.findings.refuse(&self.element.name_span, problem.note(expected));
        }
        given
    }

    /// A parameter that may be absent: `Some(None)`. `None` when its value is wrong.
    #[expect(clippy::option_option, reason = "absent and wrong are different, and wrong has been told")]
    pub(super) fn optional<T: Tagged + PartialOrd>(
        &mut self,
        tag: &'static str,
        limits: &Limits<T>,
    ) -> Option<Option<Setting<T>>> {
        let Some(child) = self.last(tag) else { return Some(None) };
        let value = T::from_text(&child.text);
        if let Some(value) = value.clone().filter(|value| limits.hold(value)) {
            return Some(Some(Setting { value, tag, span: Some(child.text_span) }));
        }
        let message = format!("`{tag}` is {}", described(&child.text, value.is_some()));
        let hint = T::hint(&child.text).unwrap_or_else(|| "not possible".to_owned());
        let expected = format!("expected: {}{}", T::expected(), limits.shown());
        self.findings.refuse(&child.text_span, Problem::new(message).hint(Some(hint)).note(expected));
        None
    }

    /// The last child of this name, which is the one that counts for MQSim.
    fn last(&mut self, tag: &str) -> Option<Element> {
        let mut named: Vec<&Element> = self.element.named(tag).collect();
        let last = named.pop()?.clone();
        if !named.is_empty() {
            let text = format!("{tag} is given {} times: the last one counts, as in MQSim", named.len() + 1);
            self.findings.warn(&last.name_span, text);
        }
        Some(last)
    }
}

fn described(text: &str, is_of_the_kind: bool) -> String {
    match (text.is_empty(), is_of_the_kind) {
        (true, _) => "empty".to_owned(),
        (false, true) => format!("{text}, which is out of range"),
        (false, false) => format!("`{text}`, which is of the wrong kind"),
    }
}

/// Warns of children that no set knows; MQSim passes over them in silence.
pub(super) fn report_unknown(element: &Element, known: &[&[&'static str]], findings: &mut Findings) {
    let tags = || known.iter().flat_map(|tags| tags.iter().copied());
    for child in &element.children {
        if tags().any(|tag| tag == child.name) {
            continue;
        }
        let meant = nearest(&child.name, tags());
        let meant = meant.map_or(String::new(), |tag| format!("; did you mean `{tag}`?"));
        let text = format!("{} is no parameter of MQSim and is ignored, as there{meant}", child.name);
        findings.warn(&child.name_span, text);
    }
}

/// Says which parameters the file leaves to MQSim's compiled-in values, in one line.
pub(super) fn report_compiled_in(left_out: &[String], findings: &mut Findings) {
    if !left_out.is_empty() {
        let text = format!("not given, so that MQSim's compiled-in values count: {}", left_out.join(", "));
        findings.remark(Level::Note, None, text);
    }
}
