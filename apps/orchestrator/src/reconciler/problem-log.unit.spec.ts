import { describe, expect, it } from 'vitest';
import { ProblemLog } from './problem-log.js';

describe('problems of streams', () => {
  it('are told once while they stay, again when they change, and anew when they come back', () => {
    const told: string[] = [];
    const problems = new ProblemLog((subject, error) => told.push(`${subject}: ${(error as Error).message}`));
    const pass = (...reports: [string, string][]): number => {
      for (const [subject, message] of reports) problems.report(subject, new Error(message));
      return problems.endPass();
    };
    expect(pass(['a', 'broken'], ['b', 'odd'])).toBe(2);
    expect(pass(['a', 'broken'], ['b', 'odd'])).toBe(2);
    expect(told.splice(0)).toEqual(['a: broken', 'b: odd']);
    expect(pass(['a', 'worse'])).toBe(1);
    expect(told.splice(0)).toEqual(['a: worse']);
    expect(pass()).toBe(0);
    expect(pass(['a', 'worse'], ['b', 'odd'])).toBe(2);
    expect(told).toEqual(['a: worse', 'b: odd']);
  });
});
