//! Throughput, for criterion's statistics: one thread alone, and one sender to one receiver.

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hornpipe_bench::{
    contender::{Channel, Contender, Task},
    measure::{self, Cell},
    placement::{Cpus, Placement},
    plan::{Row, Work},
    workload::Shape,
};

const CONTENDERS: [Contender; 3] = [Contender::Hornpipe, Contender::Mutex, Contender::Std];

/// An item in and out by the same thread: what a call costs when nobody is in the way.
struct Solo<'b, 'm>(&'b mut criterion::Bencher<'m>);

impl Task for Solo<'_, '_> {
    type Output = ();

    fn run<C: Channel>(self, channel: C) {
        let (txs, rxs) = channel.open(1024, Shape::PAIR);
        let pass = |item| {
            assert!(C::send(&txs[0], item));
            C::recv(&rxs[0])
        };
        assert_eq!((pass(1), pass(2)), (Some(1), Some(2)), "the answer, before it is timed");
        self.0.iter(|| pass(black_box(3)));
    }
}

fn solo(c: &mut Criterion) {
    let mut group = c.benchmark_group("solo");
    for contender in CONTENDERS {
        group.bench_function(contender.to_string(), |b| contender.run(Solo(b)));
    }
}

fn stream(c: &mut Criterion) {
    let cpus = Cpus::usable();
    for capacity in [1, 16, 1024] {
        let mut group = c.benchmark_group(format!("stream 1:1 cap {capacity}"));
        group.throughput(Throughput::Elements(1)).measurement_time(Duration::from_secs(2)).sample_size(20);
        let row = Row { placement: Placement::Apart, work: Work::Stream { shape: Shape::PAIR, capacity } };
        for contender in CONTENDERS {
            let cell = Cell { row, contender };
            group.bench_function(contender.to_string(), |b| {
                b.iter_custom(|items| measure::span(cell, &cpus, items))
            });
        }
    }
}

criterion_group!(benches, solo, stream);
criterion_main!(benches);
