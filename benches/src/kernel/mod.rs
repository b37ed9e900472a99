//! What the experiments of the Linux kernel's pipe and lockref threads share.

pub mod crowd;
pub mod trace;
pub mod verdict;
