//! Private groups: a user's primary group that has no other member.
//!
//! Many systems give every user such a group and a umask of 002, so that files are writable by a group
//! of one. Only the local files are read. A group that they do not know completely (a directory service
//! may have more members) is not private.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// `/etc/passwd` and `/etc/group` are small; a larger file is not read.
const LARGEST: u64 = 4 << 20;

/// The primary group of a user, if it has the name of the user and no other member.
pub(super) fn private_group(user: u32) -> Option<u32> {
    private_in(&text("/etc/passwd")?, &text("/etc/group")?, user)
}

fn text(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// The rule, on the texts of the two files.
fn private_in(passwd: &str, group: &str, user: u32) -> Option<u32> {
    let users = || {
        passwd
            .lines()
            .map(|line| line.split(':').collect::<Vec<_>>())
    };
    let number = |fields: &[&str], at: usize| fields.get(at)?.parse::<u32>().ok();
    let own = users().find(|fields| number(fields, 2) == Some(user))?;
    let (name, primary) = (own[0], number(&own, 3)?);
    // A second account with the same group could write as well.
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

/// Whether further users were given rights: the bits of the group are then those of all of them.
pub(super) fn has_acl(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::io::Errno;
        // Too small for any list of rights: that there is one is all we ask.
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
