//! Latency, for criterion's statistics: one item to and fro through two pipes of capacity 1.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use hornpipe_bench::{
    contender::Contender,
    measure::{self, Cell},
    placement::{Cpus, Placement},
    plan::{Row, Work},
};

fn ping_pong(c: &mut Criterion) {
    let cpus = Cpus::usable();
    for placement in Placement::PINNED {
        let mut group = c.benchmark_group(format!("ping-pong {placement}"));
        group.measurement_time(Duration::from_secs(2)).sample_size(20);
        for contender in [Contender::Hornpipe, Contender::SPSC, Contender::Mutex, Contender::Std] {
            let cell = Cell { row: Row { placement, work: Work::PingPong }, contender };
            group.bench_function(contender.to_string(), |b| {
                b.iter_custom(|trips| measure::span(cell, &cpus, trips))
            });
        }
    }
}

criterion_group!(benches, ping_pong);
criterion_main!(benches);
