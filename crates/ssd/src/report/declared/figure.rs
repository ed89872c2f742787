//! The figures of a report, as a list.

use serde_json::Value as Json;

use super::unit;

/// What a figure is in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A whole number.
    Count,
    /// A number.
    Number,
    /// Yes or no.
    Truth,
    /// A text.
    Text,
    /// Figures of its own.
    Group,
    /// Something of another make: the resolved configuration.
    Other,
}

impl Form {
    /// What it is called on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "whole number",
            Self::Number => "number",
            Self::Truth => "yes or no",
            Self::Text => "text",
            Self::Group => "group",
            Self::Other => "table",
        }
    }
}

/// A figure, or a group of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name from the report's top, with dots: `latency_us.all.p99`. `*` stands for the names of a table and `[]` for the
    /// places of a list.
    pub name: String,
    /// What it is.
    pub form: Form,
    /// Its unit; nothing for what has none, and an empty text for plain numbers.
    pub unit: Option<String>,
    /// Whether it can be absent or `null`.
    pub optional: bool,
    /// What it says.
    pub text: String,
}

impl Figure {
    /// How deep it lies: 0 at the top.
    pub fn depth(&self) -> usize {
        self.name.matches('.').count()
    }

    /// Whether a name is this figure's: the place in a list and the names of a table may be left out or given
    /// (`queues.0.read_bytes`, `breakdown_us.read.queue`).
    pub fn is_called(&self, name: &str) -> bool {
        let parts = |name: &'_ str| -> Vec<String> {
            name.split('.').map(|part| part.trim_end_matches("[]").to_owned()).collect()
        };
        let mut asked = parts(name);
        asked.retain(|part| part.parse::<u32>().is_err());
        matches(&parts(&self.name), &asked)
    }
}

/// Every figure of a report's schema and every group of them, in the order of the report.
pub fn figures(schema: &Json) -> Vec<Figure> {
    let mut walk = Walk { schema, found: Vec::new() };
    walk.fields_of(schema, "", None);
    walk.found
}

/// A way through a schema.
struct Walk<'a> {
    schema: &'a Json,
    found: Vec<Figure>,
}

/// A schema with what stands around it taken away.
struct Bare<'a> {
    /// What is left: no reference, no `null`.
    schema: &'a Json,
    /// Whether `null` was taken away.
    nullable: bool,
    /// Whether it stands for each place of a list, or of a table: what to write behind the name.
    behind: String,
}

impl<'a> Walk<'a> {
    fn fields_of(&mut self, group: &'a Json, before: &str, unit: Option<&str>) {
        let always = as_list(&group["required"]);
        let Some(fields) = group["properties"].as_object() else { return };
        // The list of those that are always there has the order of the type; an object has that of the alphabet.
        let place = |name: &String| always.iter().position(|one| one == name).unwrap_or(usize::MAX);
        let mut in_order: Vec<_> = fields.iter().collect();
        in_order.sort_by_key(|(name, _)| place(name));
        for (name, field) in in_order {
            self.field(&format!("{before}{name}"), field, unit, place(name) == usize::MAX);
        }
    }

    fn field(&mut self, name: &str, field: &'a Json, outer: Option<&str>, may_lack: bool) {
        let bare = self.bare(field);
        let last = name.rsplit('.').next().unwrap_or(name);
        let own = field["unit"].as_str().or_else(|| unit::of_name(last));
        let unit = own.or(bare.schema["unit"].as_str()).or(outer).map(str::to_owned);
        let form = form(bare.schema);
        // A part that declares itself has the text of its type.
        let text = field["description"].as_str().or(bare.schema["description"].as_str());
        let text = text.unwrap_or_default().to_owned();
        let full = format!("{name}{}", bare.behind);
        self.found.push(Figure {
            name: full.clone(),
            form,
            unit: unit.clone().filter(|_| matches!(form, Form::Count | Form::Number)),
            optional: may_lack || bare.nullable,
            text,
        });
        self.fields_of(bare.schema, &format!("{full}."), unit.as_deref());
    }

    /// Follows references, lists and tables to what a figure holds in the end.
    fn bare(&self, schema: &'a Json) -> Bare<'a> {
        if let Some(name) = schema["$ref"].as_str() {
            let path = name.trim_start_matches('#');
            return self.bare(self.schema.pointer(path).unwrap_or(&Json::Null));
        }
        if let [inner, null] = as_list(&schema["anyOf"])
            && null["type"] == "null"
        {
            return Bare { nullable: true, ..self.bare(inner) };
        }
        let (inner, behind) = match names_type(schema, "array") {
            true if schema["items"].is_object() => (&schema["items"], "[]"),
            _ if schema["additionalProperties"].is_object() => (&schema["additionalProperties"], ".*"),
            _ => return Bare { schema, nullable: names_type(schema, "null"), behind: String::new() },
        };
        let bare = self.bare(inner);
        Bare { behind: format!("{behind}{}", bare.behind), ..bare }
    }
}

/// Whether a name fits, where `*` stands for one name or for none.
fn matches(has: &[String], asked: &[String]) -> bool {
    match (has, asked) {
        ([], []) => true,
        ([any, has @ ..], [_, rest @ ..]) if any == "*" && matches(has, rest) => true,
        ([any, has @ ..], asked) if any == "*" => matches(has, asked),
        ([one, has @ ..], [other, asked @ ..]) => one == other && matches(has, asked),
        _ => false,
    }
}

fn as_list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn names_type(schema: &Json, name: &str) -> bool {
    schema["type"] == name || as_list(&schema["type"]).iter().any(|one| one == name)
}

fn form(schema: &Json) -> Form {
    let forms = [
        ("integer", Form::Count),
        ("number", Form::Number),
        ("boolean", Form::Truth),
        ("string", Form::Text),
        ("object", Form::Group),
    ];
    let pair = as_list(&schema["prefixItems"]).first();
    let of = pair.unwrap_or(schema);
    forms.into_iter().find(|(name, _)| names_type(of, name)).map_or(Form::Other, |(_, form)| form)
}
