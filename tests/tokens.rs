//! The token pool: what each call answers, that no token is lost or doubled, who waits how long.

#![cfg(feature = "std")]

mod support;

#[path = "tokens/calls.rs"]
mod calls;
#[path = "tokens/crowds.rs"]
mod crowds;
