//! Groups without other members.
//!
//! Many systems give every user a private primary group and a umask of 002, so that files are writable by a
//! group of one. Some have folders that are writable by a system group without members: `/usr/local/bin` of
//! Debian belongs to `root:staff` and has mode 2775. Only the local files are read. A directory service may add
//! members to a group, so a system group counts only if its number is one that distributions assign themselves.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// `/etc/passwd` and `/etc/group` are small; a larger file is not read.
const LARGEST: u64 = 4 << 20;

/// Numbers below this one are assigned by the distribution. 100 is `users`, often the primary group of
/// accounts in a directory service.
const ASSIGNED: u32 = 100;

/// The group `admin` of macOS: its members can become root, and Homebrew makes its folders writable for it.
const ADMINISTRATORS: u32 = 80;

/// The groups without members other than a user and root.
pub(super) fn without_others(user: u32) -> Vec<u32> {
    let (Some(passwd), Some(group)) = (text("/etc/passwd"), text("/etc/group")) else {
        return Vec::new();
    };
    let mut groups = empty_in(&passwd, &group, user);
    groups.extend(private_in(&passwd, &group, user));
    groups
}

/// Whether the members of a group can become root.
pub(super) fn administers(group: u32) -> bool {
    cfg!(target_os = "macos") && group == ADMINISTRATORS
}

fn text(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The system groups without members other than a user and root that are the primary group of no other account,
/// from the texts of the two files.
fn empty_in(passwd: &str, group: &str, user: u32) -> Vec<u32> {
    let field = |line: &str, at: usize| line.split(':').nth(at).map(str::to_owned);
    let number = |line: &str, at: usize| field(line, at)?.parse::<u32>().ok();
    let (ours, others): (Vec<&str>, Vec<&str>) = passwd
        .lines()
        .partition(|line| matches!(number(line, 2), Some(id) if id == user || id == 0));
    let names: Vec<_> = ours.iter().filter_map(|line| field(line, 0)).collect();
    let is_empty = |line: &str| {
        let members = field(line, 3).unwrap_or_default();
        let mut members = members.split(',').map(str::trim);
        members.all(|member| member.is_empty() || names.iter().any(|name| name == member))
    };
    let assigned = group.lines().filter_map(|line| number(line, 2));
    let mut assigned: Vec<u32> = assigned.filter(|id| *id < ASSIGNED).collect();
    assigned.retain(|id| {
        let mut same = group.lines().filter(|line| number(line, 2) == Some(*id));
        same.all(is_empty) && !others.iter().any(|line| number(line, 3) == Some(*id))
    });
    assigned
}

/// The primary group of a user, if it has the name of the user and no other member.
fn private_in(passwd: &str, group: &str, user: u32) -> Option<u32> {
    let users = || {
        passwd
            .lines()
            .map(|line| line.split(':').collect::<Vec<_>>())
    };
    let number = |fields: &[&str], at: usize| fields.get(at)?.parse::<u32>().ok();
    let own = users().find(|fields| number(fields, 2) == Some(user))?;
    let (name, primary) = (own[0], number(&own, 3)?);
    // Another account with the same primary group could write as well.
    let others = users()
        .any(|fields| number(&fields, 3) == Some(primary) && number(&fields, 2) != Some(user));
    if others {
        return None;
    }
    let mut groups = group
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .filter(|fields| number(fields, 2) == Some(primary));
    let fields = groups.next()?;
    let members = fields.get(3).copied().unwrap_or_default();
    let alone = members
        .split(',')
        .map(str::trim)
        .all(|member| member.is_empty() || member == name);
    (fields[0] == name && alone && groups.next().is_none()).then_some(primary)
}

/// Whether an ACL grants rights to further users: the group bits are then a mask.
pub(super) fn has_acl(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::io::Errno;
        // One byte is enough: only the existence matters.
        let mut few = [0_u8; 1];
        let read = rustix::fs::getxattr(path, "system.posix_acl_access", &mut few);
        !matches!(read, Err(Errno::NODATA | Errno::OPNOTSUPP))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n\
                          bob:x:1001:100::/home/bob:/bin/sh\neve:x:1002:1002::/:/bin/sh\n\
                          twin:x:1003:1002::/:/bin/sh\n";
    const GROUP: &str = "root:x:0:\nusers:x:100:\nann:x:1000:\neve:x:1002:\n";

    #[test]
    fn a_group_of_one_is_private() {
        assert_eq!(private_in(PASSWD, GROUP, 1000), Some(1000));
        assert_eq!(private_in(PASSWD, GROUP, 0), Some(0));
        let listed = GROUP.replace("ann:x:1000:", "ann:x:1000:ann");
        assert_eq!(private_in(PASSWD, &listed, 1000), Some(1000));
    }

    #[test]
    fn a_system_group_without_other_members_is_accepted() {
        let group = format!("{GROUP}staff:x:50:\nadm:x:4:root,ann\ngames:x:60:eve\ntape:x:26:\n");
        let passwd = format!("{PASSWD}tape:x:33:26::/:/bin/sh\n");
        assert_eq!(empty_in(&passwd, &group, 1000), [0, 50, 4]);
        assert_eq!(empty_in(&passwd, &group, 1001), [0, 50]);
        let twice = format!("{group}crew:x:50:bob\n");
        assert_eq!(empty_in(&passwd, &twice, 1000), [0, 4]);
    }

    #[test]
    fn a_group_with_another_member_is_not() {
        assert_eq!(private_in(PASSWD, GROUP, 1001), None, "named otherwise");
        assert_eq!(private_in(PASSWD, GROUP, 1002), None, "two accounts");
        let member = GROUP.replace("ann:x:1000:", "ann:x:1000:ann,bob");
        assert_eq!(private_in(PASSWD, &member, 1000), None, "a member");
        let twice = format!("{GROUP}ann:x:1000:bob\n");
        assert_eq!(private_in(PASSWD, &twice, 1000), None, "two groups");
        assert_eq!(private_in(PASSWD, "root:x:0:\n", 1000), None, "no group");
        assert_eq!(private_in(PASSWD, GROUP, 4711), None, "no user");
    }
}
