//! Prints a window of a text file with line numbers: `cargo run --example window -- FILE [OFFSET [LIMIT]]`.
//!
//! A negative offset counts from the end: `-- server.log -10` prints the last ten lines.

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;

use anyread_core::engine::{Answer, Engine, Memory, Request};
use anyread_core::gutter::Gutter;
use anyread_core::mapping::Mapping;
use anyread_core::open::Opener;
use anyread_core::page::{Layout, Window};
use anyread_core::scan::Never;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = PathBuf::from(arguments.next().ok_or("usage: window FILE [OFFSET [LIMIT]]")?);
    let mut number = |default: i64| -> Result<i64, Box<dyn Error>> {
        match arguments.next() {
            Some(argument) => Ok(argument.to_str().ok_or("not a number")?.parse()?),
            None => Ok(default),
        }
    };
    let offset = number(1)?;
    let limit = u64::try_from(number(100)?)?;

    // No roots and no deny rules: any file may be read.
    let opener = Opener::new(&[], &[])?;
    let memory =
        Memory { index_bytes: 64 << 20, inline_bytes: 64 << 10, trust_append: true, mapping: Mapping::Auto };
    let engine = Engine::new(opener, memory);

    let gutter = Gutter { before: String::new(), width: 6, separator: Some("\t".to_owned()), every: 0 };
    let layout = Layout { max_bytes: 256 << 10, ..Layout::reader(&gutter) };
    let request = Request { kind: None, ..Request::of_text(Window { offset, limit, column: 1 }, None) };

    let mut out = std::io::stdout().lock();
    match engine.read(&path, &request, &layout, Some(&Never))? {
        Answer::Text(answer) => writeln!(out, "{}", answer.page.text)?,
        Answer::Opened(file) => writeln!(out, "{} is {}, not text", path.display(), file.kind.media_type)?,
        Answer::Unchanged { version } => writeln!(out, "{} still has version {version}", path.display())?,
    }
    Ok(())
}
