//! The description and the lists of a server in a file, so that the server need not be started to be listed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use linkspan_gateway::{Digest, ListKind, ListReader, ServerList};
use linkspan_wire::Json;

use crate::fetch::Description;

/// The largest file that is read.
const LARGEST: u64 = 64 << 20;

/// The file of a server. Its name changes with everything that decides what the server is.
pub(crate) fn file(folder: &Path, server: &Digest) -> PathBuf {
    folder.join(format!("{server}.json"))
}

/// What a file says; `None` if there is none, or it cannot be used.
pub(crate) fn read(file: &Path) -> Option<(Description, Vec<(ListKind, ServerList)>)> {
    let size = fs::metadata(file).ok()?.len();
    if size > LARGEST {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let saved = Json::parse(&text).ok()?;
    let description = Description(saved.get("description")?.text().to_owned());
    let mut lists = Vec::new();
    for kind in ListKind::ALL {
        let Some(page) = saved.get(kind.member()) else {
            continue;
        };
        let mut reader = ListReader::new(kind);
        reader.page(page).ok()?;
        lists.push((kind, reader.finish()));
    }
    Some((description, lists))
}

/// Writes a file as a whole. Only its user may read it: lists may be private.
pub(crate) fn write(
    file: &Path,
    description: &Description,
    lists: &[(ListKind, std::sync::Arc<ServerList>)],
) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut text = format!(r#"{{"description":{}"#, description.0);
    for (kind, list) in lists {
        text += &format!(r#","{}":{}"#, kind.member(), list.to_json(*kind));
    }
    text.push('}');
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut temporary, text.as_bytes())?;
    temporary.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder.path().join("lists"), &Digest::of("x"));
        assert!(read(&file).is_none());
        let description = Description(r#"{"capabilities":{"tools":{}}}"#.to_owned());
        let mut reader = ListReader::new(ListKind::Tools);
        let page = r#"{"tools":[{ "name":"t","x":1.0}],"ttlMs":5,"cacheScope":"public"}"#;
        reader.page(Json::parse(page).unwrap()).unwrap();
        let list = Arc::new(reader.finish());
        write(&file, &description, &[(ListKind::Tools, list.clone())]).unwrap();
        let (read_description, lists) = read(&file).unwrap();
        assert_eq!(read_description, description);
        assert_eq!(lists, [(ListKind::Tools, (*list).clone())]);
        fs::write(&file, "{").unwrap();
        assert!(read(&file).is_none());
    }
}
