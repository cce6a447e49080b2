use std::fs;
use std::path::Path;

use super::*;
use crate::clients::Scope;
use crate::connection::Variable;
use crate::place::Wanted;
use crate::system::{Location, System};

fn connection(arg: &str) -> Connection {
    Connection::Command {
        program: "/bin/linkspan".to_owned(),
        args: vec![arg.to_owned()],
        env: Vec::new(),
    }
}

fn at(client: Client, file: &Path) -> Place {
    Place {
        client,
        scope: Scope::User,
        location: Location::File(file.to_owned()),
        project: None,
    }
}

fn add(file: &Path, name: &str) -> Result<Changed, ChangeError> {
    Plan::put(&at(Client::Cursor, file), name, &connection("a"), false)?.apply()
}

fn remove_it(file: &Path, name: &str) -> Result<Changed, ChangeError> {
    Plan::remove(&at(Client::Cursor, file), name, false)?.apply()
}

#[test]
fn a_file_is_created_then_changed_with_a_copy_then_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep/mcp.json");
    assert_eq!(add(&file, "a").unwrap(), Changed::Created);
    let first = fs::read_to_string(&file).unwrap();
    let Changed::Changed(copy) = add(&file, "b").unwrap() else {
        panic!("not changed");
    };
    assert_eq!(fs::read_to_string(copy).unwrap(), first);
    assert_eq!(add(&file, "b").unwrap(), Changed::Not);
    assert_eq!(fs::read_dir(folder.path().join("deep")).unwrap().count(), 2);
}

#[test]
fn a_file_that_has_not_the_format_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    fs::write(&file, "{\n  \"a\": 1\n  \"b\": 2\n}").unwrap();
    let error = add(&file, "a").unwrap_err().to_string();
    assert!(error.contains("is not JSON: line 3, column 3: "), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn another_entry_is_only_replaced_or_removed_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let text = "{\"mcpServers\": {\"x\": {\"command\": \"npx\"}}}";
    fs::write(&file, text).unwrap();
    let taken = add(&file, "x").unwrap_err();
    assert!(matches!(taken, ChangeError::Taken { is_ours: false, .. }));
    let foreign = remove_it(&file, "x").unwrap_err();
    assert!(matches!(foreign, ChangeError::Foreign { .. }));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let plan = Plan::put(&at(Client::Cursor, &file), "x", &connection("a"), true).unwrap();
    assert!(matches!(plan.apply(), Ok(Changed::Changed(_))));
    let other = Plan::put(&at(Client::Cursor, &file), "x", &connection("b"), false).unwrap_err();
    assert!(matches!(other, ChangeError::Taken { is_ours: true, .. }));
    assert!(matches!(remove_it(&file, "x"), Ok(Changed::Changed(_))));
    assert_eq!(remove_it(&file, "x").unwrap(), Changed::Not);
}

/// Files of users, with the client that they are for.
fn files() -> Vec<(Client, &'static str)> {
    vec![
        (
            Client::ClaudeCode,
            "{\n  \"numStartups\": 12,\n  \"projects\": {\"/p\": {\"mcpServers\": {\"y\": {}}}}\n}",
        ),
        (Client::ClaudeDesktop, "{\"globalShortcut\": \"\"}"),
        (
            Client::Cline,
            "{\n  \"mcpServers\": {\n    \"fs\": {\n      \"command\": \"npx\",\n      \"disabled\": false,\n      \"autoApprove\": []\n    }\n  }\n}\n",
        ),
        (
            Client::Codex,
            "model = \"gpt\"\r\n\r\n[mcp_servers.docs]\r\ncommand = \"npx\"\r\n",
        ),
        (Client::Codex, "model = \"gpt\""),
        (
            Client::Continue,
            "name: Local\nversion: 1.0.0\nmodels:\n  - name: m # the model\n    roles: [chat, edit]\n",
        ),
        (
            Client::Crush,
            "{\n\t\"$schema\": \"https://example.com/crush.json\",\n\t\"lsp\": {},\n\t\"mcp\": { }\n}\n",
        ),
        (Client::Cursor, "\u{feff}{\r\n  \"mcpServers\": {}\r\n}\r\n"),
        (Client::Gemini, "{\n  // mine\n  \"theme\": \"x\",\n}\n"),
        (Client::Goose, "GOOSE_PROVIDER: openai\nextensions:\n"),
        (
            Client::Kiro,
            "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
        ),
        (Client::LmStudio, "{\n  \"mcpServers\": {\n  }\n}\n"),
        (
            Client::OpenCode,
            "{\n  \"$schema\": \"https://example.com/config.json\", // the schema\n  \"mcp\": {\n    \"y\": {\"type\": \"remote\", \"url\": \"https://y\"},\n  },\n}\n",
        ),
        (
            Client::VsCode,
            "{\n\t\"inputs\": [],\n\t\"servers\": {\n\t\t\"y\": {\"url\": \"https://y\"}\n\t}\n}\n",
        ),
        (Client::Windsurf, ""),
        (
            Client::Zed,
            "// Zed settings\n//\n{\n  \"theme\": \"One Dark\", // dark\n  \"context_servers\": {\n    /* none */\n  },\n  \"buffer_font_size\": 16\n}\n",
        ),
        (Client::Zed, "{\n  \"a\": 1 // last\n}"),
    ]
}

#[test]
fn a_server_that_is_added_and_removed_leaves_the_original_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::Command {
        program: "/bin/linkspan".to_owned(),
        args: vec!["connect".to_owned(), "https://x/mcp".to_owned()],
        env: vec![Variable::Secret("TOKEN".to_owned())],
    };
    for (n, (client, text)) in files().into_iter().enumerate() {
        let file = folder.path().join(n.to_string());
        fs::write(&file, text).unwrap();
        let place = at(client, &file);
        let plan = Plan::put(&place, "x", &connection, false).unwrap();
        assert!(plan.diff().iter().any(|line| line.starts_with("+ ")));
        assert!(
            matches!(plan.apply(), Ok(Changed::Changed(_))),
            "{client:?}"
        );
        let with = fs::read_to_string(&file).unwrap();
        let root = client.format().read(&with).unwrap();
        let entry = client.slot("x").find(&root).unwrap();
        assert_eq!(*entry, client.entry("x", &connection), "{client:?}");
        let plan = Plan::put(&place, "x", &connection, false).unwrap();
        assert_eq!(plan.apply().unwrap(), Changed::Not, "{client:?}");
        let plan = Plan::remove(&place, "x", false).unwrap();
        plan.apply().unwrap();
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            text,
            "{client:?}:\n{with}"
        );
        // Back again: the latest copy has the server.
        Plan::restore(&place, None).unwrap().apply().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), with, "{client:?}");
        Plan::restore(&place, Some(1)).unwrap().apply().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{client:?}");
    }
}

#[test]
fn a_missing_file_gets_the_server_for_every_client() {
    let folder = tempfile::tempdir().unwrap();
    let system = System {
        home: Some(folder.path().to_owned()),
        ..System::default()
    };
    let wanted = Wanted {
        scope: Some(Scope::User),
        ..Wanted::default()
    };
    for place in wanted.places(&system).unwrap() {
        let client = place.client;
        let plan = Plan::put(&place, "x", &connection("a"), false).unwrap();
        assert_eq!(plan.apply().unwrap(), Changed::Created, "{client:?}");
        let plan = Plan::put(&place, "x", &connection("a"), false).unwrap();
        assert_eq!(plan.apply().unwrap(), Changed::Not, "{client:?}");
        let removed = Plan::remove(&place, "x", false).unwrap().apply().unwrap();
        assert!(matches!(removed, Changed::Changed(_)), "{client:?}");
    }
    // Continue refuses a configuration without these.
    let file = folder.path().join(".continue/config.yaml");
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(
        text,
        "name: Local\nversion: 1.0.0\nschema: v1\nmcpServers: []\n"
    );
}

#[test]
fn a_change_of_another_program_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    let plan = Plan::put(&at(Client::Cursor, &file), "x", &connection("a"), false).unwrap();
    fs::write(&file, "{}").unwrap();
    assert!(matches!(plan.apply(), Err(ChangeError::Meanwhile(_))));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    let none = Plan::restore(&at(Client::Cursor, &file), None).unwrap_err();
    assert!(matches!(none, ChangeError::NoBackup { number: None, .. }));
}

#[test]
fn what_the_user_has_added_to_the_entry_does_not_make_it_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp.json");
    add(&file, "x").unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("\"command\"", "\"disabled\": true,\n      \"command\"");
    fs::write(&file, &text).unwrap();
    assert_eq!(add(&file, "x").unwrap(), Changed::Not);
    let place = at(Client::Cursor, &file);
    let plan = Plan::put(&place, "x", &connection("b"), true).unwrap();
    plan.apply().unwrap();
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.contains("\"disabled\": true"), "{after}");
    assert!(after.contains("\"b\""), "{after}");
}

#[cfg(unix)]
#[test]
fn a_link_to_the_file_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (
        folder.path().join("real/mcp.json"),
        folder.path().join("link"),
    );
    add(&file, "a").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let Changed::Changed(copy) = add(&link, "b").unwrap() else {
        panic!("not changed");
    };
    assert!(copy.parent().unwrap().ends_with("real"));
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&file).unwrap().contains("\"b\""));
}
