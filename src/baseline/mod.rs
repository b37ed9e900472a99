//! The mutex pipes: what the ring is tested against and measured against.
//!
//! [`typed`] is a bounded channel with the same endpoints, errors and semantics as the crate's own, built
//! the way `fs/pipe.c` is: one lock, two wait queues with exclusive wakes, and a woken thread that hands on.
//! It exists for two readers:
//!
//! - **tests** take it as their oracle: every step happens under one lock, so what it answers is the
//!   specification, and a history of the ring can be laid beside it;
//! - **benchmarks** take it as their baseline: it spins, yields and sleeps by the same budget as the ring,
//!   makes no system call for nobody, and so shows what the ring itself is worth.
//!
//! [`pages`] is `fs/pipe.c` itself, of bytes in page buffers, with the kernel's own rules for who is woken when: the
//! subject of the kernel experiments.
//!
//! Neither is for users who are after speed. Every call takes a lock: a thread that is suspended while it
//! holds it stops all the others.

#![forbid(unsafe_code)]

mod endpoint;
mod iter;
pub mod pages;
mod pipe;
pub mod typed;

#[cfg(test)]
mod tests;
