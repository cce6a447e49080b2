//! A project of mcp-bash and its entries.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::env::Tooling;
use super::manual::{Kind, Manual};
use super::places::Places;
use super::vars::Vars;
use super::{
    hooks, limits, meta, meta_env, prompts, registry, resources, server, tools, trust, ui,
};
use linkspan_scripts::folder::{
    Catalogue, FolderError, Mode, Problem, Program, Prompt, PromptBody, Read, Resource, Role,
    ServerInfo, Severity, Template, Tool,
};

/// The default page size.
const PAGE: usize = 50;

/// An item of mcp-bash's registry.
pub type Item = Map<String, Value>;

/// A project at one moment.
#[derive(Debug)]
pub struct Project {
    /// Its folders.
    pub places: Places,
    /// The environment, with the variables that the project may request.
    pub vars: Vars,
    /// Its name, version and instructions.
    pub server: ServerInfo,
    /// Sorted by name.
    pub tools: Vec<Item>,
    /// Sorted by name.
    pub resources: Vec<Item>,
    /// Sorted by name.
    pub templates: Vec<Item>,
    /// Sorted by name.
    pub prompts: Vec<Item>,
    /// The registered completions.
    pub completions: Vec<Item>,
    /// Kinds of entries that could not be read.
    pub faults: Faults,
    /// Problems of the project's files.
    pub problems: Vec<Problem>,
}

/// Kinds of entries that could not be read, with the errors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults([Option<String>; 5]);

impl Faults {
    /// Why a kind could not be read; `None` if it was.
    pub fn get(&self, kind: Kind) -> Option<&str> {
        self.0[kind as usize].as_deref()
    }

    fn set(&mut self, kind: Kind, why: &str) {
        self.0[kind as usize].get_or_insert_with(|| why.to_owned());
    }

    fn all(why: &str) -> Self {
        Self(std::array::from_fn(|_| Some(why.to_owned())))
    }
}

impl Project {
    /// Reads a project from its files, ignoring its registry.
    pub fn read_anew(root: &Path, vars: &Vars, tooling: &Tooling) -> Result<Self, FolderError> {
        let mut vars = vars.clone();
        vars.unset("MCPBASH_STATIC_REGISTRY");
        Self::read(root, &vars, tooling)
    }

    /// Reads a project. Runs at most its `register.sh`, and only if the operator allows it.
    pub fn read(root: &Path, vars: &Vars, tooling: &Tooling) -> Result<Self, FolderError> {
        let not_there = |_| FolderError::NotAFolder {
            path: root.to_owned(),
        };
        let given = root;
        let root = given.canonicalize().map_err(not_there)?;
        if !root.is_dir() {
            return Err(FolderError::NotAFolder { path: root });
        }
        let mut vars = vars.clone();
        let mut places = Places::of(&root, &vars);
        places.accept_writable = tooling.accept_writable;
        trust::folder(given, &root, tooling.accept_writable)?;
        let mut problems = Vec::new();
        match hooks::environment(&places, &vars, tooling) {
            Ok(set) => set
                .into_iter()
                .for_each(|(name, value)| vars.set(name, value)),
            Err(why) => {
                let file = places.server.join("env.sh");
                let path = places.relative(&file);
                problems.push(meta::problem(path, Severity::Warning, why.to_string()));
            }
        }
        let (server, said) = server::read(&places, &vars, &mut problems);
        let file = places.server.join("server.meta.json");
        for why in meta_env::apply(&mut vars, &said) {
            let path = places.relative(&file);
            problems.push(meta::problem(
                path,
                Severity::Warning,
                format!("env: {why}"),
            ));
        }
        let mut project = Self {
            places,
            vars,
            server,
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            completions: Vec::new(),
            faults: Faults::default(),
            problems,
        };
        let fixed = project.vars.get("MCPBASH_STATIC_REGISTRY") == Some("1");
        let manual = match Manual::read(&project.places, &project.vars) {
            Ok(Some(manual)) => Ok(manual),
            Ok(None) if fixed => Ok(Manual::default()),
            Ok(None) => hooks::register(&project.places, &project.vars, tooling),
            Err(why) => Err(why),
        };
        match manual {
            Ok(manual) => project.fill(&manual, fixed),
            Err(why) => {
                let (path, why) = (Path::new("server.d"), why.to_string());
                project
                    .problems
                    .push(meta::problem(path, Severity::Error, why.as_str()));
                project.faults = Faults::all(&why);
            }
        }
        project.check_sizes();
        let untrusted = trust::problems(&project);
        project.problems.extend(untrusted);
        project
            .problems
            .sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        Ok(project)
    }

    fn fill(&mut self, manual: &Manual, fixed: bool) {
        let name = self.server_name();
        let problems = &mut self.problems;
        let places = &self.places;
        let kept = |file: &str| fixed.then(|| registry::kept(places, file)).flatten();
        self.tools = match manual.get(Kind::Tools) {
            Some(entries) => registered(entries, "path", |said, path| {
                let folder = (places.tools.as_path(), places);
                Some(tools::item(said, "", path, folder, &name))
            }),
            None => kept("tools.json").unwrap_or_else(|| tools::scan(places, &name, problems)),
        };
        self.resources = match manual.get(Kind::Resources) {
            Some(entries) => registered(entries, "uri", |said, _| {
                let path = meta::text(said, "path").unwrap_or_default();
                resources::item(said, "", path, &places.resources, places)
            }),
            None => kept("resources.json").unwrap_or_else(|| {
                let mut found = resources::scan(places, problems);
                found.extend(ui::listed(places, &name, problems));
                found.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
                found
            }),
        };
        let taken = resources::taken(places, &self.resources);
        let found = resources::templates(places, &taken, problems);
        let entries = manual.get(Kind::Templates).unwrap_or_default();
        let said = entries
            .iter()
            .filter_map(|entry| resources::template(entry, &places.resources, places).ok());
        self.templates = resources::merged(said.collect(), found, &taken);
        self.prompts = match manual.get(Kind::Prompts) {
            Some(entries) => registered(entries, "path", |said, path| {
                Some(prompts::item(said, "", path, &places.prompts, places))
            }),
            None => kept("prompts.json").unwrap_or_else(|| prompts::scan(places, problems)),
        };
        self.completions = manual.get(Kind::Completions).unwrap_or_default().to_vec();
    }

    /// A list above the size limit becomes a fault.
    fn check_sizes(&mut self) {
        let most = limits::registry(&self.vars);
        let sizes = [
            (Kind::Tools, registry::text(&self.tools).len()),
            (Kind::Resources, registry::text(&self.resources).len()),
            (Kind::Templates, registry::text(&self.templates).len()),
            (Kind::Prompts, registry::text(&self.prompts).len()),
        ];
        for (kind, size) in sizes {
            if size > most {
                self.faults
                    .set(kind, &format!("there are more than {most} bytes of {kind}"));
            }
        }
    }

    /// The server's name in the URIs of its pages.
    pub(super) fn server_name(&self) -> String {
        let own = self.server.shown.get("name").and_then(Value::as_str);
        own.unwrap_or("mcp-server").to_owned()
    }

    /// A tool by its name.
    pub fn tool(&self, name: &str) -> Option<&Item> {
        self.tools
            .iter()
            .find(|tool| meta::text(tool, "name") == Some(name))
    }

    /// A prompt by its name.
    pub fn prompt(&self, name: &str) -> Option<&Item> {
        self.prompts
            .iter()
            .find(|prompt| meta::text(prompt, "name") == Some(name))
    }

    /// The templates with their names, for [`super::template::best`].
    pub fn patterns(&self) -> impl Iterator<Item = (&str, &str, &Item)> {
        self.templates.iter().filter_map(|item| {
            Some((
                meta::text(item, "name")?,
                meta::text(item, "uriTemplate")?,
                item,
            ))
        })
    }

    /// The catalogue of the project.
    pub fn catalogue(&self) -> Catalogue {
        let other = limits::of_others(&self.vars);
        let text = |item: &Item, name: &str| meta::text(item, name).unwrap_or_default().to_owned();
        let tool = |item: &Item| {
            let source = self.places.tools.join(text(item, "path"));
            Arc::new(Tool {
                name: text(item, "name"),
                shown: tools::shown(item),
                program: Program::Argv(
                    meta::argv(&source).unwrap_or_else(|| vec![source.clone().into()]),
                ),
                source,
                mode: Mode::Once,
                // mcp-bash does not validate arguments, and tools validate their own output.
                input: None,
                output: None,
                run: limits::of_tool(item, &self.vars),
                metadata: Value::Object(item.clone()),
            })
        };
        let resource = |item: &Item| {
            Arc::new(Resource {
                uri: text(item, "uri"),
                shown: resources::shown(item),
                source: self.places.resources.join(text(item, "path")),
                read: Read::Provider(text(item, "provider")),
                run: other.clone(),
                stamp: None,
            })
        };
        let template = |item: &Item| {
            Arc::new(Template {
                uri_template: text(item, "uriTemplate"),
                shown: Value::Object(item.clone()),
                source: self.places.resources.clone(),
                read: Read::Provider(String::new()),
                run: other.clone(),
            })
        };
        let prompt = |item: &Item| {
            Arc::new(Prompt {
                name: text(item, "name"),
                shown: prompts::shown(item),
                source: self.places.prompts.join(text(item, "path")),
                arguments: prompts::arguments(item),
                body: PromptBody::Messages(vec![(Role::User, String::new())]),
                run: other.clone(),
            })
        };
        Catalogue {
            root: self.places.root.clone(),
            server: self.server.clone(),
            tools: self.tools.iter().map(tool).collect(),
            resources: self.resources.iter().map(resource).collect(),
            templates: self.templates.iter().map(template).collect(),
            prompts: self.prompts.iter().map(prompt).collect(),
            completions: Vec::new(),
            providers: Vec::new(),
            problems: self.problems.clone(),
            ignored: Vec::new(),
            program: Some(super::PROGRAM),
            page_size: PAGE,
            concurrency: limits::concurrency(&self.vars),
        }
    }
}

/// The complete registered entries, sorted by name.
fn registered(
    entries: &[Item],
    needs: &str,
    make: impl Fn(&Item, &str) -> Option<Item>,
) -> Vec<Item> {
    let usable = entries.iter().filter_map(|said| {
        meta::text(said, "name")?;
        make(said, meta::text(said, needs)?)
    });
    let mut all: Vec<Item> = usable.collect();
    all.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    all
}

#[cfg(test)]
mod tests {
    use super::super::testing::{project, project_with};
    use super::*;

    fn names(items: &[Item]) -> Vec<&str> {
        items
            .iter()
            .filter_map(|item| item["name"].as_str())
            .collect()
    }

    const TOOL: (&str, &str) = (
        "tools/found/tool.sh",
        "#!/bin/sh\n# mcp: {\"name\":\"found\"}\n",
    );

    #[test]
    fn registrations_override_the_scan() {
        let registered = r#"{"version":1,"tools":[{"name":"b","path":"m/b.sh"},{"name":"a","path":"m/a.sh"},
            {"name":"a","path":"again"},{"name":"no path"}],"prompts":[]}"#;
        let (_root, project) = project(&[
            TOOL,
            ("prompts/p.txt", "x"),
            ("resources/r.txt", "x"),
            ("server.d/register.json", registered),
        ]);
        assert_eq!(names(&project.tools), ["a", "b"]);
        assert_eq!(project.tools[0]["path"], "m/a.sh");
        assert!(project.prompts.is_empty());
        assert_eq!(names(&project.resources), ["r"]);
        assert_eq!(project.faults, Faults::default());
    }

    #[test]
    fn an_invalid_register_json_hides_all_entries_and_runs_nothing() {
        let script = ("server.d/register.sh", "#!/bin/sh\n: >ran\n");
        let hooks = [("MCPBASH_ALLOW_PROJECT_HOOKS", "true")];
        let wrong = ("server.d/register.json", "{");
        let (root, project) = project_with(&[TOOL, script, wrong], &hooks);
        assert!(project.faults.get(Kind::Tools).is_some());
        assert!(project.faults.get(Kind::Prompts).is_some());
        assert!(!root.path().join("ran").exists());
    }

    #[test]
    fn a_list_above_the_limit_is_a_fault() {
        let (_root, project) = project_with(&[TOOL], &[("MCPBASH_REGISTRY_MAX_BYTES", "20")]);
        assert!(project.faults.get(Kind::Tools).is_some());
        assert!(project.faults.get(Kind::Prompts).is_none());
    }

    #[test]
    fn a_project_has_a_catalogue() {
        let meta = r#"{"name":"t","timeoutSecs":5,"outputSchema":{"type":"object"}}"#;
        let (_root, project) = project(&[
            ("tools/t/tool.sh", "#!/bin/sh"),
            ("tools/t/tool.meta.json", meta),
        ]);
        let catalogue = project.catalogue();
        assert_eq!(catalogue.program, Some("mcp-bash"));
        assert_eq!(catalogue.tools[0].name, "t");
        assert_eq!(
            catalogue.tools[0].run.timeout,
            std::time::Duration::from_secs(5)
        );
        assert_eq!(catalogue.tools[0].metadata["path"], "t/tool.sh");
        assert!(catalogue.tools[0].shown.get("path").is_none());
    }

    #[test]
    fn the_registry_replaces_the_scan_if_configured() {
        let kept = r#"{"format_version":1,"items":[{"name":"kept","path":"kept/tool.sh"}]}"#;
        let old = r#"{"version":1,"items":[]}"#;
        let files = [
            TOOL,
            ("prompts/p.txt", "x"),
            (".registry/tools.json", kept),
            (".registry/prompts.json", old),
        ];
        let (_root, project) = project_with(&files, &[("MCPBASH_STATIC_REGISTRY", "1")]);
        assert_eq!(names(&project.tools), ["kept"]);
        assert_eq!(names(&project.prompts), ["p"]);
    }
}
