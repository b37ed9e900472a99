//! `kernel`: what the kernel's own threads report, asked of this crate.

pub mod crowd;
pub mod verdict;
