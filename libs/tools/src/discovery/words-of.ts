/** Words that stand in most requests and tell tools apart in none. */
const STOP_WORDS = new Set(
  (
    'a about am an and another any anything are as at be been by can could did do does else for from give had has have here how i if ' +
    'in into is it ' +
    'its just lately let me my of on or our please should so some somebody someone something tell than that the their them then ' +
    'there these they this those to up us want was we were what when where which who whose why will with would you your'
  ).split(' '),
);

/**
 * The words of a text or a name for searching: split at case, underscores and signs, in lower case, without filling words,
 * and reduced to a stem, so that `listing`, `lists` and `list` are one.
 */
export function wordsOf(text: string): readonly string[] {
  const split = text
    .replace(/(?<=\p{Ll}|\d)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .replace(/['’]s\b/g, '')
    .toLowerCase();
  return (split.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stemOf);
}

/** Nothing is cut off a longer word: it is none. */
const LONGEST_STEM = 60;

const DOUBLED = /([bdfgmnprt])\1$/;

/**
 * A word without the endings that English puts on it: plural, `-ing`, `-ed`, and a silent `e`. Crude on purpose: a stem only has
 * to be the same for both sides, and one that is cut too far costs more than one that is not cut.
 */
export function stemOf(word: string): string {
  let stem = word;
  if (stem.length > 4 && stem.endsWith('ies')) stem = `${stem.slice(0, -3)}y`;
  else if (stem.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.length > 3 && /[^su]s$/.test(stem)) stem = stem.slice(0, -1);
  const cut = stem.length > LONGEST_STEM ? undefined : /^(.*)(?:ing|ed)$/.exec(stem)?.[1];
  if (cut !== undefined && cut.length > 2 && /[aeiouy]/.test(cut)) stem = DOUBLED.test(cut) ? cut.slice(0, -1) : cut;
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}
