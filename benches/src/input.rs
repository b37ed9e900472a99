//! A result file read back.

use std::{fmt, fs, io, path::Path};

use serde::Deserialize;

use crate::report::{Report, SCHEMA};

/// Why a file is no report.
#[derive(Debug)]
pub enum Unreadable {
    /// It cannot be read.
    File(io::Error),
    /// It is not JSON.
    Syntax(serde_json::Error),
    /// It is JSON of something else.
    Content(serde_json::Error),
    /// It is a report that this program does not know how to read.
    Schema(u32),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            Self::File(e) => e.to_string(),
            Self::Syntax(e) => format!("not JSON: {e}"),
            Self::Content(e) => format!("not what compare --json writes: {e}"),
            Self::Schema(schema) => {
                format!("its schema is {schema}, this program (of schema {SCHEMA}) reads 1 to {SCHEMA}")
            }
        };
        // It may quote the file, which may hold anything.
        f.write_str(&why.replace(char::is_control, " "))
    }
}

impl From<serde_json::Error> for Unreadable {
    fn from(e: serde_json::Error) -> Self {
        if e.is_data() { Self::Content(e) } else { Self::Syntax(e) }
    }
}

/// Reads what `compare --json` wrote, on whatever machine.
pub fn read(path: &Path) -> Result<Report, Unreadable> {
    parse(&fs::read_to_string(path).map_err(Unreadable::File)?)
}

/// [`read`], of the file's text.
pub fn parse(text: &str) -> Result<Report, Unreadable> {
    #[derive(Deserialize)]
    struct Head {
        schema: u32,
    }
    // Before the rest, which another schema may have otherwise.
    let Head { schema } = serde_json::from_str(text)?;
    if !(1..=SCHEMA).contains(&schema) {
        return Err(Unreadable::Schema(schema));
    }
    Ok(serde_json::from_str(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        contender::Contender,
        machine::Machine,
        measure::{Cell, Sample},
        placement::{Cpus, Placement},
        plan::{Effort, Row, Work},
        report::Line,
        rounds::Settings,
        usage::Usage,
    };
    use serde_json::{Value, json};

    fn written() -> Value {
        let settings = Settings::new(Effort::Quick, Cpus::first(2));
        let row = Row { placement: Placement::OneCpu, work: Work::PingPong };
        let cell = Cell { row, contender: Contender::DEFAULT };
        let sample =
            Sample { items: 7, span_ns: 70, usage: Usage::ZERO, slowest_share: 1.0, p99_ns: Some(40) };
        let line = Line::new(cell, &settings.cpus, vec![sample], None);
        serde_json::to_value(Report::new(Machine::new(&settings.cpus), &settings, vec![line])).unwrap()
    }

    #[test]
    fn what_was_written_comes_back() {
        let report = parse(&written().to_string()).unwrap();
        assert_eq!(serde_json::to_value(report).unwrap(), written());
    }

    #[test]
    fn the_schema_without_p99_is_read_too() {
        let mut old = written();
        old["schema"] = 1.into();
        old["lines"][0].as_object_mut().unwrap().remove("p99_ns");
        old["lines"][0]["samples"][0].as_object_mut().unwrap().remove("p99_ns");
        assert_eq!(parse(&old.to_string()).unwrap().lines[0].figures.p99_ns, None);
    }

    #[test]
    fn anything_else_is_refused_in_a_line() {
        let with = |change: fn(&mut Value)| {
            let mut value = written();
            change(&mut value);
            let why = parse(&value.to_string()).expect_err("not a report");
            assert!(!why.to_string().contains(char::is_control), "{why}");
            why
        };
        assert!(matches!(parse("{"), Err(Unreadable::Syntax(_))));
        assert!(matches!(parse(""), Err(Unreadable::Syntax(_))));
        assert!(matches!(parse("[1]"), Err(Unreadable::Content(_))));
        assert!(matches!(parse("{}"), Err(Unreadable::Content(_))));
        assert!(matches!(with(|value| value["schema"] = 0.into()), Unreadable::Schema(0)));
        assert!(matches!(with(|value| value["schema"] = (SCHEMA + 1).into()), Unreadable::Schema(_)));
        assert!(matches!(with(|value| value["lines"] = json!([{}])), Unreadable::Content(_)));
        assert!(matches!(with(|value| value["effort"] = "a\n\x1b[31mb".into()), Unreadable::Content(_)));
        assert!(matches!(read(Path::new("no/such/file")), Err(Unreadable::File(_))));
    }
}
