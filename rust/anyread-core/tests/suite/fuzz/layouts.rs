//! Pages in every layout, compared with a slow and simple renderer.

use anyread_core::encoding::Codec;
use anyread_core::gutter::Gutter;
use anyread_core::page::{
    Align, Budget, Clip, FinalNewline, Hidden, Layout, LineRule, Marker, OverBudget, Total, Unit, Window,
};
use anyread_core::scan::LineEnds;
use bolero::TypeGenerator;
use bolero::generator::{constant, one_of, one_value_of};

use super::texts::{encoded, texts};
use crate::layouts::judge::judge;
use crate::layouts::{ENDS, FINAL, agree, page, seen, window};

const UNITS: [Unit; 3] = [Unit::Chars, Unit::Utf16, Unit::Bytes];
const HIDDEN: [Hidden; 3] = [Hidden::Keep, Hidden::Drop, Hidden::Show];

const CODECS: [&str; 8] =
    ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "latin-1", "cp037", "gb18030", "cp932"];

#[derive(Debug, TypeGenerator)]
struct Cut {
    #[generator(one_value_of(UNITS))]
    unit: Unit,
    #[generator(0..12_u64)]
    length: u64,
    #[generator(0..12_u64)]
    keep: u64,
    rounds_up: bool,
}

#[derive(Debug, TypeGenerator)]
struct Spending {
    #[generator(0..60_u64)]
    maximum: u64,
    #[generator(one_value_of(UNITS))]
    unit: Unit,
    counts_gutters: bool,
    counts_line_feeds: bool,
}

/// A layout and a window.
#[derive(Debug, TypeGenerator)]
struct Parameters {
    #[generator(one_value_of(ENDS))]
    ends: LineEnds,
    #[generator(one_value_of(FINAL))]
    final_newline: FinalNewline,
    #[generator(one_value_of(HIDDEN))]
    bom: Hidden,
    #[generator(one_value_of(HIDDEN))]
    cr: Hidden,
    #[generator(one_value_of(HIDDEN))]
    nul: Hidden,
    #[generator(one_value_of(["", "L1", "«"]))]
    before: &'static str,
    #[generator(0..5_usize)]
    width: usize,
    #[generator(one_value_of([None, Some("\t"), Some(" │ ")]))]
    separator: Option<&'static str>,
    #[generator(one_value_of([Align::Gutter, Align::Last, Align::Total]))]
    align: Align,
    #[generator(one_value_of([None, None, Some(1), Some(7), Some(95), Some(9_998)]))]
    first_number: Option<i64>,
    #[generator(one_value_of([false, false, false, false, true]))]
    splits_again: bool,
    clip: Option<Cut>,
    budget: Option<Spending>,
    #[generator(one_of((constant(u64::MAX), constant(u64::MAX), 0..60_u64)))]
    max_bytes: u64,
    #[generator(one_value_of([OverBudget::Stop, OverBudget::After, OverBudget::Error]))]
    over_budget: OverBudget,
    #[generator(one_value_of([Total::Exact, Total::Known, Total::Never]))]
    total: Total,
    #[generator(-8..16_i64)]
    offset: i64,
    #[generator(one_of((0..6_u64, constant(u64::MAX))))]
    limit: u64,
}

impl Parameters {
    fn gutter(&self) -> Gutter {
        let separator = self.separator.map(str::to_owned);
        Gutter { before: self.before.to_owned(), width: self.width, separator, every: 0 }
    }

    fn layout<'a>(&self, gutter: &'a Gutter) -> Layout<'a> {
        let lines = LineRule { ends: self.ends, final_newline: self.final_newline, bom: self.bom };
        let clip = self.clip.as_ref().map(|cut| Clip {
            unit: cut.unit,
            length: cut.length,
            keep: cut.keep.min(cut.length),
            rounds_up: cut.rounds_up,
            marker: Marker::Text("… cut"),
        });
        let budget = self.budget.as_ref().map(|spending| Budget {
            maximum: spending.maximum,
            unit: spending.unit,
            counts_gutters: spending.counts_gutters,
            counts_line_feeds: spending.counts_line_feeds,
        });
        Layout {
            align: self.align,
            first_number: self.first_number,
            splits_again: self.splits_again,
            clip,
            cr: self.cr,
            nul: self.nul,
            budget,
            max_bytes: self.max_bytes,
            over_budget: self.over_budget,
            total: self.total,
            ..Layout::lines(gutter, lines)
        }
    }

    fn window(&self, total: Total) -> Window {
        // Without a total, lines from the end have negative numbers, which the renderer does not support.
        window(if total == Total::Exact { self.offset } else { self.offset.abs() }, self.limit)
    }
}

#[derive(Debug, TypeGenerator)]
struct Case {
    #[generator(texts(14, 12))]
    text: Vec<u8>,
    parameters: Parameters,
}

#[derive(Debug, TypeGenerator)]
struct EncodedCase {
    #[generator(texts(14, 12))]
    text: Vec<u8>,
    #[generator(one_value_of(CODECS))]
    codec: &'static str,
    parameters: Parameters,
}

#[test]
fn test_random_parameters_match_renderer() {
    let check = |case: &Case| {
        let gutter = case.parameters.gutter();
        agree(&case.text, case.parameters.window(case.parameters.total), &case.parameters.layout(&gutter));
    };
    bolero::check!(name = "layouts").with_iterations(6_000).with_type::<Case>().for_each(check);
}

#[test]
fn test_other_encodings_match_renderer() {
    let check = |case: &EncodedCase| {
        let gutter = case.parameters.gutter();
        let layout = Layout { total: Total::Exact, ..case.parameters.layout(&gutter) };
        let window = case.parameters.window(Total::Exact);
        let codec = Codec::from_label(case.codec).unwrap();
        let text = String::from_utf8_lossy(&case.text).replace('\u{FEFF}', "");
        // In multi-byte encodings, only the line separators of ASCII are recognized.
        let is_wide = codec.unit() > 1 || codec.is_single_byte();
        let is_known = |character: &char| is_wide || !"\u{85}\u{2028}\u{2029}".contains(*character);
        let text: String = text.chars().filter(is_known).collect();
        let (text, bytes) = encoded(text.as_bytes(), codec);
        let outcome = page(&bytes, codec, window, &layout).ok().map(|page| seen(page, &bytes));
        assert_eq!(outcome, judge(&text, window, &layout));
    };
    bolero::check!(name = "layouts_encoded")
        .with_iterations(1_200)
        .with_type::<EncodedCase>()
        .for_each(check);
}
