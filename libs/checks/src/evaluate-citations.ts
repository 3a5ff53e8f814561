import type { JsonValue } from '@phaseline/basics';
import type { CitationsCheck } from './check.js';
import type { CheckInput } from './check-input.js';
import type { Lack } from './check-result.js';
import { isGlob, matchesGlob } from './pattern.js';

/** Number of words that a quotation has at least, unless the check says otherwise. Fewer words occur in any text. */
const MIN_WORDS = 3;
/** Number of quotations that are named when they are not found. */
const MAX_NAMED = 3;

/** Finds out whether the quotations of a document occur in its sources. */
export function findCitationLack(check: CitationsCheck, document: JsonValue, input: CheckInput): Lack | undefined {
  const { at, min = 1, minWords = MIN_WORDS } = check;
  const quotes = findAll(document, at.split('/').slice(1));
  if (quotes.length < min) return [`at least ${min} quotations at ${at}`, `${quotes.length}`];
  const sources = listSources(check, input.tree).flatMap((path) => input.readText(input.tree[path]!.hash) ?? []);
  const texts = sources.map((text) => ` ${toWords(text).join(' ')} `);
  const missing = quotes.filter((quote) => {
    const words = typeof quote === 'string' ? toWords(quote) : [];
    return words.length < minWords || !texts.some((text) => text.includes(` ${words.join(' ')} `));
  });
  if (missing.length === 0) return undefined;
  const named = missing.slice(0, MAX_NAMED).map((quote) => JSON.stringify(quote ?? null).slice(0, 200));
  return [
    `quotations of at least ${minWords} words that occur in ${check.in.join(' or ')}`,
    `${missing.length} of ${quotes.length} do not: ${named.join('; ')}`,
  ];
}

/** The files in which quotations are looked up. */
export function listSources({ in: paths }: CitationsCheck, tree: CheckInput['tree']): readonly string[] {
  return Object.keys(tree)
    .filter((known) => paths.some((path) => (isGlob(path) ? matchesGlob(path, known) : path === known)))
    .sort();
}

/** The values at a JSON pointer, in which `*` stands for every item or member. A value that is absent is `undefined`. */
function findAll(value: JsonValue | undefined, keys: readonly string[]): readonly (JsonValue | undefined)[] {
  const [key, ...rest] = keys;
  if (key === undefined) return [value];
  if (typeof value !== 'object' || value === null) return key === '*' ? [] : [undefined];
  if (key === '*') return Object.values(value).flatMap((member) => findAll(member as JsonValue, rest));
  const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
  const members = value as Readonly<Record<string, JsonValue>>;
  return findAll(Object.hasOwn(members, name) ? members[name] : undefined, rest);
}

/** The words of a text. Layout, markup, punctuation and the kind of quotation marks do not count; every word and their order do. */
function toWords(text: string): readonly string[] {
  return text.normalize('NFKC').match(/[\p{L}\p{N}]+/gu) ?? [];
}
