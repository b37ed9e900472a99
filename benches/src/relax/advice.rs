//! What follows from the figures for this machine: which relax after a lost try, which between two looks, when a mutex
//! is the better word. Pure functions of ratios with their intervals; what the intervals leave open is said to be open.

use std::fmt;

use serde::Serialize;

use super::word::Retry;
use crate::{report::interval, stats::Estimate};

/// A ratio with the number of threads that it was found with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// Time over the reference's: under 1 is faster.
    pub ratio: Estimate,
    /// With so many threads.
    pub threads: usize,
}

impl Evidence {
    fn bounds(&self) -> (f64, f64) {
        self.ratio.bounds().unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
    }

    fn faster(&self) -> bool {
        self.bounds().1 < 1.0
    }

    fn slower(&self) -> bool {
        self.bounds().0 > 1.0
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.threads == 1 { "" } else { "s" };
        write!(f, "{} at {} thread{s}", interval(self.ratio), self.threads)
    }
}

/// How a relax does against none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Faster than none wherever there is contention.
    Better,
    /// Slower than none somewhere.
    Worse,
    /// The intervals do not tell.
    Open,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Better => "better than none",
            Self::Worse => "worse than none",
            Self::Open => "undecided",
        })
    }
}

/// A relax with what speaks against it most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// What it does.
    pub relax: Retry,
    /// Its time over none's, where that is worst.
    pub worst: Evidence,
    /// What follows.
    pub standing: Standing,
}

impl Candidate {
    /// Of its ratios to none. With one thread nothing is lost and nobody waits, so that row says nothing.
    fn of(relax: Retry, ratios: &[Evidence]) -> Option<Self> {
        let contended = || ratios.iter().filter(|evidence| evidence.threads > 1);
        let slower = contended().filter(|evidence| evidence.slower());
        let slowest = slower.max_by(|a, b| a.bounds().0.total_cmp(&b.bounds().0));
        let worst = *slowest.or(contended().max_by(|a, b| key(a).total_cmp(&key(b))))?;
        let standing = match slowest {
            Some(_) => Standing::Worse,
            None if worst.faster() => Standing::Better,
            None => Standing::Open,
        };
        Some(Self { relax, worst, standing })
    }
}

/// By its upper bound a ratio is worst; without one, by itself.
fn key(evidence: &Evidence) -> f64 {
    evidence.ratio.bounds().map_or(evidence.ratio.median, |(_, high)| high)
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// What to use: none, unless another is better beyond its interval.
    pub best: Retry,
    /// Whether the intervals decide that.
    pub decided: bool,
    /// All others.
    pub candidates: Vec<Candidate>,
    /// What the crate does where it is not told.
    pub default: Option<Retry>,
}

impl Choice {
    /// `None` without a contended row.
    pub fn of(ratios: &[(Retry, Vec<Evidence>)], default: Option<Retry>) -> Option<Self> {
        let candidates = ratios.iter().filter_map(|(relax, ratios)| Candidate::of(*relax, ratios));
        let candidates: Vec<Candidate> = candidates.collect();
        let better = candidates.iter().filter(|candidate| candidate.standing == Standing::Better);
        let best = better.min_by(|a, b| key(&a.worst).total_cmp(&key(&b.worst))).map(|best| best.relax);
        let choice = Self { best: best.unwrap_or(Retry::None), decided: false, default, candidates };
        let decided = choice.rivals().next().is_none();
        (!choice.candidates.is_empty()).then_some(Self { decided, ..choice })
    }

    /// Who may be as good as the best, by the intervals.
    fn rivals(&self) -> impl Iterator<Item = &Candidate> {
        let best = self.candidates.iter().find(|candidate| candidate.relax == self.best);
        self.candidates.iter().filter(move |candidate| {
            candidate.relax != self.best
                && candidate.standing != Standing::Worse
                && best.is_none_or(|best| candidate.worst.bounds().0 <= best.worst.bounds().1)
        })
    }

    /// Whether the default is what the figures recommend.
    pub fn agrees(&self) -> Agreement {
        let find = |relax| self.candidates.iter().find(|candidate| candidate.relax == relax);
        // None is no candidate: its interval is 1 by definition.
        let bounds = |relax| find(relax).map_or((1.0, 1.0), |candidate| candidate.worst.bounds());
        match self.default {
            Some(default) if default == self.best => Agreement::Agrees,
            Some(default) if default != Retry::None && find(default).is_none() => Agreement::Unmeasured,
            Some(default) if bounds(default).0 > bounds(self.best).1 => Agreement::Differs,
            Some(_) => Agreement::Open,
            None => Agreement::Unmeasured,
        }
    }

    /// What speaks for the answer.
    fn because(&self) -> String {
        let shown = |candidate: &Candidate| format!("{} / none {}", candidate.relax, candidate.worst);
        let best = self.candidates.iter().find(|candidate| candidate.relax == self.best);
        let nearest = || self.candidates.iter().min_by(|a, b| key(&a.worst).total_cmp(&key(&b.worst)));
        let rivals: Vec<String> = self.rivals().map(|candidate| candidate.relax.to_string()).collect();
        let rivals = (!self.decided).then(|| format!("not told from {}", rivals.join(", ")));
        let shown = match best {
            Some(best) => Some(format!("at worst {}", shown(best))),
            None if self.decided => nearest().map(|nearest| format!("the nearest other: {}", shown(nearest))),
            None => None,
        };
        shown.into_iter().chain(rivals).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doubt = if self.decided { "" } else { " (undecided)" };
        let foreign = if self.best == Retry::UntilChanged { ", which the crate does not have" } else { "" };
        write!(f, "{}{foreign}{doubt}: {}; ", self.best, self.because())?;
        match self.default {
            Some(default) => write!(f, "the crate's default here is {default}, which {}", self.agrees()),
            None => write!(f, "the crate's default here {}", self.agrees()),
        }
    }
}

/// What the figures say about a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// It is what they recommend.
    Agrees,
    /// It is not, beyond the intervals.
    Differs,
    /// It is not, within the intervals.
    Open,
    /// It was not measured.
    Unmeasured,
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Open => "differs, within the intervals",
            Self::Unmeasured => "was not measured",
        })
    }
}

/// Whether a mutex is the better word from some number of threads on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mutex {
    /// From here on it is faster.
    Faster(Evidence),
    /// It is slower everywhere: where it comes nearest.
    Slower(Evidence),
    /// The intervals do not tell: where.
    Open(Evidence),
}

impl Mutex {
    /// Of lockref's time over the mutex's, by number of threads.
    pub fn of(ratios: &[Evidence]) -> Option<Self> {
        let last = ratios.iter().rev().take_while(|evidence| evidence.slower()).last();
        let nearest = *ratios.iter().max_by(|a, b| key(a).total_cmp(&key(b)))?;
        Some(match last {
            Some(first) => Self::Faster(*first),
            None if nearest.faster() => Self::Slower(nearest),
            None => Self::Open(nearest),
        })
    }
}

impl fmt::Display for Mutex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Faster(first) => {
                write!(
                    f,
                    "with {} threads and more a mutex is faster: few tries, then the lock (Lockref::tries); ",
                    first.threads
                )?;
                write!(f, "lockref / mutex {first}")
            }
            Self::Slower(nearest) => {
                write!(f, "a mutex is nowhere faster: lockref / mutex at most {nearest}")
            }
            Self::Open(open) => write!(f, "whether a mutex is faster is undecided: lockref / mutex {open}"),
        }
    }
}

/// All answers; `None` where nothing was measured that could give one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// After a lost compare-exchange.
    pub retry: Option<Choice>,
    /// Between two looks of a waiter.
    pub wait: Option<Choice>,
    /// Instead of a lockref.
    pub mutex: Option<Mutex>,
}

/// The two questions that have candidates, and the third.
const QUESTIONS: [&str; 3] = ["after a lost try", "between two looks", "lockref or mutex"];

impl Advice {
    /// Each question with its answer.
    pub fn answers(&self) -> [(&'static str, String); 3] {
        let [retry, wait] = [&self.retry, &self.wait].map(|choice| choice.as_ref().map(Choice::to_string));
        let answers = [retry, wait, self.mutex.map(|mutex| mutex.to_string())];
        let mut questions = QUESTIONS.into_iter();
        answers.map(|answer| {
            (questions.next().expect("as many as answers"), answer.unwrap_or("not measured".into()))
        })
    }

    /// Each question's candidates.
    pub fn candidates(&self) -> impl Iterator<Item = (&'static str, &Candidate)> {
        let choices = QUESTIONS.into_iter().zip([&self.retry, &self.wait]);
        let choices = choices.filter_map(|(question, choice)| Some((question, choice.as_ref()?)));
        choices.flat_map(|(question, choice)| {
            choice.candidates.iter().map(move |candidate| (question, candidate))
        })
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answers = self.answers().map(|(question, answer)| format!("{question:<20} {answer}"));
        f.write_str(&answers.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(threads: usize, low: f64, high: f64) -> Evidence {
        Evidence { ratio: Estimate { median: (low + high) / 2.0, low, high, rounds: 5 }, threads }
    }

    const ONE: Retry = Retry::Hints(1);
    const TWO: Retry = Retry::Hints(2);

    fn choice(ratios: &[(Retry, Vec<Evidence>)], default: Retry) -> Choice {
        Choice::of(ratios, Some(default)).expect("contended rows")
    }

    #[test]
    fn none_where_every_pause_is_slower_somewhere() {
        let ratios = [
            (ONE, vec![at(1, 0.9, 0.95), at(2, 1.2, 1.4), at(4, 0.7, 0.8)]),
            // Its widest interval tells nothing: the row that decides is shown.
            (TWO, vec![at(2, 1.5, 1.6), at(4, 0.5, 1.9)]),
        ];
        let choice = choice(&ratios, Retry::None);
        assert_eq!(choice.candidates[1].worst, at(2, 1.5, 1.6));
        assert_eq!((choice.best, choice.decided), (Retry::None, true));
        assert_eq!(
            choice.to_string(),
            "none: the nearest other: 1 hint / none 1.30 [1.20, 1.40] at 2 threads; the crate's default here is \
             none, which agrees"
        );
    }

    #[test]
    fn a_pause_that_is_faster_in_every_crowd_wins_by_its_worst() {
        let ratios = [
            (ONE, vec![at(1, 1.0, 1.1), at(2, 0.5, 0.6), at(4, 0.87, 0.95)]),
            (TWO, vec![at(2, 0.7, 0.8), at(4, 0.75, 0.85)]),
        ];
        let choice = choice(&ratios, Retry::None);
        assert_eq!((choice.best, choice.decided, choice.agrees()), (TWO, true, Agreement::Differs));
        assert_eq!(
            choice.to_string(),
            "2 hints: at worst 2 hints / none 0.800 [0.750, 0.850] at 4 threads; the crate's default here is none, \
             which differs"
        );
    }

    #[test]
    fn two_that_are_better_and_not_told_apart_are_both_named() {
        let ratios = [(ONE, vec![at(2, 0.84, 0.95)]), (TWO, vec![at(2, 0.75, 0.85)])];
        let choice = choice(&ratios, TWO);
        assert_eq!((choice.best, choice.decided), (TWO, false));
        let text = choice.to_string();
        let wanted = "2 hints (undecided): at worst 2 hints / none 0.800 [0.750, 0.850] at 2 threads, not told from 1 hint;";
        assert!(text.starts_with(wanted), "{text}");
    }

    #[test]
    fn what_the_intervals_leave_open_is_said() {
        let ratios = [(ONE, vec![at(2, 0.9, 1.1)]), (TWO, vec![at(2, 1.1, 1.2)])];
        let choice = choice(&ratios, TWO);
        assert_eq!((choice.best, choice.decided, choice.agrees()), (Retry::None, false, Agreement::Differs));
        let text = choice.to_string();
        assert!(text.starts_with("none (undecided): not told from 1 hint; the crate's default"), "{text}");

        let few = Evidence { ratio: Estimate { rounds: 4, ..at(2, 0.5, 0.6).ratio }, threads: 2 };
        let choice = Choice::of(&[(ONE, vec![few])], Some(ONE)).expect("a contended row");
        assert_eq!((choice.best, choice.decided), (Retry::None, false), "too few rounds decide nothing");
        assert_eq!(choice.agrees(), Agreement::Open);
    }

    #[test]
    fn one_thread_is_no_evidence() {
        assert_eq!(Choice::of(&[(ONE, vec![at(1, 0.5, 0.6)])], Some(ONE)), None);
        assert_eq!(Choice::of(&[], None), None);
    }

    #[test]
    fn a_default_that_was_not_measured_is_not_judged() {
        let ratios = [(ONE, vec![at(2, 1.1, 1.2)])];
        assert_eq!(choice(&ratios, Retry::Hints(16)).agrees(), Agreement::Unmeasured);
        assert_eq!(Choice::of(&ratios, None).expect("a choice").agrees(), Agreement::Unmeasured);
    }

    #[test]
    fn the_mutex_is_faster_from_where_it_stays_so() {
        let mutex = |ratios: &[Evidence]| Mutex::of(ratios).expect("rows");
        let all = [at(1, 0.4, 0.5), at(2, 1.1, 1.3), at(3, 0.9, 1.1), at(4, 1.2, 1.3), at(8, 1.5, 1.6)];
        assert_eq!(mutex(&all), Mutex::Faster(all[3]));
        assert_eq!(mutex(&all[..3]), Mutex::Open(all[1]));
        assert_eq!(mutex(&all[..1]), Mutex::Slower(all[0]));
        assert_eq!(Mutex::of(&[]), None);
        assert!(mutex(&all).to_string().starts_with("with 4 threads and more a mutex is faster: few tries"));
    }
}
