//! `inputs` of VS Code: values that the user is asked for once.

use super::Input;
use super::error::Problem;
use super::hidden::Hidden;
use super::reader::{Field, Fields, Reader};

pub(super) fn read<'a>(field: &Field<'a>, reader: &mut Reader<'a>) -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    let mut ids = std::collections::HashSet::new();
    for element in field.list(reader) {
        let Some(fields) = element.object(reader) else {
            continue;
        };
        let Some(input) = input(&fields, reader) else {
            continue;
        };
        if ids.insert(input.id.clone()) {
            inputs.push(input);
        } else {
            reader.report(element.at(), Problem::Twice(input.id));
        }
    }
    inputs
}

fn input<'a>(fields: &Fields<'a>, reader: &mut Reader<'a>) -> Option<Input> {
    let Some(id) = fields.get("id") else {
        let place = fields.place.clone();
        reader.report(fields.value, Problem::Missing { name: "id", place });
        return None;
    };
    let id = id.text(reader)?;
    // The third type of VS Code, `command`, would run a command of the editor.
    let kinds = [("promptString", ()), ("pickString", ())];
    if let Some(kind) = fields.get("type") {
        kind.word(&kinds, reader)?;
    }
    let options = fields.get("options");
    let options = options
        .map(|options| options.list(reader))
        .unwrap_or_default();
    let option = |element: Field<'a>, reader: &mut Reader<'a>| match element.value.get("value") {
        Some(value) => Field {
            name: element.name,
            value,
        }
        .text(reader),
        None => element.text(reader),
    };
    let default = fields.get("default").and_then(|one| one.text(reader));
    Some(Input {
        id,
        description: fields.get("description").and_then(|one| one.text(reader)),
        default: default.map(Hidden::from),
        password: fields
            .get("password")
            .and_then(|one| one.flag(reader))
            .unwrap_or_default(),
        options: options
            .into_iter()
            .filter_map(|element| option(element, reader))
            .collect(),
    })
}
