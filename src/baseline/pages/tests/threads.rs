//! Who waits, who is woken, and who hands on, with threads that really sleep.

use super::{Ends, MAINLINE, PAGE, POLICIES, full, take};
use crate::baseline::pages::pipe::Side;
use crate::baseline::pages::{PageWriter, Waits, pipe};
use crate::spin::Spin;
use std::cell::Cell;
use std::sync::mpsc;
use std::thread::{scope, spawn, yield_now};
use std::time::{Duration, Instant};
use std::{vec, vec::Vec};

/// Longer than any wait takes; a lost wake shows as a wait of this length.
const NEVER: Duration = Duration::from_secs(20);

/// Runs a body that starts threads: if they do not end, the test fails.
#[track_caller]
fn limited(body: impl FnOnce() + Send + 'static) {
    let (done, is_done) = mpsc::channel();
    spawn(move || {
        body();
        done.send(())
    });
    assert_eq!(is_done.recv_timeout(NEVER), Ok(()), "it failed, or its threads hang");
}

#[track_caller]
fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < NEVER, "it never came");
        yield_now();
    }
}

/// Waits until so many threads of `side` have gone to sleep.
fn until_asleep(writer: &PageWriter, side: Side, sleeps: u64) {
    until(|| {
        let counts = writer.counts();
        [counts.readers, counts.writers][side as usize].sleeps == sleeps
    });
}

/// K4: with the inner lock head and tail do not move while somebody holds the readers' queue; without it they do.
#[test]
fn inner_lock() {
    limited(|| {
        for inner_lock in [false, true] {
            // Looks first, so that only the moves take the lock.
            let (writer, reader) = pipe(1, MAINLINE.inner_lock(inner_lock).look_first(true)).unwrap();
            for step in [|ends: &Ends| drop(ends.0.try_write(&[1])), |ends: &Ends| drop(take(&ends.1, 1))] {
                let queue = writer.pipe.queue(Side::Readers).lock(writer.pipe.counters());
                let (before, contended) = (writer.pipe.span(), writer.counts().readers.contended);
                scope(|scope| {
                    let ends = (writer.clone(), reader.clone());
                    let step = scope.spawn(move || step(&ends));
                    if inner_lock {
                        until(|| writer.counts().readers.contended > contended);
                        assert_eq!(writer.pipe.span(), before, "it waits for the queue's lock");
                    } else {
                        until(|| writer.pipe.span() != before);
                    }
                    drop(queue);
                    step.join().unwrap();
                });
                assert_ne!(writer.pipe.span(), before);
            }
        }
    });
}

/// What comes between the first look and the queue is not slept through: who has joined looks again, and leaves.
#[test]
fn looks_again_in_the_queue() {
    limited(|| {
        let (writer, _reader) = pipe(1, MAINLINE).unwrap();
        let queue = writer.pipe.queue(Side::Readers);
        let looks = Cell::new(0);
        let ready = || {
            assert_eq!(queue.len(), looks.get(), "outside first, then in the queue");
            looks.set(looks.get() + 1);
            looks.get() == 2
        };
        queue.wait(ready, writer.pipe.counters());
        assert_eq!((queue.len(), writer.counts().readers), (0, Waits::default()));
    });
}

/// Two writers wait: a page freed wakes one of them, who fills it; the other is not disturbed.
#[test]
fn one_page_one_writer() {
    limited(|| {
        for options in POLICIES {
            let (writer, reader) = full(2, options);
            scope(|scope| {
                let writers: Vec<_> = (2..4)
                    .map(|n| {
                        let (writer, asleep) = (&writer, u64::from(n) - 1);
                        let thread = scope.spawn(move || writer.write(&[n; PAGE]).unwrap());
                        until_asleep(writer, Side::Writers, asleep);
                        thread
                    })
                    .collect();
                take(&reader, PAGE);
                until(|| writer.len() == 2 * PAGE);
                let Waits { sleeps, woken, .. } = writer.counts().writers;
                assert_eq!((sleeps, woken), (2, 1), "{options:?}");
                take(&reader, PAGE);
                writers.into_iter().for_each(|writer| assert_eq!(writer.join().unwrap(), PAGE));
                assert!(
                    take(&reader, 2 * PAGE).chunks(PAGE).eq([[2; PAGE], [3; PAGE]]),
                    "first come, first served"
                );
            });
        }
    });
}

/// One write feeds two readers, though it wakes one: that one leaves a byte behind and hands on.
#[test]
fn readers_hand_on() {
    limited(|| {
        for options in POLICIES {
            let (writer, reader) = pipe(1, options).unwrap();
            scope(|scope| {
                let readers = [(); 2].map(|()| scope.spawn(|| reader.read(&mut [0]).unwrap()));
                until_asleep(&writer, Side::Readers, 2);
                writer.write(&[1, 2]).unwrap();
                readers.into_iter().for_each(|reader| assert_eq!(reader.join().unwrap(), 1));
            });
            let Waits { waits, sleeps, wake_calls, locked, woken, .. } = writer.counts().readers;
            // The second takes the last byte and so wakes nobody.
            assert_eq!((waits, sleeps, wake_calls, locked, woken), (2, 2, 2, 2, 2), "{options:?}");
        }
    });
}

/// One read frees two pages for two writers, though it wakes one: that one leaves a page free and hands on.
#[test]
fn writers_hand_on() {
    limited(|| {
        for options in POLICIES {
            let (writer, reader) = full(3, options);
            scope(|scope| {
                let writers = [(); 2].map(|()| scope.spawn(|| writer.write(&[2; PAGE]).unwrap()));
                until_asleep(&writer, Side::Writers, 2);
                take(&reader, 3 * PAGE);
                writers.into_iter().for_each(|writer| assert_eq!(writer.join().unwrap(), PAGE));
            });
            // A page is left free, so the second calls for a third, whom there is not.
            assert_eq!(
                (writer.counts().writers.wake_calls, writer.counts().writers.woken),
                (3, 2),
                "{options:?}"
            );
        }
    });
}

/// A write larger than the pipe wakes the reader before it waits for room.
#[test]
fn a_large_write_lets_readers_in() {
    limited(|| {
        for options in POLICIES {
            let (writer, reader) = pipe(1, options).unwrap();
            scope(|scope| {
                let read = scope.spawn(|| {
                    let mut into = vec![0; 4 * PAGE];
                    let mut done = 0;
                    while done < into.len() {
                        done += reader.read(&mut into[done..]).unwrap();
                    }
                });
                until_asleep(&writer, Side::Readers, 1);
                assert_eq!(writer.write(&[1; 4 * PAGE]).unwrap(), 4 * PAGE);
                read.join().unwrap();
            });
        }
    });
}

/// A write that waits for room returns short when the last reader goes; a read that waits returns 0 with the last writer.
#[test]
fn closing_ends_waits() {
    limited(|| {
        let (writer, reader) = full(1, MAINLINE);
        scope(|scope| {
            let short = scope.spawn(|| writer.write(&[2; 2 * PAGE]));
            until_asleep(&writer, Side::Writers, 1);
            take(&reader, PAGE);
            until_asleep(&writer, Side::Writers, 2);
            drop(reader);
            assert_eq!(short.join().unwrap().unwrap(), PAGE);
        });

        let (writer, reader) = pipe(1, MAINLINE).unwrap();
        scope(|scope| {
            let ended = scope.spawn(|| reader.read(&mut [0]));
            until_asleep(&writer, Side::Readers, 1);
            drop(writer);
            assert_eq!(ended.join().unwrap().unwrap(), 0);
        });
    });
}

/// K5: who looks long enough finds what comes, and neither sleeps nor joins the queue; on one CPU it sleeps.
#[test]
fn spins_pay() {
    limited(|| {
        for options in POLICIES {
            let (writer, reader) = pipe(1, options.spin(Spin::Fixed(NEVER))).unwrap();
            scope(|scope| {
                let read = scope.spawn(|| reader.read(&mut [0]).unwrap());
                until(|| writer.counts().readers.waits == 1);
                writer.write(&[1]).unwrap();
                assert_eq!(read.join().unwrap(), 1);
            });
            let Waits { waits, spins_paid, sleeps, woken, .. } = writer.counts().readers;
            let alone = std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() == 1);
            if !alone {
                assert_eq!((waits, spins_paid, sleeps, woken), (1, 1, 0, 0));
            }
        }
    });
}

/// K5: without a budget nobody looks.
#[test]
fn no_spin_by_default() {
    limited(|| {
        let (writer, reader) = pipe(1, MAINLINE).unwrap();
        scope(|scope| {
            let read = scope.spawn(|| reader.read(&mut [0]).unwrap());
            until_asleep(&writer, Side::Readers, 1);
            writer.write(&[1]).unwrap();
            read.join().unwrap();
        });
        let Waits { waits, spins_paid, sleeps, woken, .. } = writer.counts().readers;
        assert_eq!((waits, spins_paid, sleeps, woken), (1, 0, 1, 1));
    });
}
