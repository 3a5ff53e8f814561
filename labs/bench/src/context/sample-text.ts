import type { SeededRandom } from '@phaseline/harness';

const SUBJECTS = ['The service', 'Every archive', 'A bookkeeping system', 'The operator', 'An external auditor', 'The export', 'Each posting', 'The retention period', 'A changed record', 'The access log', 'An invoice', 'The interface']; // prettier-ignore
const VERBS = ['must keep', 'records', 'shall not alter', 'is checked against', 'has to state', 'makes available', 'refers to', 'replaces', 'is derived from', 'confirms', 'may only delete', 'documents']; // prettier-ignore
const OBJECTS = ['the original document', 'all master data', 'the sequence of numbers', 'a readable copy', 'the procedure documentation', 'the tax period', 'every change of status', 'the responsible person', 'a verifiable time', 'the business transaction', 'the chart of accounts', 'an index of its own']; // prettier-ignore
const ENDS = ['for ten years', 'without undue delay', 'before it is released', 'as far as section %s demands', 'in the form that table %s shows', 'unless clause %s says otherwise', 'at the latest on day %s', 'together with its identifier R-%s']; // prettier-ignore

/** Generates prose like that of the documents that agents read: sentences with numbers, in paragraphs, cut to `characters`. */
export function generateText(random: SeededRandom, characters: number): string {
  const parts: string[] = [];
  for (let length = 0; length < characters;) {
    const end = random.pick(ENDS).replace('%s', String(random.between(1, 4_000)));
    const sentence = `${random.pick(SUBJECTS)} ${random.pick(VERBS)} ${random.pick(OBJECTS)} ${end}.`;
    const gap = random.chance(0.15) ? '\n\n' : ' ';
    parts.push(sentence, gap);
    length += sentence.length + gap.length;
  }
  return parts.join('').slice(0, characters).trimEnd();
}

/** Draws the length of a result in characters, log-normally around `median`: mostly a page, sometimes a whole document. */
export function drawResultLength(random: SeededRandom, median: number): number {
  // Box-Muller transform; 1 - next() avoids the logarithm of 0.
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.round(Math.min(120_000, Math.max(150, median * Math.exp(normal))));
}
