//! The marks of charts.

use super::{Parts, is_of_part};
use crate::error::Result;
use crate::xml::{Event, start_of};

/// The most bytes of the title of a chart, and of the name of a series.
const LONGEST: usize = 500;
/// The most series that are named, and the most bytes of their names.
const SERIES: usize = 20;
const LONGEST_LIST: usize = 2_000;

impl Parts<'_> {
    /// The mark of a chart: its title, the number of its series, and their names.
    ///
    /// # Errors
    /// Those of reading; not that its part is missing or damaged, which the mark says.
    pub fn chart(&self, part: &str) -> Result<String> {
        mark_of("chart", self.described(part))
    }

    fn described(&self, part: &str) -> Result<Option<String>> {
        let (mut title, mut series) = (String::new(), 0_usize);
        let mut names: Vec<String> = Vec::new();
        // The levels of the chart, of its own title, of a series, and of its name; axes and labels have titles, too.
        let (mut of_chart, mut of_title, mut of_series, mut of_name) = (None, None, None, None);
        let (mut depth, mut is_text) = (0_u32, false);
        let Some(mut xml) = self.xml(part)? else { return Ok(None) };
        loop {
            match xml.next()? {
                Event::Start(tag) => {
                    depth += 1;
                    let is_in = |level: Option<u32>| level.is_some_and(|level| level + 1 == depth);
                    match tag.name {
                        "chart" => of_chart = of_chart.or(Some(depth)),
                        "title" if is_in(of_chart) => of_title = Some(depth),
                        "ser" | "series" => {
                            series += 1;
                            of_series = Some(depth);
                            if series <= SERIES {
                                names.push(String::new());
                            }
                        }
                        "tx" if is_in(of_series) => of_name = Some(depth),
                        "t" | "v" => is_text = of_title.is_some() || of_name.is_some(),
                        _ => {}
                    }
                }
                Event::End(name) => {
                    for level in [&mut of_title, &mut of_series, &mut of_name] {
                        level.take_if(|level| *level == depth);
                    }
                    depth = depth.saturating_sub(1);
                    is_text = false;
                    if name == "p" && of_title.is_some() && title.len() < LONGEST {
                        title.push(' ');
                    }
                }
                Event::Text(text, _) if is_text => {
                    let name = names.last_mut().filter(|_| series <= SERIES);
                    let target = if of_title.is_some() { Some(&mut title) } else { name };
                    if let Some(target) = target {
                        target.push_str(start_of(text, LONGEST.saturating_sub(target.len())));
                    }
                }
                Event::Text(..) => {}
                Event::Done => break,
            }
        }
        Ok(Some(written(&title, series, &names)))
    }
}

/// The mark of a part that was looked into, or that it is missing or damaged.
///
/// # Errors
/// Those that are about more than the part.
pub fn mark_of(kind: &str, found: Result<Option<String>>) -> Result<String> {
    match found {
        Ok(found) => Ok(found.unwrap_or_else(|| missing(kind))),
        Err(error) if is_of_part(&error) => Ok(format!("[{kind} · damaged]")),
        Err(error) => Err(error),
    }
}

/// The mark of something whose part is not in the package.
#[must_use]
pub fn missing(kind: &str) -> String {
    format!("[{kind} · not in this file]")
}

fn written(title: &str, series: usize, names: &[String]) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: Vec<String> = names.iter().map(|name| one_line(name)).collect();
    shown.retain(|name| !name.is_empty());
    if !shown.is_empty() && series > names.len() {
        shown.push(format!("… {} more", series - names.len()));
    }
    let mut facts = vec![one_line(title)];
    if series > 0 {
        let colon = if shown.is_empty() { "" } else { ": " };
        let names = shown.join(", ");
        let start = start_of(&names, LONGEST_LIST);
        let rest = if start.len() < names.len() { "…" } else { "" };
        facts.push(format!("{series} series{colon}{start}{rest}"));
    }
    facts.retain(|fact| !fact.is_empty());
    if facts.is_empty() { "[chart]".to_owned() } else { format!("[chart: {}]", facts.join("; ")) }
}
