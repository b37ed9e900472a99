//! The token test (Linux commit 0ddad21d3e99): threads share one pipe as a source of tokens, as make's jobserver does. It
//! starts with the ints 0 and -1. Each thread reads an int; a negative one is ignored; otherwise it writes back one more,
//! and after an odd one also a -1, in one write. Whoever has written a number that is large enough goes home.

use std::thread;

use super::{
    pipe::Pipe,
    trial::{Seats, Trial},
};
use crate::{
    crew::{Limit, Shift, gather},
    placement::Side,
};

/// Bytes an int.
pub const LENGTH: usize = 4;
/// Of the kernel's test.
pub const THREADS: usize = 64;

/// Takes away one's turn.
const NOTHING: [u8; LENGTH] = (-1i32).to_le_bytes();

/// What one thread read.
struct Read {
    /// Numbers from 0 on.
    numbers: u64,
    /// Their sum.
    sum: u64,
    /// -1s.
    nothings: u64,
}

/// Until the number is `last`; then each number must have been read once, and each -1 be accounted for. An operation is
/// an int that was read.
pub fn run<P: Pipe<LENGTH, Rx: Clone>>(
    pipe: &P,
    threads: usize,
    last: u32,
    seats: &Seats,
) -> Result<Trial, String> {
    let crew = &seats.crew(Limit::Items(last.into()), threads);
    let (tx, rx) = pipe.open()?;
    P::send(&tx, &[0i32.to_le_bytes(), NOTHING])?;
    let found: Vec<(Shift, Read)> = thread::scope(|scope| {
        let threads = (0..threads).map(|id| {
            let (tx, rx) = (tx.clone(), rx.clone());
            crew.spawn(scope, move || {
                let mut read = None;
                let shift = crew.shift(Side::Receiver, id, || {
                    let found = pass_on::<P>(&tx, &rx, last as i32)?;
                    let count = found.numbers + found.nothings;
                    read = Some(found);
                    Ok(count)
                })?;
                Ok((shift, read.expect("it has worked")))
            })
        });
        let threads: Vec<_> = threads.collect();
        crew.conduct();
        gather(threads)
    })?;
    let (shifts, reads): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    drop(tx);
    settle::<P>(&rx, &reads, last)?;
    Ok(Trial::of(&[], &shifts, P::wakes(&rx).map(|wakes| vec![wakes])))
}

fn pass_on<P: Pipe<LENGTH>>(tx: &P::Tx, rx: &P::Rx, last: i32) -> Result<Read, String> {
    let mut read = Read { numbers: 0, sum: 0, nothings: 0 };
    let mut token = [0; LENGTH];
    loop {
        P::recv(rx, &mut token)?;
        let number = i32::from_le_bytes(token);
        let Ok(value) = u64::try_from(number) else {
            read.nothings += 1;
            continue;
        };
        read.numbers += 1;
        read.sum += value;
        let both = [(number + 1).to_le_bytes(), NOTHING];
        P::send(tx, &both[..1 + (number & 1) as usize])?;
        if number + 1 >= last {
            return Ok(read);
        }
    }
}

/// Adds up what was read and what is left.
fn settle<P: Pipe<LENGTH>>(rx: &P::Rx, reads: &[Read], last: u32) -> Result<(), String> {
    let sum = |part: fn(&Read) -> u64| reads.iter().map(part).sum::<u64>();
    let (numbers, nothings) = (sum(|read| read.numbers), sum(|read| read.nothings));
    // The last thread to go home leaves the next number.
    let expected = u64::from(last) + reads.len() as u64 - 1;
    if numbers != expected || sum(|read| read.sum) != expected * (expected - 1) / 2 {
        return Err(format!("{numbers} numbers were read, not each of {expected} once"));
    }
    let (mut left, mut nothings, mut token) = (Vec::new(), nothings, [0; LENGTH]);
    // Every end that tokens go into is closed: what follows the last is an error.
    while P::recv(rx, &mut token).is_ok() {
        match i32::from_le_bytes(token) {
            -1 => nothings += 1,
            number => left.push(number),
        }
    }
    let after = 1 + numbers / 2;
    match left[..] {
        [number] if u64::try_from(number) == Ok(numbers) && nothings == after => Ok(()),
        _ => Err(format!(
            "the pipe holds {left:?} at the end, not {numbers}; {nothings} times -1, not {after}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::pipe::Pages;
    use super::*;
    use hornpipe::{Builder, Mpmc, WakePolicy, baseline::pages::Options};

    #[test]
    fn each_number_is_read_once() {
        let seats = Seats::free();
        for threads in [1, 2, 5, THREADS] {
            for last in [1, 2, 7, 1000] {
                let items = u64::from(last) + threads as u64 - 1;
                let policies = [WakePolicy::OnRelease, WakePolicy::OnEdge, WakePolicy::Proactive];
                for wake in policies {
                    let pages = Pages(Options::new().wake(wake));
                    let trial = run(&pages, threads, last, &seats).expect("a sample");
                    assert!(trial.sample.items >= items && trial.wakes.is_some(), "{trial:?}");
                }
                let ring = Builder::<Mpmc>::new(64);
                assert!(run(&ring, threads, last, &seats).expect("a sample").sample.items >= items);
            }
        }
    }

    fn read(numbers: u64, nothings: u64) -> Read {
        Read { numbers, sum: numbers * numbers.saturating_sub(1) / 2, nothings }
    }

    /// What the pipe holds at the end against what one thread has read.
    fn settled(read: Read, last: u32, left: &[i32]) -> Result<(), String> {
        let (tx, rx) = Builder::<Mpmc>::new(64).build().expect("a ring");
        left.iter().for_each(|token| tx.send(token.to_le_bytes()).expect("a receiver"));
        drop(tx);
        settle::<Builder<Mpmc>>(&rx, &[read], last)
    }

    #[test]
    fn wrong_sums_are_no_figure() {
        // 0, 1, 2 and 3 were read; -1s: the first, after 1, after 3.
        assert_eq!(settled(read(4, 2), 4, &[4, -1]), Ok(()));
        assert_eq!(settled(read(4, 1), 4, &[-1, 4, -1]), Ok(()));
        assert_eq!(settled(read(4, 0), 4, &[4, -1, -1, -1]), Ok(()));
        assert_eq!(settled(read(4, 3), 4, &[4]), Ok(()));
        for (read, left, why) in [
            (read(3, 2), [4, -1], "3 numbers were read"),
            (Read { sum: 7, ..read(4, 2) }, [4, -1], "4 numbers were read"),
            (read(4, 2), [5, -1], "holds [5] at the end, not 4; 3 times -1, not 3"),
            (read(4, 4), [4, -1], "holds [4] at the end, not 4; 5 times -1, not 3"),
            (read(4, 1), [4, -1], "2 times -1, not 3"),
            (read(4, 3), [4, 4], "holds [4, 4]"),
        ] {
            let found = settled(read, 4, &left);
            assert!(found.as_ref().is_err_and(|found| found.contains(why)), "{why}: {found:?}");
        }
    }
}
