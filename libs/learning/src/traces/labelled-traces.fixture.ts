import { readFileSync } from 'node:fs';
import { SeededRandom } from '@phaseline/testing';
import type { Lesson } from './learning-trace.js';

/** A lesson that is looked for, with a question that a person would ask, in other words. */
export interface LabelledLesson {
  readonly question: string;
  readonly lesson: Lesson;
}

interface LabelledCase {
  readonly agent: string;
  readonly happened: string;
  readonly correct: string;
  readonly why: string;
  readonly question: string;
}

const cases = JSON.parse(
  readFileSync(new URL('labelled-traces.fixture.json', import.meta.url), 'utf8'),
) as readonly LabelledCase[];

/** Number of words that surround what each lesson is about, so that it has at least 300 tokens. */
const WORDS_OF_DETAIL = 260;

const verbs = ['read', 'wrote', 'opened', 'searched', 'listed', 'compared', 'ran', 'checked', 'changed', 'counted'];
const places = ['src', 'test', 'docs', 'output', 'archive', 'work', 'schemas', 'examples', 'scripts', 'locales'];

/**
 * Generates lessons of which some are labelled with a question. The others are made of sentences about other things that use the same words: each mixes
 * what happened, what was correct and why of different labelled ones, with a third of the words replaced.
 */
export function generateLabelledLessons(
  count: number,
  seed: number,
): { readonly labelled: readonly LabelledLesson[]; readonly others: readonly Lesson[] } {
  const random = new SeededRandom(seed);
  const words = cases.flatMap(
    ({ happened, correct, why }) => `${happened} ${correct} ${why}`.match(/[a-z]{4,}/g) ?? [],
  );
  const detail = (): string => {
    const parts: string[] = [];
    let length = 0;
    while (length < WORDS_OF_DETAIL) {
      const part = `Step ${random.between(1, 90)}: ${random.pick(verbs)} ${random.pick(places)}/${random.pick(words)}-${random.pick(words)}.ts, line ${random.between(1, 900)}.`;
      parts.push(part);
      length += part.split(/[\s/.-]+/).length;
    }
    return parts.join(' ');
  };
  const replaceWords = (text: string): string =>
    text.replace(/[a-z]{4,}/g, (word) => (random.chance(1 / 3) ? random.pick(words) : word));
  const build = (agent: string, happened: string, correct: string, why: string): Lesson => ({
    type: 'violation',
    source: 'enforcement_hook',
    action: 'note',
    reason: 'other',
    context: { agent, task: `Todo ${random.between(1, 12)}` },
    event: { happened, correct, why: `${why} ${detail()}` },
  });
  return {
    labelled: cases.map(({ agent, happened, correct, why, question }) => ({
      question,
      lesson: build(agent, happened, correct, why),
    })),
    others: Array.from({ length: count - cases.length }, () =>
      build(
        random.pick(cases).agent,
        replaceWords(random.pick(cases).happened),
        replaceWords(random.pick(cases).correct),
        replaceWords(random.pick(cases).why),
      ),
    ),
  };
}
