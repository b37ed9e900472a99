//! Each label's mutant: the models that its table names must fail when it is taken away. (That they pass with it is
//! what tests/models.rs says.)
#![cfg(hornpipe_loom)]

use hornpipe::model::{Label, tables};
use loom_tests::MODELS;
use loom_tests::process::{Outcome, USAGE, run};
use std::time::Duration;

fn mutant(model: &str, label: &str, bound: usize) -> Outcome {
    let limit = Duration::from_secs(180);
    run(env!("CARGO_BIN_EXE_models"), env!("CARGO_TARGET_TMPDIR"), model, Some((label, bound)), limit)
        .unwrap()
}

/// Whether `model` fails, with few preemptions first: most need one or two, and more only hide them. A verdict.
fn fails(model: &str, label: &str) -> (bool, String) {
    let Some(known) = MODELS.iter().find(|known| known.name == model) else {
        return (false, "NO SUCH MODEL".to_string());
    };
    for bound in known.bound.min(1)..=known.bound {
        let outcome = mutant(model, label, bound);
        if outcome.failed() {
            return (
                true,
                format!("caught in {:.2} s, bound {bound}: {}", outcome.seconds, outcome.reason()),
            );
        }
        if !outcome.passed() {
            return (
                false,
                format!("UNDECIDED after {:.0} s, bound {bound}: {}", outcome.seconds, outcome.output),
            );
        }
    }
    (false, format!("SURVIVED bound {}", known.bound))
}

/// Whether all of the label's models catch its mutant, with a line of the table for each.
fn caught(label: &Label) -> bool {
    let Label { module, name, kind, .. } = label;
    let line = |model: &str, verdict: &str| {
        println!("{module:8} {name:12} {kind:16} {model:24} {verdict}", kind = format!("{kind:?}"))
    };
    if let Some(reason) = label.model.strip_prefix("equivalent: ") {
        line("", &format!("equivalent: {reason}"));
        return !reason.is_empty();
    }
    let verdicts: Vec<bool> = label
        .model
        .split(", ")
        .map(|model| {
            let (caught, verdict) = fails(model, name);
            line(model, &verdict);
            caught
        })
        .collect();
    verdicts.iter().all(|&caught| caught)
}

#[test]
fn every_mutant_is_caught() {
    let survivors: Vec<_> = tables().filter(|label| !caught(label)).map(|label| label.name).collect();
    assert!(survivors.is_empty(), "{survivors:?}");
}

/// A mistyped name must not run the unchanged code and call it a mutant, or fail and be called caught.
#[test]
fn unknown_names_are_refused() {
    for (model, label) in [(MODELS[0].name, "NOBODY"), ("nothing", tables().next().unwrap().name)] {
        let outcome = mutant(model, label, 1);
        assert_eq!(outcome.status.and_then(|status| status.code()), Some(USAGE), "{}", outcome.output);
        assert!(!outcome.failed());
    }
}
