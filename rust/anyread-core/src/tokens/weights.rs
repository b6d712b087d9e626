//! What characters cost: the learnt numbers of the estimate, and nothing else.
//!
//! Fitted on 2026-11-21 against the exact `o200k_base` counts of 6,600 pieces of 4 to 16 KB, validated on as many from
//! other packages, files and generators: source code in 16 languages (also with line numbers), logs, prose and
//! program messages in 60 languages, East Asian text, and kinds that tokenize badly (base64, hexadecimal, digits,
//! random letters, emoji, runs of one character).
//! The fit minimises the squared relative error of a piece, five times as steeply beyond 60 % of the tolerance, with
//! every weight between its floor and ceiling and drawn towards the share of such places at which a token begins.
//! Two equal characters never weigh less than 0.9 of what a long run of them costs exactly, up to 0.45 tokens.
//!
//! All weights are in sixty-fourths of a token.

/// The ASCII characters, grouped by how they tokenize; the class of a character is its group's index.
///
/// Group 0 has every character that is in no other: the controls.
/// Lower-case letters stand alone because it is their order that tells words from random letters, and English from
/// Turkish.
pub(super) const CLASSES: [&str; 59] = [
    "", " ", "\t", "\n\r", "0123456789", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
    "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "AEIOU", "LNRST", "CDMP", "BFGH",
    "JKQVWXYZ", "\"", "'`", "(", ")", "[{", "]}", "<", ">", ".", ",", ":", ";", "-", "_", "=", "/", "#*",
    "!%?^~", "$", "&", "+|", "\\", "@",
];

/// The class of the line feed, which is also what stands before the first character of a text.
pub(super) const LINE_START: u8 = 3;

/// Contexts beyond the classes: what stood before may also be a character beyond ASCII.
pub(super) const LATIN: u8 = 59;
/// After a Han character, kana, a Hangul syllable or East Asian punctuation.
pub(super) const EAST_ASIAN: u8 = 60;
/// After punctuation, a symbol or an emoji.
pub(super) const SYMBOL: u8 = 61;
/// After a character of any other script.
pub(super) const OTHER: u8 = 62;

/// What an ASCII character costs: a row for what stands before it, a column for its own class.
///
/// A character of a row is a weight: `#` is 0, `$` is 1, and so on through ASCII without the backslash, to `~`, 90.
pub(super) const ROWS: [&str; 63] = [
    "cV<e^>VV>GV<>?VVV<L?VV?<AV<VVVVBA<VFQVVVn>VVVVVVVMVVVVVVVVV", // control
    "h$J%{+###A9)#,2'<5+######),#.###.##:(/T#9#+#+3&@HJ1)(1##9=#", // space
    "<51#k/,$/##0D#/<,#234(+8*)$,%$.kRBE6j`Zaa^WEZVadocV_WhZacc`", // \t
    "fu[*XrdQ_`haQgdbb^bg]fTQe^acfbf~V`eojdgfP_afe`b[Yg^-dc`cZc]", // \n\r
    "EZX|9WYYXY_baecc__`e_bf`ecabka`UbT[c_n_Qc[babYBLmGcibYaaiEa", // 0123456789
    "Te^pXN###^B',@F/#)(L#[#+#%#<$,8bdcbbh^cd`dbbjcgc_abd[cWbbc]", // a
    "=hYdT#4M>#F_C3#R)SM,jj9)D#]Oc#bbc[a`c_bb^d]b]bf`bca]Z_W[acX", // b
    "WFb`[A@2>#;W#'U##<?#JE'7,ADLT&,f[efffidVcbc_calacdbP`bT_bb[", // c
    "d;eIZ#FL<#=NG$L?5RU#:`69I/MK6<B]S[UahgYbecddNXV_VGWeacWbcda", // d
    "dKggY)H##?(%PAR`2##(####(<)(#2CMJJQ]VRTa^Zd]Y^RRPYTUbbZb`bb", // e
    "V[`nX#BD7,+RH$LQ&?')>M)>*&NM;-UdvdddbdIc^caaQbdbed`dZaVaafU", // f
    "^UcgeHBOQ'[@,7UV,J28ch#>C/?WZL:cba`bdcafcd`q[f`dbN~]]bP`ab^", // g
    "VT^fZ)`aP#_Z6?VXGFM.Jd%O#JcOZ<V^_a`cfc]c`baae`b`^Tcc]bU`adb", // h
    "Vt_pY/'##*##DN2=#0##/G/#$h/[0D(cdcedbbbcbcbangfbak]a^aP`cfY", // i
    "VuFeb:K_?%SPVQJBL^<G=IW*W>]VQU`cccdcX]^e[aXScb][[_[_Y]MN`_P", // j
    "`D__`8BfL&X41=BDOVKfGFM=AOR:YBb`_ceb_d]_^abX[`fdYKc`[aR[ad^", // k
    "Vqcsh#4N/#%QM#XA+DS#2[K07/APL0V`K`a`df`eb[[bK_dbd[_QdZR`cd_", // l
    "U8bjd-@bE#z=O)cT#4Z7#Vh*ANOZD#`[bYbbia`aaccZSac^]biX]aN_ca^", // m
    "bFagb;I$#1=#&=A6'ZA>Eid##=.SZ3N_U_`bYER^_e`_M^f`Yo_a^a[aadc", // n
    "VC_id,+##J#IQ62#'##8#T##&#+#)5;fbefefejdbbc_bc^bqc`_^cPbcaa", // o
    "X^blb0I?6#['#EXW#HO#@[#'#8WU)#fogfjdgdeabdaY^bNV`[^dYfR]ae]", // p
    "VhQfcSQSL^jjOXlj#WSUU@=EH#kEISjccccgaa`c]YZ[cb]_`a__[bQO_]N", // q
    "cIahn*I##$<$`/e9#+.#A82,#7,OJ#>aVXd[^bNaacd`NfX_cVWXa`Uaceb", // r
    "^?ggcFF1P#-1:*b;PGR$);.2##80Z1?^Y[b_ZcT`Nc^aJhChbZYTef]afdd", // s
    "cQesi7Y8:#Qc##hD;#X&#j#HA;Z#-,UNKWW_VUT`[]bkXaSMS]^[acUaeda", // t
    "VMSgd-)4&*17GDJ*##.D#R(##ME>*>8cccdcb[`d`c`^e^b`cebZ`_S^ab[", // u
    "V~Rfa#WQK#_1E0X_K@[#YV>CMV4W[>^aeccc^ddf^`Ybee`^ea_aW^O_`eV", // v
    "V[[ec)OS79XS'#@LSJ1#Cj+4MOP@G1ca]aidabccab_]Qda_c[`d]`PYaaW", // w
    "Xs^t]14$25.mK.[lL#UZ#lS35]kl+,Ulcllbabe``ba_acbRbfa`]d]Y``[", // x
    "[Haga>B@DTeJbPbW$0-?0m,1*_d9]9L`Z^^caX_ebccd]]bhcaa_^_T`bc^", // y
    "VnCfg,PRJ$XNOAcSYR/AalPaG;Z=O#Dccccca__a`^TYecX`a``_X^NQ_[X", // z
    "<Ve~SE#30V#9E=A5)-(N#:##,8'>#D9D#%-8g]X_[ac`adXki@bbca]b`b]", // AEIOU
    "VAdgb/C(;#NL##C@D:I#(Q#O#2CAL#Y#@Q>@[ceZcbbYb`^anAacbc^cbb]", // LNRST
    "VOmiS#BUS#JI#5SI#AS#k[#@/4GOO-P,7Pd^ddc``ad`_mahl:a``aebbc]", // CDMP
    "VFdje#DGO#cEO-RR+M=#Dd$K3)[FL(X1P~hQdbbr`^`a^iedf[cb`a^aba[", // BFGH
    "=7[{T9a^R'dT01^^PFQ@Wd1?M7Y^]M^@:^wJgead``cabbcdk9`bdc_`bd`", // JKQVWXYZ
    "QPY#^_c^e`X^Zbdbeg^fhaX[d_cc``bY^^Yg3IK#@(G%()#+05a%4J2E5)5", // \"
    "Qo_#aKe[S_c[8Q_cUPRe]]NE6LT]ZPYa[`caBAG#A4L7*)3#:OJ9LT<WJ@R", // '`
    "VXD%]:3<D*1>M@IC=@3I6B<&#F/C6G,QR>C-##3#-e-[1d18'6S-0E#(38&", // (
    "VLb2aKPOOS_MWUMQ^GHGKK;LYT:Q8IPa[]][8?+2#.?;*###*B:,>KD825^", // )
    "VTQ#uU_R^K`^JJ6U^^FJYTVRCZ^c@W]bST[U$4Kc@#heONBeFghIb[7bbT'", // [{
    "VYQ#a_a_]T_`[]VQ^Y[[`SaZ___VUMQ``_^`,?1$4@4Q3,+#;2-(R^AE71K", // ]}
    "Va>/dZJd`eX`[[`aI[ecQUaPDM]MOW^O:WW<_?A^Dd+3`b[]F41#O210dc`", // <
    "Vw`,cO_c``__X_Y`cadfdXdYVbc_YT]_Ydh]4F,17M#+5)6-DA/5Qd6'Y39", // >
    "<gY2F#$#'/####')#%')-'#'32&-.-./#%.(08=28T(b%,E<:02*-H+9T0C", // .
    "VN^7aFINN85;I,81J<.=O7<?<<ZG<1HMJkG;#8DT0eZ[23B^$D_K`L*=7/:", // ,
    "VPa#8h]aYO<]:W6M`^@fZOU[T[YPQ4I_`[c[#16B&I/^GI'_+5##*i4ED=8", // :
    "Vjb#kI*WaLSaOEAI^KAFC]]XQ`aV5BYbcbbc;=>Ef8,_E8c/U__(g]D#LB^", // ;
    "VMd)S:#(42=9/86:;PF<4X;3(?L24E<NAIBE'L5VTj^528^T$KCWLc;]g2]", // -
    "Zh<,p(3#&##4+#.*-#%##>)#'3'/AAD#####QX26_b9b@%6)C$DL8]'`Q>`", // _
    "V^??OKWFG9/S-8DOLI6ARHIB3MT^2=*`]US[#'0`*a0#IiF^F6$75B&/g*'", // =
    "Vec#GQMDON=FIE-H17.<?M6BMB7E03JNUL:0>HGZA^V%,1Fc01U($;/dR>A", // /
    "Voe#d`d[,:__Y8PbccZafQebfW]TaXWbcbdbW^516naI<3]JM;I#$jGSaKW", // #*
    "VcR/`a]^ab`a][^Wf`XeWUW^[^WU[b_=a<MjBL;EKw^Z<C9D8f*Tr+TpwFh", // !%?^~
    "V^?2XbYci_ab`eXbg`ha`^ZbPbdkgc_ch^dh]c8a(e_`;L]`d2^2ak3ae>c", // $
    "V`<&aA`b_^cE_^UXM`T_VEbe`YaTOVW`YZU_dM,=Pd^^dGZ_a:T^'W=@e`^", // &
    "V{c/YY?U`ba_^Z<GWTUbW^S`ZabH->`_aWZbBJAEe^ccYLVHRc)RF{Rf2:d", // +|
    "VeA#__Zab]@edXH[ZXVSaWOOS5-c:G`S[fbY,QkfehSg9=U[Oda*lpYde3c", // \\
    "VdAPWka_cPb<aTaa]YYbdTg_a_b_Y?^```^_TeSbYd`a_]H__D`^cn9^eH+", // @
    "VcfrVNg#`]gcgLUN5:##C8<B)=[NX*CYR[`af_C_<TaQcdb^cVBO<OVVVT?", // Latin
    "VMWGeXXWWPKPSTU<OVKUWVHXNKIVEC>aba___[`bBaU`ae`Z_KL]LcMdK^Q", // East Asian
    "Vb?RcO_]ZXd`=TWba]YOaXaVQXVGeaKdea`_ZQOROWbP@-OKGOQ[WbNPP_?", // symbols
    "VBP~YaSATTRVUUTMPQQZRVNRORNXdVO>VFKOWe[rJ`][bchclfWbJbFbd`A", // other
];

/// The number of rows.
pub(super) const CONTEXTS: usize = ROWS.len();

/// What a weight counts.
pub(super) const UNITS_PER_TOKEN: u64 = 64;

/// The number that a character stands for, here and in `scripts`.
pub(super) const fn level(character: u8) -> u8 {
    character - b'#' - (character > b'\\') as u8
}
