//! Import relation between the source files of the workspace, read from the sources.
//!
//! A name is resolved to the file that defines it, through any re-exports: `crate::ftl::Ftl` belongs to the
//! file that defines `Ftl`, even if `ftl/mod.rs` re-exports it. A re-export is not an import. Unit tests
//! within files are ignored.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{Attribute, Item, UseTree, Visibility};

/// A module path: crate name, then module names.
pub type Module = Vec<String>;

/// Names in one source file.
#[derive(Debug, Default)]
pub struct Source {
    /// Imported names, each with its local name and its origin.
    imports: Vec<Import>,
    /// All paths in the file, as written.
    named: BTreeSet<Vec<String>>,
    /// Names defined in the file.
    defined: BTreeSet<String>,
    /// Number of inherent methods of each type, by local type name.
    methods: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Import {
    name: String,
    from: Vec<String>,
    is_handed_on: bool,
}

/// All source files of the workspace.
pub struct House {
    sources: BTreeMap<Module, Source>,
}

impl House {
    /// Reads the sources of all crates in the folder of this one.
    pub fn read() -> Self {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut sources = BTreeMap::new();
        for entry in fs::read_dir(crates).unwrap() {
            let folder = entry.unwrap().path();
            let root = folder.join("src");
            if root.is_dir() {
                let name = format!("venice_{}", folder.file_name().unwrap().to_str().unwrap());
                read_folder(&root, &[name], &mut sources);
            }
        }
        Self { sources }
    }

    /// Returns the source files.
    pub fn sources(&self) -> &BTreeMap<Module, Source> {
        &self.sources
    }

    /// Returns the modules with names used in the file of this one.
    pub fn taken_by(&self, module: &Module) -> BTreeSet<Module> {
        let source = &self.sources[module];
        let brought = source.imports.iter().filter(|import| !import.is_handed_on).map(|import| &import.from);
        let homes = source.named.iter().chain(brought).filter_map(|path| self.home_of(module, path, 0));
        homes.filter(|(home, is_module)| !is_module && home != module).map(|(home, _)| home).collect()
    }

    /// Returns the number of inherent methods of each type over all files, by defining module and name.
    pub fn methods(&self) -> BTreeMap<Module, usize> {
        let mut methods = BTreeMap::new();
        for (module, source) in &self.sources {
            for (name, count) in &source.methods {
                let found = self.home_of(module, std::slice::from_ref(name), 0);
                let home = found.map_or_else(|| module.clone(), |(home, _)| home);
                *methods.entry(home.into_iter().chain([name.clone()]).collect()).or_default() += count;
            }
        }
        methods
    }

    /// Returns the module of the file that defines `path` as seen from `module`, and true if this is `module`
    /// itself; `None` for paths outside the workspace.
    fn home_of(&self, module: &Module, path: &[String], depth: u32) -> Option<(Module, bool)> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => vec![module[0].clone()],
            "self" => module.clone(),
            "super" => module[..module.len() - 1].to_vec(),
            name if self.sources.contains_key(&vec![name.to_owned()]) => vec![name.to_owned()],
            _ => return self.home_within(module, path, depth, false),
        };
        match rest.first().map(String::as_str) {
            Some("super") => self.home_of(&start, rest, depth),
            _ => self.home_within(&start, rest, depth, true),
        }
    }

    /// True if a path starts in the workspace rather than in an external crate.
    fn is_ours(&self, module: &Module, path: &[String]) -> bool {
        let below = module.iter().chain(&path[..1]).cloned().collect::<Module>();
        matches!(path[0].as_str(), "crate" | "self" | "super")
            || self.sources.contains_key(&path[..1])
            || self.sources.contains_key(&below)
    }

    /// Resolves a path downwards from `module`. Names defined there count only if `defines`, so that names of
    /// the language and of external crates are not resolved.
    fn home_within(
        &self,
        module: &Module,
        path: &[String],
        depth: u32,
        defines: bool,
    ) -> Option<(Module, bool)> {
        assert!(depth < 50, "{module:?} hands {path:?} on in a circle");
        let Some((name, rest)) = path.split_first() else { return Some((module.clone(), true)) };
        let mut child = module.clone();
        child.push(name.clone());
        if self.sources.contains_key(&child) {
            return self.home_within(&child, rest, depth + 1, true);
        }
        let source = self.sources.get(module)?;
        if source.defined.contains(name) {
            return Some((module.clone(), false));
        }
        if let Some(import) = source.imports.iter().find(|import| import.name == *name) {
            let whole: Vec<_> = import.from.iter().chain(rest).cloned().collect();
            return if whole == path { None } else { self.home_of(module, &whole, depth + 1) };
        }
        let all =
            source.imports.iter().filter(|import| import.name == "*" && self.is_ours(module, &import.from));
        let found = all.filter_map(|import| self.home_of(module, &import.from, depth + 1)).find_map(
            |(from, is_module)| {
                (is_module && from != *module)
                    .then(|| self.home_within(&from, path, depth + 1, false))
                    .flatten()
            },
        );
        found.or_else(|| defines.then(|| (module.clone(), false)))
    }
}

fn read_folder(folder: &Path, module: &[String], sources: &mut BTreeMap<Module, Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let below = || module.iter().cloned().chain([stem.clone()]).collect::<Module>();
        if path.is_dir() {
            read_folder(&path, &below(), sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = if matches!(stem.as_str(), "lib" | "mod") { module.to_vec() } else { below() };
            sources.insert(module, read_source(&path));
        }
    }
}

fn read_source(path: &Path) -> Source {
    let file = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
    let mut source = Source::default();
    source.visit_file(&file);
    source
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

impl Source {
    fn bring_in(&mut self, tree: &UseTree, from: &[String], is_handed_on: bool) {
        let with = |name: &syn::Ident| from.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
        let (name, from) = match tree {
            UseTree::Path(path) => return self.bring_in(&path.tree, &with(&path.ident), is_handed_on),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.bring_in(tree, from, is_handed_on));
            }
            UseTree::Name(name) if name.ident == "self" => (from.last().unwrap().clone(), from.to_vec()),
            UseTree::Name(name) => (name.ident.to_string(), with(&name.ident)),
            UseTree::Rename(rename) => (rename.rename.to_string(), with(&rename.ident)),
            UseTree::Glob(_) => ("*".to_owned(), from.to_vec()),
        };
        self.imports.push(Import { name, from, is_handed_on });
    }

    /// Collects paths in the tokens of a macro call, which are not parsed.
    fn name_in_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 && !path.is_empty() {
                        self.named.insert(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    if !path.is_empty() {
                        self.named.insert(std::mem::take(&mut path));
                    }
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.name_in_tokens(group.stream());
                    }
                }
            }
        }
        if !path.is_empty() {
            self.named.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Source {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes_of(item)) {
            return;
        }
        self.defined.extend(name_of(item));
        syn::visit::visit_item(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let (None, syn::Type::Path(of)) = (&item.trait_, &*item.self_ty) {
            let name = of.path.segments.last().unwrap().ident.to_string();
            let methods = item.items.iter().filter(|item| matches!(item, syn::ImplItem::Fn(_)));
            *self.methods.entry(name).or_default() += methods.count();
        }
        syn::visit::visit_item_impl(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.bring_in(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.named.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invoked: &'ast syn::Macro) {
        self.visit_path(&invoked.path);
        self.name_in_tokens(invoked.tokens.clone());
    }
}
