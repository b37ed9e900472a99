//! Right answers on both, and that wrong ones are no figure.

use std::{collections::BTreeSet, task::Poll};

use super::*;
use crate::relax::{crowd::BATCH, standin::Forgetful};

const SLICE: Duration = Duration::from_millis(2);

#[test]
fn every_shape_gives_right_answers_on_both() {
    let cpus = Cpus::usable();
    for on in On::ALL {
        for shape in Shape::ALL {
            for relax in [Relax::None, Relax::Hint] {
                for threads in [1, 2, 5] {
                    let cell = format!("{shape} on a {on:?} with {relax:?}, {threads}");
                    check(on, shape, relax, threads, &cpus).unwrap_or_else(|why| panic!("{cell}: {why:?}"));
                    let sample = timed(on, shape, relax, threads, &cpus, SLICE);
                    let sample = sample.unwrap_or_else(|why| panic!("{cell}: {why:?}"));
                    assert!(sample.items >= threads as u64 * BATCH, "{cell}: {sample:?}");
                }
            }
        }
    }
}

#[test]
fn names_tell_all_apart() {
    let shapes: BTreeSet<String> = Shape::ALL.iter().map(Shape::to_string).collect();
    assert_eq!(shapes.len(), Shape::ALL.len());
}

#[test]
fn work_is_what_the_threads_processes_took_alone() {
    let ns = Shape::ALL.map(|shape| shape.work().as_nanos());
    assert_eq!(ns, [1241, 332, 332, 332, 0]);
}

#[test]
fn there_is_room_for_an_item_of_each_thread() {
    for threads in [1, 3, 1024, 2000] {
        let (checked, capacity) = (On::Ring.checked(threads), capacity(threads));
        assert!(checked > 0 && checked as usize * threads <= capacity, "{threads}: {checked} of {capacity}");
    }
    assert_eq!(threads(Effort::Quick, &Cpus::first(2)), [1, 2, 3, 4]);
}

/// Two threads, and three that go by number.
fn job<A: Audit>(shape: Shape, second: impl Word, limit: Limit) -> Job<impl Word, A> {
    let threads = if let Limit::Items(_) = limit { 3 } else { 2 };
    Job { crowd: Crowd { threads, cpus: Cpus::usable(), limit }, shape, second, audit: PhantomData }
}

const TIME: Limit = Limit::Time(SLICE);
const ITEMS: Limit = Limit::Items(100);

/// On both, ticked off and timed.
fn verdicts(shape: Shape, second: impl Fn() -> Forgetful) -> [Result<Sample, String>; 4] {
    let ring = Ring::<Mpmc>::default;
    [
        job::<Record>(shape, second(), ITEMS).word(lockref::new(Relax::None)),
        job::<Tally>(shape, second(), TIME).word(lockref::new(Relax::None)),
        job::<Record>(shape, second(), ITEMS).ring(ring()),
        job::<Tally>(shape, second(), TIME).ring(ring()),
    ]
}

#[test]
fn access_holds_its_second_word_and_no_other_shape_has_one() {
    for what in ["get", "put"] {
        for shape in Shape::ALL {
            for verdict in verdicts(shape, || Forgetful::new(what)) {
                match shape {
                    Shape::Access2 => {
                        let why = verdict.expect_err("a wrong count");
                        assert!(why.contains("the second word: the count is "), "{what}: {why}");
                    }
                    _ => assert!(verdict.is_ok(), "{shape}: {verdict:?}"),
                }
            }
        }
    }
    // While all hold it, it shows them all.
    let [checked, ..] = verdicts(Shape::Access2, || Forgetful::new("get"));
    assert!(checked.is_err_and(|why| why.starts_with("the second word: the count is 1, not 301")));
    assert!(verdicts(Shape::Access2, || Forgetful::new("nothing")).iter().all(Result::is_ok));
}

#[test]
fn a_wrong_count_is_no_figure() {
    for what in ["get", "put"] {
        let checked = job::<Record>(Shape::Tight, FetchAdd::new(), ITEMS).word(Forgetful::new(what));
        let timed = job::<Tally>(Shape::Tight, FetchAdd::new(), TIME).word(Forgetful::new(what));
        assert!(checked.is_err() && timed.is_err(), "{what}");
    }
}

/// A ring that is wrong about the third item of the first thread.
struct Wrong<const FAULT: u8>(Ring<Mpmc>);

/// It comes out as another, or goes in twice.
const ALTERED: u8 = 0;
const DOUBLED: u8 = 1;
const THIRD: u64 = 2;

impl<const FAULT: u8> Channel for Wrong<FAULT> {
    type Tx = <Ring<Mpmc> as Channel>::Tx;
    type Rx = <Ring<Mpmc> as Channel>::Rx;

    fn open(&self, capacity: usize, shape: workload::Shape) -> (Vec<Self::Tx>, Vec<Self::Rx>) {
        self.0.open(capacity, shape)
    }

    fn send(tx: &Self::Tx, item: u64) -> bool {
        let copies = if FAULT == DOUBLED && item == THIRD { 2 } else { 1 };
        (0..copies).all(|_| Ring::<Mpmc>::send(tx, item))
    }

    fn recv(rx: &Self::Rx) -> Option<u64> {
        let item = Ring::<Mpmc>::recv(rx)?;
        Some(if FAULT == ALTERED && item == THIRD { item + 1 } else { item })
    }

    fn try_send(_: &Self::Tx, _: u64) -> Poll<bool> {
        unreachable!("no turn tries")
    }

    fn try_recv(rx: &Self::Rx) -> Poll<Option<u64>> {
        Ring::<Mpmc>::try_recv(rx)
    }
}

fn wrong<const FAULT: u8>() -> [String; 2] {
    let ring = || Wrong::<FAULT>(Ring::default());
    let checked = job::<Record>(Shape::Tight, FetchAdd::new(), ITEMS).ring(ring());
    let timed = job::<Tally>(Shape::Tight, FetchAdd::new(), TIME).ring(ring());
    [checked, timed].map(|verdict| verdict.expect_err("a wrong item"))
}

#[test]
fn a_wrong_item_is_no_figure() {
    let [checked, timed] = wrong::<ALTERED>();
    assert_eq!(checked, "item 3 of sender 0 was received twice");
    assert!(timed.starts_with("item 3 of sender 0 came when 4") || timed.contains("checksum"), "{timed}");
    for left in wrong::<DOUBLED>() {
        assert!(left.ends_with(" was still there at the end"), "{left}");
    }
}
