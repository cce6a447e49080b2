//! Renders the table as a page of the manual.

use std::fmt::Write as _;

use super::table::{FIELDS, Field};
use super::{Takes, places};

/// All fields of the metadata, as Markdown.
pub fn reference() -> String {
    let mut page = String::from(
        "# Metadata\n\n\
         Metadata is in a file beside the entry (`greet.meta.yaml`, also `.yml`, `.json`, `.toml`), \
         in the entry itself (`# mcp: {…}` or lines `#: field: value` in a script, front matter in a \
         prompt), or in `server.toml` (`.yaml`, `.yml`, `.json`) for the server and as the default for \
         every entry. A file beside an entry overrides metadata in the entry, and both override the \
         server's file. A field that is not listed here is a warning, a value of the wrong type an error.\n",
    );
    section(&mut page, "Fields", FIELDS, true);
    let mut done: Vec<&str> = Vec::new();
    for field in FIELDS {
        let members = field.takes.members();
        let title = match field.places.count_ones() {
            1 if FIELDS.iter().filter(|f| f.name == field.name).count() > 1 => {
                format!("`{}` of a {}", field.name, places(field.places).join(", "))
            }
            _ => format!("`{}`", field.name),
        };
        // Prompts and templates share the table of arguments.
        let first = members.first().map_or("", |member| member.doc);
        if members.is_empty() || done.contains(&first) && field.name == "arguments" {
            continue;
        }
        done.push(first);
        section(&mut page, &title, members, false);
    }
    page
}

fn section(page: &mut String, title: &str, fields: &[Field], with_places: bool) {
    let _ = write!(page, "\n## {title}\n\n");
    let _ = if with_places {
        write!(
            page,
            "| field | of | takes | default | |\n|---|---|---|---|---|\n"
        )
    } else {
        write!(page, "| field | takes | default | |\n|---|---|---|---|\n")
    };
    for field in fields {
        let _ = write!(page, "| `{}` |", field.name);
        if with_places {
            let all = field.places.count_ones() == 6;
            let of = if all {
                "everything".to_owned()
            } else {
                places(field.places).join(", ")
            };
            let _ = write!(page, " {of} |");
        }
        let takes = match &field.takes {
            Takes::Count(least, most) if *most < 1 << 31 => format!("{least} to {most}"),
            takes => takes.shown(),
        };
        let _ = writeln!(page, " {takes} | {} | {} |", field.default, field.doc);
    }
}
