//! Orderings as code: each module states its orderings, fences and order-critical steps in one `labels!` table.
//!
//! In a normal build a label is a constant and costs nothing. Under loom it reads a run-time switch, so that
//! one build runs every mutant. `arch-notes/orderings.md` is generated from the tables (see the test below).

use core::sync::atomic::Ordering;

/// What a label stands for, and so what its mutant takes away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An atomic access; its mutant is Relaxed.
    Access(Ordering),
    /// A full fence; its mutant is none.
    Fence,
    /// A step of the algorithm (a re-check, a hand-on); its mutant leaves it out.
    Step,
}

/// One decision about order: who it pairs with, why it is needed and which model shows that it is.
#[derive(Debug)]
#[cfg_attr(not(any(test, hornpipe_loom)), allow(dead_code))] // read by the table and the mutants only
pub struct Label {
    /// The module's name and the label's own.
    pub module: &'static str,
    /// The name used at the access.
    pub name: &'static str,
    /// Access, fence or step.
    pub kind: Kind,
    /// The labels at the other end.
    pub partner: &'static str,
    /// Why it is needed, in a sentence.
    pub why: &'static str,
    /// The model that fails when it is taken away, or `equivalent: ` and the reason.
    pub model: &'static str,
}

impl Label {
    /// The ordering to access with.
    #[inline(always)]
    pub(crate) fn order(&self) -> Ordering {
        match self.kind {
            Kind::Access(order) if self.kept() => order,
            Kind::Access(_) => Ordering::Relaxed,
            Kind::Fence | Kind::Step => unreachable!(),
        }
    }

    /// Whether the label stands: always, but for the one whose mutant a model runs.
    #[inline(always)]
    pub(crate) fn kept(&self) -> bool {
        !super::mutated(self.name)
    }

    /// The full fence.
    #[inline(always)]
    pub(crate) fn fence(&self) {
        if self.kept() {
            super::atomic::fence(Ordering::SeqCst);
        }
    }
}

/// States a module's orderings: `NAME: Release, pairs "NAME", why "..", model "..";`
macro_rules! labels {
    ($module:literal; $($name:ident: $kind:ident, pairs $partner:literal, why $why:literal, model $model:literal;)+) => {
        $(
            #[doc = $why]
            pub(crate) const $name: $crate::sync::labels::Label = $crate::sync::labels::Label {
                module: $module,
                name: stringify!($name),
                kind: labels!(@kind $kind),
                partner: $partner,
                why: $why,
                model: $model,
            };
        )+
        /// This module's table.
        #[allow(dead_code)]
        pub(crate) const LABELS: &[&$crate::sync::labels::Label] = &[$(&$name),+];
    };
    (@kind Fence) => { $crate::sync::labels::Kind::Fence };
    (@kind Step) => { $crate::sync::labels::Kind::Step };
    (@kind $order:ident) => { $crate::sync::labels::Kind::Access(core::sync::atomic::Ordering::$order) };
}
pub(crate) use labels;

/// Every table of the crate, in the order of a message's way.
#[cfg(any(test, hornpipe_loom))]
pub fn tables() -> impl Iterator<Item = &'static Label> {
    [
        crate::ring::labels::LABELS,
        crate::gate::LABELS,
        crate::fence::LABELS,
        crate::pipe::LABELS,
        crate::lockref::LABELS,
        #[cfg(feature = "std")]
        crate::bytes::LABELS,
        #[cfg(feature = "std")]
        crate::tokens::LABELS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::string::String;
    use std::vec::Vec;
    use std::{env, format, fs};

    const HEAD: &str = "\
# Orderings

Generated from the `labels!` tables in src/ by `HORNPIPE_BLESS=1 cargo test --lib orderings`: change them there.

Every access that is not Relaxed, every fence but `fence::full` (see there) and every step whose place in the order
matters has a label. LIGHT and HEAVY are `src/fence.rs`'s asymmetric pair, a compiler barrier and a process-wide one; in
models they are read-modify-writes, of the thread's own word and of every thread's. Under loom a label can be taken
away at run time (an access becomes Relaxed, a fence or a step is left out); the models named here fail then, which
loom-tests/tests/mutants.rs checks.

| module | label | kind | pairs with | why | fails without it |
|---|---|---|---|---|---|
";

    /// The tables as they stand in the notes.
    fn rendered() -> String {
        let mut text = String::from(HEAD);
        for Label { module, name, kind, partner, why, model } in tables() {
            let kind = match kind {
                Kind::Access(order) => format!("{order:?}"),
                Kind::Fence => "full fence".into(),
                Kind::Step => "step".into(),
            };
            text += &format!("| {module} | {name} | {kind} | {partner} | {why} | {model} |\n");
        }
        text
    }

    /// What each source file says, by its path under src/; comments left out.
    fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                sources(&entry, found);
            } else {
                let path = entry.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap();
                let code = fs::read_to_string(&entry).unwrap();
                let code: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap()).collect();
                found.push((path.to_str().unwrap().replace('\\', "/"), code.join("\n")));
            }
        }
    }

    /// The notes show the tables as they are.
    #[test]
    #[cfg_attr(not(feature = "std"), ignore = "fewer tables: what sleeps is missing")]
    #[cfg_attr(miri, ignore = "reads files")]
    fn orderings_are_in_the_notes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/arch-notes/orderings.md");
        if env::var_os("HORNPIPE_BLESS").is_some() {
            fs::write(path, rendered()).unwrap();
        }
        let notes = fs::read_to_string(path).unwrap();
        assert!(notes == rendered(), "{path} is old: HORNPIPE_BLESS=1 cargo test --lib orderings");
    }

    /// A label's name says which mutant runs, so there is one of each, and a partner that looks like one exists.
    #[test]
    fn orderings_have_names_of_their_own() {
        let names: Vec<&str> = tables().map(|label| label.name).collect();
        for label in tables() {
            assert_eq!(names.iter().filter(|name| **name == label.name).count(), 1, "{}", label.name);
            for partner in label.partner.split(", ").filter_map(|partner| partner.split(' ').next_back()) {
                let a_name = partner.contains(char::is_alphabetic)
                    && partner.chars().all(|c| c.is_uppercase() || c == '_');
                assert!(!a_name || names.contains(&partner), "{} pairs with {partner}", label.name);
            }
        }
    }

    /// No access states an ordering but Relaxed by itself, and nothing but a fence is SeqCst.
    #[test]
    #[cfg_attr(miri, ignore = "reads files")]
    fn orderings_have_labels() {
        let mut files = Vec::new();
        sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut files);
        assert!(files.len() > 10, "{files:?}");
        // Models' own switches and clock; this file.
        files.retain(|(path, _)| path != "sync/modelled.rs" && path != "sync/labels.rs");
        for (path, code) in &files {
            for line in code.lines() {
                let states =
                    |order: &str| line.split(|c: char| !c.is_alphanumeric()).any(|word| word == order);
                let facade = path.starts_with("sync/") || path == "fence.rs";
                let table = line.contains(": ") && line.contains(", pairs \"");
                let labelled =
                    facade || table || !["Acquire", "Release", "AcqRel"].map(states).contains(&true);
                assert!(labelled, "{path}: an ordering without a label: {line}");
                assert!(!states("SeqCst") || (facade && line.contains("fence")), "{path}: SeqCst: {line}");
            }
        }
    }
}
