//! The method table: one row for each method that a bridge treats specially.
//!
//! Methods that are not in the table are forwarded as well; the table never decides that.

/// Method names that the code mentions.
#[expect(missing_docs, reason = "the values say it")]
pub mod names {
    pub const INITIALIZE: &str = "initialize";
    pub const INITIALIZED: &str = "notifications/initialized";
    pub const CANCELLED: &str = "notifications/cancelled";
    pub const PROGRESS: &str = "notifications/progress";
    pub const PING: &str = "ping";
    pub const DISCOVER: &str = "server/discover";
    pub const LISTEN: &str = "subscriptions/listen";
    pub const SET_LEVEL: &str = "logging/setLevel";
    pub const SUBSCRIBE: &str = "resources/subscribe";
    pub const UNSUBSCRIBE: &str = "resources/unsubscribe";
    pub const TOOLS_LIST: &str = "tools/list";
    pub const TOOLS_CALL: &str = "tools/call";
    pub const TASKS_RESULT: &str = "tasks/result";
    pub const RESOURCES_LIST: &str = "resources/list";
    pub const TEMPLATES_LIST: &str = "resources/templates/list";
    pub const RESOURCES_READ: &str = "resources/read";
    pub const PROMPTS_LIST: &str = "prompts/list";
    pub const PROMPTS_GET: &str = "prompts/get";
    pub const ROOTS_LIST: &str = "roots/list";
    pub const ROOTS_CHANGED: &str = "notifications/roots/list_changed";
    pub const MESSAGE: &str = "notifications/message";
    pub const RESOURCE_UPDATED: &str = "notifications/resources/updated";
    pub const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
}

/// Whether a method has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodKind {
    /// Yes.
    Request,
    /// No.
    Notification,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// The name on the wire.
    pub name: &'static str,
    /// Whether it has an answer.
    pub kind: MethodKind,
    /// The member of `params` that goes into `Mcp-Name` in the modern era.
    pub name_param: Option<&'static str>,
}

/// The table.
pub const METHODS: &[Method] = &[
    request(names::INITIALIZE, None),
    request(names::PING, None),
    request(names::DISCOVER, None),
    request(names::LISTEN, None),
    request(names::SET_LEVEL, None),
    request(names::SUBSCRIBE, None),
    request(names::UNSUBSCRIBE, None),
    request(names::TOOLS_LIST, None),
    request(names::TOOLS_CALL, Some("name")),
    request(names::RESOURCES_LIST, None),
    request(names::TEMPLATES_LIST, None),
    request(names::RESOURCES_READ, Some("uri")),
    request(names::PROMPTS_LIST, None),
    request(names::PROMPTS_GET, Some("name")),
    request(names::ROOTS_LIST, None),
    request("tasks/get", Some("taskId")),
    request("tasks/update", Some("taskId")),
    request("tasks/cancel", Some("taskId")),
    notification(names::INITIALIZED),
    notification(names::CANCELLED),
    notification(names::PROGRESS),
];

const fn request(name: &'static str, name_param: Option<&'static str>) -> Method {
    Method {
        name,
        kind: MethodKind::Request,
        name_param,
    }
}

const fn notification(name: &'static str) -> Method {
    Method {
        name,
        kind: MethodKind::Notification,
        name_param: None,
    }
}

impl Method {
    /// Finds a row by its name.
    pub fn find(name: &str) -> Option<&'static Method> {
        METHODS.iter().find(|method| method.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_method_is_in_the_table_twice() {
        for (i, method) in METHODS.iter().enumerate() {
            assert!(
                METHODS[i + 1..].iter().all(|m| m.name != method.name),
                "{}",
                method.name
            );
        }
    }

    #[test]
    fn notifications_are_named_as_such() {
        for method in METHODS {
            assert_eq!(
                method.kind == MethodKind::Notification,
                method.name.starts_with("notifications/"),
                "{}",
                method.name
            );
        }
    }
}
