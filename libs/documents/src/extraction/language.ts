/** Languages in which requirements are recognised. */
export type Language = 'en' | 'de';

const functionWords: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(
    'the of and to in is that for with be are as by this or an not on it from at shall must which may any have has if its'.split(
      ' ',
    ),
  ),
  de: new Set(
    'der die das und in zu den ist von mit nicht ein eine des dem für auf im sich werden oder sind wird auch als nach bei muss müssen einer'.split(
      ' ',
    ),
  ),
};

/** Number of words that are examined: enough to be certain, and fast for every document. */
const MAX_SAMPLE_WORDS = 4_000;

/** Guesses the language of a text from its function words. Returns undefined for other languages and for texts that are too short. */
export function guessLanguage(text: string): Language | undefined {
  const sample =
    text
      .slice(0, MAX_SAMPLE_WORDS * 8)
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.slice(0, MAX_SAMPLE_WORDS) ?? [];
  const count = (language: Language): number =>
    sample.reduce((sum, word) => sum + (functionWords[language].has(word) ? 1 : 0), 0);
  const en = count('en');
  const de = count('de');
  if (Math.max(en, de) < Math.max(2, sample.length * 0.08)) return undefined;
  return en >= de ? 'en' : 'de';
}
