import { isSameWord } from './content-words.js';
import { normaliseWords } from './similarity.js';

/** A node of the graph with the names by which texts mention it. */
export interface Entity {
  readonly label: string;
  readonly name: string;
  readonly aliases: readonly string[];
}

/** A range `[from, to)` of a text, with its words exactly as written. */
interface Range {
  readonly words: string;
  readonly from: number;
  readonly to: number;
}

export interface Mention extends Range {
  readonly label: string;
  readonly name: string;
  /** How the words name the entity: as its name or an alias, letter by letter or with other endings. */
  readonly match: 'name' | 'alias' | 'inflected';
}

/** A name in a text that no entity has: an identifier, or words in quotation marks or backticks. */
export type UnknownName = Range;

interface SearchedName {
  readonly entity: Entity;
  readonly isAlias: boolean;
  readonly words: readonly string[];
}

/** Names of entities by the first letters of their first word. Forms of one word have these letters in common. */
export type NameIndex = ReadonlyMap<string, readonly SearchedName[]>;

const keyOf = (word: string): string => word.slice(0, 3);

export function indexNames(entities: readonly Entity[]): NameIndex {
  const index = new Map<string, SearchedName[]>();
  for (const entity of entities)
    for (const [position, name] of [entity.name, ...entity.aliases].entries()) {
      const words = normaliseWords(name).split(' ').filter(Boolean);
      const [first] = words;
      if (first === undefined) continue;
      const entries = index.get(keyOf(first)) ?? [];
      entries.push({ entity, isAlias: position > 0, words });
      index.set(keyOf(first), entries);
    }
  return index;
}

/** Finds mentions from left to right. Of several names at one place, the longest counts, and an exact one before an inflected one. */
export function findMentions(text: string, names: NameIndex): readonly Mention[] {
  const tokens = tokenize(text);
  const mentions: Mention[] = [];
  for (let at = 0; at < tokens.length;) {
    const best = (names.get(keyOf(tokens[at]!.word)) ?? [])
      .flatMap((name) => matchAt(tokens, at, name))
      .sort((a, b) => b.name.words.length - a.name.words.length || Number(b.isExact) - Number(a.isExact))[0];
    if (!best) {
      at += 1;
      continue;
    }
    const { name, isExact } = best;
    const { from } = tokens[at]!;
    const { to } = tokens[at + name.words.length - 1]!;
    const match = !isExact ? 'inflected' : name.isAlias ? 'alias' : 'name';
    mentions.push({ words: text.slice(from, to), from, to, label: name.entity.label, name: name.entity.name, match });
    at += name.words.length;
  }
  return mentions;
}

/** Maximum words of a quoted name; longer quotations are sentences. */
const MAX_NAME_WORDS = 5;
const MARKED_NAME =
  /`([^`\n]{1,80})`|"([^"\n]{1,80})"|[„“]([^“”\n]{1,80})[“”]|\b(\p{Lu}[\p{Ll}\p{N}]+(?:\p{Lu}[\p{Ll}\p{N}]+)+)\b/gu;

/** Finds marked names outside of the mentions. */
export function findUnknownNames(text: string, mentions: readonly Mention[]): readonly UnknownName[] {
  return [...text.matchAll(MARKED_NAME)].flatMap((match): UnknownName[] => {
    const words = match.slice(1).find((group) => group !== undefined) ?? '';
    const from = match.index + match[0].indexOf(words);
    const to = from + words.length;
    if (words.trim() !== words || words.length < 2 || words.split(/\s+/).length > MAX_NAME_WORDS) return [];
    return mentions.some((mention) => mention.from < to && from < mention.to) ? [] : [{ words, from, to }];
  });
}

interface Token {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** Splits a text into words in lower case with their places. A name such as GateClosed is two words. */
function tokenize(text: string): readonly Token[] {
  return [
    ...text.matchAll(/\p{Lu}?[\p{Ll}\p{M}\p{N}]+|[\p{L}\p{N}\p{M}]+?(?=\p{Lu}[\p{Ll}]|[^\p{L}\p{N}\p{M}]|$)/gu),
  ].map(({ 0: word, index }) => ({ word: word.normalize('NFKC').toLowerCase(), from: index, to: index + word.length }));
}

function matchAt(
  tokens: readonly Token[],
  at: number,
  name: SearchedName,
): { readonly name: SearchedName; readonly isExact: boolean }[] {
  const found = name.words.map((word, i) => ({ word, given: tokens[at + i]?.word ?? '' }));
  if (!found.every(({ word, given }) => isSameWord(given, word))) return [];
  return [{ name, isExact: found.every(({ word, given }) => word === given) }];
}
