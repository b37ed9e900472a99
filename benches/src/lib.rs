//! The measuring half of `hornpipe-bench`, shared by the program and the criterion benches.
//!
//! A figure's way: [`plan`] lists the rows, [`rounds`] shuffles them, [`measure`] runs one contender ([`contender`])
//! through one workload ([`workload`]) in one [`placement`] and checks its answers, [`stats`] condenses the rounds,
//! [`report`] shows them, [`html`] as a page, also those that [`input`] reads back. On the way [`latency`] times single
//! calls and [`usage`] what threads cost the system. Beside that, `bars` gives verdicts on what the project promises, and
//! `stall` suspends a peer, `fence` takes fences away, `relax` asks whether loops should pause, `kernel` reruns the
//! experiments of the kernel's threads on lockref and pipes, `bytes` measures byte pipes over the size of a write.

pub mod bar;
#[cfg(feature = "peers")]
pub mod bars;
pub mod bytes;
#[cfg(any(feature = "peers", stall))]
pub mod child;
pub mod cli;
pub mod compare;
pub mod contender;
pub mod crew;
pub mod fence;
pub mod head;
pub mod html;
pub mod input;
pub mod kernel;
pub mod latency;
pub mod machine;
pub mod measure;
pub mod output;
pub mod placement;
pub mod plan;
pub mod relax;
pub mod report;
pub mod rounds;
#[cfg(stall)]
pub mod stall;
pub mod stats;
pub mod usage;
pub mod workload;
