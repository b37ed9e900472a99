//! sched-messaging: `perf bench sched messaging -p -t`, the workload of hackbench. Groups of senders and receivers, a pipe
//! a receiver, 100 bytes a message; each sender writes so many times to each receiver, in turn.

use std::thread;

use super::{
    pipe::Pipe,
    shape::Groups,
    trial::{Seats, Trial},
};
use crate::{
    crew::{Limit, gather},
    placement::Side,
};

/// Bytes a message.
pub const LENGTH: usize = 100;

/// Each sender writes `loops` times to each receiver of its group; every message is checked.
pub fn run<P: Pipe<LENGTH>>(pipe: &P, groups: Groups, loops: u32, seats: &Seats) -> Result<Trial, String> {
    let Groups { groups: count, fan } = groups;
    let crew = &seats.crew(Limit::Items(loops.into()), groups.tasks());
    let open = |_| (0..fan.receivers).map(|_| pipe.open()).collect::<Result<Vec<_>, String>>();
    let opened = (0..count).map(open).collect::<Result<Vec<_>, String>>()?;
    let (senders, receivers) = thread::scope(|scope| {
        let (mut senders, mut receivers) = (Vec::new(), Vec::new());
        for (group, pipes) in opened.into_iter().enumerate() {
            let (txs, rxs): (Vec<_>, Vec<_>) = pipes.into_iter().unzip();
            for (receiver, rx) in rxs.into_iter().enumerate() {
                let id = group * fan.receivers + receiver;
                receivers.push(crew.spawn(scope, move || {
                    let shift = crew.shift(Side::Receiver, id, || recv_all::<P>(&rx, fan.senders, loops))?;
                    Ok((shift, rx))
                }));
            }
            for sender in 0..fan.senders {
                let txs = txs.clone();
                let send = move || send_all::<P>(&txs, sender, loops);
                let id = group * fan.senders + sender;
                senders.push(crew.spawn(scope, move || crew.shift(Side::Sender, id, send)));
            }
        }
        crew.conduct();
        (gather(senders), gather(receivers))
    });
    // A receiver tells better than a sender what was wrong.
    let (receivers, rxs): (Vec<_>, Vec<_>) = receivers?.into_iter().unzip();
    let senders = senders?;
    rxs.iter().try_for_each(ended::<P>)?;
    Ok(Trial::of(&senders, &receivers, rxs.iter().map(P::wakes).collect()))
}

/// All senders are gone: whatever comes has come twice.
fn ended<P: Pipe<LENGTH>>(rx: &P::Rx) -> Result<(), String> {
    let mut more = [0; LENGTH];
    match P::recv(rx, &mut more) {
        Ok(()) => Err(format!("one message more than were sent: {:?}", &more[..6])),
        Err(_) => Ok(()),
    }
}

/// Who sent it and which one it is; all the rest shows both, too, so that one made of two is no message.
fn message(sender: usize, number: u32) -> [u8; LENGTH] {
    let mut message = [(number as u8).wrapping_mul(PRIME).wrapping_add(sender as u8); LENGTH];
    message[..2].copy_from_slice(&(sender as u16).to_le_bytes());
    message[2..6].copy_from_slice(&number.to_le_bytes());
    message
}

/// Next messages of one sender are far from those of its neighbours.
const PRIME: u8 = 101;

fn send_all<P: Pipe<LENGTH>>(txs: &[P::Tx], sender: usize, loops: u32) -> Result<u64, String> {
    for number in 0..loops {
        let message = message(sender, number);
        for tx in txs {
            P::send(tx, &[message])?;
        }
    }
    Ok(u64::from(loops) * txs.len() as u64)
}

/// Each sender's in its order, and whole.
fn recv_all<P: Pipe<LENGTH>>(rx: &P::Rx, senders: usize, loops: u32) -> Result<u64, String> {
    let mut next = vec![0; senders];
    let mut got = [0; LENGTH];
    let all = u64::from(loops) * senders as u64;
    for _ in 0..all {
        P::recv(rx, &mut got)?;
        let sender = usize::from(u16::from_le_bytes([got[0], got[1]]));
        let expected =
            *next.get(sender).ok_or_else(|| format!("a message of sender {sender}, of {senders}"))?;
        if got != message(sender, expected) {
            return Err(format!("message {expected} of sender {sender} arrived as {:?}", &got[..6]));
        }
        next[sender] += 1;
    }
    match next.iter().all(|next| *next == loops) {
        true => Ok(all),
        false => Err(format!("{next:?} messages of the senders, not {loops} of each")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{pipe::Pages, shape::Fan};
    use super::*;
    use hornpipe::{Builder, Mpsc, baseline::pages::Options};
    use std::cell::Cell;

    const GROUPS: [Groups; 3] = [
        Groups { groups: 1, fan: Fan { senders: 1, receivers: 1 } },
        Groups { groups: 3, fan: Fan { senders: 3, receivers: 2 } },
        Groups { groups: 1, fan: Fan { senders: 2, receivers: 5 } },
    ];

    #[test]
    fn every_message_arrives() {
        let seats = Seats::free();
        for groups in GROUPS {
            let items = groups.messages() * 50;
            let trial = run(&Pages(Options::new()), groups, 50, &seats).expect("a sample");
            assert_eq!(trial.sample.items, items);
            assert!(trial.wakes.expect("pages count").calls >= groups.tasks() as u64 / 5);
            let trial = run(&Builder::<Mpsc>::new(7), groups, 50, &seats).expect("a sample");
            assert_eq!((trial.sample.items, trial.wakes), (items, None));
            #[cfg(target_os = "linux")]
            assert_eq!(
                run(&super::super::pipe::Os, groups, 50, &seats).expect("a sample").sample.items,
                items
            );
        }
    }

    /// Ends with messages of one's own making.
    struct Fake(Vec<[u8; LENGTH]>);

    impl Pipe<LENGTH> for Fake {
        type Rx = Cell<Vec<[u8; LENGTH]>>;
        type Tx = ();

        fn open(&self) -> Result<(Self::Tx, Self::Rx), String> {
            Ok(((), Cell::new(self.0.iter().rev().copied().collect())))
        }

        fn send((): &(), _: &[[u8; LENGTH]]) -> Result<(), String> {
            Ok(())
        }

        fn recv(rx: &Self::Rx, into: &mut [u8; LENGTH]) -> Result<(), String> {
            let mut left = rx.take();
            *into = left.pop().ok_or("nothing more")?;
            rx.set(left);
            Ok(())
        }
    }

    #[test]
    fn wrong_messages_are_no_figure() {
        let torn = |from: usize| {
            let mut torn = message(0, 1);
            torn[from..].copy_from_slice(&message(0, 0)[from..]);
            torn
        };
        for (messages, why) in [
            (vec![message(0, 0), message(0, 1)], None),
            (vec![message(0, 0)], Some("nothing more")),
            (vec![message(0, 1), message(0, 0)], Some("message 0 of sender 0 arrived as")),
            (vec![message(0, 0), message(0, 0)], Some("message 1 of sender 0 arrived as")),
            (vec![message(0, 0), message(1, 0)], Some("a message of sender 1, of 1")),
            (vec![message(0, 0), torn(LENGTH - 1)], Some("message 1 of sender 0 arrived as")),
            (vec![message(0, 0), torn(LENGTH / 2)], Some("message 1 of sender 0 arrived as")),
            (vec![message(0, 0), message(0, 1), message(0, 1)], Some("one message more than were sent")),
        ] {
            let found = run(&Fake(messages), GROUPS[0], 2, &Seats::free());
            match why {
                None => assert_eq!(found.expect("a sample").sample.items, 2),
                Some(why) => assert!(found.is_err_and(|found| found.contains(why)), "{why}"),
            }
        }
    }
}
