//! Throughput, for criterion's statistics: one thread alone, one sender to one receiver, and two on one side.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hornpipe_bench::{
    contender::Contender,
    measure::{self, Cell},
    placement::{Cpus, Placement},
    plan::{Row, Work},
    workload::Shape,
};

/// A group of `row` with all that can serve it.
fn group(c: &mut Criterion, row: Row) {
    let cpus = Cpus::usable();
    let shape = row.shape();
    let mut group = c.benchmark_group(row.to_string());
    group.throughput(Throughput::Elements(shape.senders as u64));
    group.measurement_time(Duration::from_secs(2)).sample_size(20);
    let narrow = Contender::narrowest(shape).iter().copied();
    let all = [Contender::Hornpipe].into_iter().chain(narrow).chain([Contender::Mutex, Contender::Std]);
    for contender in all.filter(|contender| contender.serves(shape)) {
        let cell = Cell { row, contender };
        group.bench_function(contender.to_string(), |b| {
            b.iter_custom(|items| measure::span(cell, &cpus, items))
        });
    }
}

fn solo(c: &mut Criterion) {
    group(c, Row { placement: Placement::OneCpu, work: Work::Solo });
}

fn stream(c: &mut Criterion) {
    let capacities = [1, 16, 1024].map(|capacity| (Shape::PAIR, capacity));
    let wide = [(2, 1), (1, 2)].map(|(senders, receivers)| (Shape { senders, receivers }, 1024));
    for (shape, capacity) in capacities.into_iter().chain(wide) {
        group(c, Row { placement: Placement::Apart, work: Work::Stream { shape, capacity } });
    }
}

criterion_group!(benches, solo, stream);
criterion_main!(benches);
