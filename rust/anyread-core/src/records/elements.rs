//! The values in a container, or one after another in a file, by number; where every 512th begins is kept.

use std::sync::Arc;

use super::pass::{is_blank, is_comment, pass_blanks, pass_comment, pass_value};
use super::string::decoded;
use crate::cache::{About, FileState, Keep};
use crate::error::Result;
use crate::stream::{Bytes, Stream};

/// How many elements are between two positions that are kept.
const EVERY: u64 = 512;
/// The most positions of a container that are kept.
const POSITIONS: usize = 1 << 20;
/// The most characters of a name that is compared or shown.
pub const LONGEST_NAME: u64 = 65_536;

/// What a container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    /// Values one after another, up to the end of the file.
    Sequence,
    /// A list.
    List,
    /// An object.
    Object,
}

/// An element: where its name and its value begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Its number, counted from 0.
    pub index: u64,
    /// The offset of its name, if the container is an object.
    pub name: Option<u64>,
    /// The offset of its value.
    pub value: u64,
}

/// What is known about the elements of a container.
#[derive(Debug, Clone, Default)]
struct Known {
    /// Where the search for each 512th element begins.
    positions: Vec<u64>,
    /// The number of elements, once the end was reached.
    total: Option<u64>,
}

impl Keep for Known {
    fn bytes(&self) -> u64 {
        (self.positions.capacity() * size_of::<u64>() + size_of::<Self>()) as u64
    }
}

/// The elements of the container that begins at an offset.
pub struct Elements<'s, 'a> {
    stream: &'s mut Stream<'a>,
    container: Container,
    begin: u64,
    /// The state of the file, if what is found may be kept.
    state: Option<FileState>,
    known: Arc<Known>,
    next: u64,
    /// Whether the search continued after what separates the next element from the one before.
    is_separated: bool,
    /// Whether what precedes the last element, or follows it, is not what JSON has there.
    is_odd: bool,
}

impl<'s, 'a> Elements<'s, 'a> {
    /// Begins before the first element of the container whose first byte, or first value, is at `begin`.
    pub fn new(
        stream: &'s mut Stream<'a>,
        container: Container,
        begin: u64,
        state: Option<FileState>,
    ) -> Self {
        let known = state.and_then(|state| state.get(about(container, begin))).unwrap_or_default();
        let first = if container == Container::Sequence { begin } else { begin + 1 };
        stream.seek(first);
        Self { stream, container, begin, state, known, next: 0, is_separated: true, is_odd: false }
    }

    /// The number of elements, if the end was reached once.
    pub fn total(&self) -> Option<u64> {
        self.known.total
    }

    /// Whether there is a comment or a wrong number of commas before the last element, or after it at the end.
    pub fn is_odd(&self) -> bool {
        self.is_odd
    }

    /// The stream, at the value of the last element.
    pub fn stream(&mut self) -> &mut Stream<'a> {
        self.stream
    }

    /// The next element; `None` after the last one. The stream is at its value, which [`Elements::pass`] passes.
    ///
    /// # Errors
    /// Those of reading.
    pub fn next(&mut self) -> Result<Option<Element>> {
        let next = self.pass_separators()?;
        if self.next.is_multiple_of(EVERY) && self.known.positions.len() as u64 == self.next / EVERY {
            let begin = self.stream.offset();
            Arc::make_mut(&mut self.known).positions.push(begin);
        }
        let is_end = match self.container {
            Container::Sequence => next.is_none(),
            Container::List | Container::Object => matches!(next, None | Some(b']' | b'}')),
        };
        if is_end {
            self.is_odd |= self.container == Container::List && next == Some(b'}');
            self.is_odd |= self.container == Container::Object && next == Some(b']');
            if self.known.total != Some(self.next) {
                Arc::make_mut(&mut self.known).total = Some(self.next);
            }
            return Ok(None);
        }
        let mut name = None;
        if self.container == Container::Object && next == Some(b'"') {
            name = Some(self.stream.offset());
            pass_value(self.stream)?;
            if pass_blanks(self.stream)? == Some(b':') {
                self.stream.skip(1);
                pass_blanks(self.stream)?;
            }
        }
        let index = self.next;
        self.next += 1;
        Ok(Some(Element { index, name, value: self.stream.offset() }))
    }

    /// Passes what separates two elements; returns the next other byte.
    fn pass_separators(&mut self) -> Result<Option<u8>> {
        let (mut commas, mut has_comment) = (0_u64, false);
        let next = loop {
            match self.stream.skip_while(is_blank)? {
                Some(b',') => {
                    commas += 1;
                    self.stream.skip(1);
                }
                Some(b'/') if is_comment(self.stream)? => {
                    has_comment = true;
                    pass_comment(self.stream)?;
                }
                next => break next,
            }
        };
        let is_end = matches!(next, None | Some(b']' | b'}'));
        let wanted = u64::from(!(is_end || self.is_separated || self.container == Container::Sequence));
        self.is_odd = has_comment || commas != wanted;
        self.is_separated = false;
        Ok(next)
    }

    /// Passes the value of an element; returns whether it has an end.
    ///
    /// # Errors
    /// Those of reading.
    pub fn pass(&mut self, element: &Element) -> Result<bool> {
        self.stream.seek(element.value);
        pass_value(self.stream)
    }

    /// The element with this index, counted from 0; `None` if there are not so many.
    ///
    /// # Errors
    /// Those of reading.
    pub fn find(&mut self, index: u64) -> Result<Option<Element>> {
        if self.known.total.is_some_and(|total| index >= total) {
            return Ok(None);
        }
        let block = (index / EVERY).min((self.known.positions.len() as u64).saturating_sub(1));
        if block * EVERY > self.next || index < self.next {
            let at = self.known.positions.get(usize::try_from(block).unwrap_or(usize::MAX)).copied();
            let first = if self.container == Container::Sequence { self.begin } else { self.begin + 1 };
            self.stream.seek(at.unwrap_or(first));
            self.next = if at.is_some() { block * EVERY } else { 0 };
            self.is_separated = true;
        }
        while let Some(element) = self.next()? {
            if element.index == index {
                return Ok(Some(element));
            }
            self.pass(&element)?;
        }
        Ok(None)
    }

    /// The number of elements.
    ///
    /// # Errors
    /// Those of reading.
    pub fn count(&mut self) -> Result<u64> {
        if let Some(total) = self.known.total {
            return Ok(total);
        }
        self.find(u64::MAX)?;
        Ok(self.next)
    }

    /// The decoded name of an element of an object.
    ///
    /// # Errors
    /// Those of reading.
    pub fn name(&mut self, element: &Element) -> Result<Option<String>> {
        let Some(at) = element.name else { return Ok(None) };
        self.stream.seek(at);
        Ok(Some(decoded(self.stream, LONGEST_NAME)?))
    }
}

impl Drop for Elements<'_, '_> {
    fn drop(&mut self) {
        let Some(state) = self.state else { return };
        let extent = |known: &Known| (known.positions.len(), known.total);
        let about = about(self.container, self.begin);
        // Another search may have found more meanwhile.
        let is_more = |other: Arc<Known>| extent(&self.known) > extent(&other);
        if self.known.positions.len() <= POSITIONS && state.get(about).is_none_or(is_more) {
            let known: Arc<Known> = std::mem::take(&mut self.known);
            state.keep(about, known);
        }
    }
}

fn about(container: Container, begin: u64) -> About {
    About::Elements { begin, is_sequence: container == Container::Sequence }
}

/// Whether an element of a container is known to begin after an offset.
pub fn is_known_after(offset: u64, state: &FileState, container: Container, begin: u64) -> bool {
    let found: Option<Arc<Known>> = state.get(about(container, begin));
    found.is_some_and(|found| found.positions.last() > Some(&offset))
}
