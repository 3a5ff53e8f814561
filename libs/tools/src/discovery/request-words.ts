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

/** The words of a request, each with those that stand for the same. */
export function requestWords(request: string): readonly (readonly Wanted[])[] {
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
      ...meantBy(word).map((other) => ({ word: other, weight: EVERYDAY_WEIGHT })),
    ]),
    ...sayingsIn(request).map((meant) => meant.map((word) => ({ word, weight: SAYING_WEIGHT }))),
    ...asked.filter((word) => !said.includes(word)).map((word) => [{ word, weight: QUESTION_WEIGHT }]),
  ];
}
