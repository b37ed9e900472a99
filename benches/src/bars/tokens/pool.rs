//! Pools of tokens: hornpipe's, and what it is measured against.

use std::{
    fmt,
    io::{self, PipeReader, PipeWriter, Read, Write},
    iter,
    sync::{Condvar, Mutex, PoisonError},
};

use hornpipe::{Token, TokenPool};
use serde::{Deserialize, Serialize};

/// How many each of them has: a byte each, from 0 on.
pub(crate) const TOKENS: u8 = 8;

/// A pool of tokens; nothing is called through `dyn`.
pub(crate) trait Pool: Sync {
    /// Takes a token, which may take a while, does `job` with its byte and gives it back.
    fn with<T>(&self, job: impl FnOnce(u8) -> T) -> Result<T, String>;

    /// The bytes of all tokens that are there.
    fn bytes(self) -> Result<Vec<u8>, String>;
}

/// Work that wants a [`Pool`] type; see [`Kind::run`].
pub(crate) trait Task {
    /// What it gives back.
    type Output;

    /// Runs with a full pool.
    fn run<P: Pool>(self, pool: P) -> Self::Output;
}

/// A kind of pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// hornpipe's.
    TokenPool,
    /// Bytes under a mutex, with a condition variable for who finds none.
    Mutex,
    /// The system's pipe with a byte a token, as make's jobserver has it.
    Pipe,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::TokenPool, Self::Mutex, Self::Pipe];

    /// Gives `task` a new pool of this kind.
    pub fn run<T: Task>(self, task: T) -> Result<T::Output, String> {
        Ok(match self {
            Self::TokenPool => task.run(TokenPool::from_bytes(0..TOKENS)),
            Self::Mutex => task.run(Bytes { idle: Mutex::new((0..TOKENS).collect()), given: Condvar::new() }),
            Self::Pipe => task.run(Jobserver::new().map_err(told)?),
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::TokenPool => "TokenPool",
            Self::Mutex => "mutex pool",
            Self::Pipe => "os pipe",
        })
    }
}

impl Pool for TokenPool {
    fn with<T>(&self, job: impl FnOnce(u8) -> T) -> Result<T, String> {
        let token = self.acquire();
        Ok(job(token.byte()))
    }

    fn bytes(self) -> Result<Vec<u8>, String> {
        let all: Vec<Token> = iter::from_fn(|| self.try_acquire()).collect();
        Ok(all.iter().map(Token::byte).collect())
    }
}

struct Bytes {
    idle: Mutex<Vec<u8>>,
    given: Condvar,
}

impl Pool for Bytes {
    fn with<T>(&self, job: impl FnOnce(u8) -> T) -> Result<T, String> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = self.given.wait_while(idle, |idle| idle.is_empty());
        let token = idle.unwrap_or_else(PoisonError::into_inner).pop().expect("it is not empty");
        let done = job(token);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(token);
        self.given.notify_one();
        Ok(done)
    }

    fn bytes(self) -> Result<Vec<u8>, String> {
        Ok(self.idle.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Jobserver {
    idle: PipeReader,
    given: PipeWriter,
}

impl Jobserver {
    fn new() -> io::Result<Self> {
        let (idle, mut given) = io::pipe()?;
        given.write_all(&Vec::from_iter(0..TOKENS))?;
        Ok(Self { idle, given })
    }
}

impl Pool for Jobserver {
    fn with<T>(&self, job: impl FnOnce(u8) -> T) -> Result<T, String> {
        let mut token = [0];
        (&self.idle).read_exact(&mut token).map_err(told)?;
        let done = job(token[0]);
        (&self.given).write_all(&token).map_err(told)?;
        Ok(done)
    }

    fn bytes(mut self) -> Result<Vec<u8>, String> {
        drop(self.given);
        let mut bytes = Vec::new();
        self.idle.read_to_end(&mut bytes).map_err(told)?;
        Ok(bytes)
    }
}

fn told(error: io::Error) -> String {
    format!("the system's pipe: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each token once while all are out, so that nothing is left; then all are back.
    struct TakeAll;

    impl Task for TakeAll {
        type Output = Vec<u8>;

        fn run<P: Pool>(self, pool: P) -> Vec<u8> {
            let mut out = nested(&pool, Vec::new());
            out.sort();
            assert!(out.into_iter().eq(0..TOKENS));
            pool.bytes().expect("a pool")
        }
    }

    fn nested(pool: &impl Pool, out: Vec<u8>) -> Vec<u8> {
        match out.len() {
            all if all == usize::from(TOKENS) => out,
            _ => take(pool, out).expect("a token"),
        }
    }

    /// Not a closure's own recursion, whose type would have no end.
    fn take(pool: &impl Pool, mut out: Vec<u8>) -> Result<Vec<u8>, String> {
        pool.with(|token| {
            out.push(token);
            nested(pool, out)
        })
    }

    #[test]
    fn each_has_every_token_once() {
        for kind in Kind::ALL {
            let mut bytes = kind.run(TakeAll).expect("a pool");
            bytes.sort();
            assert!(bytes.iter().copied().eq(0..TOKENS), "{kind}: {bytes:?}");
        }
    }
}
