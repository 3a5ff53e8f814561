import type { RecordedAnswer } from '../point/recorded-answer.js';

/** Fractional part of the golden ratio: its multiples, without their whole parts, fill the interval from 0 to 1 evenly. */
const GOLDEN = 0.618_034;

/**
 * Chooses answers of a job at which a candidate is asked: one of each of `count` equal parts of the job. Each job has other places within the parts, so that
 * many jobs together are asked everywhere; the same experiment asks at the same answers again.
 */
export function sampleAnswers(
  answers: readonly RecordedAnswer[],
  count: number,
  jobNumber: number,
): readonly RecordedAnswer[] {
  if (answers.length <= count) return answers;
  const place = (jobNumber * GOLDEN) % 1;
  return Array.from({ length: count }, (_, part) => answers[Math.floor(((part + place) * answers.length) / count)]!);
}
