//! UnixBench's pipe throughput: one thread writes 512 bytes to a pipe and reads them back, in a loop.

use std::thread;

use super::{pipe::Pipe, trial::Trial};
use crate::{
    crew::{Crew, Limit, gather},
    placement::{Cpus, Placement, Side},
};

/// Bytes a write.
pub const LENGTH: usize = 512;

/// So many turns, each checked.
pub fn run<P: Pipe<LENGTH>>(pipe: &P, turns: u64, cpus: &Cpus) -> Result<Trial, String> {
    let crew = &Crew::new(Placement::OneCpu, cpus, Limit::Items(turns), 1);
    let (tx, rx) = pipe.open()?;
    let wakes = |rx: &P::Rx| P::wakes(rx).map(|wakes| vec![wakes]);
    let alone = thread::scope(|scope| {
        let work = move || {
            let shift = crew.shift(Side::Receiver, 0, || turn_all::<P>(&tx, &rx, turns))?;
            Ok((shift, wakes(&rx)))
        };
        let alone = crew.spawn(scope, work);
        crew.conduct();
        gather([alone])
    });
    let (shifts, mut wakes): (Vec<_>, Vec<_>) = alone?.into_iter().unzip();
    Ok(Trial::of(&[], &shifts, wakes.pop().flatten()))
}

fn turn_all<P: Pipe<LENGTH>>(tx: &P::Tx, rx: &P::Rx, turns: u64) -> Result<u64, String> {
    let (mut block, mut back) = ([0; LENGTH], [0; LENGTH]);
    for turn in 0..turns {
        let number = turn.to_le_bytes();
        block[..number.len()].copy_from_slice(&number);
        block[LENGTH - 1] = number[0];
        P::send(tx, &[block])?;
        P::recv(rx, &mut back)?;
        // All of it: a comparison costs a few nanoseconds of hundreds.
        if back != block {
            return Err(format!("block {turn} came back as {:?}", &back[..number.len()]));
        }
    }
    Ok(turns)
}

#[cfg(test)]
mod tests {
    use super::super::pipe::Pages;
    use super::*;
    use hornpipe::{Builder, Mpmc, baseline::pages::Options};

    #[test]
    fn every_block_comes_back() {
        let cpus = Cpus::usable();
        let trial = run(&Pages(Options::new()), 1000, &cpus).expect("a sample");
        assert_eq!(trial.sample.items, 1000);
        assert_eq!(
            trial.wakes.expect("pages count").calls,
            1000,
            "each write finds the pipe empty, no read finds it full"
        );
        assert_eq!(run(&Builder::<Mpmc>::new(1), 1000, &cpus).expect("a sample").sample.items, 1000);
    }

    /// Gives back another block than it got.
    struct Wrong;

    impl Pipe<LENGTH> for Wrong {
        type Rx = ();
        type Tx = ();

        fn open(&self) -> Result<((), ()), String> {
            Ok(((), ()))
        }

        fn send((): &(), _: &[[u8; LENGTH]]) -> Result<(), String> {
            Ok(())
        }

        fn recv((): &(), into: &mut [u8; LENGTH]) -> Result<(), String> {
            *into = [0; LENGTH];
            Ok(())
        }
    }

    #[test]
    fn another_block_is_no_figure() {
        // Block 0 is all zeros.
        let why = run(&Wrong, 2, &Cpus::usable()).expect_err("a wrong block");
        assert!(why.starts_with("block 1 came back as [0, 0"), "{why}");
    }
}
