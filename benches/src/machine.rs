//! What figures depend on besides the code: the machine, its kernel, the compiler.

use std::{env::consts, fmt, fs, path::Path};

use serde::{Deserialize, Serialize};

use crate::placement::Cpus;

/// The machine's facts, as far as the system tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Instruction set.
    pub arch: String,
    /// The CPU's own name.
    pub cpu: String,
    /// The first CPU's caches.
    pub caches: Vec<String>,
    /// Whether a hypervisor is underneath: waking an idle CPU is dear then.
    pub virtual_machine: bool,
    /// Its release.
    pub kernel: String,
    /// The compiler this program was built with.
    pub rustc: String,
    /// `release`, or a debug build whose figures mean little.
    pub build: String,
    /// The CPUs this process may use.
    pub usable_cpus: Vec<usize>,
    /// CPUs' worth of time that the control groups allow; `None` is no limit.
    pub quota: Option<f64>,
}

impl Machine {
    /// This one.
    pub fn new(cpus: &Cpus) -> Self {
        let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
        let fact = |names: &[&str]| {
            let lines = || cpuinfo.lines().filter_map(|line| line.split_once(':'));
            let mut names = names.iter();
            names.find_map(|name| lines().find(|(key, _)| key.trim() == *name)).map(|(_, value)| value.trim())
        };
        Self {
            arch: consts::ARCH.to_owned(),
            // x86, s390x; powerpc; riscv; arm names its parts by number only.
            cpu: fact(&["model name", "cpu", "uarch", "CPU part"]).unwrap_or("unknown").to_owned(),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            virtual_machine: fact(&["flags"])
                .is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            kernel: read("/proc/sys/kernel/osrelease").unwrap_or_else(|| consts::OS.to_owned()),
            rustc: env!("HORNPIPE_BENCH_RUSTC").to_owned(),
            build: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
            usable_cpus: cpus.ids().to_vec(),
            quota: quota(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let guest = if self.virtual_machine { ", virtual" } else { "" };
        writeln!(f, "cpu      {} ({}{guest}), caches {}", self.cpu, self.arch, self.caches.join(", "))?;
        writeln!(f, "system   {} {}, {}, {} build", consts::OS, self.kernel, self.rustc, self.build)?;
        write!(f, "usable   CPUs {:?}, ", self.usable_cpus)?;
        match self.quota {
            Some(cpus) => write!(f, "quota of {cpus} CPUs"),
            None => f.write_str("no quota"),
        }
    }
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn caches(folder: &Path) -> Vec<String> {
    let cache = |index: usize| {
        let fact = |name: &str| read(folder.join(format!("index{index}")).join(name));
        let kind = match fact("type")?.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        let shared = fact("shared_cpu_list").unwrap_or_default();
        Some(format!("L{}{kind} {} (CPUs {shared})", fact("level")?, fact("size")?))
    };
    (0..).map_while(cache).collect()
}

/// The tightest limit from this process's control group up to the root, of either version.
fn quota() -> Option<f64> {
    let groups = read("/proc/self/cgroup")?;
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let root = match controllers {
            "" => Path::new("/sys/fs/cgroup"),
            _ if controllers.split(',').any(|controller| controller == "cpu") => {
                Path::new("/sys/fs/cgroup/cpu")
            }
            _ => return Vec::new(),
        };
        let group = root.join(path.trim_start_matches('/'));
        group.ancestors().take_while(|group| group.starts_with(root)).filter_map(limit).collect()
    });
    limits.reduce(f64::min)
}

fn limit(group: &Path) -> Option<f64> {
    let (quota, period) = match read(group.join("cpu.max")) {
        Some(both) => both.split_once(' ').map(|(quota, period)| (quota.to_owned(), period.to_owned()))?,
        None => (read(group.join("cpu.cfs_quota_us"))?, read(group.join("cpu.cfs_period_us"))?),
    };
    // "max", or -1 in version 1, is no limit.
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0.0).then_some(quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_and_quotas_are_read_as_the_kernel_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index0");
        fs::create_dir(&index).unwrap();
        for (name, value) in [("level", "1"), ("type", "Data"), ("size", "32K"), ("shared_cpu_list", "0-1")] {
            fs::write(index.join(name), format!("{value}\n")).unwrap();
        }
        assert_eq!(caches(folder.path()), ["L1d 32K (CPUs 0-1)"]);

        fs::write(folder.path().join("cpu.max"), "150000 100000\n").unwrap();
        assert_eq!(limit(folder.path()), Some(1.5));
        fs::write(folder.path().join("cpu.max"), "max 100000\n").unwrap();
        assert_eq!(limit(folder.path()), None);
    }
}
