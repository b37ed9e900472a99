//! The pages of `report`, `relax`, `kernel` and `bytes`, as text and in a real browser. The reports are made up: figures of machines that do not exist,
//! the second of them in the older schema and with markup in its CPU's name.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

const REPORTS: [&str; 2] = ["tests/reports/two-cpus.json", "tests/reports/eight-cpus.json"];

/// Asks the program for a page in a new folder.
fn page() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.html");
    let output = report(&REPORTS, &path);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, path)
}

/// The text of a page of `relax`, with two crowds.
fn relaxed() -> String {
    measured(&["relax", "--rounds", "1", "--only", "costs|transfer|wait|crowd [12]$"])
}

/// The text of a page of `kernel`, with charts and a row that the thread has.
fn rerun() -> String {
    measured(&["kernel", "k2", "--rounds", "1", "--groups", "1,2", "--fan", "2", "--loops", "10"])
}

/// The text of a page of `bytes`, with charts over two sizes.
fn sized() -> String {
    measured(&["bytes", "--rounds", "1", "--size", "1,64", "--placement", "one-cpu"])
}

/// The page that a run writes.
fn measured(args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hornpipe-bench"));
    command.args(args).arg("--html").arg(&path);
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(path).expect("the page")
}

fn report(files: &[&str], page: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hornpipe-bench"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("report").args(files).arg("--html").arg(page);
    command.output().expect("the program starts")
}

#[test]
fn the_page_needs_nothing_else_and_names_its_machines() {
    let (_folder, path) = page();
    let text = fs::read_to_string(path).expect("the page");
    for text in [&text, &relaxed(), &rerun(), &sized()] {
        for (at, _) in text.match_indices("://") {
            let begin = text[..at].rfind(['"', ' ']).map_or(0, |quote| quote + 1);
            assert!(text[begin..].starts_with("http://www.w3.org/2000/svg\""), "{}", &text[begin..at + 40]);
        }
        for tag in ["<link", "<img", "<iframe", "@import", "url("] {
            assert!(!text.contains(tag), "{tag}");
        }
    }
    for part in [
        "Example 2000",
        "Example &lt;script&gt;",
        "6.1.0-example",
        "rustc 1.88.0 (example)",
        "A: Example 2000, 2 CPUs",
        "Across CPU counts",
        "items per second",
        "tasks per CPU",
    ] {
        assert!(text.contains(part), "{part} is missing");
    }
    assert_eq!(text.matches("<script>").count(), 1, "the page's own");
}

#[test]
fn elements_are_closed_in_the_order_in_which_they_were_opened() {
    let (_folder, path) = page();
    closed(&fs::read_to_string(path).expect("the page"));
    closed(&relaxed());
    closed(&rerun());
    closed(&sized());
}

fn closed(text: &str) {
    let mut open = Vec::new();
    let mut rest = text.strip_prefix("<!DOCTYPE html>").expect("a document type");
    while let Some((_, tag)) = rest.split_once('<') {
        let (tag, after) = tag.split_once('>').expect("a tag ends");
        rest = after;
        let name = tag.split([' ', '\n']).next().expect("a tag has a name");
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if name == "meta" || tag.ends_with('/') => {}
            None => open.push(name),
        }
        // Their text is not markup.
        if name == "script" || name == "style" {
            rest = &rest[rest.find("</").expect("its end")..];
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn what_is_no_report_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("text").to_owned()
    };
    let newer = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(REPORTS[0]))
        .expect("a report")
        .replacen("\"schema\": 2", "\"schema\": 3", 1);
    for (path, why) in [
        (file("text", "no JSON"), "not JSON"),
        (file("other.json", "{\"bars\": []}"), "not what compare --json writes"),
        (file("newer.json", &newer), "its schema is 3"),
        ("no/such/file".into(), "No such file"),
    ] {
        let output = report(&[REPORTS[0], &path], &page);
        let stderr = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains(&path) && stderr.contains(why), "{stderr}");
        assert!(!page.exists());
    }
}

const RING: [u8; 3] = [0x00, 0x72, 0xB2];
const MUTEX: [u8; 3] = [0xD5, 0x5E, 0x00];
const NOBODY: [u8; 3] = [0xC9, 0xB8, 0x1E];

#[test]
fn a_browser_draws_the_lines_and_hides_them() {
    let Some(browser) = Browser::find() else { return };
    let (_folder, page) = page();
    let [ring, mutex, nobody] = browser.pixels(&page, [RING, MUTEX, NOBODY]);
    assert!(ring > 1000 && mutex > 1000, "only {ring} and {mutex} pixels are of the lines' colours");
    assert!(nobody < 100, "{nobody} pixels are of a colour that no line has");

    press(&page, "[data-line]");
    let [hidden, others] = browser.pixels(&page, [RING, MUTEX]);
    // The name keeps its mark.
    assert!(hidden < 200, "{hidden} pixels of {ring} are still there");
    assert!(others >= mutex, "what was below comes to light");
}

#[test]
fn a_browser_draws_the_map_of_lines() {
    let Some(browser) = Browser::find() else { return };
    let text = relaxed();
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    fs::write(&page, &text).expect("the page");
    // The slowest pair's colour.
    let [slowest] = browser.pixels(&page, [[0xFE, 0xE8, 0x25]]);
    match text.contains("class=\"heat\"") {
        true => assert!(slowest > 1000, "only {slowest} pixels are of the map's colour"),
        false => assert!(text.contains("One usable CPU")),
    }
}

/// Makes the page press the first button of that kind, as a reader would.
fn press(page: &Path, selector: &str) {
    let text = fs::read_to_string(page).expect("the page");
    let script = format!("<script>document.querySelector('{selector}').click()</script></body>");
    fs::write(page, text.replacen("</body>", &script, 1)).expect("the page");
}

#[test]
fn a_browser_sorts_the_table_and_runs_nothing_of_the_reports() {
    let Some(browser) = Browser::find() else { return };
    let (_folder, page) = page();
    let order = |fragment: &str| {
        let output = browser.run(&["--dump-dom".into()], &page, fragment);
        let dom = String::from_utf8(output.stdout).expect("text");
        assert!(dom.contains("data-ready"), "the page's script ended");
        assert!(dom.contains("<title>hornpipe"), "the reports' did not run");
        let table = dom.split_once("id=\"figures\"").expect("the table").1;
        let (head, body) = table.split_once("<tbody>").expect("its rows");
        let body = body.split_once("</tbody>").expect("their end").0;
        let cells = |column: usize| {
            let rows = body.split("<tr>").skip(1);
            // A cell's text is between the end of its tag and the next tag.
            rows.map(|row| row.split("<t").nth(column + 1).and_then(|cell| cell.split(['>', '<']).nth(1)))
                .map(|cell| cell.expect("a cell").to_owned())
                .collect::<Vec<_>>()
        };
        (head.matches("aria-sort=\"none\"").count(), cells(1), cells(5))
    };
    let (unsorted, rows, times) = order("");
    assert_eq!((unsorted, rows.len()), (16, 16));
    assert_eq!((rows[0].as_str(), rows[7].as_str()), ("apart 1:1 cap 16", "apart ping-pong"));

    let number = |text: &String| text.parse::<f64>().expect("a number");
    let mut expected: Vec<f64> = times.iter().map(number).collect();
    expected.sort_by(f64::total_cmp);
    let (unsorted, _, times) = order("#sort=figures,5,ascending");
    assert_eq!((unsorted, times.iter().map(number).collect::<Vec<_>>()), (15, expected.clone()));
    expected.reverse();
    let (_, _, times) = order("#sort=figures,5,descending");
    assert_eq!(times.iter().map(number).collect::<Vec<_>>(), expected);

    // By words, with numbers in them by size.
    let (_, rows, _) = order("#sort=figures,1,ascending");
    let mut distinct = rows;
    distinct.dedup();
    assert_eq!(
        distinct,
        ["apart 1:1 cap 16", "apart 2:2 cap 16", "apart 4:4 cap 16", "apart 16:16 cap 16", "apart ping-pong"]
    );
    // A fragment that means nothing changes nothing.
    assert_eq!(order("#sort=figures,99,ascending").0, 16);

    // A press on the head of a column that is in order turns it round.
    press(&page, "#figures th:nth-child(6) button");
    assert_eq!(order("#sort=figures,5,ascending").2, times);
}

/// Chromium, without a window and without a network.
struct Browser(PathBuf);

impl Browser {
    /// The one that HORNPIPE_BROWSER names, or one that is installed; says so loudly when there is none.
    fn find() -> Option<Self> {
        if let Some(named) = env::var_os("HORNPIPE_BROWSER") {
            return Some(Self(named.into()));
        }
        const NAMES: [&str; 4] = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
        let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
        let mut paths = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        let found = paths.find(|path| path.is_file()).map(Self);
        if found.is_none() {
            // Past the test harness, which keeps what a passing test prints to itself.
            let _ = writeln!(
                io::stderr(),
                "\n!!!! SKIPPED: the page in a browser: none of {NAMES:?} is installed (HORNPIPE_BROWSER names another)"
            );
        }
        found
    }

    /// How many pixels of the page have each of these colours.
    fn pixels<const N: usize>(&self, page: &Path, colours: [[u8; 3]; N]) -> [usize; N] {
        let shot = page.with_extension("png");
        let mut flag = OsString::from("--screenshot=");
        flag.push(&shot);
        self.run(&[flag, "--window-size=1200,2600".into()], page, "");
        let file = io::BufReader::new(fs::File::open(shot).expect("the browser took a picture"));
        let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("it fits the memory")];
        let info = reader.next_frame(&mut bytes).expect("a picture");
        assert_eq!((info.width, info.height, info.bit_depth), (1200, 2600, png::BitDepth::Eight));
        colours.map(|colour| {
            let near = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= 4;
            let pixels = bytes.chunks_exact(info.color_type.samples());
            pixels.filter(|pixel| pixel.iter().zip(&colour).all(near)).count()
        })
    }

    fn run(&self, flags: &[OsString], page: &Path, fragment: &str) -> Output {
        let profile = tempfile::tempdir().expect("a folder");
        let mut data = OsString::from("--user-data-dir=");
        data.push(profile.path());
        let mut address = OsString::from("file://");
        address.push(page);
        address.push(fragment);
        let child = Command::new(&self.0)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND")
            .arg(data)
            .args(flags)
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let child = child.unwrap_or_else(|e| panic!("{}: {e}", self.0.display()));
        let output = finish(child, Duration::from_secs(60));
        assert!(output.status.success(), "{}: {}", self.0.display(), output.status);
        output
    }
}

/// Waits for `child`, but not for ever.
fn finish(mut child: Child, limit: Duration) -> Output {
    let begun = Instant::now();
    let mut stdout = child.stdout.take().expect("a pipe");
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        io::Read::read_to_end(&mut stdout, &mut text).map(|_| text)
    });
    let status = loop {
        match child.try_wait().expect("a child can be waited for") {
            Some(status) => break status,
            None if begun.elapsed() > limit => {
                let _ = child.kill();
                panic!("the browser did not end within {} s", limit.as_secs());
            }
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    let stdout = reader.join().expect("the reader ends").expect("a pipe can be read");
    Output { status, stdout, stderr: Vec::new() }
}
