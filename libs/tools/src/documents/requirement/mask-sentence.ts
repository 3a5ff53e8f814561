const keywordOnly =
  /^`(?:MUST|MUST NOT|SHALL|SHALL NOT|SHOULD|SHOULD NOT|REQUIRED|RECOMMENDED|NOT RECOMMENDED|MAY|OPTIONAL|MUSS|MÜSSEN|DARF NICHT|SOLLTEN?|KANN)`$/;

/** A quotation of more words than this is a sentence of its own, not a term that is being talked about. */
const QUOTED_TERM_WORDS = 4;

const quotations =
  /"[^"]{1,80}"|“[^”]{1,80}”|„[^“”"]{1,80}[“”"]|«[^»]{1,80}»|»[^«]{1,80}«|‘[^’]{1,40}’(?!\p{L})|(?<![\p{L}\p{N}])'[^']{1,40}'(?!\p{L})/gu;

/**
 * Blanks out what is named but not said: code, addresses and short quotations. The result has the same length, so that
 * offsets hold. A key word that is merely set in code type (`MUST`) stays.
 */
export function maskSentence(sentence: string, code: readonly (readonly [number, number])[] = []): string {
  const characters = [...sentence.split('')];
  const cover = (from: number, to: number): void => {
    for (let i = Math.max(0, from); i < Math.min(to, characters.length); i += 1) characters[i] = 'x';
  };
  const coverCode = (from: number, to: number): void => {
    const text = sentence.slice(from, to);
    const bare = text.startsWith('`') ? text : `\`${text}\``;
    if (!keywordOnly.test(bare)) cover(from, to);
    else if (text.startsWith('`')) {
      characters[from] = ' ';
      characters[to - 1] = ' ';
    }
  };
  for (const [from, to] of code) coverCode(from, to);
  for (const match of sentence.matchAll(/`[^`]+`/g)) coverCode(match.index, match.index + match[0].length);
  for (const match of sentence.matchAll(/\b(?:https?|ftp|mailto|urn):[^\s<>"”)]+/gi))
    cover(match.index, match.index + match[0].length);
  for (const match of sentence.matchAll(quotations)) {
    if (match[0].split(/\s+/).length <= QUOTED_TERM_WORDS) cover(match.index + 1, match.index + match[0].length - 1);
  }
  return characters.join('');
}
