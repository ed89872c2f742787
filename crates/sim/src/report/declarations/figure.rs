//! List of the figures of a report.

use serde_json::Value as Json;

use super::unit;

/// JSON type of a figure in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Integer.
    Count,
    /// Floating-point number.
    Number,
    /// Boolean: true or false.
    Truth,
    /// Text.
    Text,
    /// Group of figures.
    Group,
    /// JSON of any other type, such as the resolved configuration.
    Other,
}

impl Form {
    /// Returns the name of the type in the reference page.
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

/// Figure or group of figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Name from the report's top level on, separated by dots: `latency_us.all.p99`. `*` stands for the keys
    /// of a table, `[]` for the indices of a list.
    pub name: String,
    /// JSON type of the figure.
    pub form: Form,
    /// Unit of the figure. `None` for figures that have no unit, such as texts, and an empty text for plain
    /// numbers.
    pub unit: Option<String>,
    /// True if a report may lack the figure or contain `null` for it.
    pub optional: bool,
    /// Description of the figure.
    pub text: String,
}

impl Figure {
    /// Returns the nesting depth: 0 at the top level.
    pub fn depth(&self) -> usize {
        self.name.matches('.').count()
    }

    /// Returns true if `name` is the name of this figure. List indices and table keys may be omitted (`0` in
    /// `queues.0.read_bytes`, `read` in `breakdown_us.read.queue`).
    pub fn is_called(&self, name: &str) -> bool {
        let parts = |name: &'_ str| -> Vec<String> {
            name.split('.').map(|part| part.trim_end_matches("[]").to_owned()).collect()
        };
        let mut wanted = parts(name);
        wanted.retain(|part| part.parse::<u32>().is_err());
        matches(&parts(&self.name), &wanted)
    }
}

/// Returns all figures and groups of a report's schema, in the order of the report.
pub fn figures(schema: &Json) -> Vec<Figure> {
    let mut walk = SchemaWalk { schema, found: Vec::new() };
    walk.fields_of(schema, "", None);
    walk.found
}

/// Traversal of the JSON schema of a report.
struct SchemaWalk<'a> {
    schema: &'a Json,
    found: Vec<Figure>,
}

/// Schema of a figure's value, without references and without `null`.
struct BareSchema<'a> {
    schema: &'a Json,
    /// True if the figure may be `null`.
    nullable: bool,
    /// Suffix of the figure's name: `[]` for the elements of a list, `.*` for those of a table, otherwise
    /// empty.
    behind: String,
}

impl<'a> SchemaWalk<'a> {
    fn fields_of(&mut self, group: &'a Json, before: &str, unit: Option<&str>) {
        let always = as_list(&group["required"]);
        let Some(fields) = group["properties"].as_object() else { return };
        // The list of required fields has the order of the type, whereas an object is sorted alphabetically.
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
        // A field without a description has the description of its type.
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

    /// Follows references, lists and tables in `schema` to the schema of the figure's value.
    fn bare(&self, schema: &'a Json) -> BareSchema<'a> {
        if let Some(name) = schema["$ref"].as_str() {
            let path = name.trim_start_matches('#');
            return self.bare(self.schema.pointer(path).unwrap_or(&Json::Null));
        }
        if let [inner, null] = as_list(&schema["anyOf"])
            && null["type"] == "null"
        {
            return BareSchema { nullable: true, ..self.bare(inner) };
        }
        let (inner, behind) = match names_type(schema, "array") {
            true if schema["items"].is_object() => (&schema["items"], "[]"),
            _ if schema["additionalProperties"].is_object() => (&schema["additionalProperties"], ".*"),
            _ => return BareSchema { schema, nullable: names_type(schema, "null"), behind: String::new() },
        };
        let bare = self.bare(inner);
        BareSchema { behind: format!("{behind}{}", bare.behind), ..bare }
    }
}

/// Returns true if a name matches the pattern `has`, in which `*` stands for at most one part of the name.
fn matches(has: &[String], wanted: &[String]) -> bool {
    match (has, wanted) {
        ([], []) => true,
        ([any, has @ ..], [_, rest @ ..]) if any == "*" && matches(has, rest) => true,
        ([any, has @ ..], wanted) if any == "*" => matches(has, wanted),
        ([one, has @ ..], [other, wanted @ ..]) => one == other && matches(has, wanted),
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
