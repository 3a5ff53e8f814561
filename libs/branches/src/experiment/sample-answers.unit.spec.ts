import { expect, it } from 'vitest';
import type { RecordedAnswer } from '../point/recorded-answer.js';
import { sampleAnswers } from './sample-answers.js';

const answers = Array.from({ length: 23 }, (_, index): RecordedAnswer => ({
  phase: 1,
  step: index,
  position: index * 10,
  before: index * 10 - 1,
  calls: [],
}));
const stepsOf = (count: number, job: number): number[] => sampleAnswers(answers, count, job).map(({ step }) => step);

it('one answer of each equal part of a job is sampled, all of a short one', () => {
  expect(stepsOf(4, 0)).toEqual([0, 5, 11, 17]);
  expect(stepsOf(23, 5)).toEqual(answers.map(({ step }) => step));
  expect(stepsOf(100, 5)).toHaveLength(23);
});

it('twenty jobs together are sampled at every answer, always at the same', () => {
  const sampled = new Set(Array.from({ length: 20 }, (_, job) => stepsOf(4, job)).flat());
  expect([...sampled].sort((left, right) => left - right)).toEqual(answers.map(({ step }) => step));
  expect(stepsOf(4, 7)).toEqual(stepsOf(4, 7));
});
