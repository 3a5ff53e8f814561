const keywordOnly =
  /^`(?:MUST|MUST NOT|SHALL|SHALL NOT|SHOULD|SHOULD NOT|REQUIRED|RECOMMENDED|NOT RECOMMENDED|MAY|OPTIONAL|MUSS|MÜSSEN|DARF NICHT|SOLLTEN?|KANN)`$/;

/** Maximum words of a quoted term; a longer quotation is a sentence. */
const MAX_QUOTED_TERM_WORDS = 4;

const quotations =
  /"[^"]{1,80}"|“[^”]{1,80}”|„[^“”"]{1,80}[“”"]|«[^»]{1,80}»|»[^«]{1,80}«|‘[^’]{1,40}’(?!\p{L})|(?<![\p{L}\p{N}])'[^']{1,40}'(?!\p{L})/gu;

/**
 * Masks text that is mentioned rather than used: code, addresses and short quotations. The result has the same length, so that offsets
 * stay valid. A key word in code style (`MUST`) is not masked.
 */
export function maskSentence(sentence: string, code: readonly (readonly [number, number])[] = []): string {
  const characters = [...sentence.split('')];
  const maskRange = (from: number, to: number): void => {
    for (let i = Math.max(0, from); i < Math.min(to, characters.length); i += 1) characters[i] = 'x';
  };
  const maskCode = (from: number, to: number): void => {
    const text = sentence.slice(from, to);
    const bare = text.startsWith('`') ? text : `\`${text}\``;
    if (!keywordOnly.test(bare)) maskRange(from, to);
    else if (text.startsWith('`')) {
      characters[from] = ' ';
      characters[to - 1] = ' ';
    }
  };
  for (const [from, to] of code) maskCode(from, to);
  for (const match of sentence.matchAll(/`[^`]+`/g)) maskCode(match.index, match.index + match[0].length);
  for (const match of sentence.matchAll(/\b(?:https?|ftp|mailto|urn):[^\s<>"”)]+/gi))
    maskRange(match.index, match.index + match[0].length);
  for (const match of sentence.matchAll(quotations)) {
    if (match[0].split(/\s+/).length <= MAX_QUOTED_TERM_WORDS)
      maskRange(match.index + 1, match.index + match[0].length - 1);
  }
  return characters.join('');
}
