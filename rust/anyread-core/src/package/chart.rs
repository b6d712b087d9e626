//! Charts: their marks, and the points of their series as a table.
//!
//! Source: ECMA-376-1, section 21.2.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;

use super::words::{LONGEST, one_line};
use super::{Parts, Relation, is_of_part};
use crate::error::Result;
use crate::xml::{Event, Tag, start_of};

/// The most series that are named, and shown below a mark; the most bytes of their names.
const SERIES: usize = 20;
const LONGEST_LIST: usize = 2_000;
/// The most points below a mark, and about the most bytes of their table.
const POINTS: usize = 20;
const LONGEST_TABLE: usize = 16 << 10;
/// The most series of a table of its own, of which Excel allows 255; the most levels of categories.
const MOST_SERIES: usize = 256;
const LEVELS: usize = 4;
/// The most charts that have numbers.
const CHARTS: usize = 4_096;

/// Shows a number in a format; in dates that count from 1904, if the last is true.
pub type ShowNumber = fn(&str, f64, bool) -> Option<String>;

/// Some points of a chart as a table.
#[derive(Debug, Default)]
pub struct ChartTable {
    /// The mark of the chart, and the lines above its points.
    pub head: String,
    /// A line for each of the points.
    pub rows: Vec<String>,
    /// How many points the chart has.
    pub points: usize,
    /// The cells that the points are from, and which series are in the table if not all are.
    about: [String; 2],
}

/// The categories or the values of a series.
#[derive(Debug, Default)]
struct Points {
    /// The texts of some points by their indexes, of each level of categories; the innermost first.
    levels: Vec<Vec<(usize, String)>>,
    /// How many there are.
    count: usize,
    format: String,
    /// The cells that they are from.
    cells: String,
    /// A hash of all of them.
    hash: DefaultHasher,
}

impl Points {
    fn begin(&mut self, tag: &Tag<'_>) -> Option<usize> {
        match tag.name {
            "lvl" if self.levels.len() < LEVELS => self.levels.push(Vec::new()),
            "ptCount" => self.count = tag.number("val").unwrap_or(0),
            "pt" => {
                let index: usize = tag.number("idx")?;
                self.hash.write_usize(index);
                self.count = self.count.max(index.saturating_add(1));
                if self.levels.is_empty() {
                    self.levels.push(Vec::new());
                }
                return Some(index);
            }
            _ => {}
        }
        None
    }

    /// Adds a text to a point, if that is wanted; an outer category may be that of points after it.
    fn push(&mut self, index: usize, text: &str, wanted: &Range<usize>) {
        self.hash.write(text.as_bytes());
        let is_outer = self.levels.len() > 1;
        let Some(level) = self.levels.last_mut() else { return };
        if index >= wanted.end || (index < wanted.start && !is_outer) {
            return;
        }
        if level.last().is_none_or(|(last, _)| *last != index) {
            if index <= wanted.start {
                level.clear();
            }
            if level.len() <= wanted.len() {
                level.push((index, String::new()));
            }
        }
        if let Some((_, known)) = level.last_mut().filter(|(last, _)| *last == index) {
            push_start(known, text);
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

/// Which points and how many series are wanted.
type Wanted = (Range<usize>, usize);

impl<'a> Parts<'a> {
    /// The mark of a chart: its title, the number of its series, and their names. Further lines are a table.
    ///
    /// # Errors
    /// Those of reading; not that its part is missing or damaged, which the mark says.
    pub fn chart(&self, part: Option<&str>, show: ShowNumber) -> Result<String> {
        mark_of("chart", part.map_or(Ok(None), |part| self.chart_with_points(part, show)))
    }

    fn chart_with_points(&self, part: &str, show: ShowNumber) -> Result<Option<String>> {
        let Some(table) = self.chart_table(part, &(0..POINTS, SERIES), show)? else { return Ok(None) };
        let (mut shown, mut last) = (table.head, 0);
        for row in &table.rows {
            if last > 0 && shown.len() >= LONGEST_TABLE {
                break;
            }
            let _ = write!(shown, "\n{row}");
            last += 1;
        }
        let [cells, series] = table.about;
        if last < table.points || !series.is_empty() {
            let number = self.charts()?.iter().position(|chart| **chart == *part);
            let at = number.map_or(String::new(), |number| format!(": at=\"chart {}\"", number + 1));
            let _ = write!(shown, "\n[points 1-{last} of {}{series}{cells}{at}]", table.points);
        }
        Ok(Some(shown))
    }

    /// Points of the chart with a number, counted from 1; `None` if there is no such chart.
    ///
    /// # Errors
    /// Those of reading; [`crate::error::ErrorKind::Damaged`].
    pub fn numbered_chart(
        &self,
        number: usize,
        points: Range<usize>,
        show: ShowNumber,
    ) -> Result<Option<ChartTable>> {
        match self.charts()?.get(number.wrapping_sub(1)) {
            Some(part) => self.chart_table(part, &(points, MOST_SERIES), show),
            None => Ok(None),
        }
    }

    /// The parts of the charts, in the order in which the file refers to them from its main part on.
    fn charts(&self) -> Result<&'a [Box<str>]> {
        if let Some(known) = self.package.charts.get() {
            return Ok(known);
        }
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut coming: Vec<(Box<str>, bool)> = vec![(self.package.main.as_str().into(), false)];
        while let Some((part, is_chart)) = coming.pop().filter(|_| found.len() < CHARTS) {
            if !self.package.has(&part) || !seen.insert(part.clone()) {
                continue;
            }
            if is_chart {
                found.push(part);
                continue;
            }
            match (Parts { allowed: &self.allowed.anew(), ..*self }).inner_parts(&part) {
                Ok(inner) => coming.extend(inner.into_iter().rev()),
                Err(error) if is_of_part(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.package.charts.get_or_init(|| found.into()))
    }

    /// The charts that a part refers to, and the parts that may refer to others; and which of these are charts.
    fn inner_parts(&self, part: &str) -> Result<Vec<(Box<str>, bool)>> {
        let relations = self.internal_relations(part)?;
        let is_after =
            |found: &Relation| matches!(&*found.kind, "header" | "footer" | "footnotes" | "endnotes");
        let is_chart = |found: &Relation| matches!(&*found.kind, "chart" | "chartEx");
        // Slides have links to others.
        let is_inner = |found: &Relation| match &*found.kind {
            "slide" | "worksheet" | "chartsheet" => part == self.package.main,
            kind => kind == "drawing" || is_chart(found) || is_after(found),
        };
        let mut inner: Vec<&Relation> = relations.internal().filter(|found| is_inner(found)).collect();
        // Tags tell the order. A sheet, which may be large, has one drawing.
        let in_order = inner.iter().filter(|found| !is_after(found)).count();
        if in_order > 1
            && let Some(mut xml) = self.xml(part)?
        {
            let mut order = HashMap::new();
            while order.len() < in_order {
                match xml.next()? {
                    Event::Start(tag) if matches!(tag.name, "chart" | "sldId" | "sheet") => {
                        let at = order.len();
                        if let Some(found) = tag.prefixed("id").and_then(|id| relations.get(&id)) {
                            order.entry(&*found.id).or_insert(at);
                        }
                    }
                    Event::Done => break,
                    _ => {}
                }
            }
            inner.sort_by_key(|found| order.get(&*found.id).copied().unwrap_or(usize::MAX));
        }
        Ok(inner.into_iter().map(|found| (found.target.clone(), is_chart(found))).collect())
    }

    fn chart_table(&self, part: &str, wanted: &Wanted, show: ShowNumber) -> Result<Option<ChartTable>> {
        // It is dropped before the next one.
        let chart = (Parts { allowed: &self.allowed.anew(), ..*self }).read_chart(part, wanted)?;
        Ok(chart.map(|chart| chart.table(&wanted.0, show)))
    }

    fn read_chart(&self, part: &str, (wanted, most_series): &Wanted) -> Result<Option<Chart>> {
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
                            if chart.count <= *most_series {
                                self.keep(size_of::<Series>())?;
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
                    if name == "p" && of_title.is_some() {
                        push_start(&mut chart.title, " ");
                    }
                }
                Event::Text(text, _) => match (text_of, of_title.is_some(), of) {
                    ("v", true, ..) => push_start(&mut chart.title, text),
                    ("v", _, Some((_, Of::Name))) => {
                        if let Some(series) = chart.last_series() {
                            push_start(&mut series.name, text);
                        }
                    }
                    _ => {
                        let Some(points) = chart.points(of) else { continue };
                        match (text_of, point) {
                            ("v", Some(index)) => {
                                if wanted.contains(&index) {
                                    self.keep(size_of::<(usize, String)>() + text.len().min(LONGEST))?;
                                }
                                points.push(index, text, wanted);
                            }
                            ("f", _) => push_start(&mut points.cells, text),
                            ("formatCode", None) => push_start(&mut points.format, text),
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
    fn last_series(&mut self) -> Option<&mut Series> {
        let is_first = self.series.len() == self.count;
        self.series.last_mut().filter(|_| is_first)
    }

    fn points(&mut self, of: Option<(u32, Of)>) -> Option<&mut Points> {
        let (of, series) = (of?.1, self.last_series()?);
        match of {
            Of::Name => None,
            Of::Categories => Some(&mut series.categories),
            Of::Values => Some(&mut series.values),
        }
    }

    fn mark(&self) -> String {
        let first = self.series.iter().take(SERIES);
        let mut shown: Vec<String> = first.map(|series| one_line(&series.name)).collect();
        shown.retain(|name| !name.is_empty());
        if !shown.is_empty() && self.count > SERIES {
            shown.push(format!("… {} more", self.count - SERIES));
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
        if facts.is_empty() { "[chart]".to_owned() } else { format!("[chart: {}]", facts.join("; ")) }
    }

    fn table(&self, wanted: &Range<usize>, show: ShowNumber) -> ChartTable {
        let count = |series: &Series| series.values.count.max(series.categories.count);
        let points = self.series.iter().map(count).max().unwrap_or(0);
        let mut table = ChartTable { head: self.mark(), points, ..ChartTable::default() };
        let mut columns: Vec<(String, &Points)> = Vec::new();
        let mut before = None;
        for (index, series) in self.series.iter().enumerate().filter(|(_, series)| count(series) > 0) {
            let hash = series.categories.hash.finish();
            if before.replace(hash) != Some(hash) {
                columns.push((String::new(), &series.categories));
            }
            let name = one_line(&series.name).replace('|', "\\|");
            let name = if name.is_empty() { format!("series {}", index + 1) } else { name };
            columns.push((name, &series.values));
        }
        if columns.is_empty() {
            return table;
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| &**name).collect();
        let _ = write!(table.head, "\n| {} |\n|{}", names.join(" | "), " --- |".repeat(columns.len()));
        for index in wanted.start..points.min(wanted.end) {
            let row = columns.iter().map(|(_, points)| points.at(index, show, self.is_1904));
            table.rows.push(format!("| {} |", row.collect::<Vec<_>>().join(" | ")));
        }
        let mut cells = self.series.iter().map(|series| one_line(&series.values.cells));
        let cells = cells.find(|cells| !cells.is_empty()).map(|cells| format!(" · {cells}"));
        let series = format!(", series 1-{} of {}", self.series.len(), self.count);
        let has_all = self.series.len() == self.count;
        table.about = [cells.unwrap_or_default(), if has_all { String::new() } else { series }];
        table
    }
}

/// Appends the beginning of a text, up to somewhat more than is shown.
fn push_start(to: &mut String, text: &str) {
    to.push_str(start_of(text, (LONGEST + 4).saturating_sub(to.len())));
}

/// The mark of a part that was looked into, or that it is missing or damaged.
///
/// # Errors
/// Those that are about more than the part.
pub fn mark_of(kind: &str, found: Result<Option<String>>) -> Result<String> {
    match found {
        Ok(found) => Ok(found.unwrap_or_else(|| format!("[{kind} · not in this file]"))),
        Err(error) if is_of_part(&error) => Ok(format!("[{kind} · damaged]")),
        Err(error) => Err(error),
    }
}
