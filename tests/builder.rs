//! The builder: what it accepts, what it refuses, and that no switch changes more than time.

mod support;

use hornpipe::{
    BuildError, Builder, Mpmc, RecvTimeoutError, Relax, SendTimeoutError, Spin, TryRecvError, TrySendError,
};
use std::num::NonZeroU8;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};
use support::{all_configs, each, ms, once_of, peer, watchdog};

/// scenario_59: a pipe answers the same under every switch.
#[test]
fn scenario_59_no_switch_changes_an_answer() {
    each(all_configs(), 10, |config| {
        let (tx, rx) = config.pipe(2);
        assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
        assert_eq!(rx.recv_timeout(ms(1)), Err(RecvTimeoutError::Timeout));
        assert_eq!((tx.send(1), tx.try_send(2)), (Ok(()), Ok(())));
        assert_eq!(tx.try_send(3), Err(TrySendError::Full(3)));
        assert_eq!(tx.send_timeout(3, ms(1)), Err(SendTimeoutError::Timeout(3)));
        let sender = peer(move || tx.send(3));
        sender.asleep();
        assert_eq!((rx.recv(), rx.recv(), rx.recv()), (Ok(1), Ok(2), Ok(3)));
        assert_eq!(sender.join(), Ok(()));
        assert_eq!(rx.try_recv(), Err(TryRecvError::Disconnected));
    });
}

/// The ends of every switch's range are usable: waits still end, and still by sleeping.
#[test]
fn extreme_switches_work() {
    let base = Builder::<Mpmc>::new(1);
    let hints = Relax::Hints(NonZeroU8::MAX);
    let builders = [
        base.retry(hints).wait(hints),
        base.retry(Relax::Backoff { max: Duration::ZERO }).wait(Relax::Backoff { max: Duration::ZERO }),
        base.spin(Spin::Fixed(Duration::ZERO)).yields(0),
        base.spin(Spin::None).yields(u8::MAX),
        base.name("extreme"),
    ];
    for builder in builders {
        watchdog(10, move || {
            let (tx, rx) = builder.build().unwrap();
            let receiver = peer(move || (rx.recv(), rx.recv()));
            receiver.asleep();
            tx.send(1).unwrap();
            tx.send(2).unwrap();
            assert_eq!(receiver.join(), (Ok(1), Ok(2)));
        });
    }
}

/// A wait looks at the clock while it still spins, and at the other side: a spin budget or a back-off of any length
/// neither stretches a timeout nor hides an item or a disconnect.
#[test]
fn long_spins_keep_the_deadline() {
    let base = Builder::<Mpmc>::new(1);
    let builders = [
        base.spin(Spin::Fixed(Duration::from_secs(3_600))),
        base.spin(Spin::Fixed(Duration::MAX)),
        base.spin(Spin::Fixed(Duration::from_secs(60))).wait(Relax::Backoff { max: Duration::from_secs(60) }),
        base.retry(Relax::Backoff { max: Duration::MAX }).wait(Relax::Backoff { max: Duration::MAX }),
    ];
    for builder in builders {
        watchdog(20, move || {
            let (tx, rx) = builder.build().unwrap();
            tx.send(0).unwrap();
            once_of(3, || {
                let start = Instant::now();
                assert_eq!(tx.send_timeout(2, ms(5)), Err(SendTimeoutError::Timeout(2)));
                assert_eq!(rx.recv(), Ok(0));
                assert_eq!(rx.recv_timeout(ms(5)), Err(RecvTimeoutError::Timeout));
                tx.send(0).unwrap();
                let took = start.elapsed();
                assert!(took >= ms(10));
                if took < ms(60) || cfg!(miri) {
                    Ok(())
                } else {
                    Err(format!("{took:?} for two waits of 5 ms"))
                }
            });
            assert_eq!((rx.recv(), tx.send(1)), (Ok(0), Ok(())));

            let (sender, receiver) = (tx.clone(), rx.clone());
            let waits = peer(move || sender.send(2));
            std::thread::sleep(ms(20));
            assert_eq!((rx.recv(), rx.recv(), waits.join()), (Ok(1), Ok(2), Ok(())));
            let waits = peer(move || receiver.recv());
            std::thread::sleep(ms(20));
            drop(tx);
            assert!(waits.join().is_err());
        });
    }
}

/// The builder is a plain value: it may be kept, changed and built from again, for items of any type.
#[test]
fn a_builder_builds_many() {
    let builder = Builder::<Mpmc>::new(2).name("twice");
    let (a, _a) = builder.build::<u8>().unwrap();
    let (b, _b) = builder.build::<String>().unwrap();
    let (c, _c) = builder.build::<u8>().unwrap();
    assert_eq!((a.capacity(), b.capacity()), (Some(2), Some(2)));
    assert!(!a.same_channel(&c));
}

/// No items, and more than an address space holds, are refused with the reason.
#[test]
fn impossible_sizes_are_refused() {
    assert_eq!(Builder::<Mpmc>::new(0).build::<u64>().unwrap_err(), BuildError::ZeroCapacity);
    assert_eq!(Builder::<Mpmc>::new(0).build::<()>().unwrap_err(), BuildError::ZeroCapacity);
    for cap in [usize::MAX, usize::MAX - 1, usize::MAX / 2 + 1, isize::MAX as usize / 8 + 1] {
        let refusal = Builder::<Mpmc>::new(cap).build::<u64>().unwrap_err();
        assert_eq!(refusal, BuildError::CapacityTooLarge { requested: cap });
    }
}

/// `bounded` panics with the very sentence that `build` returns.
#[test]
fn bounded_panics_with_the_sentence() {
    for cap in [0, usize::MAX] {
        let sentence = Builder::<Mpmc>::new(cap).build::<u64>().unwrap_err().to_string();
        let panic = catch_unwind(|| hornpipe::mpmc::bounded::<u64>(cap)).map(|_| ()).unwrap_err();
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap();
        assert!(said.contains(&sentence), "panicked with {said:?}, not with {sentence:?}");
    }
}
