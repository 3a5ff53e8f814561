/** Words that occur in most requests and do not distinguish tools. */
const STOP_WORDS = new Set(
  (
    'a about am an and another any anything are as at be been by can could did do does else for from give had has have here how i if ' +
    'in into is it ' +
    'its just lately let me my of on or our please should so some somebody someone something tell than that the their them then ' +
    'there these they this those to up us want was we were what when where which who whose why will with would you your'
  ).split(' '),
);

/**
 * Returns the search words of a text or name: split at case changes, underscores and punctuation, in lower case, without stop
 * words, and reduced to stems, so that `listing`, `lists` and `list` are the same.
 */
export function extractSearchWords(text: string): readonly string[] {
  const split = text
    .replace(/(?<=\p{Ll}|\d)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .replace(/['’]s\b/g, '')
    .toLowerCase();
  return (split.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stemWord);
}

/** Longer strings are not words and are not stemmed. */
const MAX_WORD_CHARACTERS = 60;

const DOUBLED_CONSONANT = /([bdfgmnprt])\1$/;

/**
 * Returns the stem of an English word: without plural, `-ing`, `-ed` and a silent `e`. Deliberately crude: request and tool only
 * need the same stem, and cutting too much does more harm than cutting too little.
 */
export function stemWord(word: string): string {
  let stem = word;
  if (stem.length > 4 && stem.endsWith('ies')) stem = `${stem.slice(0, -3)}y`;
  else if (stem.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.length > 3 && /[^su]s$/.test(stem)) stem = stem.slice(0, -1);
  const cut = stem.length > MAX_WORD_CHARACTERS ? undefined : /^(.*)(?:ing|ed)$/.exec(stem)?.[1];
  if (cut !== undefined && cut.length > 2 && /[aeiouy]/.test(cut))
    stem = DOUBLED_CONSONANT.test(cut) ? cut.slice(0, -1) : cut;
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}
