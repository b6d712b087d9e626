//! Charts: their marks, and the first points of their series as a table.
//!
//! Source: ECMA-376-1, section 21.2.

use std::fmt::Write as _;

use super::{Parts, is_of_part};
use crate::error::Result;
use crate::xml::{Event, Tag, start_of};

/// The most bytes of the title of a chart, and of the name of a series.
const LONGEST: usize = 500;
/// The most series that are named, and the most bytes of their names.
const SERIES: usize = 20;
const LONGEST_LIST: usize = 2_000;
/// The most points of a series that are shown, the most levels of categories, the most bytes of a value, and about
/// those of a table.
const POINTS: usize = 20;
const LEVELS: usize = 4;
const LONGEST_VALUE: usize = 100;
const LONGEST_TABLE: usize = 16 << 10;

/// Shows a number in a format; in dates that count from 1904, if the last is true.
pub type ShowNumber = fn(&str, f64, bool) -> Option<String>;

/// The categories or the values of a series.
#[derive(Debug, Default, PartialEq)]
struct Points {
    /// The texts of points by their indexes, of each level of categories; the innermost first.
    levels: Vec<Vec<(usize, String)>>,
    /// How many there are.
    count: usize,
    format: String,
    /// The cells that they are from.
    cells: String,
}

impl Points {
    fn begin(&mut self, tag: &Tag<'_>) -> Option<usize> {
        match tag.name {
            "lvl" if self.levels.len() < LEVELS => self.levels.push(Vec::new()),
            "ptCount" => self.count = tag.number("val").unwrap_or(0),
            "pt" => {
                let index: usize = tag.number("idx")?;
                self.count = self.count.max(index.saturating_add(1));
                if self.levels.is_empty() {
                    self.levels.push(Vec::new());
                }
                return Some(index).filter(|index| *index < POINTS);
            }
            _ => {}
        }
        None
    }

    fn push(&mut self, index: usize, text: &str) {
        let Some(level) = self.levels.last_mut() else { return };
        if level.last().is_none_or(|(last, _)| *last != index) && level.len() < POINTS {
            level.push((index, String::new()));
        }
        if let Some((_, known)) = level.last_mut().filter(|(last, _)| *last == index) {
            push_start(known, text, LONGEST_VALUE);
        }
    }

    /// What is shown of a point; outer categories are named once, for all that follow. Empty for a gap.
    fn at(&self, index: usize, show: ShowNumber, is_1904: bool) -> String {
        let mut shown = Vec::new();
        for (depth, level) in self.levels.iter().enumerate().rev() {
            let point = level.iter().rfind(|(at, _)| *at == index || (depth > 0 && *at < index));
            let Some((_, text)) = point else { continue };
            let number = text.parse().ok().filter(|_| !self.format.is_empty());
            let number = number.and_then(|number| show(&self.format, number, is_1904));
            shown.push(one_line(&number.unwrap_or_else(|| text.clone())).replace('|', "\\|"));
        }
        shown.join(" / ")
    }
}

#[derive(Debug, Default)]
struct Series {
    name: String,
    categories: Points,
    values: Points,
}

/// Which part of a series is read.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Name,
    Categories,
    Values,
}

#[derive(Debug, Default)]
struct Chart {
    title: String,
    count: usize,
    /// The first ones.
    series: Vec<Series>,
    is_1904: bool,
}

impl Parts<'_> {
    /// The mark of a chart: its title, the number of its series, and their names. Further lines are a table.
    ///
    /// # Errors
    /// Those of reading; not that its part is missing or damaged, which the mark says.
    pub fn chart(&self, part: &str, show: ShowNumber) -> Result<String> {
        mark_of("chart", self.read_chart(part).map(|found| found.map(|chart| chart.shown(show))))
    }

    fn read_chart(&self, part: &str) -> Result<Option<Chart>> {
        let mut chart = Chart::default();
        // The levels of the chart, of its own title, of a series, and of what is read of it; axes and labels have
        // titles, too.
        let (mut of_chart, mut of_title, mut of_series, mut of) = (None, None, None, None);
        let (mut depth, mut text_of, mut point) = (0_u32, "", None);
        let Some(mut xml) = self.xml(part)? else { return Ok(None) };
        loop {
            match xml.next()? {
                Event::Start(tag) => {
                    depth += 1;
                    let is_in = |level: Option<u32>| level.is_some_and(|level| level + 1 == depth);
                    match tag.name {
                        "chart" => of_chart = of_chart.or(Some(depth)),
                        "date1904" => chart.is_1904 = tag.flag("val").unwrap_or(true),
                        "title" if is_in(of_chart) => of_title = Some(depth),
                        "ser" | "series" => {
                            chart.count += 1;
                            (of_series, of) = (Some(depth), None);
                            if chart.count <= SERIES {
                                chart.series.push(Series::default());
                            }
                        }
                        "tx" if is_in(of_series) => of = Some((depth, Of::Name)),
                        "cat" | "xVal" if is_in(of_series) => of = Some((depth, Of::Categories)),
                        "val" | "yVal" if is_in(of_series) => of = Some((depth, Of::Values)),
                        _ => {}
                    }
                    text_of = match tag.name {
                        "t" | "v" => "v",
                        "f" => "f",
                        "formatCode" => "formatCode",
                        _ => "",
                    };
                    if let Some(points) = chart.points(of) {
                        let begun = points.begin(&tag);
                        point = if tag.name == "pt" { begun } else { point };
                    }
                }
                Event::End(name) => {
                    of.take_if(|(level, _)| *level == depth);
                    for level in [&mut of_title, &mut of_series] {
                        level.take_if(|level| *level == depth);
                    }
                    depth = depth.saturating_sub(1);
                    text_of = "";
                    point = point.filter(|_| name != "pt");
                    if name == "p" && of_title.is_some() && chart.title.len() < LONGEST {
                        chart.title.push(' ');
                    }
                }
                Event::Text(text, _) => match (text_of, of_title.is_some(), of) {
                    ("v", true, ..) => push_start(&mut chart.title, text, LONGEST),
                    ("v", _, Some((_, Of::Name))) => {
                        if let Some(series) = chart.series.last_mut().filter(|_| chart.count <= SERIES) {
                            push_start(&mut series.name, text, LONGEST);
                        }
                    }
                    _ => {
                        let Some(points) = chart.points(of) else { continue };
                        match (text_of, point) {
                            ("v", Some(index)) => points.push(index, text),
                            ("f", _) => push_start(&mut points.cells, text, LONGEST_VALUE),
                            ("formatCode", None) => push_start(&mut points.format, text, LONGEST),
                            _ => {}
                        }
                    }
                },
                Event::Done => return Ok(Some(chart)),
            }
        }
    }
}

impl Chart {
    fn points(&mut self, of: Option<(u32, Of)>) -> Option<&mut Points> {
        let series = self.series.last_mut().filter(|_| self.count <= SERIES)?;
        match of?.1 {
            Of::Name => None,
            Of::Categories => Some(&mut series.categories),
            Of::Values => Some(&mut series.values),
        }
    }

    fn shown(&self, show: ShowNumber) -> String {
        let mut shown: Vec<String> = self.series.iter().map(|series| one_line(&series.name)).collect();
        shown.retain(|name| !name.is_empty());
        if !shown.is_empty() && self.count > self.series.len() {
            shown.push(format!("… {} more", self.count - self.series.len()));
        }
        let mut facts = vec![one_line(&self.title)];
        if self.count > 0 {
            let colon = if shown.is_empty() { "" } else { ": " };
            let names = shown.join(", ");
            let start = start_of(&names, LONGEST_LIST);
            let rest = if start.len() < names.len() { "…" } else { "" };
            facts.push(format!("{} series{colon}{start}{rest}", self.count));
        }
        facts.retain(|fact| !fact.is_empty());
        let mark =
            if facts.is_empty() { "[chart]".to_owned() } else { format!("[chart: {}]", facts.join("; ")) };
        mark + &self.table(show)
    }

    /// The table of the first points, each line after a line feed; empty without points.
    fn table(&self, show: ShowNumber) -> String {
        let count = |series: &Series| series.values.count.max(series.categories.count);
        let points = self.series.iter().map(count).max().unwrap_or(0);
        let mut columns: Vec<(String, &Points)> = Vec::new();
        let mut before: Option<&Points> = None;
        for (index, series) in self.series.iter().enumerate().filter(|(_, series)| count(series) > 0) {
            if before.is_none_or(|before| before.levels != series.categories.levels) {
                columns.push((String::new(), &series.categories));
                before = Some(&series.categories);
            }
            let name = start_of(&series.name, LONGEST_VALUE);
            let name = if name.trim().is_empty() { &*format!("series {}", index + 1) } else { name };
            columns.push((one_line(name).replace('|', "\\|"), &series.values));
        }
        if columns.is_empty() {
            return String::new();
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| &**name).collect();
        let mut table = format!("\n| {} |\n|{}", names.join(" | "), " --- |".repeat(columns.len()));
        let mut shown = 0;
        while shown < points.min(POINTS) && table.len() < LONGEST_TABLE {
            let row = columns.iter().map(|(_, points)| points.at(shown, show, self.is_1904));
            let _ = write!(table, "\n| {} |", row.collect::<Vec<_>>().join(" | "));
            shown += 1;
        }
        if shown < points {
            let cells =
                self.series.iter().map(|series| &*series.values.cells).find(|cells| !cells.is_empty());
            let cells = cells.map_or(String::new(), |cells| format!(" · {}", one_line(cells)));
            let _ = write!(table, "\n[points 1-{shown} of {points}{cells}]");
        }
        table
    }
}

/// Appends the beginning of a text, up to so many bytes in all.
fn push_start(to: &mut String, text: &str, most: usize) {
    to.push_str(start_of(text, most.saturating_sub(to.len())));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
