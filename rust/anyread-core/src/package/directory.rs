//! The central directory of a zip file, which decides what the file contains.
//!
//! Source: APPNOTE.TXT 6.3.10 of PKWARE. Where it leaves a choice, this agrees with `zipfile` of Python: the last end
//! record counts, and bytes may precede the archive.

use std::collections::HashMap;

use memchr::memmem::rfind;

use super::number;
use crate::error::{Error, ErrorKind, Result};
use crate::inflate::Packed;
use crate::memory::out_of_memory;
use crate::stream::{Bytes, Stream};

/// The most members of an archive.
const MEMBERS: u64 = 65_536;
/// The most bytes of a name; no part of a document has a longer one.
pub const LONGEST_NAME: usize = 256;
/// The sizes of the fixed parts of the records.
const END: usize = 22;
const END_64: u64 = 56;
const LOCATOR_64: u64 = 20;
const ENTRY: usize = 46;
const LOCAL: usize = 30;
const LONGEST_COMMENT: u64 = 65_535;

/// A member as the directory has it.
#[derive(Debug, Clone, Copy)]
struct Member {
    /// The offset of its local header.
    header: u64,
    packed_size: u64,
    size: u64,
    crc: u32,
    method: u64,
    is_encrypted: bool,
}

/// The members of a zip file.
#[derive(Debug)]
pub struct Directory {
    /// By name, in lower case and with slashes; `None` if several members have the name.
    members: HashMap<Box<str>, Option<Member>>,
    /// The offsets of all local headers and of the directory, in order.
    starts: Vec<u64>,
}

/// A name as members are compared: without case, and with slashes only.
pub fn comparable(name: &str) -> String {
    name.trim_start_matches(['/', '\\']).replace('\\', "/").to_ascii_lowercase()
}

impl Directory {
    /// Reads the directory.
    ///
    /// # Errors
    /// Those of reading, [`ErrorKind::Damaged`] and [`ErrorKind::TooLarge`].
    pub fn read(file: &Stream<'_>) -> Result<Self> {
        let (begin, end, shift) = bounds(file)?;
        let mut stream = file.of(begin..end);
        let mut directory = Self { members: HashMap::new(), starts: Vec::new() };
        while stream.offset() < end {
            directory.read_entry(&mut stream, shift)?;
        }
        directory.starts.push(begin);
        directory.starts.sort_unstable();
        Ok(directory)
    }

    fn read_entry(&mut self, stream: &mut Stream<'_>, shift: u64) -> Result<()> {
        let path = stream.path();
        let entry = stream.ahead(ENTRY)?;
        if !entry.starts_with(b"PK\x01\x02") || entry.len() < ENTRY {
            return Err(Error::damaged(path, "an entry of its directory is damaged"));
        }
        let (flags, method) = (number(entry, 8, 2), number(entry, 10, 2));
        let crc = u32::try_from(number(entry, 16, 4)).unwrap_or_default();
        let mut sizes = [number(entry, 24, 4), number(entry, 20, 4), number(entry, 42, 4)];
        let lengths = [28, 30, 32].map(|at| usize::try_from(number(entry, at, 2)).unwrap_or_default());
        let [name_length, extra_length, comment_length] = lengths;
        let length = ENTRY + name_length + extra_length + comment_length;
        let entry = stream.ahead(length)?;
        let (Some(name), Some(extra), true) = (
            entry.get(ENTRY..ENTRY + name_length),
            entry.get(ENTRY + name_length..ENTRY + name_length + extra_length),
            entry.len() >= length,
        ) else {
            return Err(Error::damaged(path, "its directory ends too early"));
        };
        if !replace_by_zip64(extra, &mut sizes) {
            return Err(Error::damaged(path, "an entry of its directory lacks its sizes"));
        }
        let [size, packed_size, header] = sizes;
        let header = header.saturating_add(shift);
        let member = Member { header, packed_size, size, crc, method, is_encrypted: flags & 1 == 1 };
        if self.starts.len() as u64 == MEMBERS {
            let kind = ErrorKind::TooLarge { size: MEMBERS + 1, maximum: MEMBERS, unit: "members" };
            return Err(Error::new(path, kind));
        }
        self.starts.try_reserve(1).map_err(|_| out_of_memory(path))?;
        self.starts.push(header);
        if name.len() <= LONGEST_NAME {
            let name = comparable(&String::from_utf8_lossy(name)).into_boxed_str();
            self.members.try_reserve(1).map_err(|_| out_of_memory(path))?;
            self.members.entry(name).and_modify(|member| *member = None).or_insert(Some(member));
        }
        stream.skip(length);
        Ok(())
    }

    /// Whether a member has a name.
    pub fn has(&self, name: &str) -> bool {
        self.members.contains_key(&*comparable(name))
    }

    /// The names of the members, in lower case and with slashes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(|name| &**name)
    }

    /// Its memory in bytes, about.
    pub fn bytes(&self) -> u64 {
        let names: usize = self.members.keys().map(|name| name.len()).sum();
        (names + self.members.capacity() * size_of::<(Box<str>, Option<Member>)>()) as u64
    }

    /// Where the bytes of a member are; `None` if none has the name.
    ///
    /// # Errors
    /// Those of reading; [`ErrorKind::Damaged`] if several members have the name, or if it overlaps another one;
    /// [`ErrorKind::PasswordRequired`].
    pub fn locate(&self, file: &Stream<'_>, name: &str) -> Result<Option<Packed>> {
        let damaged = |what: &str| Err(Error::damaged(file.path(), format!("its member `{name}` {what}")));
        let key = comparable(name);
        // A relationship without a usable target has an empty one.
        let Some(member) = self.members.get(&*key).filter(|_| !key.is_empty()) else { return Ok(None) };
        let Some(member) = member else { return damaged("exists more than once") };
        if member.is_encrypted {
            return Err(Error::new(file.path(), ErrorKind::PasswordRequired));
        }
        if !matches!(member.method, 0 | 8) {
            return damaged(&format!(
                "is compressed by method {}, which documents do not use",
                member.method
            ));
        }
        let after = self.starts.partition_point(|start| *start <= member.header);
        let is_first_twice = after >= 2 && self.starts.get(after - 2) == Some(&member.header);
        let Some(limit) = self.starts.get(after).copied().filter(|_| !is_first_twice) else {
            return damaged("overlaps another one");
        };
        let mut stream = file.of(member.header..limit);
        let local = stream.ahead(LOCAL)?;
        if !local.starts_with(b"PK\x03\x04") || local.len() < LOCAL {
            return damaged("has no header");
        }
        let begin = member.header + LOCAL as u64 + number(local, 26, 2) + number(local, 28, 2);
        let Some(end) = begin.checked_add(member.packed_size).filter(|end| *end <= limit) else {
            return damaged("overlaps another one");
        };
        let is_deflated = member.method == 8;
        if !is_deflated && member.packed_size != member.size {
            return damaged("is stored and has two sizes");
        }
        Ok(Some(Packed { begin, end, is_deflated, content: Some((member.size, member.crc)) }))
    }
}

/// Where the directory begins and ends, and how many bytes precede the archive.
fn bounds(file: &Stream<'_>) -> Result<(u64, u64, u64)> {
    let size = file.end();
    let start = size.saturating_sub(END as u64 + LONGEST_COMMENT);
    let mut stream = file.of(start..size);
    let wanted = crate::size::to_usize(size - start);
    let tail = stream.ahead(wanted)?;
    let found = rfind(tail, b"PK\x05\x06").and_then(|at| Some((at, tail.get(at..at + END)?)));
    let Some((at, record)) = found else {
        return Err(Error::damaged(file.path(), "it has no directory at its end"));
    };
    let mut end = start + at as u64;
    let (mut length, mut offset) = (number(record, 12, 4), number(record, 16, 4));
    if let Some((at, record)) = end_64(file, end)? {
        (end, length, offset) = (at, number(&record, 40, 8), number(&record, 48, 8));
    }
    let begin = end.checked_sub(length);
    let shift = begin.and_then(|begin| begin.checked_sub(offset));
    match (begin, shift) {
        (Some(begin), Some(shift)) => Ok((begin, end, shift)),
        _ => Err(Error::damaged(file.path(), "its directory is not where its end says")),
    }
}

/// The end record of zip64, and where it is, if there is one before the end record at an offset.
fn end_64(file: &Stream<'_>, end: u64) -> Result<Option<(u64, Vec<u8>)>> {
    let Some(at) = end.checked_sub(LOCATOR_64) else { return Ok(None) };
    let mut stream = file.of(at..end);
    let locator = stream.ahead(20)?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(None);
    }
    // Directly before its locator, unless it is longer than usual.
    for at in [at.saturating_sub(END_64), number(locator, 8, 8)] {
        let mut stream = file.of(at..at.saturating_add(END_64));
        let record = stream.ahead(56)?;
        if record.starts_with(b"PK\x06\x06") && record.len() >= 56 {
            return Ok(Some((at, record.to_vec())));
        }
    }
    Err(Error::damaged(file.path(), "it lacks the end record of zip64 that it announces"))
}

/// Replaces each of the numbers that does not fit into 32 bits; `false` if one is missing.
fn replace_by_zip64(extra: &[u8], numbers: &mut [u64; 3]) -> bool {
    let mut rest = extra;
    let mut values: &[u8] = &[];
    while rest.len() >= 4 {
        let (id, length) = (number(rest, 0, 2), usize::try_from(number(rest, 2, 2)).unwrap_or_default());
        if id == 1 {
            values = rest.get(4..4 + length).unwrap_or_default();
        }
        rest = rest.get(4 + length..).unwrap_or_default();
    }
    for value in numbers.iter_mut().filter(|value| **value == u64::from(u32::MAX)) {
        let Some((first, others)) = values.split_first_chunk::<8>() else { return false };
        (*value, values) = (u64::from_le_bytes(*first), others);
    }
    true
}
