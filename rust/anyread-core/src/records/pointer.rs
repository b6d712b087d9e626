//! Addresses inside JSON: `17/output` is the field "output" of record 17, `/steps/12` a part of the whole file.

/// What an address says: the number of a record, if it names one, and the steps from there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointer {
    /// The number of the record, counted from 1.
    pub record: Option<u64>,
    /// The names of fields, and the indexes of items counted from 0, as RFC 6901 writes them.
    pub steps: Vec<String>,
}

impl Pointer {
    /// Parses an address; `None` if it is not one.
    ///
    /// A JSON pointer, also as the fragment of a URI (`#/a%20b`), perhaps after the number of a record.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let decoded;
        let text = match text.strip_prefix('#') {
            Some(fragment) => {
                decoded = unescaped_percent(fragment)?;
                &decoded
            }
            None => text,
        };
        let (record, steps) = match text.split_once('/') {
            Some((record, steps)) => (record, Some(steps)),
            None => (text, None),
        };
        let record = if record.is_empty() {
            None
        } else {
            let is_number = record.bytes().all(|byte| byte.is_ascii_digit());
            Some(record.parse().ok().filter(|&number| is_number && number > 0)?)
        };
        let steps = steps.map_or(Some(Vec::new()), |steps| steps.split('/').map(unescaped).collect())?;
        Some(Self { record, steps })
    }
}

/// A step of a pointer; `None` if it has a tilde that escapes nothing.
fn unescaped(step: &str) -> Option<String> {
    let mut parts = step.split('~');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        text.push(if part.starts_with('0') { '~' } else { '/' });
        text.push_str(part.strip_prefix(['0', '1'])?);
    }
    Some(text)
}

/// Writes a name as the step of a pointer.
#[must_use]
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn unescaped_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = rest.get(2..)?;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
