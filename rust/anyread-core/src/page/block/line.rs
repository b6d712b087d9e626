//! A line of a text: its indentation, the words at its start, and the brackets at its ends.

/// The length of the longest word that has a role.
const LONGEST: usize = 12;

/// What a word at the start of a line may begin; a word may have several roles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Role(u8);

impl Role {
    /// It begins a function.
    pub const FUNCTION: Self = Self(1);
    /// It begins what contains functions.
    pub const CLASS: Self = Self(2);
    /// It may precede those two.
    pub const MODIFIER: Self = Self(4);
    /// A bracket after it opens no function.
    pub const STATEMENT: Self = Self(8);
    /// With it a block goes on, at the indentation of its first line.
    pub const GOES_ON: Self = Self(16);
    /// It ends a block.
    pub const END: Self = Self(32);
    /// It precedes the body of a function, after its signature.
    pub const CLAUSE: Self = Self(64);
    /// It begins a function if a text follows, as in `test "sum" do`.
    pub const TEST: Self = Self(128);

    fn of(word: &[u8]) -> Self {
        match word {
            b"def" | b"fn" | b"func" | b"fun" | b"function" | b"sub" | b"proc" | b"defp" | b"defmacro"
            | b"macro_rules!" => Self::FUNCTION,
            b"class" | b"struct" | b"enum" | b"interface" | b"trait" | b"impl" | b"module" | b"namespace"
            | b"mod" | b"object" | b"record" | b"union" | b"protocol" | b"extension" | b"contract"
            | b"message" | b"service" => Self::CLASS,
            b"export" | b"declare" | b"async" | b"public" | b"private" | b"protected" | b"static"
            | b"final" | b"abstract" | b"override" | b"virtual" | b"inline" | b"const" | b"unsafe"
            | b"extern" | b"pub" | b"internal" | b"suspend" | b"open" | b"sealed" | b"data" | b"local"
            | b"partial" | b"crate" | b"super" | b"C" | b"in" | b"typedef" | b"readonly" | b"native"
            | b"implicit" | b"lazy" | b"operator" | b"infix" | b"tailrec" | b"external" | b"actual"
            | b"expect" | b"mutating" | b"fileprivate" | b"nonisolated" => Self::MODIFIER,
            b"test" | b"it" | b"property" => Self::TEST,
            b"default" => Self::MODIFIER.and(Self::STATEMENT),
            b"if" | b"for" | b"while" | b"switch" | b"do" | b"try" | b"with" | b"match" | b"loop"
            | b"unless" | b"until" | b"foreach" | b"return" | b"throw" | b"case" | b"select"
            | b"synchronized" | b"using" | b"lock" | b"begin" | b"let" | b"new" | b"defer" | b"go"
            | b"yield" | b"await" | b"guard" | b"repeat" => Self::STATEMENT,
            b"else" | b"elif" | b"elsif" | b"elseif" | b"except" | b"finally" | b"rescue" | b"ensure"
            | b"catch" | b"when" => Self::STATEMENT.and(Self::GOES_ON),
            b"where" | b"throws" => Self::GOES_ON.and(Self::CLAUSE),
            b"end" | b"fi" | b"done" | b"esac" | b"END" | b"endif" => Self::END,
            _ => Self(0),
        }
    }

    /// These roles together.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}

/// A line without the white space around it.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    pub indent: usize,
    pub text: &'a [u8],
}

impl<'a> Line<'a> {
    #[inline]
    pub fn of(bytes: &'a [u8]) -> Self {
        let (mut indent, mut rest) = (0, bytes);
        loop {
            // Of deep indentation, many at once.
            while let Some(after) = rest.strip_prefix(&[b' '; 16]) {
                (indent, rest) = (indent + 16, after);
            }
            match rest.split_first() {
                Some((b' ', after)) => (indent, rest) = (indent + 1, after),
                Some((b'\t', after)) => (indent, rest) = ((indent / 8 + 1) * 8, after),
                _ => return Self { indent, text: rest.trim_ascii() },
            }
        }
    }

    pub fn is_blank(self) -> bool {
        self.text.is_empty()
    }

    /// The roles of the words at the start of the line, if it begins with one, each with what follows the word.
    fn roles(self) -> impl Iterator<Item = (Role, &'a [u8])> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'!');
        let begins_with_word = self.text.first().is_some_and(u8::is_ascii_alphabetic);
        let mut rest = match self.text {
            // An annotation may be on the line of its declaration.
            [b'@', ..] => find(self.text, b" ").map_or(&[][..], |at| &self.text[at..]),
            text if begins_with_word => text,
            _ => &[],
        };
        std::iter::from_fn(move || {
            let word = &rest[rest.iter().position(is_word)?..];
            let length = word.iter().take(LONGEST + 1).take_while(|byte| is_word(byte)).count();
            // What follows a longer word does not matter, because that has no role.
            rest = &word[length..];
            let role = Role::of(&word[..length]);
            if role.has(Role::MODIFIER) && rest.starts_with(b"[") {
                // As in `private[this] def`.
                rest = find(rest, b"]").map_or(rest, |at| &rest[at..]);
            }
            Some((role, rest))
        })
    }

    /// Whether its first word has one of these roles.
    pub fn begins(self, roles: Role) -> bool {
        self.roles().next().is_some_and(|(role, _)| role.has(roles))
    }

    /// Whether it begins with a word that has one of these roles, perhaps after modifiers, and a name follows.
    pub fn declares(self, roles: Role) -> bool {
        let found = self.roles().take(8).find(|(role, _)| !role.has(Role::MODIFIER));
        found.is_some_and(|(role, after)| {
            let name = after.trim_ascii_start().first();
            let is_named = after.first().is_none_or(|byte| b" *<{".contains(byte));
            if role.has(Role::TEST) {
                return roles.has(Role::FUNCTION) && matches!(name, Some(b'"' | b'\''));
            }
            role.has(roles)
                && (is_named && !matches!(name, Some(b'=' | b'.' | b','))
                    || (after.starts_with(b"(") && self.opens()))
        })
    }

    /// The text without a comment at its end.
    pub fn code(self) -> &'a [u8] {
        let is_end = |byte: &u8| b"{([:,;=".contains(byte);
        if self.text.last().is_some_and(is_end) || memchr::memchr2(b'/', b'#', self.text).is_none() {
            return self.text;
        }
        let comment = [b" //".as_slice(), b" #", b" /*"].into_iter();
        let starts = comment.filter_map(|mark| find(self.text, mark));
        let code = starts.min().map_or(self.text, |start| self.text[..start].trim_ascii_end());
        if code.last().is_some_and(is_end) { code } else { self.text }
    }

    pub fn opens(self) -> bool {
        matches!(self.code().last(), Some(b'{' | b'(' | b'['))
    }

    pub fn closes(self) -> bool {
        matches!(self.text.first(), Some(b'}' | b')' | b']'))
    }

    /// Whether it is a comment or a line of a preprocessor.
    pub fn is_comment(self) -> bool {
        match self.text {
            [b'#', b'[', ..] => false,
            // Private methods and generators of JavaScript.
            [b'#' | b'*', name @ ..] if self.opens() => {
                let is_end = |byte: &u8| !(byte.is_ascii_alphanumeric() || b"_$#".contains(byte));
                let after = &name[name.iter().position(is_end).unwrap_or(0)..];
                let begins = [b"(".as_slice(), b" (", b" = "].iter().any(|mark| after.starts_with(mark));
                after.len() == name.len() || !begins
            }
            [b'#', ..] => true,
            text => matches!(text, [b'*', ..] | [b'/', b'/' | b'*', ..] | [b'-', b'-', ..]),
        }
    }

    /// Whether it is one word with a colon.
    pub fn is_label(self) -> bool {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        self.text.strip_suffix(b":").is_some_and(|name| name.iter().all(is_word))
    }

    /// Whether it is a word that ends a block, and not a label.
    pub fn is_end(self) -> bool {
        self.begins(Role::END) && !self.is_label()
    }

    /// Whether it belongs to the declaration after it.
    pub fn is_attached(self) -> bool {
        match self.text {
            [b'@', ..] => !self.declares(Role::FUNCTION.and(Role::CLASS)),
            [b'#', b'[', ..] | b"\"\"\"" => true,
            // An attribute of C# or C++, perhaps the first line of it.
            [b'[', first, .., last] if first.is_ascii_alphabetic() || *first == b'[' => {
                *last != b'{' && (self.code().ends_with(b"]") || depth(self.text) > 0)
            }
            _ => self.is_comment(),
        }
    }

    /// Whether all of an object is in it, perhaps as one of a list.
    pub fn is_whole_object(self) -> bool {
        let object = self.text.strip_suffix(b",").unwrap_or(self.text);
        if !(object.starts_with(b"{") && object.ends_with(b"}")) {
            return false;
        }
        // Brackets in strings do not count.
        let (mut open, mut in_string, mut bytes) = (0_i64, false, object.iter());
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => in_string = !in_string,
                b'\\' if in_string => drop(bytes.next()),
                b'{' | b'[' if !in_string => open += 1,
                b'}' | b']' if !in_string => open -= 1,
                _ => {}
            }
        }
        open == 0
    }

    /// Whether lines that are indented more may belong to it.
    pub fn is_header(self) -> bool {
        let code = self.code();
        self.text.starts_with(b"- ")
            || (self.text.starts_with(b"<") && code.ends_with(b">"))
            || code.last().is_some_and(|byte| b"{([:=|".contains(byte))
            || [b"=>".as_slice(), b"->", b" do", b" then"].iter().any(|end| code.ends_with(end))
            || self.declares(Role::FUNCTION.and(Role::CLASS))
            || self.begins(Role::STATEMENT.and(Role::GOES_ON))
    }

    /// Whether it is the type of a function whose name is in the next line.
    pub fn is_type(self) -> bool {
        self.text.len() < 80
            && self.text.first().is_some_and(u8::is_ascii_alphabetic)
            && !self.text.ends_with(b":")
            && self.text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_ *&<>:".contains(byte))
            && !self.begins(Role::STATEMENT.and(Role::END))
    }

    /// Whether it begins or ends a text of several lines between backquotes.
    pub fn is_open_text(self) -> bool {
        memchr::memchr_iter(b'`', self.text).count() % 2 == 1
            && !self.is_comment()
            // As in "the option `name'".
            && rfind(self.text, b"`").is_some_and(|at| !self.text[at..].contains(&b'\''))
    }

    /// Whether it begins or ends a string of several lines.
    pub fn is_open_string(self) -> bool {
        let is_odd = |mark: &[u8]| memchr::memmem::find_iter(self.text, mark).count() % 2 == 1;
        memchr::memchr2(b'"', b'\'', self.text).is_some() && (is_odd(b"\"\"\"") || is_odd(b"'''"))
    }
}

/// Up to this length, comparing at each place is faster than preparing a search.
const SHORT: usize = 128;

/// Where a few bytes first occur.
pub fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    if text.len() > SHORT {
        return memchr::memmem::find(text, word);
    }
    text.windows(word.len()).position(|found| found == word)
}

/// Where a few bytes last occur.
pub fn rfind(text: &[u8], word: &[u8]) -> Option<usize> {
    if text.len() > SHORT {
        return memchr::memmem::rfind(text, word);
    }
    text.windows(word.len()).rposition(|found| found == word)
}

/// How many more brackets are opened than closed.
pub fn depth(text: &[u8]) -> i32 {
    let is_open = |byte| matches!(byte, b'(' | b'[' | b'{');
    let is_close = |byte| matches!(byte, b')' | b']' | b'}');
    // Additions that are checked for overflow are not done many at once.
    text.iter().fold(0_i32, |depth, &byte| {
        depth.wrapping_add(i32::from(is_open(byte))).wrapping_sub(i32::from(is_close(byte)))
    })
}
