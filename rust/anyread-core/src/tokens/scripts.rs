//! The weights of non-ASCII characters by script and by the previous character.
//!
//! The numbers come from the same fit as those in `weights`.

use super::weights::{EAST_ASIAN, LATIN, LINE_START, OTHER, SYMBOL, level};

/// Characters of one family continue each other's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Family(u8);

impl Family {
    /// The family of ASCII, and of the start of a text.
    pub(super) const NONE: Self = Self(0);
}

/// Characters with the same weights.
pub(super) struct Script {
    pub(super) family: Family,
    /// The row of `weights::ROWS` for the character after it.
    pub(super) context: u8,
    /// The weights after the same family, a blank or line end, an ASCII letter, and anything else.
    weights: [u8; 4],
    /// The first and last code point of each range.
    ranges: &'static [(u32, u32)],
}

impl Script {
    /// The weight of a character of this script after a character of another context and family.
    pub(super) fn weight(&self, context: u8, family: Family) -> u8 {
        let [same, blank, letter, other] = self.weights;
        match context {
            _ if family == self.family => same,
            // The classes of space, tab and line feed; lower-case and upper-case letters.
            1..=LINE_START => blank,
            5..=35 => letter,
            _ => other,
        }
    }
}

/// The script of a non-ASCII character.
pub(super) fn of(character: char) -> &'static Script {
    let code_point = character as usize;
    let number = match code_point {
        0..0x800 => NARROW[code_point],
        0x800..0x1_0000 => BASIC[code_point >> 4],
        _ => WIDE.get(code_point >> 8).copied().unwrap_or(0),
    };
    let number = usize::from(number);
    // Han and Hangul have two rows each: several tokens per character, and then one token per character.
    let one_token = match number {
        HAN_ROW => is_set(&ONE_TOKEN_HAN, code_point - 0x4E00),
        HANGUL_ROW => is_set(&ONE_TOKEN_HANGUL, code_point - 0xAC00),
        _ => false,
    };
    &SCRIPTS[(number + usize::from(one_token)).min(SCRIPTS.len() - 1)]
}

const LATIN_1: u8 = 201;
const GREEK: u8 = 202;
const CYRILLIC: u8 = 203;
const ARABIC: u8 = 204;
const HAN: u8 = 205;
const HANGUL: u8 = 206;

/// Marks a script that gets a family of its own, numbered by its row.
const ALONE: u8 = 0;

const fn script(family: u8, context: u8, weights: [u8; 4], ranges: &'static [(u32, u32)]) -> Script {
    Script { family: Family(family), context, weights, ranges }
}

/// The scripts, with weights in units of 1/64 token.
///
/// Cyrillic is split because Bulgarian, Serbian and Ukrainian words take more tokens than Russian ones.
static SCRIPTS: [Script; 82] = number_families([
    // C1 controls
    script(ALONE, SYMBOL, [73, 75, 67, 83], &[(0x80, 0x9F)]),
    // Latin-1 punctuation
    script(ALONE, SYMBOL, [63, 21, 75, 73], &[(0xA0, 0xBF)]),
    // Latin-1 upper case
    script(LATIN_1, LATIN, [64, 28, 52, 68], &[(0xC0, 0xDE)]),
    // Latin-1 lower case
    script(LATIN_1, LATIN, [56, 45, 32, 73], &[(0xDF, 0xFF)]),
    // Latin Extended-A
    script(ALONE, LATIN, [140, 23, 18, 71], &[(0x100, 0x17F)]),
    // Latin Extended-B
    script(ALONE, LATIN, [31, 35, 94, 89], &[(0x180, 0x24F)]),
    // phonetic letters
    script(ALONE, LATIN, [146, 116, 66, 130], &[(0x250, 0x2AF)]),
    // modifier letters
    script(ALONE, LATIN, [130, 84, 115, 137], &[(0x2B0, 0x2FF)]),
    // combining marks
    script(ALONE, LATIN, [143, 119, 88, 84], &[(0x300, 0x36F)]),
    // Greek
    script(GREEK, OTHER, [23, 0, 78, 81], &[(0x370, 0x385), (0x3AB, 0x3FF)]),
    // Greek capitals
    script(GREEK, OTHER, [57, 59, 80, 66], &[(0x386, 0x3AA)]),
    // Cyrillic: Serbian and other capitals
    script(CYRILLIC, OTHER, [79, 41, 96, 86], &[(0x400, 0x40F)]),
    // Cyrillic capitals
    script(CYRILLIC, OTHER, [46, 83, 64, 49], &[(0x410, 0x42F)]),
    // Cyrillic: а е и о у
    script(
        CYRILLIC,
        OTHER,
        [13, 0, 64, 68],
        &[(0x430, 0x430), (0x435, 0x435), (0x438, 0x438), (0x43E, 0x43E), (0x443, 0x443)],
    ),
    // Cyrillic: other letters
    script(
        CYRILLIC,
        OTHER,
        [6, 56, 64, 80],
        &[(0x431, 0x431), (0x433, 0x434), (0x437, 0x437), (0x439, 0x43A), (0x43C, 0x43C), (0x43F, 0x43F)],
    ),
    // Cyrillic: н т р с в л
    script(
        CYRILLIC,
        OTHER,
        [0, 34, 65, 80],
        &[(0x432, 0x432), (0x43B, 0x43B), (0x43D, 0x43D), (0x440, 0x442)],
    ),
    // Cyrillic: ж ф х ц ч ш щ
    script(CYRILLIC, OTHER, [2, 27, 64, 56], &[(0x436, 0x436), (0x444, 0x449)]),
    // Cyrillic: ъ
    script(CYRILLIC, OTHER, [116, 65, 64, 64], &[(0x44A, 0x44A)]),
    // Cyrillic: ы э ё
    script(CYRILLIC, OTHER, [40, 23, 64, 64], &[(0x44B, 0x44B), (0x44D, 0x44D), (0x451, 0x451)]),
    // Cyrillic: ь
    script(CYRILLIC, OTHER, [0, 64, 64, 64], &[(0x44C, 0x44C)]),
    // Cyrillic: ю я
    script(CYRILLIC, OTHER, [26, 13, 64, 52], &[(0x44E, 0x44F)]),
    // Cyrillic: other additions
    script(CYRILLIC, OTHER, [78, 94, 96, 98], &[(0x450, 0x450), (0x453, 0x453)]),
    // Cyrillic: Serbian and Macedonian letters
    script(CYRILLIC, OTHER, [135, 30, 70, 73], &[(0x452, 0x452), (0x455, 0x455), (0x458, 0x45F)]),
    // Cyrillic: є і ї ґ
    script(CYRILLIC, OTHER, [71, 25, 79, 52], &[(0x454, 0x454), (0x456, 0x457), (0x491, 0x491)]),
    // Cyrillic beyond the Slavic languages
    script(CYRILLIC, OTHER, [123, 7, 117, 106], &[(0x460, 0x490), (0x492, 0x52F)]),
    // Armenian
    script(ALONE, OTHER, [17, 11, 79, 66], &[(0x530, 0x58F)]),
    // Hebrew
    script(ALONE, OTHER, [28, 0, 81, 49], &[(0x590, 0x5FF)]),
    // Arabic
    script(ARABIC, OTHER, [22, 0, 74, 39], &[(0x600, 0x64A), (0x660, 0x670)]),
    // Arabic vowel marks
    script(ARABIC, OTHER, [47, 98, 98, 99], &[(0x64B, 0x65F)]),
    // Arabic letters of other languages
    script(ARABIC, OTHER, [35, 0, 99, 50], &[(0x671, 0x6FF)]),
    // Syriac, Thaana, NKo
    script(ALONE, OTHER, [131, 130, 159, 159], &[(0x700, 0x8FF)]),
    // Devanagari
    script(ALONE, OTHER, [23, 2, 84, 67], &[(0x900, 0x97F)]),
    // Bengali
    script(ALONE, OTHER, [21, 10, 93, 69], &[(0x980, 0x9FF)]),
    // Gurmukhi
    script(ALONE, OTHER, [40, 10, 103, 84], &[(0xA00, 0xA7F)]),
    // Gujarati
    script(ALONE, OTHER, [23, 10, 94, 90], &[(0xA80, 0xAFF)]),
    // Oriya
    script(ALONE, OTHER, [108, 111, 110, 108], &[(0xB00, 0xB7F)]),
    // Tamil
    script(ALONE, OTHER, [21, 11, 106, 81], &[(0xB80, 0xBFF)]),
    // Telugu
    script(ALONE, OTHER, [31, 15, 89, 85], &[(0xC00, 0xC7F)]),
    // Kannada
    script(ALONE, OTHER, [25, 13, 96, 78], &[(0xC80, 0xCFF)]),
    // Malayalam
    script(ALONE, OTHER, [21, 15, 98, 45], &[(0xD00, 0xD7F)]),
    // Sinhala
    script(ALONE, OTHER, [40, 10, 102, 43], &[(0xD80, 0xDFF)]),
    // Thai
    script(ALONE, OTHER, [27, 20, 93, 78], &[(0xE00, 0xE7F)]),
    // Lao
    script(ALONE, OTHER, [119, 122, 127, 126], &[(0xE80, 0xEFF)]),
    // Tibetan
    script(ALONE, OTHER, [95, 125, 142, 146], &[(0xF00, 0xFFF)]),
    // Myanmar
    script(ALONE, OTHER, [48, 1, 75, 84], &[(0x1000, 0x109F)]),
    // Georgian
    script(ALONE, OTHER, [17, 7, 106, 55], &[(0x10A0, 0x10FF)]),
    // Hangul letters
    script(ALONE, OTHER, [191, 191, 191, 191], &[(0x1100, 0x11FF)]),
    // Ethiopic
    script(ALONE, OTHER, [130, 130, 133, 136], &[(0x1200, 0x139F)]),
    // Cherokee to Hanunoo
    script(ALONE, OTHER, [194, 192, 191, 193], &[(0x13A0, 0x177F)]),
    // Khmer
    script(ALONE, OTHER, [39, 37, 95, 18], &[(0x1780, 0x17FF)]),
    // Mongolian and others
    script(ALONE, OTHER, [193, 191, 176, 194], &[(0x1800, 0x1DFF)]),
    // Latin Extended Additional
    script(ALONE, LATIN, [87, 32, 0, 1], &[(0x1E00, 0x1EFF)]),
    // Greek with accents
    script(ALONE, OTHER, [141, 103, 141, 100], &[(0x1F00, 0x1FFF)]),
    // general punctuation
    script(ALONE, SYMBOL, [4, 10, 59, 39], &[(0x2000, 0x206F)]),
    // superscripts, currency
    script(ALONE, SYMBOL, [109, 103, 125, 82], &[(0x2070, 0x20CF)]),
    // letterlike, arrows, mathematics
    script(ALONE, SYMBOL, [105, 83, 131, 98], &[(0x20D0, 0x24FF)]),
    // box drawing, blocks
    script(ALONE, SYMBOL, [36, 41, 118, 121], &[(0x2500, 0x259F)]),
    // shapes, dingbats, small emoji
    script(ALONE, SYMBOL, [121, 94, 137, 105], &[(0x25A0, 0x27FF)]),
    // Braille and other symbols
    script(ALONE, SYMBOL, [189, 120, 190, 142], &[(0x2800, 0x2FFF)]),
    // East Asian punctuation
    script(ALONE, EAST_ASIAN, [31, 50, 67, 46], &[(0x3000, 0x303F)]),
    // Hiragana
    script(ALONE, EAST_ASIAN, [54, 39, 65, 66], &[(0x3040, 0x309F)]),
    // Katakana
    script(ALONE, EAST_ASIAN, [25, 40, 65, 60], &[(0x30A0, 0x30FF)]),
    // Bopomofo, enclosed letters
    script(ALONE, EAST_ASIAN, [159, 151, 167, 163], &[(0x3100, 0x33FF)]),
    // Han Extension A
    script(ALONE, EAST_ASIAN, [192, 191, 191, 193], &[(0x3400, 0x4DFF)]),
    // Han characters of two tokens or more
    script(HAN, EAST_ASIAN, [140, 120, 130, 141], &[(0x4E00, 0x9FFF)]),
    // Han characters that are one token
    script(HAN, EAST_ASIAN, [54, 58, 58, 23], &[]),
    // Yi and others
    script(ALONE, OTHER, [194, 136, 191, 193], &[(0xA000, 0xABFF)]),
    // Hangul syllables of two tokens or more
    script(HANGUL, EAST_ASIAN, [150, 75, 147, 154], &[(0xAC00, 0xD7AF)]),
    // Hangul syllables that are one token
    script(HANGUL, EAST_ASIAN, [54, 0, 60, 59], &[]),
    // Hangul letters B, private use
    script(ALONE, OTHER, [192, 192, 192, 184], &[(0xD7B0, 0xF8FF)]),
    // compatibility and presentation forms
    script(ALONE, OTHER, [185, 185, 185, 185], &[(0xF900, 0xFDFF)]),
    // variation selectors
    script(ALONE, SYMBOL, [120, 120, 120, 38], &[(0xFE00, 0xFE0F)]),
    // presentation forms
    script(ALONE, OTHER, [128, 128, 128, 130], &[(0xFE10, 0xFEFF)]),
    // full-width forms
    script(ALONE, EAST_ASIAN, [92, 81, 65, 43], &[(0xFF00, 0xFF5F)]),
    // half-width forms
    script(ALONE, EAST_ASIAN, [123, 121, 117, 86], &[(0xFF60, 0xFFEF)]),
    // U+FFFD and other specials
    script(ALONE, SYMBOL, [5, 24, 64, 120], &[(0xFFF0, 0xFFFF)]),
    // historic scripts
    script(ALONE, OTHER, [255, 255, 252, 253], &[(0x10000, 0x1D3FF)]),
    // mathematical letters
    script(ALONE, OTHER, [182, 182, 185, 180], &[(0x1D400, 0x1D7FF)]),
    // other symbols beyond U+FFFF
    script(ALONE, OTHER, [255, 254, 232, 235], &[(0x1D800, 0x1EFFF)]),
    // emoji
    script(ALONE, SYMBOL, [144, 90, 170, 103], &[(0x1F000, 0x1FFFF)]),
    // Han extensions B to G
    script(ALONE, EAST_ASIAN, [254, 254, 254, 254], &[(0x20000, 0x2FFFF)]),
    // the rest
    script(ALONE, OTHER, [219, 192, 192, 200], &[(0x30000, 0x10_FFFF)]),
]);

const fn number_families(mut scripts: [Script; 82]) -> [Script; 82] {
    let mut row = 0;
    let mut number = 1;
    while row < scripts.len() {
        if scripts[row].family.0 == ALONE {
            scripts[row].family = Family(number);
        }
        number += 1;
        row += 1;
    }
    scripts
}

/// The row of each character up to U+07FF, of each 16 characters up to U+FFFF, and of each 256 above.
static NARROW: [u8; 0x800] = rows(0);
static BASIC: [u8; 0x1000] = rows(4);
static WIDE: [u8; 0x1100] = rows(8);

const fn rows<const N: usize>(shift: u32) -> [u8; N] {
    let mut rows = [0; N];
    let mut row = 0;
    let mut number = 0;
    while row < SCRIPTS.len() {
        let ranges = SCRIPTS[row].ranges;
        let mut range = 0;
        while range < ranges.len() {
            let mut slot = (ranges[range].0 >> shift) as usize;
            while slot <= (ranges[range].1 >> shift) as usize && slot < N {
                rows[slot] = number;
                slot += 1;
            }
            range += 1;
        }
        number += 1;
        row += 1;
    }
    rows
}

const HAN_ROW: usize = BASIC[0x4E00 >> 4] as usize;
const HANGUL_ROW: usize = BASIC[0xAC00 >> 4] as usize;

fn is_set<const N: usize>(bits: &[u64; N], index: usize) -> bool {
    bits.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
}

/// Which of U+4E00 to U+9FFF are a single token: the most common quarter. Rare ones take two or three.
static ONE_TOKEN_HAN: [u64; 0x5200 / 64] = unpack(
    "\
    .b)9X#:,8a)->(]K&$S%#4WYYSGW^4#DFS)A&C&('FE#G-[L4$;'4#'[LK4%%C#C#D##KO+CC#+*'#++%#G#'##-)+K'+##8#%+#\
    7#%#3&++##C##'$E###KC#####C#3######$##KAN?$$CQVb]#90'K4#3W-%$,,#C/(K$W5S';[.TK3S03+,%##G)5%##%##+2S$\
    1++C#3EK7####%%##.####C&.9/c(?+%>)#<-#5D#(##+USB5*#A?Y?#;?ZK+&?I3O7#(#3#''#-[##)#$##(###%'%##+),'###\
    #'####O###'D###;'###33##T##3#&###$####+###C3#C####$C####3#3##################C7&CW$<#H#4$E3#,37D'1+.\
    %4###C#%########+#''#%###;#$####%#C/####5''#+###+##E%$3###CC#####C7$##LKC4,D1,D$#QKW##%#;2%D$CG3##'#\
    -#'%>3$#$##C-%##<###%##3###$#$#C####'####C#+)#$###C#####%###########T1+9%#3#MQ,CXc$5;,173S#K#H#3B>@_\
    54%'#+3aJS++#$%C%#C###+%%+%%$#####C##''###'#################################C,A39CC.4''+#DA5D#%#C###\
    #S8Q;4+Q3%/-#%##%###+##S'W$DC);##+M$###.#3G#&KT/<7+3%;'ICC)+#14C+#%+&#'<C+-$#C##+7##'++3##C###;5(3##\
    C3C#3'3C+####%#E#####%35###D#'#############$%########'#C*(#3'7@E$CI.$CK)&,?#'C=7WCC+S#I+?H,+6C#W)-C#\
    #K%C#3####%C'#'C#CS''CCL(3###+;$++#+3####%#7##&#'#0##'##%#3#+#C$#$$;#'##G##$#$########%##%GUC'LC%S''\
    T'#C##K#3#=#U+%E#%3]V#'$'$()#)5K##($+S#$#'?7'3+#%&##$$$#####S###8/@%N#+M#WN#'WGS&#L+D1#S5#3CW##$#$#'\
    #I$'C#C)+#+E%%C#'#['/(D##C%##$C+###+#(;##'#%'3###$####%$3##########$##%+S3####$######C##$#####%$#CC#\
    -3#####%##+###C3#######################$##SF#3#4#+$%#[J#?E##/#'####+'+%[WC##+#####KG#C+#3'CD%#+C6###\
    GKS#',K$'CCE5;#++;5#,#E#+#+5C3#$+,)5+#$3)$,##/#%-#WCG#####3#%CCC+#5#$CS#5%3####3$#####?##''##3#####%\
    %3C'$#$C'#+'#3#%######4'##)#######C##C##$##########################%K)%3#+'$###3#?$#$##C#&%#######C3\
    ##''##$#%#,#####'##C##C##C##C#+######$######F*%C4#C%)-#$%#######3%'#'#3C#'#'#'$##$#)#S''##########3#\
    3M#3+#CC(C##C###$#%##D'#####'C$######$#####%######3#######$5##'#####8U3#RY#+3#C#CS33##'#%%##+5#7C%##\
    +################3#'#######B3&#####3###3(??E;#''$,C)##;####'$###+K############$########+EC#C)##7####\
    3#3###%###(####;%####'#(%#####3#############7$###$)+D###%#+###+##CY#K;3C#$;#+##=#####L#C#$%#####34K#\
    C#++C######%#+?+#%G###C'##''###3-+(%####%(###%C#C+##$-#####3########%######+#####C#%#+#D##$3##'###)#\
    ####+'&+3;3D+)C#7#4##+'#)$###C#$##%$###C'33#$###3######3##I############'##3T7U^K;*M-V%K,3#,##C7##+#'\
    '###%5##)4##C3'##$D###E#33$#$###;O%'$%###C###3$'($#D'%#%5#'#U++$'C'7#$H###7+'#C#'###%'###'%###3%%&##\
    ##$####+$####C#,;3#CD3,S#34#%#+######U+4'###C##G-'%#C-+#C$C##C########7##+3$#K#C#%##%D#3#CCD###'##$#\
    #5##3#$#C#5'##%#%#+%-####3###+###3######C###########%#####C#####%###3#####'(#####%#+3###############\
    ##W+'%#%#+%###########+%#C######'###3##############3###+#############################'#'+EC-$####C#3\
    3##-##C,#%E/3###D##################$##K3+%'$#5#%C?X#'##5####(7'#$##,-3$###%3'$C%##C/#''#W7#C#E#3####\
    #######-######C##'#3#'+#$3#%#;T[(7`7J+-,G$MG0L3%+#$$$++##4###+#$#+##3###&/$C<'+###'#'##'####C^BMS1C'\
    ;%(68C3`##%&###%#C##+#D#C%3CK####%###;##############%######%####G###'###CCC#####'%3##+####WW3C%=%K'5\
    +(S$Y,=36O2#/'K+2<;()I##)G$DOD.#L+)+$)$#%##5'$#%##G###3+C#%############+'#####;##+#$###%###CW.######\
    ############3#######3#3#####################3######C'##########+#############'############3#########\
    ####+####'###5%3%CC%###'##%3'0%%$+C3#$###%##3####%;#-C##'#C$######$#H4$%E####%#$`D+?T'##7;3[G#'T4C$#\
    ###3T$C+%T3$#F3CC##3###$$###',7$%####C###########C###+#%#^9#$'##C##)##&'$$##C]/7#+?/#'#####3#C/##5##\
    #33###3###########9###7##,##4###C############C###########%##3/'5##DC'#4#$#####4################'G#+'\
    '###############################################3+####$###3#######%#################################\
    ##################K%C##CC#+#####$#+###+C#$##;C$3)''#######'%#'###C###'##'#####$+#+#################",
);

/// Which of U+AC00 to U+D7AF are a single token.
static ONE_TOKEN_HANGUL: [u64; 0x2BB0_usize.div_ceil(64)] = unpack(
    "\
    6'S,U#############3'$O#'##3#6'#/3####/4#K#4##+#####'####$###S'$#%#$#######3####'$###6'S######'4#$#$'\
    ##3#############3####'####$############%##################3##'####################$'3#%####'##$#4'S'\
    3'$#$'##C#####3#$'#'##+#6#3+#####'4#CS##################3'#################'####4'#+#####/$#D#6)S-3#\
    #C##########S'#'#'3############/4#C#####3###$'4#&#####3#$###########3#########6'#-#####'##C#$###3###\
    ##########3'#################'##############################################$##%##########6#S+S'#O#+\
    ##C#####S'$/#1$#+#6'S/3####/4#-##########'####$###3##/###############'3###4'3######/4#N#6(#=S'######\
    ######S'$##'$###4##K#####/4#,###################3'$################'####$########'4#C%:)3+S#########\
    ####3'$/#'4###5'#+#####/4#C#$##'##############S'$#C##############'####$'#######'4#C%$###############\
    #############################################'######################4#############6'3+S###%###%#####\
    S'$+%'4###4'#'#####/4#C#####3#########$###S'$'##########3##+#'####4'S-#####/4#F3$#################3#\
    ################################################################4#3######/$###6(S/W'$##/##C#####S'$`\
    $'4###6'3/3####/4#%#4##/3####'####&##+S'$G#'4#3#$#C#3'###/4#C#4'3+3####/T#6#6'S+3###%#########S'$/%/\
    $###$##'#####/$#DC$########'####$###S'$#%'##################4'3+#####/4#N#&###3#####################\
    ###########+#######################################################/####6(3;S#############S'$G%'####\
    $##'#####/$#C##########'########S'$'%'########3#########&##+#####/4#D#$'##3#############3'$/#'##+#$#\
    #######'4#C###################3##################'####4'3######'4#C#6'#+S#############3'$##/4#$#####\
    #####/$#C##########'########3#############3####'####6'#######/$#D#4'##S'############3####'####4##+3#\
    ###/4#$###############$###3#$'%##############'####4'#######/4#K#6'S+3###&###C#####3'#'#'####6'C+3###\
    #/4#D#6'#+#####/####$###3'############3####'######C+3####'$#$#",
);

/// Unpacks bits in the notation of `weights::ROWS`: six per character, the lowest first.
const fn unpack<const N: usize>(packed: &str) -> [u64; N] {
    let packed = packed.as_bytes();
    let mut words = [0; N];
    let mut bit = 0;
    while bit < packed.len() * 6 && bit < N * 64 {
        let value = level(packed[bit / 6]) as u64 >> (bit % 6) & 1;
        words[bit / 64] |= value << (bit % 64);
        bit += 1;
    }
    words
}
