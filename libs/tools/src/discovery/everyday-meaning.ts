import { EVERYDAY_WORDS_OF_MACHINES } from './everyday-words-of-machines.js';
import { EVERYDAY_WORDS_OF_PEOPLE } from './everyday-words-of-people.js';
import { stemOf, wordsOf } from './words-of.js';

interface Saying {
  /** Stems one after the other; a gap takes up to three words. */
  readonly parts: readonly string[];
  /** Words for what is meant; of each list, one is enough. */
  readonly meant: readonly (readonly string[])[];
}

const GAP = '*';
const GAP_AT_MOST = 3;

const sayings = new Map<string, Saying>();
const single = new Map<string, readonly string[]>();
const themes = [...Object.values(EVERYDAY_WORDS_OF_PEOPLE), ...Object.values(EVERYDAY_WORDS_OF_MACHINES)];
for (const line of themes.flatMap((theme) => theme.trim().split('\n'))) {
  const [said = '', meaning = ''] = line.split(' > ');
  const meant = meaning.split(' + ').map((words) => [...new Set(wordsOf(words))]);
  for (const one of said.split(', ')) {
    const parts = spoken(one);
    const key = parts.join(' ');
    if (parts.length > 1) sayings.set(key, { parts, meant: [...(sayings.get(key)?.meant ?? []), ...meant] });
    else single.set(key, [...new Set([...(single.get(key) ?? []), ...meant.flat()])]);
  }
}
// The longer one says more, so it goes first.
const longestFirst = [...sayings.values()].sort((one, other) => other.parts.length - one.parts.length);
const byFirst = Map.groupBy(longestFirst, ({ parts }) => parts[0]!);

/** What a single stem means in words of the trade, if it is an everyday word. */
export function meantBy(stem: string): readonly string[] {
  return single.get(stem) ?? [];
}

/** For each saying of several words in a request, the words for what is meant. No word is part of two sayings. */
export function sayingsIn(request: string): readonly (readonly string[])[] {
  const stems = spoken(request);
  const found: (readonly string[])[] = [];
  const taken = new Set<number>();
  for (let start = 0; start < stems.length; start += 1) {
    for (const { parts, meant } of byFirst.get(stems[start]!) ?? []) {
      const places = placesOf(parts, stems, start);
      if (places === undefined || places.some((place) => taken.has(place))) continue;
      for (const place of places) taken.add(place);
      found.push(...meant);
      break;
    }
  }
  return found;
}

/** Where the parts of a saying stand from a word on, or nothing. A gap is as short as it can be. */
function placesOf(parts: readonly string[], stems: readonly string[], start: number): readonly number[] | undefined {
  const places: number[] = [];
  let next = start;
  let reach = 0;
  for (const part of parts) {
    if (part === GAP) {
      reach = GAP_AT_MOST;
      continue;
    }
    const place = stems.indexOf(part, next);
    if (place < 0 || place > next + reach) return undefined;
    places.push(place);
    next = place + 1;
    reach = 0;
  }
  return places;
}

/** Every word as a stem, filling words too: sayings are made of them. */
function spoken(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+|\*/gu) ?? []).map(stemOf);
}
