import { describe, expect, it } from 'vitest';
import { ProblemLog } from './problem-log.js';

describe('problems of streams', () => {
  it('are reported once while they last, and again when they change or return', () => {
    const reported: string[] = [];
    const problems = new ProblemLog((subject, error) => reported.push(`${subject}: ${(error as Error).message}`));
    const pass = (...reports: [string, string][]): number => {
      for (const [subject, message] of reports) problems.report(subject, new Error(message));
      return problems.endPass();
    };
    expect(pass(['a', 'broken'], ['b', 'odd'])).toBe(2);
    expect(pass(['a', 'broken'], ['b', 'odd'])).toBe(2);
    expect(reported.splice(0)).toEqual(['a: broken', 'b: odd']);
    expect(pass(['a', 'worse'])).toBe(1);
    expect(reported.splice(0)).toEqual(['a: worse']);
    expect(pass()).toBe(0);
    expect(pass(['a', 'worse'], ['b', 'odd'])).toBe(2);
    expect(reported).toEqual(['a: worse', 'b: odd']);
  });
});
