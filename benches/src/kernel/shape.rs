//! Groups of senders and receivers, and how many make a load.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

/// Of one group in the kernel's threads: `perf bench sched messaging` and hackbench.
pub const FAN: Fan = Fan { senders: 20, receivers: 20 };

/// Tasks per CPU that differ by less than this part are equal: a fifth of a task on two CPUs is none.
pub const EQUAL: f64 = 0.02;

/// The threads of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fan {
    /// Each writes to every receiver.
    pub senders: usize,
    /// Each has a pipe.
    pub receivers: usize,
}

/// Threads that can be asked for: the kernel tells of no load on any machine that takes more, and each receiver's pipe is 64 KiB.
pub const TASKS: usize = 20_480;

/// Groups that have nothing to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// How many.
    pub groups: usize,
    /// Each of them.
    pub fan: Fan,
}

impl Fan {
    /// Threads.
    pub fn tasks(self) -> usize {
        self.senders + self.receivers
    }
}

impl Groups {
    /// Threads of all.
    pub fn tasks(self) -> usize {
        self.groups * self.fan.tasks()
    }

    /// Messages, if each sender writes once to each receiver.
    pub fn messages(self) -> u64 {
        (self.groups * self.fan.senders * self.fan.receivers) as u64
    }

    /// Over the CPUs.
    pub fn load(self, cpus: usize) -> f64 {
        self.tasks() as f64 / cpus as f64
    }

    /// As few groups as make `load` with about [`FAN`] each at most; `None` where no number of threads is that load.
    pub fn of_load(load: f64, cpus: usize) -> Option<Self> {
        let wanted = load * cpus as f64;
        let groups = (wanted / FAN.tasks() as f64 * (1.0 - EQUAL)).ceil();
        let (groups, group) = (groups as usize, (wanted / groups).round() as usize);
        // An odd one sends.
        let all = Self { groups, fan: Fan { senders: group.div_ceil(2), receivers: group / 2 } };
        (group >= 2 && equal(all.load(cpus), load)).then_some(all)
    }
}

/// Whether two loads are one.
pub fn equal(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < EQUAL
}

impl fmt::Display for Fan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.senders, self.receivers)
    }
}

impl fmt::Display for Groups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.groups, self.fan)
    }
}

impl Serialize for Groups {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// `20`, or `3:2` where the sides differ.
impl FromStr for Fan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (senders, receivers) = text.split_once(':').unwrap_or((text, text));
        let side = |text: &str| match text.parse() {
            Ok(threads @ 1..=MOST) => Ok(threads),
            _ => Err(format!(
                "'{text}' is no number of threads from 1 to {MOST}: a fan is for example 20 or 3:2"
            )),
        };
        Ok(Self { senders: side(senders)?, receivers: side(receivers)? })
    }
}

/// Of a side: each has an end of every pipe of its group.
const MOST: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(load: f64, cpus: usize) -> Option<String> {
        Groups::of_load(load, cpus).map(|groups| groups.to_string())
    }

    #[test]
    fn loads_are_made_of_few_groups() {
        for (load, groups) in
            [(1.0, "1 x 1:1"), (2.5, "1 x 3:2"), (8.9, "1 x 9:9"), (20.0, "1 x 20:20"), (40.0, "2 x 20:20")]
        {
            assert_eq!(shown(load, 2).as_deref(), Some(groups), "{load}");
        }
        // As the threads have it.
        for (load, groups) in [(0.625, "4 x 20:20"), (2.5, "16 x 20:20")] {
            assert_eq!(shown(load, 256).as_deref(), Some(groups));
        }
        assert_eq!(shown(17.8, 72).as_deref(), Some("32 x 20:20"));
    }

    #[test]
    fn some_loads_cannot_be_had() {
        for (load, cpus) in [(0.5, 2), (1.25, 2), (0.16, 4), (0.01, 96)] {
            assert_eq!(shown(load, cpus), None, "{load} on {cpus}");
        }
        assert_eq!(shown(41.0, 1), None, "one group is too few, and two alike are 40 or 42");
    }

    #[test]
    fn every_load_is_what_it_says() {
        for cpus in 1..200 {
            for load in [0.16, 0.5, 1.0, 1.25, 2.5, 5.0, 17.8, 20.0] {
                let Some(groups) = Groups::of_load(load, cpus) else { continue };
                assert!(equal(groups.load(cpus), load), "{load} on {cpus}: {groups}");
                assert!(groups.fan.tasks() <= FAN.tasks() + 1 && groups.fan.receivers > 0, "{groups}");
            }
        }
    }

    #[test]
    fn fans_are_read_as_they_are_written() {
        let fan = |text: &str| text.parse::<Fan>();
        assert_eq!(fan("20"), Ok(FAN));
        assert_eq!(fan("3:2"), Ok(Fan { senders: 3, receivers: 2 }));
        for text in ["", "0", "3:", "1:0", "-1", "many", "1001", "1:2:3"] {
            assert!(fan(text).is_err_and(|why| why.contains("for example 20 or 3:2")), "{text}");
        }
    }
}
