//! A jobserver for GNU make that shares its tokens with threads of this program: all jobs together, make's and our own, are
//! never more than the pool has tokens, and the one that each make may always run.
//!
//! Make knows a jobserver as a pipe: it reads a byte before each further job and writes it back after it. Here the pipe is a
//! FIFO, and what is in it, or in make's hands, is *lent*: its tokens are taken from a [`TokenPool`].
//!
//! ```text
//!                 lender: acquire, write the byte ──►  FIFO ◄──► make, a byte a job
//!   TokenPool ◄─┤ collector: read a byte back, drop its token, when a linker wants one
//!                 linkers (threads of this program): acquire, link, drop
//! ```
//!
//! The FIFO has two kinds of readers, make and the collector. So the collector takes "readable" for what it is, a hint:
//! it polls, and then reads without blocking, for make may have been faster (make itself once waited until the pipe was readable
//! and then read, which hung when another make took the byte in between: Savannah bug 51159). Its descriptor is one of its own,
//! opened by the FIFO's name: not to block is a state of the open file, and make must not find it on its ends.
//!
//! ```console
//! $ cargo run --release --example jobserver
//! ```

#[cfg(target_os = "linux")]
pub(crate) mod linux {
    use hornpipe::{Receiver, Sender, Token, TokenPool, TrySendError};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fd::{AsFd, AsRawFd, OwnedFd};
    use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open};
    use rustix::io::{Errno, FdFlags, fcntl_setfd, read, retry_on_intr, write};
    use std::fs::{self, OpenOptions};
    use std::io::{self, Write};
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::Duration;

    /// How often those who wait look whether it is over.
    const LOOK: Duration = Duration::from_millis(20);

    /// What to run.
    #[derive(Clone, Copy, Debug)]
    pub struct Plan {
        pub tokens: usize,
        /// Make's jobs.
        pub jobs: usize,
        /// Threads of our own, and what each of them links.
        pub linkers: usize,
        pub links: usize,
    }

    /// What came of it.
    #[derive(Debug)]
    pub struct Outcome {
        pub by_make: usize,
        pub by_us: usize,
        /// Jobs at once: make's, ours, all.
        pub most: [usize; 3],
        pub idle_at_the_end: usize,
        pub told_by_make: String,
    }

    struct Jobserver {
        pool: TokenPool,
        /// The program's own end: it does not block.
        fifo: OwnedFd,
        /// Tokens whose bytes are in the FIFO or in make's hands.
        lent: Mutex<Vec<Token>>,
        /// Linkers that wait for a token; while any do nothing is lent.
        wanting: AtomicUsize,
        over: AtomicBool,
    }

    impl Jobserver {
        /// Lends make whatever nobody here wants.
        fn lend(&self, served: &Receiver<()>) -> io::Result<()> {
            while !self.over.load(SeqCst) {
                let Some(token) = self.pool.acquire_timeout(LOOK) else { continue };
                if self.wanting.load(SeqCst) > 0 {
                    drop(token); // to the next in the line, and out of it
                    let _ = served.recv_timeout(LOOK);
                    continue;
                }
                let byte = token.byte();
                self.lent.lock().unwrap().push(token);
                // There is room: a pool has no more tokens than a FIFO holds bytes.
                assert_eq!(write(&self.fifo, &[byte])?, 1);
            }
            Ok(())
        }

        /// Reads a byte that make does not use, if there is one, and drops its token.
        fn take_back(&self) -> io::Result<bool> {
            let mut byte = [0];
            match retry_on_intr(|| read(&self.fifo, &mut byte)) {
                Ok(1) => {}
                Err(Errno::AGAIN) => return Ok(false),
                Ok(_) => {
                    return Err(io::Error::other("the FIFO has an end, though this program writes to it"));
                }
                Err(error) => return Err(error.into()),
            }
            let mut lent = self.lent.lock().unwrap();
            let Some(nth) = lent.iter().position(|token| token.byte() == byte[0]) else {
                return Err(io::Error::other(format!(
                    "make wrote {:?}, which nobody lent it",
                    byte[0] as char
                )));
            };
            drop(lent.swap_remove(nth));
            Ok(true)
        }

        /// Bytes back while linkers want more tokens than are idle.
        fn collect(&self, wants: &Receiver<()>) -> io::Result<()> {
            for () in wants {
                while self.wanting.load(SeqCst) > self.pool.len() {
                    if self.take_back()? {
                        continue;
                    }
                    let limit = Timespec::try_from(LOOK).expect("it is short");
                    match poll(&mut [PollFd::new(&self.fifo, PollFlags::IN)], Some(&limit)) {
                        Ok(_) | Err(Errno::INTR) => {} // a hint: another may read it first
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            Ok(())
        }

        /// A linker's way to a token.
        fn want(&self, wants: &Sender<()>, served: &Sender<()>) -> Token {
            self.pool.try_acquire().unwrap_or_else(|| {
                self.wanting.fetch_add(1, SeqCst);
                tell(wants);
                let token = self.pool.acquire();
                if self.wanting.fetch_sub(1, SeqCst) == 1 {
                    tell(served);
                }
                token
            })
        }
    }

    /// That there is something to look at; a pipe that is full says so already.
    fn tell(event: &Sender<()>) {
        assert_ne!(event.try_send(()), Err(TrySendError::Disconnected(())), "who is told lives");
    }

    /// A folder that is gone at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> io::Result<Self> {
            static NEXT: AtomicUsize = AtomicUsize::new(0);
            let name = format!("hornpipe-jobserver-{}-{}", std::process::id(), NEXT.fetch_add(1, SeqCst));
            let path = std::env::temp_dir().join(name);
            fs::create_dir(&path)?;
            Ok(Self(path))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// What the `make` of this machine is, if it is GNU's: its version.
    fn make_version() -> Option<(u32, u32)> {
        let out = Command::new("make").arg("--version").output().ok()?;
        let out = String::from_utf8(out.stdout).ok()?;
        let mut numbers = out.strip_prefix("GNU Make ")?.split(['.', '\n']).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    /// Notes that a job begins or ends. Each is one write at the file's end, so the notes' order is that of the jobs.
    fn note(log: &Path, what: &str) -> io::Result<()> {
        OpenOptions::new().append(true).create(true).open(log)?.write_all(format!("{what}\n").as_bytes())
    }

    /// The same in a recipe, around a job of 30 ms.
    const MAKEFILE: &str = "\
all: $(addprefix job-,$(JOBS))
job-%:
\t@echo '+ make' >> log; sleep 0.03; echo '- make' >> log
.PHONY: all
";

    /// A make with all of our tokens that we do not need ourselves. `None`: there is no GNU make here.
    pub fn run(plan: Plan) -> io::Result<Option<Outcome>> {
        let Some(version) = make_version() else { return Ok(None) };
        let folder = Folder::new()?;
        let (fifo, log) = (folder.0.join("fifo"), folder.0.join("log"));
        mkfifoat(CWD, &fifo, Mode::RUSR | Mode::WUSR)?;
        fs::write(folder.0.join("Makefile"), MAKEFILE)?;
        let open = |flags| open(&fifo, flags | OFlags::CLOEXEC, Mode::empty());
        // First for both: no other open waits for its other end, and the FIFO has no end while this is there.
        let server = Arc::new(Jobserver {
            pool: TokenPool::new(plan.tokens),
            fifo: open(OFlags::RDWR | OFlags::NONBLOCK)?,
            lent: Mutex::new(Vec::new()),
            wanting: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        });
        let ends = [open(OFlags::RDONLY)?, open(OFlags::WRONLY)?];
        let auth = if version >= (4, 4) {
            format!("fifo:{}", fifo.display()) // make opens it by itself
        } else {
            // Make inherits them; so would any other program that is started in this moment.
            ends.iter().try_for_each(|end| fcntl_setfd(end.as_fd(), FdFlags::empty()))?;
            let [reads, writes] = ends.each_ref().map(AsRawFd::as_raw_fd);
            format!("{reads},{writes}")
        };
        let numbers: Vec<String> = (0..plan.jobs).map(|job| job.to_string()).collect();
        let mut make = Command::new("make");
        make.current_dir(&folder.0)
            .arg(format!("JOBS={}", numbers.join(" ")))
            // On its command line -j would make it a jobserver itself.
            .env("MAKEFLAGS", format!("-j --jobserver-auth={auth}"))
            .env_remove("MAKELEVEL");

        let (wants_tx, wants) = hornpipe::bounded(1);
        let (served_tx, served) = hornpipe::bounded(1);
        let lender = {
            let server = server.clone();
            thread::spawn(move || server.lend(&served))
        };
        let collector = {
            let server = server.clone();
            thread::spawn(move || server.collect(&wants))
        };
        let linkers: Vec<_> = (0..plan.linkers)
            .map(|_| {
                let (server, wants, served, log) =
                    (server.clone(), wants_tx.clone(), served_tx.clone(), log.clone());
                thread::spawn(move || {
                    for _ in 0..plan.links {
                        let _token = server.want(&wants, &served);
                        note(&log, "+ us")?;
                        thread::sleep(Duration::from_millis(20));
                        note(&log, "- us")?;
                    }
                    io::Result::Ok(())
                })
            })
            .collect();
        drop(wants_tx);

        let made = make.output()?;
        drop(ends);
        for linker in linkers {
            linker.join().expect("a linker's panic was shown")?;
        }
        collector.join().expect("the collector's panic was shown")?;
        server.over.store(true, SeqCst);
        lender.join().expect("the lender's panic was shown")?;
        while server.take_back()? {}

        if !made.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&made.stderr).into_owned()));
        }
        Ok(Some(Outcome {
            told_by_make: String::from_utf8_lossy(&made.stderr).into_owned(),
            idle_at_the_end: server.pool.len(),
            ..count(&fs::read_to_string(&log)?)
        }))
    }

    /// What the notes say.
    fn count(log: &str) -> Outcome {
        let (mut jobs, mut now, mut most) = ([0; 2], [0; 2], [0; 3]);
        for line in log.lines() {
            let who = usize::from(line.ends_with("us"));
            if line.starts_with('+') {
                jobs[who] += 1;
                now[who] += 1;
            } else {
                now[who] -= 1;
            }
            most = [most[0].max(now[0]), most[1].max(now[1]), most[2].max(now[0] + now[1])];
        }
        let [by_make, by_us] = jobs;
        Outcome { by_make, by_us, most, idle_at_the_end: 0, told_by_make: String::new() }
    }
}

#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    let plan = linux::Plan { tokens: 4, jobs: 24, linkers: 2, links: 8 };
    let Some(outcome) = linux::run(plan)? else {
        println!("SKIPPED: there is no GNU make here");
        return Ok(());
    };
    let [make, us, all] = outcome.most;
    println!("| {} tokens | jobs | at once |\n|---|---|---|", plan.tokens);
    println!("| make | {} | {make} |\n| our threads | {} | {us} |", outcome.by_make, outcome.by_us);
    println!("| together | {} | {all} |", outcome.by_make + outcome.by_us);
    assert_eq!((outcome.by_make, outcome.by_us), (plan.jobs, plan.linkers * plan.links));
    assert!(all <= plan.tokens + 1, "make has a token of its own, no more");
    assert!(make > 1, "make has not used its tokens: {}", outcome.told_by_make);
    assert_eq!(outcome.idle_at_the_end, plan.tokens);
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("SKIPPED: make's jobserver is shown on Linux");
}
