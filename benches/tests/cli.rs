//! The program as a user meets it: exit codes, streams, files.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hornpipe-bench")).args(args).output().expect("the program starts")
}

fn refused(args: &[&str]) -> String {
    let output = bench(args);
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    assert!(stderr.starts_with("hornpipe-bench: "), "{args:?}: {stderr}");
    stderr
}

#[test]
fn what_it_does_not_understand_costs_one_line() {
    for args in [
        &[] as &[&str],
        &["polka"],
        &["compare", "--polka"],
        &["compare", "polka"],
        &["compare", "--json"],
        &["compare", "--quick", "--full"],
        &["compare", "--rounds", "0"],
        &["compare", "--rounds", "many"],
        &["compare", "--seed", "-1"],
        &["compare", "--only", "["],
        &["compare", "--only", "no such row"],
    ] {
        refused(args);
    }
    assert!(refused(&["compare", "--polka"]).contains("--polka"));
    assert!(refused(&["compare", "--only", "no such row"]).contains("one-cpu 1:1 cap 1024"));
}

#[cfg(not(feature = "peers"))]
#[test]
fn bars_tell_what_they_need() {
    assert!(refused(&["bars", "--full"]).contains("--features peers -- bars"));
}

#[test]
fn a_file_that_cannot_be_written_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing/out.json");
    for path in [missing.as_path(), folder.path(), Path::new("/dev/null")] {
        let path = path.to_str().expect("text");
        let why = refused(&["compare", "--quick", "--json", path]);
        assert!(why.contains(path) && !why.contains("/.hornpipe-bench-"), "{why}");
    }
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0);
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [["--help"], ["--version"]] {
        let output = bench(&args);
        assert!(output.status.success() && output.stderr.is_empty() && !output.stdout.is_empty());
    }
}

#[test]
fn a_run_reports_to_both_readers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.json");
    let path = path.to_str().expect("text");
    let only = "one-cpu (1:1 cap 1024|ping-pong)$";
    let output = bench(&["compare", "--only", only, "--rounds", "2", "--seed", "7", "--json", path]);
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "one-cpu 1:1 cap 1024",
        "one-cpu ping-pong",
        "ring none/adaptive",
        "mutex",
        "std",
        "--quick",
        "seed 7",
        "2.00x",
    ] {
        assert!(table.contains(part), "{part} is missing from\n{table}");
    }

    let json: Value = serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON");
    assert_eq!((&json["rounds"], &json["seed"]), (&Value::from(2), &Value::from(7)));
    assert!(json["machine"]["usable_cpus"].as_array().is_some_and(|cpus| !cpus.is_empty()));
    let lines = json["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), 14, "2 rows, 7 contenders");
    for line in lines {
        assert_eq!(line["samples"].as_array().map(Vec::len), Some(2));
        assert!(line["ns"]["median"].as_f64().is_some_and(|ns| ns > 0.0), "{line}");
        assert_eq!(line["ratio"].is_null(), line["contender"] == "mutex");
    }
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
}

#[cfg(feature = "peers")]
#[test]
fn bars_measure_in_processes_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.json");
    let path = path.to_str().expect("text");
    let output = bench(&["bars", "--only", "one-cpu 1:1 cap 1024$", "--rounds", "1", "--json", path]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON");
    let bars = json["bars"].as_array().expect("bars");
    assert_eq!(bars.len(), 3, "crossbeam-channel, the mutex baseline, and the baseline's own");
    assert!(bars.iter().all(|bar| bar["verdict"] == "undecided"), "one round decides nothing");
}
