import { readFileSync } from 'node:fs';
import { PHRASE_MEANINGS, QUESTION_MEANINGS } from './meanings.js';
import { stemWord, extractSearchWords } from './extract-search-words.js';

/** A search word and its weight relative to a word of the request itself. */
export interface SearchTerm {
  readonly word: string;
  readonly weight: number;
}

/** Weight of a synonym of a word in the request. */
const SYNONYM_WEIGHT = 0.55;
/** Weight of a word that a question such as "who" implies. */
const QUESTION_WEIGHT = 0.3;

/**
 * Synonyms, one group per line: verbs first, then nouns. The groups are not specific to any tool; they hold in every program that
 * has files, pages, messages or people. The relative path is the same from `src` and `dist`.
 */
const groups = readFileSync(new URL('../../words/synonyms.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => [...new Set(line.split(' ').map(stemWord))]);
const synonyms = new Map<string, readonly string[]>();
for (const word of new Set(groups.flat()))
  synonyms.set(
    word,
    [...new Set(groups.filter((group) => group.includes(word)).flat())].filter((one) => one !== word),
  );

/** Turns a request into groups of search words. Of each group, only the word with the best score counts. */
export type RequestParser = (request: string) => readonly (readonly SearchTerm[])[];

/** Returns the words of a request without synonyms. */
export const parseWithoutSynonyms: RequestParser = (request) =>
  [...new Set(extractSearchWords(request))].map((word) => [{ word, weight: 1 }]);

/** Returns the words of a request, each with its synonyms, and the words that its questions imply. */
export const parseWithSynonyms: RequestParser = (request) => {
  const plain = PHRASE_MEANINGS.reduce(
    (text, [phrase, meaning]) => text.replace(phrase, ` ${meaning} `),
    request.toLowerCase(),
  );
  const stated = [...new Set(extractSearchWords(plain))];
  const implied = QUESTION_MEANINGS.filter(([words]) => words.test(plain)).flatMap(([, meaning]) =>
    extractSearchWords(meaning),
  );
  return [
    ...stated.map((word) => [
      { word, weight: 1 },
      ...(synonyms.get(word) ?? []).map((other) => ({ word: other, weight: SYNONYM_WEIGHT })),
    ]),
    ...implied.filter((word) => !stated.includes(word)).map((word) => [{ word, weight: QUESTION_WEIGHT }]),
  ];
};
