//! What went wrong in other channels, queues and pipes, as tests of this one. The numbers are those of the project's
//! list of scenarios; each test says what failed there. Those that freeze a thread inside a call are in `hooks.rs`.

mod support;

#[path = "scenarios/capacity.rs"]
mod capacity;
#[path = "scenarios/closing.rs"]
mod closing;
#[path = "scenarios/cost.rs"]
mod cost;
#[path = "scenarios/owning.rs"]
mod owning;
#[path = "scenarios/timeouts.rs"]
mod timeouts;
#[path = "scenarios/wakes.rs"]
mod wakes;
