//! A process without the system's process-wide barrier, as under a sandbox that refuses it: pipes are symmetric then,
//! their publishers fence.

/// Has this thread, and those it starts from now on, refused the barrier. Before the process's first pipe.
#[cfg(target_os = "linux")]
pub(crate) fn refuse() -> Result<(), String> {
    use nix::{errno::Errno, libc::SYS_membarrier};
    use rustix::thread::membarrier_query;
    use seccompiler::{BpfProgram, Error, SeccompAction, SeccompFilter, apply_filter};

    let filter = || -> Result<(), Error> {
        let refused = SeccompAction::Errno(Errno::ENOSYS as u32);
        let calls = [(SYS_membarrier, Vec::new())].into();
        let filter =
            SeccompFilter::new(calls, SeccompAction::Allow, refused, std::env::consts::ARCH.try_into()?)?;
        apply_filter(&BpfProgram::try_from(filter)?)
    };
    filter().map_err(|e| format!("cannot refuse the membarrier: {e}"))?;
    match membarrier_query().is_empty() {
        true => Ok(()),
        false => Err("the membarrier is still there".into()),
    }
}

/// Only known for Linux; elsewhere pipes are symmetric by themselves.
#[cfg(not(target_os = "linux"))]
pub(crate) fn refuse() -> Result<(), String> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn refused_to_the_thread_that_asks() {
        std::thread::spawn(refuse).join().expect("no panic").expect("a filter");
        assert!(!rustix::thread::membarrier_query().is_empty(), "this thread still has it");
    }
}
