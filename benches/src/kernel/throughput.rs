//! UnixBench's pipe throughput: one thread writes 512 bytes to a pipe and reads them back, in a loop.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use super::{pipe::Pipe, trial::Trial};
use crate::{
    crew::{Crew, Limit, gather},
    placement::{Cpus, Placement, Side},
};

/// Bytes a write.
pub const LENGTH: usize = 512;
/// What is written and read back.
pub(crate) type Block = [u8; LENGTH];

/// So many turns, each checked.
pub fn run<P: Pipe<LENGTH>>(pipe: &P, turns: u64, cpus: &Cpus) -> Result<Trial, String> {
    let crew = &Crew::new(Placement::OneCpu, cpus, Limit::Items(turns), 1);
    let (tx, rx) = pipe.open()?;
    let wakes = |rx: &P::Rx| P::wakes(rx).map(|wakes| vec![wakes]);
    let alone = thread::scope(|scope| {
        let work = move || {
            let turn = |block: &Block, back: &mut Block| {
                P::send(&tx, &[*block])?;
                P::recv(&rx, back)
            };
            // All of a block: a comparison costs a few nanoseconds of hundreds.
            let turns = || turn_all(crew.quota(), crew.stop(), Block::eq, turn);
            let shift = crew.shift(Side::Receiver, 0, turns)?;
            Ok((shift, wakes(&rx)))
        };
        let alone = crew.spawn(scope, work);
        crew.conduct();
        gather([alone])
    });
    let (shifts, mut wakes): (Vec<_>, Vec<_>) = alone?.into_iter().unzip();
    Ok(Trial::of(&[], &shifts, wakes.pop().flatten()))
}

/// Until `stop` or `quota`: `turn` writes the block and reads it back, and it must be the `same`.
pub(crate) fn turn_all(
    quota: u64,
    stop: &AtomicBool,
    same: impl Fn(&Block, &Block) -> bool,
    mut turn: impl FnMut(&Block, &mut Block) -> Result<(), String>,
) -> Result<u64, String> {
    let (mut block, mut back) = ([0; LENGTH], [0; LENGTH]);
    let mut turns = 0;
    while turns < quota && (turns == 0 || !stop.load(Relaxed)) {
        let number = turns.to_le_bytes();
        block[..number.len()].copy_from_slice(&number);
        block[LENGTH - 1] = number[0];
        turn(&block, &mut back)?;
        if !same(&block, &back) {
            return Err(format!("block {turns} came back as {:?}", &back[..number.len()]));
        }
        turns += 1;
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
