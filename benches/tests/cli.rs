//! The program as a user meets it: exit codes, streams, files.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use hornpipe_bench::placement::Cpus;
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
        &["compare", "--html"],
        &["report"],
        &["report", "--html", "page.html"],
        &["report", "run.json"],
        &["compare", "--quick", "--full"],
        &["compare", "--rounds", "0"],
        &["compare", "--rounds", "many"],
        &["compare", "--seed", "-1"],
        &["compare", "--only", "["],
        &["compare", "--switch", "light"],
        &["compare", "--only", "no such row"],
        &["relax", "polka"],
        &["relax", "--rounds", "0"],
        &["relax", "--only", "no such row"],
        &["kernel"],
        &["kernel", "k6"],
        &["kernel", "all", "--rounds", "0"],
        &["kernel", "all", "--only", "no such row"],
        &["kernel", "k2", "--groups", "0"],
        &["kernel", "k2", "--groups", "1,many"],
        &["kernel", "k2", "--fan", "3:"],
        &["kernel", "k2", "--loops", "0"],
        &["kernel", "k1", "--groups", "1"],
        &["kernel", "k4", "--loops", "1"],
        &["kernel", "k1", "--pinned"],
        &["bytes", "polka"],
        &["bytes", "--rounds", "0"],
        &["bytes", "--size", "0"],
        &["bytes", "--size", "64,many"],
        &["bytes", "--size", "4000000000"],
        &["bytes", "--writers", "0"],
        &["bytes", "--writers", "17"],
        &["bytes", "--placement", "moon"],
        &["bytes", "--only", "no such row"],
        &["fence", "--rounds", "0"],
        &["fence", "--seconds", "0"],
        &["fence", "--seconds", "NaN"],
        &["fence", "--rounds", "1", "--seconds", "1"],
    ] {
        refused(args);
    }
    assert!(refused(&["compare", "--polka"]).contains("--polka"));
    assert!(refused(&["compare", "--only", "no such row"]).contains("one-cpu 1:1 cap 1024"));
    assert!(refused(&["kernel", "k4", "--only", "no such row"]).contains("k4 tokens 64"));
    assert!(refused(&["bytes", "--only", "no such row"]).contains("'apart 1:1 64 KiB'"));
    assert!(refused(&["bytes", "--writers", "17"]).contains("1..=16"));
    assert!(refused(&["bytes", "--placement", "moon"]).contains("one-cpu, apart, free"));
    assert!(refused(&["kernel", "k2", "--fan", "0"]).contains("for example 20 or 3:2"));
    let many = refused(&["kernel", "k2", "--groups", "1,1000", "--fan", "1000"]);
    assert!(many.contains("1000 x 1000:1000 are 2000000 threads"), "{many}");
    #[cfg(stall)]
    assert!(refused(&["compare", "--stall", "--only", "no such row"]).contains("sender held, hornpipe"));
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
        let report = "tests/reports/two-cpus.json";
        for args in [
            ["compare", "--quick", "--json", path],
            ["compare", "--quick", "--html", path],
            ["bytes", "--quick", "--json", path],
            ["bytes", "--quick", "--html", path],
            ["relax", "--quick", "--json", path],
            ["relax", "--quick", "--html", path],
            ["report", report, "--html", path],
            ["kernel", "k4", "--json", path],
            ["kernel", "k4", "--html", path],
        ] {
            let why = refused(&args);
            assert!(why.contains(path) && !why.contains("/.hornpipe-bench-"), "{why}");
        }
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
fn a_run_reports_to_all_readers() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, page) = (folder.path().join("out.json"), folder.path().join("out.html"));
    let (path, page) = (path.to_str().expect("text"), page.to_str().expect("text"));
    let only = "one-cpu (1:1 cap 1024|2:2 cap 1024|ping-pong)$";
    let args = ["compare", "--only", only, "--rounds", "2", "--seed", "7", "--json", path, "--html", page];
    let output = bench(&args);
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "one-cpu 1:1 cap 1024",
        "one-cpu ping-pong",
        "ring none/adaptive",
        "spsc indexed",
        "spsc stamped",
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
    assert_eq!(lines.len(), 9 + 6 + 9, "both rings of spsc, and std, serve pairs only");
    for line in lines {
        assert_eq!(line["samples"].as_array().map(Vec::len), Some(2));
        assert!(line["ns"]["median"].as_f64().is_some_and(|ns| ns > 0.0), "{line}");
        assert!(line["p99_ns"].as_f64().is_some_and(|ns| ns > 0.0), "{line}");
        assert_eq!(line["ratio"].is_null(), line["contender"] == "mutex");
    }
    // The page of a run is the page of its JSON.
    let again = folder.path().join("again.html");
    let again = again.to_str().expect("text");
    assert!(bench(&["report", path, "--html", again]).status.success());
    let read = |path| fs::read_to_string(path).expect("the page");
    assert!(read(page).contains("ring none/adaptive") && read(page) == read(again));
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 3);
}

/// In a build with `--cfg hornpipe_hooks` it also shows what hornpipe promises: beside a thread that surely stands
/// between claim and publish nobody waits in a `try_` call, burns a CPU or is woken for nothing.
#[cfg(stall)]
#[test]
fn stall_rows_tell_what_a_held_peer_costs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.json");
    let path = path.to_str().expect("text");
    let only = "(hornpipe|mutex)$";
    let output =
        bench(&["compare", "--stall", "--only", only, "--rounds", "1", "--seed", "7", "--json", path]);
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in ["sender held", "receiver held", "hornpipe", "mutex", "seed 7", "hornpipe_hooks"] {
        let there = table.contains(part) || (part == "hornpipe_hooks" && cfg!(hornpipe_hooks));
        assert!(there, "{part} is missing from\n{table}");
    }

    let json: Value = serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON");
    let lines = json["lines"].as_array().expect("lines");
    assert_eq!(lines.len(), if cfg!(hornpipe_hooks) { 6 } else { 4 }, "two rows of two, two of one");
    for line in lines {
        let samples = line["samples"].as_array().expect("samples");
        assert_eq!((&line["holds"], &line["hung"]), (&Value::from(20), &Value::from(false)), "{line}");
        assert_eq!(samples.len(), 20);
        let blocked = samples.iter().filter(|hold| hold["blocked"] == true);
        assert_eq!(line["blocked"], blocked.count(), "{line}");
        // Each of the 10, if the prober got a CPU in time.
        assert!(samples.iter().filter(|hold| hold["try_max_ns"].is_u64()).count() > 5, "{line}");
        for hold in samples {
            let waiters = hold["waiters"].as_array().expect("waiters");
            assert_eq!(waiters.len(), if hold["watch"] == "wait" { 2 } else { 0 });
            assert!(waiters.iter().all(|usage| usage["cpu_ns"].is_u64()), "{hold}");
            assert!(hold["try_max_ns"].is_null() || hold["watch"] == "probe", "{hold}");
        }
        if line["row"].as_str().is_some_and(|row| row.ends_with("at Claimed")) {
            assert_eq!((&line["known"], &line["blocked"]), (&Value::from(20), &Value::from(20)), "{line}");
            let most = |figure: &Value, most: f64| figure.as_f64().is_some_and(|figure| figure <= most);
            // Of hundreds of calls a few may be preempted.
            assert!(most(&line["try_p99_us"], 10_000.0), "{line}");
            assert!(most(&line["cpu_percent"]["p75"], 5.0), "{line}");
            for figure in ["futile_wakes", "futex_waits", "futex_wakes"] {
                assert_eq!(line[figure]["median"], 0.0, "{figure}: {line}");
            }
        }
    }
}

#[test]
fn a_run_varies_what_it_is_asked_to() {
    let output =
        bench(&["compare", "--only", "^one-cpu 1:2 cap 1$", "--rounds", "1", "--switch", "wake,ring,wake"]);
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = |name: &str| table.lines().filter(|line| line.contains(name)).count();
    assert_eq!((lines("wake each "), lines(" spmc "), lines("ring hint")), (1, 1, 0), "{table}");
}

/// The fences keep every wake-up; without them this machine loses some. (The publisher of a debug build is too slow to
/// overtake its own stores.)
#[test]
fn wake_ups_are_lost_without_a_partner_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.json");
    let args = ["fence", "--rounds", "30000", "--json", path.to_str().expect("text")];
    if Cpus::usable().count() < 2 {
        assert!(refused(&args).contains("two CPUs"));
        return;
    }
    let output = bench(&args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON");
    let lines = json["lines"].as_array().expect("lines");
    let shows = cfg!(target_arch = "x86_64") && !cfg!(debug_assertions);
    for line in lines {
        let lost = line["counts"]["lost"].as_u64().expect("a number");
        match line["expected"].as_str().expect("a word") {
            _ if line["verdict"] == "not-run" => assert!(json["membarrier_ns"].is_null(), "{line}"),
            "never" => assert_eq!(lost, 0, "{line}"),
            "lost" => assert!(lost > 0 || !shows, "{line}"),
            _ => {}
        }
    }
    for (expected, rows) in [("never", 3), ("lost", 3), ("open", 4)] {
        assert_eq!(lines.iter().filter(|line| line["expected"] == expected).count(), rows);
    }
}

/// Each figure is of a run whose count came back; with two rounds nothing is decided.
#[test]
fn relax_tells_what_loops_cost_here() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, page) = (folder.path().join("out.json"), folder.path().join("out.html"));
    let (path, page) = (path.to_str().expect("text"), page.to_str().expect("text"));
    let output = bench(&["relax", "--rounds", "2", "--seed", "7", "--json", path, "--html", page]);
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let cpus = Cpus::usable().count();
    let two = if cpus > 1 { "transfer between" } else { "One usable CPU" };
    for part in
        ["64 hints", two, "lockref back-off", "Mutex<u64>", "Linux: tasks/CPU", "after a lost try", "seed 7"]
    {
        assert!(table.contains(part), "{part} is missing from\n{table}");
    }

    let json: Value = serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON");
    assert_eq!((&json["rounds"], &json["seed"]), (&Value::from(2), &Value::from(7)));
    let hints = json["costs"].as_array().expect("costs").iter().filter(|cost| cost["cost"]["hints"].is_u64());
    assert_eq!(hints.count(), 3);
    let lines = json["lines"].as_array().expect("lines");
    for line in lines {
        assert_eq!(line["samples"].as_array().map(Vec::len), Some(2));
        assert!(line["ns"]["median"].as_f64().is_some_and(|ns| ns > 0.0), "{line}");
    }
    let threads = |count: usize| lines.iter().filter(|line| line["threads"] == count).count();
    assert_eq!((threads(1), threads(2 * cpus)), (11, 10), "one try without a loop is for one thread");
    assert_eq!(
        json["kernel"].as_array().map(|rows| rows.iter().filter(|row| row["procs"].is_u64()).count()),
        Some(6)
    );
    assert_eq!(json["advice"]["retry"]["decided"], Value::from(false));
    match json["transfer"]["ns"].as_array() {
        Some(matrix) => {
            for (a, row) in matrix.iter().enumerate() {
                assert!(row[a].is_null(), "{row}");
                assert!((0..a).all(|b| row[b].is_f64() && row[b] == matrix[b][a]), "{matrix:?}");
            }
        }
        None => assert_eq!(cpus, 1),
    }
    let page = fs::read_to_string(page).expect("the page");
    assert_eq!(page.contains("class=\"heat\""), cpus > 1);
}

/// Each figure is of a run whose messages all arrived; with two rounds nothing is decided.
#[test]
fn kernel_reruns_the_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, page) = (folder.path().join("out.json"), folder.path().join("out.html"));
    let (path, page) = (path.to_str().expect("text"), page.to_str().expect("text"));
    let only = "k1 (open3|tight) 1$|k4|3:2";
    let files = ["--json", path, "--html", page];
    let asked = ["--groups", "2,1,2", "--fan", "3:2", "--loops", "20", "--rounds", "2", "--seed", "7"];
    let output = bench(&[&["kernel", "all", "--only", only][..], &asked, &files].concat());
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "K1 (January 2023)",
        "what fits",
        "k1 on ring",
        "k2 on pages",
        "k3 on shared",
        "was_full, looks",
        "16 groups",
        "k4 ",
        "os pipe",
        "one task",
        "k5 on ring",
        "VM, 2 threads",
        "seed 7, pipes' threads free",
        "Too few rounds",
    ] {
        assert!(table.contains(part), "{part} is missing from\n{table}");
    }
    assert!(!table.contains("same direction"), "{table}");

    let json: Value = serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON");
    assert_eq!((&json["rounds"], &json["seed"]), (&Value::from(2), &Value::from(7)));
    let parts = json["parts"].as_array().expect("parts");
    let lines = |part: usize| parts[part]["lines"].as_array().expect("lines");
    assert_eq!([0, 1, 2, 3, 4].map(|part| lines(part).len()), [2 + 4, 2 * 9, 2 * 6, 4 * 4, 2 * 11]);
    for line in (0..5).flat_map(lines) {
        assert!(line["ns"]["median"].as_f64().is_some_and(|ns| ns > 0.0), "{line}");
        let samples = line["samples"].as_array().expect("samples");
        assert_eq!(samples.len(), 2);
        if let Some(groups) = line["work"]["messaging"].as_str() {
            let groups: u64 = groups.split(' ').next().expect("a number").parse().expect("a number");
            assert!(samples.iter().all(|sample| sample["items"] == groups * 3 * 2 * 20), "{line}");
            assert_eq!(line["amount"]["work"], 20);
        }
        assert_eq!(line["wakes"].is_object(), line["on"] == "pages", "{line}");
        let counted = json["uncounted"].is_null() && line["work"]["crowd"].is_null();
        assert_eq!(line["calls"].is_object(), counted, "{line}");
    }
    let verdicts = parts.iter().flat_map(|part| part["beside"].as_array().expect("theirs"));
    let verdicts = verdicts.flat_map(|beside| beside["ours"].as_array().expect("ours"));
    assert!(verdicts.clone().count() > 0 && verdicts.clone().all(|ours| ours["verdict"] == "undecided"));
    assert!(fs::read_to_string(page).expect("the page").contains("K5 (August 2018)"));
}

/// Each figure is of a run whose bytes all arrived; with two rounds nothing is decided.
#[test]
fn bytes_measures_sizes_of_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, page) = (folder.path().join("out.json"), folder.path().join("out.html"));
    let (path, page) = (path.to_str().expect("text"), page.to_str().expect("text"));
    let only = "one-cpu (loop|1:1 (1 B|64 KiB)|4:1 100 B)";
    let output =
        bench(&["bytes", "--only", only, "--rounds", "2", "--seed", "7", "--json", path, "--html", page]);
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "one-cpu loop 512 B",
        "one-cpu 1:1 64 KiB",
        "one-cpu 4:1 100 B",
        "MB/s",
        "x relay",
        "spsc",
        "shared",
        "memcpy relay",
        "seed 7",
        "at least 50 times as fast",
        "undecided 4",
    ] {
        assert!(table.contains(part), "{part} is missing from\n{table}");
    }

    let json: Value = serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON");
    assert_eq!((&json["rounds"], &json["seed"]), (&Value::from(2), &Value::from(7)));
    assert_eq!((&json["limit"], &json["room"]), (&Value::from(65536), &Value::from(65536)));
    let lines = json["lines"].as_array().expect("lines");
    let alone = if cfg!(feature = "peers") { 7 } else { 4 };
    assert_eq!(lines.len(), 3 * alone + 2, "two contenders serve four writers");
    for line in lines {
        let several = line["work"]["stream"]["writers"] == 4;
        let samples = line["samples"].as_array().expect("samples");
        assert_eq!(samples.len(), 2);
        let figure = |figure: &Value| figure.as_f64().is_some_and(|figure| figure > 0.0);
        assert!(figure(&line["ns"]["median"]) && figure(&line["mb_per_s"]["median"]), "{line}");
        assert_eq!(figure(&line["p99_ns"]), line["work"] != "loop", "{line}");
        assert_eq!(line["to_os"].is_null(), line["settings"] == "os", "{line}");
        assert_eq!(line["to_relay"].is_null(), several || line["settings"] == "relay", "{line}");
    }
    let bars = json["bars"].as_array().expect("bars");
    assert!(bars.len() == 4 && bars.iter().all(|bar| bar["verdict"] == "undecided"), "{bars:?}");
    let page = fs::read_to_string(page).expect("the page");
    assert!(page.contains("size of a write") && page.contains("bytes per second"));
}

#[test]
fn bytes_runs_what_it_is_asked_to() {
    let args = ["bytes", "--size", "1000", "--writers", "2", "--placement", "one-cpu", "--rounds", "1"];
    let output = bench(&args);
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = table.lines().filter(|line| line.trim_start().starts_with("one-cpu ")).count();
    assert!(rows == 1 && table.contains("one-cpu 2:1 1000 B"), "{table}");
    assert!(!table.contains("verdict"), "nothing is promised of that: {table}");
}

/// The system's pipe, pages and the ring through the same work, on seats.
#[test]
fn kernel_has_its_workload_alone() {
    let args = ["kernel", "messaging", "--fan", "2", "--loops", "10", "--rounds", "1", "--pinned"];
    let output = bench(&args);
    let table = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in ["1 x 2:2", "os pipe default", "pages default", "ring default", "pipes' threads apart"] {
        assert!(table.contains(part), "{part} is missing from\n{table}");
    }
    assert!(!table.contains("beside the thread "), "{table}");
}

#[cfg(feature = "peers")]
#[test]
fn a_lockref_has_bars() {
    let output = bench(&["bars", "--only", "^lockref (solo|2)", "--rounds", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).expect("text");
    let bars = table.lines().filter(|line| line.trim_start().starts_with("lockref ")).count();
    assert_eq!(bars, if Cpus::usable().count() > 1 { 4 } else { 3 }, "{table}");
    assert!(table.contains("lockref solo: lockref none / load + CAS") && table.contains("fetch_add/sub"));
}

#[cfg(feature = "peers")]
#[test]
fn byte_pipes_have_bars() {
    let output = bench(&["bars", "--only", "^bytes one-cpu", "--rounds", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).expect("text");
    let bars = table.lines().filter(|line| line.trim_start().starts_with("bytes one-cpu ")).count();
    assert_eq!(bars, 4, "{table}");
    assert!(table.contains("one-cpu 1:1 64 KiB: spsc / memcpy relay"), "{table}");
}

#[cfg(feature = "peers")]
#[test]
fn pools_of_tokens_have_bars() {
    let output = bench(&["bars", "--only", "^tokens (8|32) threads$", "--rounds", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).expect("text");
    let bars = table.lines().filter(|line| line.trim_start().starts_with("tokens ")).count();
    assert_eq!(bars, 3, "{table}");
    assert!(table.contains("tokens 32 threads: longest wait for a TokenPool"), "{table}");
    // One round decides no ratio, and the crowd's has no limit; its wait is not a median.
    assert!(["met 1, undecided 1", "MISSED 1, undecided 1"].iter().any(|end| table.contains(end)), "{table}");
}

#[cfg(feature = "peers")]
#[test]
fn bars_measure_in_processes_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, page) = (folder.path().join("out.json"), folder.path().join("out.html"));
    let (path, page) = (path.to_str().expect("text"), page.to_str().expect("text"));
    let only = "one-cpu (1:1 cap 1024|solo)$";
    let output = bench(&["bars", "--only", only, "--rounds", "1", "--json", path, "--html", page]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON");
    let bars = json["bars"].as_array().expect("bars");
    assert_eq!(bars.len(), 3 + 7, "the core's of a pair; rtrb, crossbeam-channel and fences for one thread");
    assert!(bars.iter().all(|bar| bar["verdict"] == "undecided"), "one round decides nothing");
    let page = fs::read_to_string(page).expect("the page");
    assert!(page.contains("one-cpu 1:1 cap 1024: hornpipe / mutex") && page.contains("undecided"));
}
