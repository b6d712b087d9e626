//! Pages in every layout, compared with a slow and simple renderer.

use anyread_core::encoding::Codec;
use anyread_core::gutter::Gutter;
use anyread_core::page::{
    Align, Budget, Clip, Hidden, Layout, LineRule, Marker, OverBudget, Total, Unit, Window,
};

use super::run;
use super::texts::{encoded, text};
use crate::input::Input;
use crate::layouts::judge::judge;
use crate::layouts::{ENDS, FINAL, agree, page, seen, window};

const UNITS: [Unit; 3] = [Unit::Chars, Unit::Utf16, Unit::Bytes];
const HIDDEN: [Hidden; 3] = [Hidden::Keep, Hidden::Drop, Hidden::Show];

const CODECS: [&str; 8] =
    ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "latin-1", "cp037", "gb18030", "cp932"];

/// A layout and a window.
#[derive(Debug)]
struct Parameters {
    lines: LineRule,
    cr: Hidden,
    nul: Hidden,
    gutter: Gutter,
    align: Align,
    first_number: Option<i64>,
    splits_again: bool,
    clip: Option<Clip<'static>>,
    budget: Option<Budget>,
    max_bytes: u64,
    over_budget: OverBudget,
    total: Total,
    offset: i64,
    limit: u64,
}

fn number(input: &mut Input<'_>, end: usize) -> u64 {
    input.within(0..end) as u64
}

fn clip(input: &mut Input<'_>) -> Clip<'static> {
    let (length, keep) = (number(input, 12), number(input, 12));
    let (unit, rounds_up) = (input.pick(&UNITS), input.flip());
    Clip { unit, length, keep: keep.min(length), rounds_up, marker: Marker::Text("… cut") }
}

fn budget(input: &mut Input<'_>) -> Budget {
    Budget {
        maximum: number(input, 60),
        unit: input.pick(&UNITS),
        counts_gutters: input.flip(),
        counts_line_feeds: input.flip(),
    }
}

fn parameters(input: &mut Input<'_>) -> Parameters {
    Parameters {
        lines: LineRule {
            ends: input.pick(&ENDS),
            final_newline: input.pick(&FINAL),
            bom: input.pick(&HIDDEN),
        },
        cr: input.pick(&HIDDEN),
        nul: input.pick(&HIDDEN),
        gutter: Gutter {
            before: input.pick(&["", "L1", "«"]).to_owned(),
            width: input.within(0..5),
            separator: input.pick(&[None, Some("\t"), Some(" │ ")]).map(str::to_owned),
            every: 0,
        },
        align: input.pick(&[Align::Gutter, Align::Last, Align::Total]),
        first_number: input.pick(&[None, None, Some(1), Some(7), Some(95), Some(9_998)]),
        splits_again: input.pick(&[false, false, false, false, true]),
        clip: input.maybe(clip),
        budget: input.maybe(budget),
        max_bytes: if input.within(0..3) < 2 { u64::MAX } else { number(input, 60) },
        over_budget: input.pick(&[OverBudget::Stop, OverBudget::After, OverBudget::Error]),
        total: input.pick(&[Total::Exact, Total::Known, Total::Never]),
        offset: input.within(0..24) as i64 - 8,
        limit: if input.flip() { number(input, 6) } else { u64::MAX },
    }
}

impl Parameters {
    fn layout(&self) -> Layout<'_> {
        Layout {
            align: self.align,
            first_number: self.first_number,
            splits_again: self.splits_again,
            clip: self.clip,
            cr: self.cr,
            nul: self.nul,
            budget: self.budget,
            max_bytes: self.max_bytes,
            over_budget: self.over_budget,
            total: self.total,
            ..Layout::lines(&self.gutter, self.lines)
        }
    }

    fn window(&self, total: Total) -> Window {
        // Without a total, lines from the end have negative numbers, which the renderer does not support.
        window(if total == Total::Exact { self.offset } else { self.offset.abs() }, self.limit)
    }
}

fn case(input: &mut Input<'_>) -> (Parameters, Vec<u8>) {
    (parameters(input), text(input, 14, 12))
}

fn encoded_case(input: &mut Input<'_>) -> (&'static str, Parameters, Vec<u8>) {
    (input.pick(&CODECS), parameters(input), text(input, 14, 12))
}

#[test]
fn test_random_parameters_match_renderer() {
    run("layouts", 3_000, case, |(parameters, text)| {
        agree(text, parameters.window(parameters.total), &parameters.layout());
    });
}

#[test]
fn test_other_encodings_match_renderer() {
    run("layouts_encoded", 600, encoded_case, |(codec, parameters, text)| {
        let layout = Layout { total: Total::Exact, ..parameters.layout() };
        let window = parameters.window(Total::Exact);
        let codec = Codec::from_label(codec).unwrap();
        let text = String::from_utf8_lossy(text).replace('\u{FEFF}', "");
        // In multi-byte encodings, only the line separators of ASCII are recognized.
        let is_wide = codec.unit() > 1 || codec.is_single_byte();
        let is_known = |character: &char| is_wide || !"\u{85}\u{2028}\u{2029}".contains(*character);
        let text: String = text.chars().filter(is_known).collect();
        let (text, bytes) = encoded(text.as_bytes(), codec);
        let outcome = page(&bytes, codec, window, &layout).ok().map(|page| seen(page, &bytes));
        assert_eq!(outcome, judge(&text, window, &layout));
    });
}
