/** Abbreviations whose full stop never ends a sentence, in lower case without their last full stop. */
export const innerAbbreviations: ReadonlySet<string> = new Set(
  [
    // English
    'e.g', 'i.e', 'cf', 'vs', 'viz', 'resp', 'approx', 'fig', 'figs', 'eq', 'eqs', 'sec', 'sect', 'secs', 'no', 'nos', 'ch', 'chap', 'vol', 'vols', 'art', 'arts',
    'para', 'paras', 'ref', 'refs', 'incl', 'excl', 'esp', 'ca', 'mr', 'mrs', 'ms', 'dr', 'prof', 'st', 'al', 'ed', 'eds', 'p', 'pp', 'app', 'tab', 'subsec', 'min', 'max', 'op', 'loc', 'a.k.a', 'w.r.t',
    // German
    'z.b', 'z. b', 'd.h', 'd. h', 'u.a', 'u. a', 'u.ä', 'u. ä', 'o.ä', 'o. ä', 'i.d.r', 'i. d. r', 'i.s.d', 'i. s. d', 'i.v.m', 'i. v. m', 'i.s.v', 'bzw', 'vgl', 'ggf', 'gem', 'evtl', 'sog', 'insb', 'insbes', 'inkl', 'zzgl', 'abs', 'nr', 'nrn', 'ziff', 'lit', 'kap', 'abschn', 'abb', 's', 'sa', 'rn', 'rdnr', 'bgbl', 'abl', 'hrsg', 'aufl', 'bd', 'tel', 'str', 'hl', 'geb', 'verf', 'max', 'mind', 'entspr', 'einschl', 'ausschl', 'zit', 'i.a', 'm.e', 'a.a.o', 'o.g', 'o. g', 's.o', 's.u', 'lfd', 'jhd', 'mio', 'mrd', 'st', 'std', 'usf', 'vorm', 'nachm', 'dipl', 'ing',
  ],
); // prettier-ignore

/** Abbreviations that may end a sentence: a capital after them starts a new one. */
export const finalAbbreviations: ReadonlySet<string> = new Set([
  'etc',
  'usw',
  'u.v.m',
  'ff',
  'f',
  'inc',
  'ltd',
  'corp',
  'co',
  'gmbh',
  'jr',
  'sr',
  'a.m',
  'p.m',
  'e.v',
]);

/** German months and other nouns that follow an ordinal, as in `3. Oktober`, where the full stop does not end a sentence. */
export const germanMonths =
  /^(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Quartal|Halbjahr|Jahrhundert|Tag|Tages|Monat|Monats|Jahr|Jahres|Woche|Kapitel|Abschnitt|Absatz|Stufe|Stock|Lebensjahr|Lebensjahres|Werktag|Werktages|Kalendertag|Auflage|Mal)\b/u;

/** Words before a number with a full stop that make it an ordinal: `am 3.`, `die 2.`. */
export const germanOrdinalLeads =
  /(?:^|\s)(?:am|vom|zum|beim|zur|der|die|das|des|dem|den|jede[nrsm]?)\s+\d{1,4}\.\s*$/iu;

/** Words that start a sentence far more often than they follow an ordinal. */
export const germanSentenceStarts =
  /^(?:Der|Die|Das|Den|Dem|Des|Dies|Diese[rsnm]?|Ein|Eine[rsnm]?|Er|Sie|Es|Wir|Wenn|Falls|Sofern|Soweit|Im|In|Am|An|Auf|Bei|Beim|Für|Mit|Nach|Vor|Von|Zu|Zum|Zur|Über|Unter|Durch|Ohne|Alle|Jede[rsnm]?|Kein|Keine[rsnm]?|Nur|Auch|Dabei|Danach|Hierbei|Weitere)\s/u;

/** Words before a single capital with a full stop that make the capital a label, not an initial: `Annex A. The next sentence`. */
export const letteredNames =
  /(?:annex|appendix|section|part|table|figure|type|class|level|category|option|step|anhang|anlage|teil|tabelle|typ|klasse|stufe|variante)\s+\p{Lu}\.\s*$/iu;
