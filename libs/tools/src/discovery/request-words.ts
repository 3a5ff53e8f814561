import { PHRASES, QUESTIONS, SAME_MEANING } from './same-meaning.js';
import { stemOf, wordsOf } from './words-of.js';

/** A word that a tool may be found by, and how much it counts beside one that was said. */
export interface Wanted {
  readonly word: string;
  readonly weight: number;
}

/** What a word counts that only means the same as one of the request. */
const SAME_MEANING_WEIGHT = 0.55;
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
export const requestWords: ReadRequest = (request) => {
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
    ]),
    ...asked.filter((word) => !said.includes(word)).map((word) => [{ word, weight: QUESTION_WEIGHT }]),
  ];
};
