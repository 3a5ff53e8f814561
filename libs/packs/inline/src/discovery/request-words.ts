import { PHRASES, QUESTIONS, SAME_MEANING } from './same-meaning.js';
import { stemOf, wordsOf } from './words-of.js';

/** A search word and its weight relative to a word of the request itself. */
export interface Wanted {
  readonly word: string;
  readonly weight: number;
}

/** Weight of a synonym of a word in the request. */
const SYNONYM_WEIGHT = 0.55;
/** Weight of a word that a question such as "who" implies. */
const QUESTION_WEIGHT = 0.3;

const groups = SAME_MEANING.trim()
  .split('\n')
  .map((line) => [...new Set(line.split(' ').map(stemOf))]);
const synonyms = new Map<string, readonly string[]>();
for (const word of new Set(groups.flat()))
  synonyms.set(
    word,
    [...new Set(groups.filter((group) => group.includes(word)).flat())].filter((one) => one !== word),
  );

/** Turns a request into groups of search words. Of each group, only the word with the best score counts. */
export type ReadRequest = (request: string) => readonly (readonly Wanted[])[];

/** Returns the words of a request without synonyms. */
export const plainWords: ReadRequest = (request) => [...new Set(wordsOf(request))].map((word) => [{ word, weight: 1 }]);

/** Returns the words of a request, each with its synonyms, and the words that its questions imply. */
export const requestWords: ReadRequest = (request) => {
  const plain = PHRASES.reduce(
    (text, [phrase, meaning]) => text.replace(phrase, ` ${meaning} `),
    request.toLowerCase(),
  );
  const stated = [...new Set(wordsOf(plain))];
  const implied = QUESTIONS.filter(([words]) => words.test(plain)).flatMap(([, meaning]) => wordsOf(meaning));
  return [
    ...stated.map((word) => [
      { word, weight: 1 },
      ...(synonyms.get(word) ?? []).map((other) => ({ word: other, weight: SYNONYM_WEIGHT })),
    ]),
    ...implied.filter((word) => !stated.includes(word)).map((word) => [{ word, weight: QUESTION_WEIGHT }]),
  ];
};
