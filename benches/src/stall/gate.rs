//! Where the victim stands while it is held: in a signal handler, or (`--cfg hornpipe_hooks`) in a hook.

use std::{
    io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write},
    sync::OnceLock,
    time::Duration,
};
#[cfg(hornpipe_hooks)]
use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use nix::{
    errno::Errno,
    libc::c_int,
    sys::{
        signal::{SaFlags, SigAction, SigEvent, SigHandler, SigSet, SigevNotify, Signal, sigaction},
        timer::{Expiration, Timer, TimerSetTimeFlags},
    },
};
use serde::{Deserialize, Serialize};

use crate::usage::Thread;

/// What holds the victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// A signal, wherever it finds the thread.
    Signal,
    /// hornpipe's stall point between the claim of a slot and its publish (release).
    #[cfg(hornpipe_hooks)]
    Claimed,
}

/// One thread at a time stands here. Pipes, because a handler may read and write them.
pub struct Gate {
    arrived: (PipeReader, PipeWriter),
    go: (PipeReader, PipeWriter),
    #[cfg(hornpipe_hooks)]
    armed: AtomicBool,
}

/// A handler has no other way to its gate.
static GATE: OnceLock<Gate> = OnceLock::new();

impl Gate {
    /// The process's gate, with the handler in place.
    pub fn of_this_process() -> io::Result<&'static Self> {
        let gate = Self {
            arrived: io::pipe()?,
            go: io::pipe()?,
            #[cfg(hornpipe_hooks)]
            armed: false.into(),
        };
        let gate = GATE.get_or_init(|| gate);
        // The calls of a channel that sleeps go on sleeping after the handler.
        let action = SigAction::new(SigHandler::Handler(handler), SaFlags::SA_RESTART, SigSet::empty());
        // SAFETY: the handler may interrupt anything, so it must be async-signal-safe. `handler` keeps that: an atomic
        // load, `write` and `read` of pipes that are never closed, and errno as it was; no lock and no allocation.
        unsafe { sigaction(Signal::SIGUSR1, &action) }?;
        Ok(gate)
    }

    /// To be called by the victim before it begins: lays the hook, if that is what will hold it.
    #[cfg(hornpipe_hooks)]
    pub fn lay(&'static self, by: By) -> Option<hornpipe::hooks::Guard> {
        // Relaxed: the flag carries nothing, and a later pass does as well.
        let stand = || {
            if self.armed.swap(false, Relaxed) {
                self.stand();
            }
        };
        (by == By::Claimed).then(|| hornpipe::hooks::on(hornpipe::hooks::Point::Claimed, stand))
    }

    /// Without stall points there is nothing to lay.
    #[cfg(not(hornpipe_hooks))]
    pub fn lay(&self, _: By) {}

    /// Returns once `victim` stands here, which it will be after `moment` more of its own time: a sleeper is not caught.
    pub fn hold(&self, victim: &Thread, by: By, moment: Duration) -> io::Result<()> {
        let _timer = match by {
            By::Signal => Some(alarm(victim, moment)?),
            #[cfg(hornpipe_hooks)]
            By::Claimed => {
                thread::sleep(moment);
                self.armed.store(true, Relaxed);
                None::<Timer>
            }
        };
        (&self.arrived.0).read_exact(&mut [0])
    }

    /// Lets it go.
    pub fn release(&self) -> io::Result<()> {
        (&self.go.1).write_all(&[0])
    }

    fn stand(&self) {
        // A pipe of this process does not fail; if it did, the one who waits for the arrival would report a hang.
        let _ = (&self.arrived.1).write(&[0]);
        while (&self.go.0).read(&mut [0]).is_err_and(|e| e.kind() == ErrorKind::Interrupted) {}
    }
}

/// Sends the signal to `victim` and no other thread, by the clock that only runs while it does.
fn alarm(victim: &Thread, moment: Duration) -> io::Result<Timer> {
    let notify =
        SigevNotify::SigevThreadId { signal: Signal::SIGUSR1, thread_id: victim.id().as_raw(), si_value: 0 };
    let mut timer = Timer::new(victim.clock(), SigEvent::new(notify))?;
    timer.set(Expiration::OneShot(moment.into()), TimerSetTimeFlags::empty())?;
    Ok(timer)
}

extern "C" fn handler(_: c_int) {
    let errno = Errno::last_raw();
    if let Some(gate) = GATE.get() {
        gate.stand();
    }
    Errno::set_raw(errno);
}
