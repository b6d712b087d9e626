//! Single-byte encodings that `encoding_rs` lacks or decodes differently from Python.
//!
//! The tables are generated from Python's codecs, which are the reference: a test of the Python layer compares
//! every byte of every table with them.
//! U+FFFD marks a byte that has no character.

/// An encoding in which every byte is one character or unassigned.
#[derive(Debug)]
pub struct CodePage {
    /// The name of the Python codec.
    pub name: &'static str,
    /// Its names, in lower case without punctuation.
    pub labels: &'static [&'static str],
    /// The character of each byte.
    chars: [char; 256],
}

impl PartialEq for CodePage {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CodePage {}

impl CodePage {
    /// The table with this name, which must be in lower case without punctuation.
    #[must_use]
    pub fn named(label: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.labels.contains(&label))
    }

    /// The names of all tables.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLES.iter().map(|table| table.name)
    }

    /// See [`super::Codec::decode_into`].
    pub fn decode_into(&self, bytes: &[u8], out: &mut String) -> bool {
        out.reserve(bytes.len() + bytes.len() / 2);
        out.extend(bytes.iter().map(|byte| self.chars[usize::from(*byte)]));
        !self.has_all(bytes)
    }

    /// Whether its first 128 characters are ASCII.
    #[must_use]
    pub fn extends_ascii(&self) -> bool {
        (0..0x80_u8).all(|byte| self.chars[usize::from(byte)] == char::from(byte))
    }

    /// Whether each of `bytes` has a character.
    #[must_use]
    pub fn has_all(&self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| self.chars[usize::from(*byte)] != char::REPLACEMENT_CHARACTER)
    }

    /// The byte that encodes a character, if there is one.
    #[must_use]
    pub fn byte_of(&self, character: char) -> Option<u8> {
        self.chars.iter().position(|known| *known == character).and_then(|byte| u8::try_from(byte).ok())
    }
}

/// The table of an encoding whose first 128 characters are ASCII.
const fn upper(upper: &str) -> [char; 256] {
    let mut chars = decoded(upper, 128);
    let mut byte = 0_u8;
    while byte < 128 {
        chars[byte as usize] = byte as char;
        byte += 1;
    }
    chars
}

/// The table of any other encoding.
const fn full(text: &str) -> [char; 256] {
    decoded(text, 0)
}

/// The characters of `text`, from index `first` on; if there are too few or too many, compilation fails.
const fn decoded(text: &str, first: usize) -> [char; 256] {
    let bytes = text.as_bytes();
    let mut chars = ['\0'; 256];
    let (mut at, mut index) = (0, first);
    while at < bytes.len() {
        let lead = bytes[at];
        let (length, mut value) = match lead {
            0..=0x7F => (1, lead as u32),
            0x80..=0xDF => (2, lead as u32 & 0x1F),
            _ => (3, lead as u32 & 0x0F),
        };
        let mut trail = 1;
        while trail < length {
            value = value << 6 | (bytes[at + trail] as u32 & 0x3F);
            trail += 1;
        }
        chars[index] = match char::from_u32(value) {
            Some(character) => character,
            None => char::REPLACEMENT_CHARACTER,
        };
        index += 1;
        at += length;
    }
    assert!(index == 256, "a table has a character for each byte");
    chars
}

/// The tables. Source: the codecs of Python 3.11, which are unchanged in 3.12 to 3.14.
#[rustfmt::skip]
static TABLES: &[CodePage] = &[
    CodePage {
        name: "cp1006",
        labels: &["cp1006"],
        chars: upper("\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
         \u{A0}۰۱۲۳۴۵۶۷۸۹،\u{61B}\u{AD}\u{61F}\u{FE81}\u{FE8D}\u{FE8E}\u{FE8E}\u{FE8F}\u{FE91}\u{FB56}\u{FB58}\u{FE93}\u{FE95}\u{FE97}\u{FB66}\u{FB68}\u{FE99}\u{FE9B}\u{FE9D}\u{FE9F}\
         \u{FB7A}\u{FB7C}\u{FEA1}\u{FEA3}\u{FEA5}\u{FEA7}\u{FEA9}\u{FB84}\u{FEAB}\u{FEAD}\u{FB8C}\u{FEAF}\u{FB8A}\u{FEB1}\u{FEB3}\u{FEB5}\u{FEB7}\u{FEB9}\u{FEBB}\u{FEBD}\u{FEBF}\u{FEC1}\u{FEC5}\u{FEC9}\u{FECA}\u{FECB}\u{FECC}\u{FECD}\u{FECE}\u{FECF}\u{FED0}\u{FED1}\
         \u{FED3}\u{FED5}\u{FED7}\u{FED9}\u{FEDB}\u{FB92}\u{FB94}\u{FEDD}\u{FEDF}\u{FEE0}\u{FEE1}\u{FEE3}\u{FB9E}\u{FEE5}\u{FEE7}\u{FE85}\u{FEED}\u{FBA6}\u{FBA8}\u{FBA9}\u{FBAA}\u{FE80}\u{FE89}\u{FE8A}\u{FE8B}\u{FEF1}\u{FEF2}\u{FEF3}\u{FBB0}\u{FBAE}\u{FE7C}\u{FE7D}"),
    },
    CodePage {
        name: "cp1125",
        labels: &["1125", "cp1125", "cp866u", "ibm1125", "ruscii"],
        chars: upper("АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
         абвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         рстуфхцчшщъыьэюяЁёҐґЄєІіЇї·√№¤■\u{A0}"),
    },
    CodePage {
        name: "cp437",
        labels: &["437", "cp437", "cspc8codepage437", "ibm437"],
        chars: upper("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ\
         áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"),
    },
    CodePage {
        name: "cp720",
        labels: &["cp720"],
        chars: upper("\u{80}\u{81}éâ\u{84}à\u{86}çêëèïî\u{8D}\u{8E}\u{8F}\u{90}\u{651}\u{652}ô¤\u{640}ûù\u{621}\u{622}\u{623}\u{624}£\u{625}\u{626}\u{627}\
         \u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         \u{636}\u{637}\u{638}\u{639}\u{63A}\u{641}µ\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{649}\u{64A}≡\u{64B}\u{64C}\u{64D}\u{64E}\u{64F}\u{650}≈°∙·√ⁿ²■\u{A0}"),
    },
    CodePage {
        name: "cp737",
        labels: &["cp737"],
        chars: upper("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθ\
         ικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u{A0}"),
    },
    CodePage {
        name: "cp775",
        labels: &["775", "cp775", "cspc775baltic", "ibm775"],
        chars: upper("ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤\
         ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐\
         └┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀\
         ÓßŌŃõÕµńĶķĻļņĒŅ’\u{AD}±“¾¶§÷„°∙·¹³²■\u{A0}"),
    },
    CodePage {
        name: "cp850",
        labels: &["850", "cp850", "cspc850multilingual", "ibm850"],
        chars: upper("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
         áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
         └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
         ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"),
    },
    CodePage {
        name: "cp852",
        labels: &["852", "cp852", "cspcp852", "ibm852"],
        chars: upper("ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×č\
         áíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐\
         └┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀\
         ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}"),
    },
    CodePage {
        name: "cp855",
        labels: &["855", "cp855", "csibm855", "ibm855"],
        chars: upper("ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪ\
         аАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐\
         └┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀\
         ЯрРсСтТуУжЖвВьЬ№\u{AD}ыЫзЗшШэЭщЩчЧ§■\u{A0}"),
    },
    CodePage {
        name: "cp856",
        labels: &["cp856"],
        chars: upper("\u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}\u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}\u{5EA}\u{FFFD}£\u{FFFD}×\u{FFFD}\
         \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}®¬½¼\u{FFFD}«»░▒▓│┤\u{FFFD}\u{FFFD}\u{FFFD}©╣║╗╝¢¥┐\
         └┴┬├─┼\u{FFFD}\u{FFFD}╚╔╩╦╠═╬¤\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}┘┌█▄¦\u{FFFD}▀\
         \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}µ\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"),
    },
    CodePage {
        name: "cp857",
        labels: &["857", "cp857", "csibm857", "ibm857"],
        chars: upper("ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞş\
         áíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
         └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\u{FFFD}ÍÎÏ┘┌█▄¦Ì▀\
         ÓßÔÒõÕµ\u{FFFD}×ÚÛÙìÿ¯´\u{AD}±\u{FFFD}¾¶§÷¸°¨·¹³²■\u{A0}"),
    },
    CodePage {
        name: "cp858",
        labels: &["00858", "858", "cp00858", "cp858", "csibm00858", "csibm858", "ibm00858", "ibm858", "pcmultilingual850euro"],
        chars: upper("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
         áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
         └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀\
         ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"),
    },
    CodePage {
        name: "cp860",
        labels: &["860", "cp860", "csibm860", "ibm860"],
        chars: upper("ÇüéâãàÁçêÊèÍÔìÃÂÉÀÈôõòÚùÌÕÜ¢£Ù₧Ó\
         áíóúñÑªº¿Ò¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"),
    },
    CodePage {
        name: "cp861",
        labels: &["861", "cp861", "cpis", "csibm861", "ibm861"],
        chars: upper("ÇüéâäàåçêëèÐðÞÄÅÉæÆôöþûÝýÖÜø£Ø₧ƒ\
         áíóúÁÍÓÚ¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"),
    },
    CodePage {
        name: "cp862",
        labels: &["862", "cp862", "cspc862latinhebrew", "ibm862"],
        chars: upper("\u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}\u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}\u{5EA}¢£¥₧ƒ\
         áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"),
    },
    CodePage {
        name: "cp863",
        labels: &["863", "cp863", "csibm863", "ibm863"],
        chars: upper("ÇüéâÂà¶çêëèïî‗À§ÉÈÊôËÏûù¤ÔÜ¢£ÙÛƒ\
         ¦´óú¨¸³¯Î⌐¬½¼¾«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"),
    },
    CodePage {
        name: "cp865",
        labels: &["865", "cp865", "csibm865", "ibm865"],
        chars: upper("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø₧ƒ\
         áíóúñÑªº¿⌐¬½¼¡«¤░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
         └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
         αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"),
    },
    CodePage {
        name: "cp869",
        labels: &["869", "cp869", "cpgr", "csibm869", "ibm869"],
        chars: upper("\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}Ά\u{FFFD}·¬¦‘’Έ―ΉΊΪΌ\u{FFFD}\u{FFFD}ΎΫ©Ώ²³ά£έήί\
         ϊΐόύΑΒΓΔΕΖΗ½ΘΙ«»░▒▓│┤ΚΛΜΝ╣║╗╝ΞΟ┐\
         └┴┬├─┼ΠΡ╚╔╩╦╠═╬ΣΤΥΦΧΨΩαβγ┘┌█▄δε▀\
         ζηθικλμνξοπρσςτ΄\u{AD}±υφχ§ψ΅°¨ωϋΰώ■\u{A0}"),
    },
    CodePage {
        name: "hp-roman8",
        labels: &["cp1051", "cshproman8", "hproman8", "ibm1051", "r8", "roman8"],
        chars: upper("\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
         \u{A0}ÀÂÈÊËÎÏ´ˋˆ¨˜ÙÛ₤¯Ýý°ÇçÑñ¡¿¤£¥§ƒ¢\
         âêôûáéóúàèòùäëöüÅîØÆåíøæÄìÖÜÉïßÔ\
         ÁÃãÐðÍÌÓÒÕõŠšÚŸÿÞþ·µ¶¾—¼½ªº«■»±\u{FFFD}"),
    },
    CodePage {
        name: "iso-8859-9",
        labels: &["csisolatin5", "iso88599", "iso885991989", "isoir148", "l5", "latin5"],
        chars: upper("\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
         \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿\
         ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß\
         àáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ"),
    },
    CodePage {
        name: "iso-8859-11",
        labels: &["iso885911", "iso8859112001", "thai"],
        chars: upper("\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
         \u{A0}\u{E01}\u{E02}\u{E03}\u{E04}\u{E05}\u{E06}\u{E07}\u{E08}\u{E09}\u{E0A}\u{E0B}\u{E0C}\u{E0D}\u{E0E}\u{E0F}\u{E10}\u{E11}\u{E12}\u{E13}\u{E14}\u{E15}\u{E16}\u{E17}\u{E18}\u{E19}\u{E1A}\u{E1B}\u{E1C}\u{E1D}\u{E1E}\u{E1F}\
         \u{E20}\u{E21}\u{E22}\u{E23}\u{E24}\u{E25}\u{E26}\u{E27}\u{E28}\u{E29}\u{E2A}\u{E2B}\u{E2C}\u{E2D}\u{E2E}\u{E2F}\u{E30}\u{E31}\u{E32}\u{E33}\u{E34}\u{E35}\u{E36}\u{E37}\u{E38}\u{E39}\u{E3A}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{E3F}\
         \u{E40}\u{E41}\u{E42}\u{E43}\u{E44}\u{E45}\u{E46}\u{E47}\u{E48}\u{E49}\u{E4A}\u{E4B}\u{E4C}\u{E4D}\u{E4E}\u{E4F}\u{E50}\u{E51}\u{E52}\u{E53}\u{E54}\u{E55}\u{E56}\u{E57}\u{E58}\u{E59}\u{E5A}\u{E5B}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
    },
    CodePage {
        name: "iso-8859-16",
        labels: &["iso885916", "iso8859162001", "isoir226", "l10", "latin10"],
        chars: upper("\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
         \u{A0}ĄąŁ€„Š§š©Ș«Ź\u{AD}źŻ°±ČłŽ”¶·žčș»ŒœŸż\
         ÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚß\
         àáâăäćæçèéêëìíîïđńòóôőöśűùúûüęțÿ"),
    },
    CodePage {
        name: "koi8-t",
        labels: &["koi8t"],
        chars: upper("қғ‚Ғ„…†‡\u{FFFD}‰ҳ‹ҲҷҶ\u{FFFD}Қ‘’“”•–—\u{FFFD}™\u{FFFD}›\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
         \u{FFFD}ӯӮё¤ӣ¦§\u{FFFD}\u{FFFD}\u{FFFD}«¬\u{AD}®\u{FFFD}°±²Ё\u{FFFD}Ӣ¶·\u{FFFD}№\u{FFFD}»\u{FFFD}\u{FFFD}\u{FFFD}©\
         юабцдефгхийклмнопярстужвьызшэщчъ\
         ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"),
    },
    CodePage {
        name: "koi8-u",
        labels: &["koi8u"],
        chars: upper("─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷\
         ═║╒ёє╔ії╗╘╙╚╛ґ╝╞╟╠╡ЁЄ╣ІЇ╦╧╨╩╪Ґ╬©\
         юабцдефгхийклмнопярстужвьызшэщчъ\
         ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"),
    },
    CodePage {
        name: "kz1048",
        labels: &["kz1048", "rk1048", "strk10482002"],
        chars: upper("ЂЃ‚ѓ„…†‡€‰Љ‹ЊҚҺЏђ‘’“”•–—\u{FFFD}™љ›њқһџ\
         \u{A0}ҰұӘ¤Ө¦§Ё©Ғ«¬\u{AD}®Ү°±Ііөµ¶·ё№ғ»әҢңү\
         АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
         абвгдежзийклмнопрстуфхцчшщъыьэюя"),
    },
    CodePage {
        name: "mac-arabic",
        labels: &["macarabic"],
        chars: upper("Ä\u{A0}ÇÉÑÖÜáàâä\u{6BA}«çéèêëí…îïñó»ôö÷úùûü\
         \u{20}!\"#$٪&'()*+،-./\u{660}\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}\u{667}\u{668}\u{669}:\u{61B}<=>\u{61F}\
         ❊\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\u{638}\u{639}\u{63A}[\\]^_\
         \u{640}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{649}\u{64A}\u{64B}\u{64C}\u{64D}\u{64E}\u{64F}\u{650}\u{651}\u{652}\u{67E}\u{679}\u{686}\u{6D5}\u{6A4}\u{6AF}\u{688}\u{691}{|}\u{698}\u{6D2}"),
    },
    CodePage {
        name: "mac-croatian",
        labels: &["maccroatian"],
        chars: upper("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü\
         †°¢£§•¶ß®Š™´¨≠ŽØ∞±≤≥∆µ∂∑∏š∫ªºΩžø\
         ¿¡¬√ƒ≈Ć«Č…\u{A0}ÀÃÕŒœĐ—“”‘’÷◊\u{F8FF}©⁄€‹›Æ»\
         –·‚„‰ÂćÁčÈÍÎÏÌÓÔđÒÚÛÙıˆ˜¯πË˚¸Êæˇ"),
    },
    CodePage {
        name: "mac-farsi",
        labels: &["macfarsi"],
        chars: upper("Ä\u{A0}ÇÉÑÖÜáàâä\u{6BA}«çéèêëí…îïñó»ôö÷úùûü\
         \u{20}!\"#$٪&'()*+،-./۰۱۲۳۴۵۶۷۸۹:\u{61B}<=>\u{61F}\
         ❊\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}\u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\u{638}\u{639}\u{63A}[\\]^_\
         \u{640}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}\u{648}\u{649}\u{64A}\u{64B}\u{64C}\u{64D}\u{64E}\u{64F}\u{650}\u{651}\u{652}\u{67E}\u{679}\u{686}\u{6D5}\u{6A4}\u{6AF}\u{688}\u{691}{|}\u{698}\u{6D2}"),
    },
    CodePage {
        name: "mac-greek",
        labels: &["macgreek"],
        chars: upper("Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü\
         †ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩ\
         άΝ¬ΟΡ≈Τ«»…\u{A0}ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏ\
         ύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u{AD}"),
    },
    CodePage {
        name: "mac-iceland",
        labels: &["maciceland"],
        chars: upper("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü\
         Ý°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
         ¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€ÐðÞþ\
         ý·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"),
    },
    CodePage {
        name: "mac-latin2",
        labels: &["maccenteuro", "maccentraleurope", "maclatin2"],
        chars: upper("ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü\
         †°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅ\
         ņŃ¬√ńŇ∆«»…\u{A0}ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖ\
         ŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ"),
    },
    CodePage {
        name: "mac-romanian",
        labels: &["macromanian"],
        chars: upper("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü\
         †°¢£§•¶ß®©™´¨≠ĂȘ∞±≤≥¥µ∂∑∏π∫ªºΩăș\
         ¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›Țț\
         ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"),
    },
    CodePage {
        name: "mac-turkish",
        labels: &["macturkish"],
        chars: upper("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü\
         †°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
         ¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸĞğİıŞş\
         ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙ\u{F8A0}ˆ˜¯˘˙˚¸˝˛ˇ"),
    },
    CodePage {
        name: "palmos",
        labels: &["palmos"],
        chars: upper("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ♦♣♥♠‘’“”•–—˜™š›œ\u{9D}\u{9E}Ÿ\
         \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿\
         ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß\
         àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"),
    },
    CodePage {
        name: "ptcp154",
        labels: &["cp154", "csptcp154", "cyrillicasian", "pt154", "ptcp154"],
        chars: upper("ҖҒӮғ„…ҶҮҲүҠӢҢҚҺҸҗ‘’“”•–—ҳҷҡӣңқһҹ\
         \u{A0}ЎўЈӨҘҰ§Ё©Ә«¬ӯ®Ҝ°ұІіҙө¶·ё№ә»јҪҫҝ\
         АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
         абвгдежзийклмнопрстуфхцчшщъыьэюя"),
    },
    CodePage {
        name: "tis-620",
        labels: &["isoir166", "tis620", "tis6200", "tis62025290", "tis62025291"],
        chars: upper("\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}\
         \u{FFFD}\u{E01}\u{E02}\u{E03}\u{E04}\u{E05}\u{E06}\u{E07}\u{E08}\u{E09}\u{E0A}\u{E0B}\u{E0C}\u{E0D}\u{E0E}\u{E0F}\u{E10}\u{E11}\u{E12}\u{E13}\u{E14}\u{E15}\u{E16}\u{E17}\u{E18}\u{E19}\u{E1A}\u{E1B}\u{E1C}\u{E1D}\u{E1E}\u{E1F}\
         \u{E20}\u{E21}\u{E22}\u{E23}\u{E24}\u{E25}\u{E26}\u{E27}\u{E28}\u{E29}\u{E2A}\u{E2B}\u{E2C}\u{E2D}\u{E2E}\u{E2F}\u{E30}\u{E31}\u{E32}\u{E33}\u{E34}\u{E35}\u{E36}\u{E37}\u{E38}\u{E39}\u{E3A}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{E3F}\
         \u{E40}\u{E41}\u{E42}\u{E43}\u{E44}\u{E45}\u{E46}\u{E47}\u{E48}\u{E49}\u{E4A}\u{E4B}\u{E4C}\u{E4D}\u{E4E}\u{E4F}\u{E50}\u{E51}\u{E52}\u{E53}\u{E54}\u{E55}\u{E56}\u{E57}\u{E58}\u{E59}\u{E5A}\u{E5B}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
    },
    CodePage {
        name: "cp037",
        labels: &["037", "cp037", "csibm037", "ebcdiccpca", "ebcdiccpnl", "ebcdiccpus", "ebcdiccpwt", "ibm037", "ibm039"],
        chars: full("\0\x01\x02\x03\u{9C}\t\u{86}\u{7F}\u{97}\u{8D}\u{8E}\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\u{9D}\u{85}\x08\u{87}\x18\x19\u{92}\u{8F}\x1c\x1d\x1e\x1f\
         \u{80}\u{81}\u{82}\u{83}\u{84}\n\x17\x1b\u{88}\u{89}\u{8A}\u{8B}\u{8C}\x05\x06\x07\u{90}\u{91}\x16\u{93}\u{94}\u{95}\u{96}\x04\u{98}\u{99}\u{9A}\u{9B}\x14\x15\u{9E}\x1a\
         \u{20}\u{A0}âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬\
         -/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"\
         Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤\
         µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×\
         {ABCDEFGHI\u{AD}ôöòóõ}JKLMNOPQR¹ûüùúÿ\
         \\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u{9F}"),
    },
    CodePage {
        name: "cp1026",
        labels: &["1026", "cp1026", "csibm1026", "ibm1026"],
        chars: full("\0\x01\x02\x03\u{9C}\t\u{86}\u{7F}\u{97}\u{8D}\u{8E}\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\u{9D}\u{85}\x08\u{87}\x18\x19\u{92}\u{8F}\x1c\x1d\x1e\x1f\
         \u{80}\u{81}\u{82}\u{83}\u{84}\n\x17\x1b\u{88}\u{89}\u{8A}\u{8B}\u{8C}\x05\x06\x07\u{90}\u{91}\x16\u{93}\u{94}\u{95}\u{96}\x04\u{98}\u{99}\u{9A}\u{9B}\x14\x15\u{9E}\x1a\
         \u{20}\u{A0}âäàáãå{ñÇ.<(+!&éêëèíîïìßĞİ*);^\
         -/ÂÄÀÁÃÅ[Ñş,%_>?øÉÊËÈÍÎÏÌı:ÖŞ'=Ü\
         Øabcdefghi«»}`¦±°jklmnopqrªºæ¸Æ¤\
         µöstuvwxyz¡¿]$@®¢£¥·©§¶¼½¾¬|¯¨´×\
         çABCDEFGHI\u{AD}ô~òóõğJKLMNOPQR¹û\\ùúÿ\
         ü÷STUVWXYZ²Ô#ÒÓÕ0123456789³Û\"ÙÚ\u{9F}"),
    },
    CodePage {
        name: "cp1140",
        labels: &["01140", "1140", "cp01140", "cp1140", "csibm01140", "ebcdicus37euro", "ibm01140", "ibm1140"],
        chars: full("\0\x01\x02\x03\u{9C}\t\u{86}\u{7F}\u{97}\u{8D}\u{8E}\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\u{9D}\u{85}\x08\u{87}\x18\x19\u{92}\u{8F}\x1c\x1d\x1e\x1f\
         \u{80}\u{81}\u{82}\u{83}\u{84}\n\x17\x1b\u{88}\u{89}\u{8A}\u{8B}\u{8C}\x05\x06\x07\u{90}\u{91}\x16\u{93}\u{94}\u{95}\u{96}\x04\u{98}\u{99}\u{9A}\u{9B}\x14\x15\u{9E}\x1a\
         \u{20}\u{A0}âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬\
         -/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"\
         Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ€\
         µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×\
         {ABCDEFGHI\u{AD}ôöòóõ}JKLMNOPQR¹ûüùúÿ\
         \\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u{9F}"),
    },
    CodePage {
        name: "cp273",
        labels: &["273", "cp273", "csibm273", "ibm273"],
        chars: full("\0\x01\x02\x03\u{9C}\t\u{86}\u{7F}\u{97}\u{8D}\u{8E}\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\u{9D}\u{85}\x08\u{87}\x18\x19\u{92}\u{8F}\x1c\x1d\x1e\x1f\
         \u{80}\u{81}\u{82}\u{83}\u{84}\n\x17\x1b\u{88}\u{89}\u{8A}\u{8B}\u{8C}\x05\x06\x07\u{90}\u{91}\x16\u{93}\u{94}\u{95}\u{96}\x04\u{98}\u{99}\u{9A}\u{9B}\x14\x15\u{9E}\x1a\
         \u{20}\u{A0}â{àáãåçñÄ.<(+!&éêëèíîïì~Ü$*);^\
         -/Â[ÀÁÃÅÇÑö,%_>?øÉÊËÈÍÎÏÌ`:#§'=\"\
         Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤\
         µßstuvwxyz¡¿ÐÝÞ®¢£¥·©@¶¼½¾¬|‾¨´×\
         äABCDEFGHI\u{AD}ô¦òóõüJKLMNOPQR¹û}ùúÿ\
         Ö÷STUVWXYZ²Ô\\ÒÓÕ0123456789³Û]ÙÚ\u{9F}"),
    },
    CodePage {
        name: "cp424",
        labels: &["424", "cp424", "csibm424", "ebcdiccphe", "ibm424"],
        chars: full("\0\x01\x02\x03\u{9C}\t\u{86}\u{7F}\u{97}\u{8D}\u{8E}\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\u{9D}\u{85}\x08\u{87}\x18\x19\u{92}\u{8F}\x1c\x1d\x1e\x1f\
         \u{80}\u{81}\u{82}\u{83}\u{84}\n\x17\x1b\u{88}\u{89}\u{8A}\u{8B}\u{8C}\x05\x06\x07\u{90}\u{91}\x16\u{93}\u{94}\u{95}\u{96}\x04\u{98}\u{99}\u{9A}\u{9B}\x14\x15\u{9E}\x1a\
         \u{20}\u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\u{5D8}¢.<(+|&\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}\u{5E0}\u{5E1}!$*);¬\
         -/\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}¦,%_>?\u{FFFD}\u{5EA}\u{FFFD}\u{FFFD}\u{A0}\u{FFFD}\u{FFFD}\u{FFFD}‗`:#@'=\"\
         \u{FFFD}abcdefghi«»\u{FFFD}\u{FFFD}\u{FFFD}±°jklmnopqr\u{FFFD}\u{FFFD}\u{FFFD}¸\u{FFFD}¤\
         µ~stuvwxyz\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}®^£¥·©§¶¼½¾[]¯¨´×\
         {ABCDEFGHI\u{AD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}}JKLMNOPQR¹\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\
         \\÷STUVWXYZ²\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}0123456789³\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{9F}"),
    },
    CodePage {
        name: "cp500",
        labels: &["500", "cp500", "csibm500", "ebcdiccpbe", "ebcdiccpch", "ibm500"],
        chars: full("\0\x01\x02\x03\u{9C}\t\u{86}\u{7F}\u{97}\u{8D}\u{8E}\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\u{9D}\u{85}\x08\u{87}\x18\x19\u{92}\u{8F}\x1c\x1d\x1e\x1f\
         \u{80}\u{81}\u{82}\u{83}\u{84}\n\x17\x1b\u{88}\u{89}\u{8A}\u{8B}\u{8C}\x05\x06\x07\u{90}\u{91}\x16\u{93}\u{94}\u{95}\u{96}\x04\u{98}\u{99}\u{9A}\u{9B}\x14\x15\u{9E}\x1a\
         \u{20}\u{A0}âäàáãåçñ[.<(+!&éêëèíîïìß]$*);^\
         -/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"\
         Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤\
         µ~stuvwxyz¡¿ÐÝÞ®¢£¥·©§¶¼½¾¬|¯¨´×\
         {ABCDEFGHI\u{AD}ôöòóõ}JKLMNOPQR¹ûüùúÿ\
         \\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u{9F}"),
    },
    CodePage {
        name: "cp864",
        labels: &["864", "cp864", "csibm864", "ibm864"],
        chars: full("\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\
         \u{20}!\"#$٪&'()*+,-./0123456789:;<=>?\
         @ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_\
         `abcdefghijklmnopqrstuvwxyz{|}~\u{7F}\
         °·∙√▒─│┼┤┬├┴┐┌└┘β∞φ±½¼≈«»\u{FEF7}\u{FEF8}\u{FFFD}\u{FFFD}\u{FEFB}\u{FEFC}\u{FFFD}\
         \u{A0}\u{AD}\u{FE82}£¤\u{FE84}\u{FFFD}\u{FFFD}\u{FE8E}\u{FE8F}\u{FE95}\u{FE99}،\u{FE9D}\u{FEA1}\u{FEA5}\u{660}\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}\u{667}\u{668}\u{669}\u{FED1}\u{61B}\u{FEB1}\u{FEB5}\u{FEB9}\u{61F}\
         ¢\u{FE80}\u{FE81}\u{FE83}\u{FE85}\u{FECA}\u{FE8B}\u{FE8D}\u{FE91}\u{FE93}\u{FE97}\u{FE9B}\u{FE9F}\u{FEA3}\u{FEA7}\u{FEA9}\u{FEAB}\u{FEAD}\u{FEAF}\u{FEB3}\u{FEB7}\u{FEBB}\u{FEBF}\u{FEC1}\u{FEC5}\u{FECB}\u{FECF}¦¬÷×\u{FEC9}\
         \u{640}\u{FED3}\u{FED7}\u{FEDB}\u{FEDF}\u{FEE3}\u{FEE7}\u{FEEB}\u{FEED}\u{FEEF}\u{FEF3}\u{FEBD}\u{FECC}\u{FECE}\u{FECD}\u{FEE1}\u{FE7D}\u{651}\u{FEE5}\u{FEE9}\u{FEEC}\u{FEF0}\u{FEF2}\u{FED0}\u{FED5}\u{FEF5}\u{FEF6}\u{FEDD}\u{FED9}\u{FEF1}■\u{FFFD}"),
    },
    CodePage {
        name: "cp875",
        labels: &["cp875"],
        chars: full("\0\x01\x02\x03\u{9C}\t\u{86}\u{7F}\u{97}\u{8D}\u{8E}\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\u{9D}\u{85}\x08\u{87}\x18\x19\u{92}\u{8F}\x1c\x1d\x1e\x1f\
         \u{80}\u{81}\u{82}\u{83}\u{84}\n\x17\x1b\u{88}\u{89}\u{8A}\u{8B}\u{8C}\x05\x06\x07\u{90}\u{91}\x16\u{93}\u{94}\u{95}\u{96}\x04\u{98}\u{99}\u{9A}\u{9B}\x14\x15\u{9E}\x1a\
         \u{20}ΑΒΓΔΕΖΗΘΙ[.<(+!&ΚΛΜΝΞΟΠΡΣ]$*);^\
         -/ΤΥΦΧΨΩΪΫ|,%_>?¨ΆΈΉ\u{A0}ΊΌΎΏ`:#@'=\"\
         ΅abcdefghiαβγδεζ°jklmnopqrηθικλμ\
         ´~stuvwxyzνξοπρσ£άέήϊίόύϋώςτυφχψ\
         {ABCDEFGHI\u{AD}ωΐΰ‘―}JKLMNOPQR±½\x1a\u{387}’¦\
         \\\x1aSTUVWXYZ²§\x1a\x1a«¬0123456789³©\x1a\x1a»\u{9F}"),
    },];
