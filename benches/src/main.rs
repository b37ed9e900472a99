//! `hornpipe-bench`: see the library part of this package.

use std::{env, process::ExitCode};

#[cfg(feature = "peers")]
#[global_allocator]
static HEAP: hornpipe_bench::bars::heap::Counting = hornpipe_bench::bars::heap::Counting;

fn main() -> ExitCode {
    hornpipe_bench::cli::main(env::args_os())
}
