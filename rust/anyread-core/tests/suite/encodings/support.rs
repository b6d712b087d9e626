//! Helpers and texts for the tests of encodings.

use std::ffi::OsStr;

use anyread_core::encoding::{Codec, DetectedEncoding, detect};
use anyread_core::sniff::{Kind, sniff};
use encoding_rs::Encoding;

pub fn codec(label: &str) -> Codec {
    Codec::from_label(label).unwrap_or_else(|| panic!("{label} is unknown"))
}

pub fn decode(codec: Codec, bytes: &[u8]) -> String {
    let mut text = String::new();
    codec.decode_into(bytes, &mut text);
    text
}

pub fn chars(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap()
}

pub fn encode(label: &str, text: &str) -> Vec<u8> {
    let (bytes, _, unmappable) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    assert!(!unmappable, "{label} cannot encode {text}");
    bytes.into_owned()
}

pub fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(if big_endian { u16::to_be_bytes } else { u16::to_le_bytes }).collect()
}

pub fn text_of(head: &[u8]) -> (DetectedEncoding, String) {
    let detected = detect(head, true);
    (detected, decode(detected.codec, &head[detected.bom_len..]))
}

pub fn kind(head: &[u8], name: &str) -> Kind {
    sniff(head, OsStr::new(name))
}

pub fn is_text(head: &[u8]) -> bool {
    kind(head, "file").is_text
}

pub fn is_binary(head: &[u8]) -> bool {
    !kind(head, "file").is_text
}

pub const RUSSIAN: &str = "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены \
    разумом и совестью и должны поступать в отношении друг друга в духе братства. Каждый человек должен \
    обладать всеми правами и всеми свободами, провозглашёнными настоящей Декларацией. Я знаю, что Россия и \
    Япония далеки.";

pub const UKRAINIAN: &str = "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені \
    розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.";

pub const GREEK: &str = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι \
    προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.";

pub const POLISH: &str = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni \
    obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa. Każdy człowiek \
    posiada wszystkie prawa i wolności zawarte w niniejszej Deklaracji bez względu na jakiekolwiek różnice.";

pub const HUNGARIAN: &str = "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, \
    ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek. Mindenki, \
    bármely megkülönböztetésre való tekintet nélkül hivatkozhat e jogokra, űrlapok nélkül.";

pub const TURKISH: &str = "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana \
    sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Açığı, çığlığı ve \
    çalışışı da öyle.";

pub const FRENCH: &str = "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués \
    de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité. Ça, où ?";

pub const HEBREW: &str = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך \
    חובה עליהם לנהוג איש ברעהו ברוח של אחווה.";

pub const ARABIC: &str = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل \
    بعضهم بعضا بروح الإخاء.";

pub const THAI: &str = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม \
    และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ";

pub const SIMPLIFIED: &str = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。\
    人人有资格享有本宣言所载的一切权利和自由，不分种族、肤色、性别、语言、宗教、政治或其他见解。";

pub const TRADITIONAL: &str = "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。\
    人人有資格享有本宣言所載的一切權利和自由，不分種族、膚色、性別、語言、宗教、政治或其他見解。";

pub const JAPANESE: &str = "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、\
    理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。";

pub const KOREAN: &str = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 \
    양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.";

/// The encodings of the corpus that are not supported.
pub const UNKNOWN: &[&str] = &["IBM855", "Johab", "EUC-TW", "iso-2022-kr"];

/// The Russian text above, in IBM855.
pub const IBM855: &[u8] =
    b"\xEC\xE3\xA8\x20\xD0\x9C\xA6\xB7\x20\xE1\xD6\xE9\xA6\xA0\x9C\xE5\xE3\xDE\x20\xE3\xEB\xD6\xA2\xD6\xA6\
    \xD4\xF1\xD2\xB7\x20\xB7\x20\xE1\xA0\xEB\xD4\xF1\xD2\xB7\x20\xEB\x20\xE3\xEB\xD6\x84\xD2\x20\xA6\xD6\
    \xE3\xE5\xD6\xB7\xD4\xE3\xE5\xEB\xA8\x20\xB7\x20\xD8\xE1\xA0\xEB\xA0\xB5.\x20\xD7\xD4\xB7\x20\xD4\
    \xA0\xA6\xA8\xD0\xA8\xD4\xF1\x20\xE1\xA0\xF3\xE7\xD2\xD6\xD2\x20\xB7\x20\xE3\xD6\xEB\xA8\xE3\xE5\xED\
    \x9C\x20\xB7\x20\xA6\xD6\xD0\xE9\xD4\xF1\x20\xD8\xD6\xE3\xE5\xE7\xD8\xA0\xE5\xED\x20\xEB\x20\xD6\xE5\
    \xD4\xD6\xF5\xA8\xD4\xB7\xB7\x20\xA6\xE1\xE7\xAC\x20\xA6\xE1\xE7\xAC\xA0\x20\xEB\x20\xA6\xE7\xB5\xA8\
    \x20\xA2\xE1\xA0\xE5\xE3\xE5\xEB\xA0.\x20\xC7\xA0\xE9\xA6\xF1\xBD\x20\xFB\xA8\xD0\xD6\xEB\xA8\xC6\
    \x20\xA6\xD6\xD0\xE9\xA8\xD4\x20\xD6\xA2\xD0\xA0\xA6\xA0\xE5\xED\x20\xEB\xE3\xA8\xD2\xB7\x20\xD8\xE1\
    \xA0\xEB\xA0\xD2\xB7\x20\xB7\x20\xEB\xE3\xA8\xD2\xB7\x20\xE3\xEB\xD6\xA2\xD6\xA6\xA0\xD2\xB7,\x20\
    \xD8\xE1\xD6\xEB\xD6\xF3\xAC\xD0\xA0\xF5\x84\xD4\xD4\xF1\xD2\xB7\x20\xD4\xA0\xE3\xE5\xD6\xDE\xF9\xA8\
    \xBD\x20\xA7\xA8\xC6\xD0\xA0\xE1\xA0\xA4\xB7\xA8\xBD,\x20\xA2\xA8\xF3\x20\xC6\xA0\xC6\xD6\xAC\xD6\
    \x20\xA2\xF1\x20\xE5\xD6\x20\xD4\xB7\x20\xA2\xF1\xD0\xD6\x20\xE1\xA0\xF3\xD0\xB7\xFB\xB7\xDE.\x20\
    \xE0\x20\xF3\xD4\xA0\x9C,\x20\xFB\xE5\xD6\x20\xE2\xD6\xE3\xE3\xB7\xDE\x20\xB7\x20\xE0\xD8\xD6\xD4\
    \xB7\xDE\x20\xA6\xA0\xD0\xA8\xC6\xB7.";

/// The beginning of the Universal Declaration in Korean, in Johab.
pub const JOHAB: &[u8] =
    b"\xA1\xA1\x97e\x20\xB7\xA5\x88e\xB7e\x20\xC8\x81\xB4\xE1\x90i\x20\x98\x81\xA6\x81\xC8\xE1\x20\xB8a\
    \xB7A\x9D\xA1\xB6\x81\xA1a\x20\x8Ba\x20\xB9\xA5\xB4\xF1\x89\xC1\x20\x8A\xA5\x9F\xA1\xB5A\x20\xB7\xB6\
    \xB4\xE1\x20\x95\xB7\x97w\xD0a\x94a.\x20\xB7\xA5\x88e\xB7e\x20\xC0\xE5\xA6\x81\xB8\xE2\xB7a\x9D\xA1\
    \x20\xB7\xA1\xAC\xF7\x89\xC1\x20\xB4\xB7\xAF\xB1\xB7i\x20\xA6\x81\xB5a\xA4h\xB4v\xB7a\xA1a\x20\xAC\
    \xE1\x9D\xA1\x20\xD1w\xB9A\xB4\x81\xB7\x81\x20\xB8\xF7\xAF\xA5\xB7a\x9D\xA1\x20\xD0\x97\x95\xB7\xD0\
    a\xB5a\xB4\xA1\x20\xD0e\x94a.\x20\xA1\xA1\x97e\x20\xACa\x9Cq\xB7e\x20\xB7\xA5\xB9\xB7,\x20\xCF\xA1\
    \xA6\x81\xAC\x82,\x20\xAC\xF7,\x20\xB4\xE5\xB4\xE1,\x20\xB9\xB7\x8Aa\x20\x97w\x20\xB4\xE1\x98\xE1\
    \xD0e\x20\xB9\xB7\x9FA\xB7\x81\x20\xC0a\xA5i\xB7\xA1\x20\xB4\xF4\xB7\xA1,\x20\xB7\xA1\x20\xAC\xE5\
    \xB4\xE5\xB5A\x20\x8BA\xB8\xF7\x96E\x20\xA1\xA1\x97e\x20\x8A\xA5\x9F\xA1\xB5\xC1\x20\xB8a\xB7A\x9F\
    i\x20\xD0\xB7\xB7A\xD0i\x20\xB8a\x89b\xB7\xA1\x20\xB7\xB6\x94a.";

/// The same text in ISO-2022-KR.
pub const ISO_2022_KR: &[u8] =
    b"\x1B$)C\x0E8p5g\x0F\x20\x0E@N0#@:\x0F\x20\x0EEB>n3/\x0F\x20\x0E6':NEM\x0F\x20\x0E@Z@/7N?l8g\x0F\x20\
    \x0E1W\x0F\x20\x0EA8>v0z\x0F\x20\x0E1G8.?!\x0F\x20\x0E@V>n\x0F\x20\x0E5?5nGO4Y\x0F.\x20\x0E@N0#@:\
    \x0F\x20\x0EC5:N@{@87N\x0F\x20\x0E@L<:0z\x0F\x20\x0E>g=I@;\x0F\x20\x0E:N?)9^>R@88g\x0F\x20\x0E<-7\
    N\x0F\x20\x0EG|A&>V@G\x0F\x20\x0EA$=E@87N\x0F\x20\x0EG`5?GO?)>_\x0F\x20\x0EGQ4Y\x0F.\x20\x0E8p5g\x0F\
    \x20\x0E;g6w@:\x0F\x20\x0E@NA>\x0F,\x20\x0EGG:N;v\x0F,\x20\x0E<:\x0F,\x20\x0E>p>n\x0F,\x20\x0EA>1\
    3\x0F\x20\x0E5n\x0F\x20\x0E>n60GQ\x0F\x20\x0EA>7y@G\x0F\x20\x0EBw:0@L\x0F\x20\x0E>x@L\x0F,\x20\x0E\
    @L\x0F\x20\x0E<1>p?!\x0F\x20\x0E1TA$5H\x0F\x20\x0E8p5g\x0F\x20\x0E1G8.?M\x0F\x20\x0E@Z@/8&\x0F\x20\
    \x0EGb@/GR\x0F\x20\x0E@Z0]@L\x0F\x20\x0E@V4Y\x0F.";
