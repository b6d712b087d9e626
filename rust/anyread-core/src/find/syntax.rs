//! What a pattern means: the syntax of `regex-syntax`, smart case, and lines that no match crosses.

use std::cell::Cell;

use regex_syntax::ast::{self, Ast, ClassSetItem, ErrorKind, Visitor, parse::ParserBuilder};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange};
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

use super::PatternError;

/// The maximum length of a pattern in characters.
const MAX_CHARS: usize = 10_000;

/// A pattern that is parsed.
pub(super) struct Parsed {
    /// What matches.
    pub(super) hir: Hir,
    /// The same without the boundaries of words, which are slow beside characters that are not ASCII.
    pub(super) without_words: Option<Hir>,
    /// Whether the text of the pattern matches itself.
    pub(super) is_literal: bool,
}

/// Parses a pattern as an expression if it is one and `literal` is not set, and else as the letters it has.
pub(super) fn parse(text: &str, literal: bool) -> Result<Parsed, PatternError> {
    let length = text.chars().count();
    if length > MAX_CHARS {
        return Err(PatternError::TooLong { chars: length, maximum: MAX_CHARS });
    }
    let found = if literal { None } else { expression(text)? };
    let is_literal = found.is_none();
    let hir = match found {
        Some(hir) => hir,
        // The escaped letters are an expression without faults.
        None => expression(&regex_syntax::escape(text))?.ok_or(PatternError::TooLarge)?,
    };
    let hir = Lines::default().within(&hir)?;
    if hir.properties().minimum_len() == Some(0) {
        return Err(PatternError::MatchesEmptyText);
    }
    let words = Lines { without_words: true, has_words: Cell::new(false) };
    let relaxed = words.within(&hir)?;
    let without_words = words.has_words.get().then_some(relaxed);
    Ok(Parsed { hir, without_words, is_literal })
}

/// The meaning of an expression; `None` if its syntax is not valid.
fn expression(text: &str) -> Result<Option<Hir>, PatternError> {
    let ast = match ParserBuilder::new().build().parse(text) {
        Ok(ast) => ast,
        Err(error) => {
            let span = error.span();
            let part = text.get(span.start.offset..span.end.offset).unwrap_or_default();
            return match error.kind() {
                ErrorKind::UnsupportedLookAround => Err(PatternError::LookAround(part.to_owned())),
                ErrorKind::UnsupportedBackreference => Err(PatternError::BackReference(part.to_owned())),
                ErrorKind::NestLimitExceeded(_) | ErrorKind::CaptureLimitExceeded => {
                    Err(PatternError::TooLarge)
                }
                _ => {
                    named_back_reference(text).map_or(Ok(None), |part| Err(PatternError::BackReference(part)))
                }
            };
        }
    };
    let Ok(letters) = ast::visit(&ast, Letters::default());
    let mut translator = TranslatorBuilder::new();
    translator.utf8(false).multi_line(true).case_insensitive(letters.is_case_ignored());
    Ok(translator.build().translate(text, &ast).ok())
}

/// A reference to a named group, in the forms that other engines have.
fn named_back_reference(text: &str) -> Option<String> {
    let start = ["(?P=", r"\k<", r"\k{", r"\k'"].iter().find_map(|form| text.find(form))?;
    let rest = &text[start..];
    let end = rest.find([')', '>', '}']).map_or(rest.len(), |end| end + 1);
    Some(rest[..end].to_owned())
}

/// Which letters an expression has itself, as `rg --smart-case` sees them: escapes such as `\S` are none.
#[derive(Default)]
struct Letters {
    any: bool,
    uppercase: bool,
}

impl Letters {
    fn add(&mut self, literal: &ast::Literal) {
        self.any = true;
        self.uppercase |= literal.c.is_uppercase();
    }

    fn is_case_ignored(&self) -> bool {
        self.any && !self.uppercase
    }
}

impl Visitor for Letters {
    type Output = Self;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self, Self::Err> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Literal(literal) = ast {
            self.add(literal);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Literal(literal) => self.add(literal),
            ClassSetItem::Range(range) => {
                self.add(&range.start);
                self.add(&range.end);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Rewrites an expression so that it matches within one line, and the end of a line may be CR LF.
#[derive(Default)]
struct Lines {
    /// Whether to leave out the boundaries of words that Unicode defines.
    without_words: bool,
    has_words: Cell<bool>,
}

impl Lines {
    /// The recursion is as deep as the parser lets groups be.
    fn within(&self, hir: &Hir) -> Result<Hir, PatternError> {
        let all = |parts: &[Hir]| parts.iter().map(|part| self.within(part)).collect::<Result<Vec<_>, _>>();
        Ok(match hir.kind() {
            HirKind::Empty => Hir::empty(),
            HirKind::Literal(literal) => {
                // The CR of a line end is there already when boundaries are left out.
                if !self.without_words && literal.0.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
                    return Err(PatternError::LineEnd);
                }
                Hir::literal(literal.0.clone())
            }
            HirKind::Class(class) => Hir::class(without_line_ends(class)?),
            HirKind::Look(look) => self.look(*look),
            HirKind::Repetition(repetition) => {
                let Repetition { min, max, greedy, .. } = *repetition;
                let sub = Box::new(self.within(&repetition.sub)?);
                Hir::repetition(Repetition { min, max, greedy, sub })
            }
            // What a group captured is not used.
            HirKind::Capture(capture) => self.within(&capture.sub)?,
            HirKind::Concat(parts) => Hir::concat(all(parts)?),
            HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
        })
    }

    fn look(&self, look: Look) -> Hir {
        match look {
            // Of a text, only one line is looked at.
            Look::Start | Look::StartLF | Look::StartCRLF => Hir::look(Look::StartLF),
            Look::End | Look::EndLF | Look::EndCRLF if self.without_words => Hir::look(Look::EndLF),
            Look::End | Look::EndLF | Look::EndCRLF => {
                // The engine's own mode for CR LF would also see the end of a line at a lone CR.
                let (min, max, greedy) = (0, Some(1), false);
                let sub = Box::new(Hir::literal(*b"\r"));
                Hir::concat(vec![
                    Hir::repetition(Repetition { min, max, greedy, sub }),
                    Hir::look(Look::EndLF),
                ])
            }
            Look::WordUnicode
            | Look::WordUnicodeNegate
            | Look::WordStartUnicode
            | Look::WordEndUnicode
            | Look::WordStartHalfUnicode
            | Look::WordEndHalfUnicode
                if self.without_words =>
            {
                self.has_words.set(true);
                Hir::empty()
            }
            other => Hir::look(other),
        }
    }
}

/// An expression without what it says about the surroundings of a match, which matches at least as much.
pub(super) fn without_looks(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            let (min, max, greedy) = (*min, *max, *greedy);
            Hir::repetition(Repetition { min, max, greedy, sub: Box::new(without_looks(sub)) })
        }
        HirKind::Capture(capture) => without_looks(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_looks).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(without_looks).collect()),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

/// Whether each match has a character that is not among some of ASCII, or any other if `others` is set.
pub(super) fn needs_other(hir: &Hir, ascii: &[bool; 128], others: bool) -> bool {
    let is_other = |byte: u8| ascii.get(usize::from(byte)).map_or(!others, |is_among| !is_among);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.iter().any(|byte| is_other(*byte)),
        HirKind::Class(Class::Unicode(class)) => class.ranges().iter().all(|range| {
            let (first, last) = (range.start() as u32, range.end() as u32);
            (first..=last.min(127)).all(|code| is_other(code.try_into().unwrap_or(u8::MAX)))
                && (last < 128 || !others)
        }),
        HirKind::Class(Class::Bytes(class)) => {
            class.ranges().iter().all(|range| (range.start()..=range.end()).all(is_other))
        }
        HirKind::Repetition(repetition) => repetition.min > 0 && needs_other(&repetition.sub, ascii, others),
        HirKind::Capture(capture) => needs_other(&capture.sub, ascii, others),
        HirKind::Concat(parts) => parts.iter().any(|part| needs_other(part, ascii, others)),
        HirKind::Alternation(parts) => parts.iter().all(|part| needs_other(part, ascii, others)),
    }
}

/// Whether a match may have one of some characters, all of ASCII.
pub(super) fn may_have(hir: &Hir, letters: &[u8]) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.iter().any(|byte| letters.contains(byte)),
        HirKind::Class(Class::Unicode(class)) => letters.iter().any(|&letter| {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&char::from(letter)))
        }),
        HirKind::Class(Class::Bytes(class)) => letters
            .iter()
            .any(|letter| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(letter))),
        HirKind::Repetition(repetition) => may_have(&repetition.sub, letters),
        HirKind::Capture(capture) => may_have(&capture.sub, letters),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().any(|part| may_have(part, letters))
        }
    }
}

/// Whether a match may have characters that are not ASCII, other than the two that are K and S in another case.
pub(super) fn may_have_others(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => !literal.0.is_ascii(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().iter().any(|range| {
            !range.end().is_ascii() && !matches!((range.start(), range.end()), ('ſ', 'ſ') | ('K', 'K'))
        }),
        HirKind::Class(Class::Bytes(class)) => !class.is_ascii(),
        HirKind::Repetition(repetition) => may_have_others(&repetition.sub),
        HirKind::Capture(capture) => may_have_others(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(may_have_others),
    }
}

/// A class without LF and CR.
fn without_line_ends(class: &Class) -> Result<Class, PatternError> {
    let mut class = class.clone();
    let was_empty = is_empty(&class);
    match &mut class {
        Class::Unicode(class) => {
            let ends = ['\n', '\r'].map(|end| ClassUnicodeRange::new(end, end));
            class.difference(&ClassUnicode::new(ends));
        }
        Class::Bytes(class) => {
            let ends = [b'\n', b'\r'].map(|end| ClassBytesRange::new(end, end));
            class.difference(&ClassBytes::new(ends));
        }
    }
    if is_empty(&class) && !was_empty { Err(PatternError::LineEnd) } else { Ok(class) }
}

fn is_empty(class: &Class) -> bool {
    class.minimum_len().is_none()
}
