//! The place of a server in the value of a configuration.

use serde_json::{Map, Value};

use crate::edit::EditError;

/// The place of a server: a member of an object, or an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The member of the whole configuration with the servers.
    pub key: &'a str,
    /// The member of an item with its name, if the servers are a list.
    pub named_by: Option<&'a str>,
    /// The name of the server.
    pub name: &'a str,
}

impl Slot<'_> {
    /// The value that this place has.
    pub fn find<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        let servers = root.get(self.key)?;
        match self.named_by {
            None => servers.get(self.name),
            Some(member) => {
                let mut items = servers.as_array()?.iter();
                items.find(|item| self.is(item.get(member)))
            }
        }
    }

    pub(crate) fn is(&self, name: Option<&Value>) -> bool {
        name.and_then(Value::as_str) == Some(self.name)
    }

    /// The configuration with this value in the place.
    pub(crate) fn put(&self, root: &Value, value: &Value) -> Result<Value, EditError> {
        let mut root = root.clone();
        let members = members(&mut root)?;
        let empty = match self.named_by {
            None => Value::Object(Map::new()),
            Some(_) => Value::Array(Vec::new()),
        };
        let servers = members.entry(self.key).or_insert_with(|| empty.clone());
        if servers.is_null() {
            *servers = empty;
        }
        match (servers, self.named_by) {
            (Value::Object(servers), None) => {
                servers.insert(self.name.to_owned(), value.clone());
            }
            (Value::Array(items), Some(member)) => {
                match items.iter_mut().find(|item| self.is(item.get(member))) {
                    Some(item) => *item = value.clone(),
                    None => items.push(value.clone()),
                }
            }
            (_, None) => return Err(EditError::NoObject(format!("`{}`", self.key))),
            (_, Some(_)) => return Err(EditError::NoList(format!("`{}`", self.key))),
        }
        Ok(root)
    }

    /// The configuration without a value in the place, and without the member of the servers if it is empty.
    pub(crate) fn without(&self, root: &Value) -> Result<Value, EditError> {
        let mut root = root.clone();
        match (members(&mut root)?.get_mut(self.key), self.named_by) {
            (Some(Value::Object(servers)), None) => {
                servers.shift_remove(self.name);
            }
            (Some(Value::Array(items)), Some(member)) => {
                items.retain(|item| !self.is(item.get(member)));
            }
            _ => {}
        }
        Ok(self.tidy(root))
    }

    /// The configuration without the member of the servers if that has none.
    pub(crate) fn tidy(&self, mut root: Value) -> Value {
        let is_empty = match root.get(self.key) {
            Some(Value::Object(servers)) => servers.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            Some(Value::Null) => true,
            _ => false,
        };
        if let (true, Some(members)) = (is_empty, root.as_object_mut()) {
            members.shift_remove(self.key);
        }
        root
    }

    /// A whole configuration with this value only.
    pub fn alone(&self, value: &Value) -> Value {
        let servers = match self.named_by {
            None => Value::Object(one(self.name, value.clone())),
            Some(_) => Value::Array(vec![value.clone()]),
        };
        Value::Object(one(self.key, servers))
    }
}

fn members(root: &mut Value) -> Result<&mut Map<String, Value>, EditError> {
    let members = root.as_object_mut();
    members.ok_or_else(|| EditError::NoObject("the whole file".to_owned()))
}

pub(crate) fn one(key: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value)])
}
