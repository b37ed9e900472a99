//! A result file that is either whole or not there.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;
use tempfile::NamedTempFile;

/// A path that could be written when it was checked.
#[derive(Clone, Debug)]
pub struct Output {
    path: PathBuf,
}

impl Output {
    /// Checks `path` before the work that its content costs; leaves nothing there.
    pub fn check(path: &Path) -> io::Result<Self> {
        // A link is followed, so that the file behind it is replaced and not the link.
        let path = if path.is_symlink() { fs::canonicalize(path)? } else { path.to_owned() };
        if path.file_name().is_none() || fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let output = Self { path };
        drop(output.scratch()?);
        Ok(output)
    }

    /// Writes `value` as JSON.
    pub fn write(&self, value: &impl Serialize) -> io::Result<()> {
        self.write_text(&(serde_json::to_string_pretty(value)? + "\n"))
    }

    /// Writes `text`: beside the path first, then by rename.
    pub fn write_text(&self, text: &str) -> io::Result<()> {
        let mut file = self.scratch()?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in the same folder, gone when dropped. Opened by hand: it gets a new file's usual permissions, and an
    /// error does not name it.
    fn scratch(&self) -> io::Result<NamedTempFile> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        tempfile::Builder::new().prefix(".hornpipe-bench-").make_in(folder, |path| File::create_new(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        let output = Output::check(&path).unwrap();
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "a check leaves nothing behind");
        output.write(&1).unwrap();
        output.write(&[1, 2]).unwrap();
        assert_eq!(serde_json::from_str::<Vec<u8>>(&fs::read_to_string(&path).unwrap()).unwrap(), [1, 2]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn refused_before_any_work() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Output::check(folder.path()).is_err(), "a folder");
        let why =
            Output::check(&folder.path().join("no/such/folder.json")).expect_err("no folder").to_string();
        assert!(!why.contains("hornpipe-bench"), "{why}");
        assert!(Output::check(Path::new("/dev/null")).is_err(), "would be replaced by the rename");
        assert!(Output::check(Path::new("")).is_err());
    }
}
