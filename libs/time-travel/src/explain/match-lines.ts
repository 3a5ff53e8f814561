import { createYielder } from '@phaseline/basics';
import { diffArrays } from 'diff';

/**
 * Maximum number of removed and added lines for which the smallest difference is computed. The time grows with the square of this
 * number: 1,000 take less than a tenth of a second.
 */
const MAX_EDITS = 1_000;
/** The same for one of the parts into which a larger difference is divided. */
const MAX_EDITS_PER_PART = 200;

/** Lines of a text as numbers: equal lines have equal numbers. */
export type Lines = readonly number[];

/** Gives equal lines of any number of texts equal numbers, which are compared faster than texts. */
export class LineNumbers {
  private readonly numbers = new Map<string, number>();

  convert(lines: readonly string[]): Lines {
    return lines.map((line) => {
      const known = this.numbers.get(line);
      if (known !== undefined) return known;
      this.numbers.set(line, this.numbers.size);
      return this.numbers.size - 1;
    });
  }
}

/**
 * Finds for each line of a text the line that it was before: the result contains, for each line of `after`, the index of the same
 * line in `before`, or -1 for a line that is new. The result depends only on the texts, never on the speed of the machine. Two texts
 * with more than 1,000 changed lines are first divided at the lines that occur once in both, so that a line that occurs often may
 * count as new although a smaller difference exists. Yields to the event loop.
 */
export async function matchLines(before: Lines, after: Lines): Promise<Int32Array> {
  const matches = new Int32Array(after.length).fill(-1);
  const { prefix, suffix } = findEqualEnds(before, after);
  for (let index = 0; index < prefix; index += 1) matches[index] = index;
  for (let index = 1; index <= suffix; index += 1) matches[after.length - index] = before.length - index;
  const whole = {
    ...{ beforeFrom: prefix, beforeTo: before.length - suffix },
    ...{ afterFrom: prefix, afterTo: after.length - suffix },
  };
  if (matchPart(before, after, whole, matches, MAX_EDITS)) return matches;
  const yieldIfDue = createYielder();
  for (const part of splitAtUniqueLines(before, after, whole, matches)) {
    matchPart(before, after, part, matches, MAX_EDITS_PER_PART);
    await yieldIfDue();
  }
  return matches;
}

/** Ranges of the two texts that are compared with each other; the ends are exclusive. */
interface Part {
  readonly beforeFrom: number;
  readonly beforeTo: number;
  readonly afterFrom: number;
  readonly afterTo: number;
}

function findEqualEnds(before: Lines, after: Lines): { readonly prefix: number; readonly suffix: number } {
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before[prefix] === after[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < shorter - prefix && before.at(-1 - suffix) === after.at(-1 - suffix)) suffix += 1;
  return { prefix, suffix };
}

/** Matches the lines of a part. Returns false, and matches none, if more than `maxEdits` lines differ. */
function matchPart(before: Lines, after: Lines, part: Part, matches: Int32Array, maxEdits: number): boolean {
  const left = before.slice(part.beforeFrom, part.beforeTo);
  const right = after.slice(part.afterFrom, part.afterTo);
  if (left.length === 0 || right.length === 0) return true;
  const changes = diffArrays(left, right, { maxEditLength: maxEdits });
  if (!changes) return false;
  let from = part.beforeFrom;
  let to = part.afterFrom;
  for (const { added, removed, count } of changes) {
    if (removed) from += count;
    else if (added) to += count;
    else for (let line = 0; line < count; line += 1) matches[to++] = from++;
  }
  return true;
}

/** Matches the lines that occur once in both texts and are in the same order, and yields the parts between them. */
function* splitAtUniqueLines(before: Lines, after: Lines, whole: Part, matches: Int32Array): Generator<Part> {
  let [beforeFrom, afterFrom] = [whole.beforeFrom, whole.afterFrom];
  for (const [beforeTo, afterTo] of findAnchors(before, after, whole)) {
    yield { beforeFrom, beforeTo, afterFrom, afterTo };
    matches[afterTo] = beforeTo;
    [beforeFrom, afterFrom] = [beforeTo + 1, afterTo + 1];
  }
  yield { beforeFrom, beforeTo: whole.beforeTo, afterFrom, afterTo: whole.afterTo };
}

/** The longest list of lines that occur once in both texts and have the same order in both: pairs of their indexes. */
function findAnchors(before: Lines, after: Lines, part: Part): readonly (readonly [before: number, after: number])[] {
  const inBefore = findUniqueLines(before, part.beforeFrom, part.beforeTo);
  const pairs: [number, number][] = [];
  for (const [line, index] of findUniqueLines(after, part.afterFrom, part.afterTo)) {
    const other = inBefore.get(line);
    if (other !== undefined) pairs.push([other, index]);
  }
  pairs.sort((left, right) => left[1] - right[1]);
  return findLongestIncrease(pairs);
}

function findUniqueLines(lines: Lines, from: number, to: number): ReadonlyMap<number, number> {
  const unique = new Map<number, number>();
  const repeated = new Set<number>();
  for (let index = from; index < to; index += 1) {
    const line = lines[index]!;
    if (unique.delete(line)) repeated.add(line);
    else if (!repeated.has(line)) unique.set(line, index);
  }
  return unique;
}

/** The longest list of pairs, in their order, whose first numbers increase. */
function findLongestIncrease(pairs: readonly [number, number][]): readonly [number, number][] {
  /** For each length, the pair with the lowest first number that ends an increase of this length. */
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [index, [value]] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![0] < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : ends[low - 1]!;
    ends[low] = index;
  }
  const found: [number, number][] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index]!) found.push(pairs[index]!);
  return found.reverse();
}
