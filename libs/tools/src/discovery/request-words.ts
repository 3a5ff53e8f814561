import { meantBy, sayingsIn } from './everyday-meaning.js';
import { PHRASES, QUESTIONS, SAME_MEANING } from './same-meaning.js';
import { stemOf, wordsOf } from './words-of.js';

/** A word that a tool may be found by, and how much it counts beside one that was said. */
export interface Wanted {
  readonly word: string;
  readonly weight: number;
}

/** What a word counts that only means the same as one of the request. */
const SAME_MEANING_WEIGHT = 0.55;
/** What a saying of several words counts, which was said, though in other words. */
const SAYING_WEIGHT = 0.7;
/** What a single everyday word may mean: less, since it often means only what it says. */
const EVERYDAY_WEIGHT = 0.3;
const QUESTION_WEIGHT = 0.3;

const groups = SAME_MEANING.trim()
  .split('\n')
  .map((line) => [...new Set(line.split(' ').map(stemOf))]);
const others = new Map<string, readonly string[]>();
for (const word of new Set(groups.flat()))
  others.set(
    word,
    [...new Set(groups.filter((group) => group.includes(word)).flat())].filter((one) => one !== word),
  );

/** Turns a request into the words that a tool may be found by, in groups; of each group, the word that says most counts. */
export type ReadRequest = (request: string) => readonly (readonly Wanted[])[];

/** Reads the words of a request alone. */
export const plainWords: ReadRequest = (request) => [...new Set(wordsOf(request))].map((word) => [{ word, weight: 1 }]);

/** Reads the words of a request, each with those that mean the same. */
export const requestWords: ReadRequest = (request) => wordsWithMeaning(request, false);

/** Reads the words of a request, each with those that mean the same, and what everyday words and sayings stand for. */
export const everydayWords: ReadRequest = (request) => wordsWithMeaning(request, true);

function wordsWithMeaning(request: string, everyday: boolean): readonly (readonly Wanted[])[] {
  const plain = PHRASES.reduce(
    (text, [phrase, meaning]) => text.replace(phrase, ` ${meaning} `),
    request.toLowerCase(),
  );
  const said = [...new Set(wordsOf(plain))];
  const asked = QUESTIONS.filter(([words]) => words.test(plain)).flatMap(([, meaning]) => wordsOf(meaning));
  return [
    ...said.map((word) => [
      { word, weight: 1 },
      ...(others.get(word) ?? []).map((other) => ({ word: other, weight: SAME_MEANING_WEIGHT })),
      ...(everyday ? meantBy(word) : []).map((other) => ({ word: other, weight: EVERYDAY_WEIGHT })),
    ]),
    ...(everyday ? sayingsIn(request) : []).map((meant) => meant.map((word) => ({ word, weight: SAYING_WEIGHT }))),
    ...asked.filter((word) => !said.includes(word)).map((word) => [{ word, weight: QUESTION_WEIGHT }]),
  ];
}
