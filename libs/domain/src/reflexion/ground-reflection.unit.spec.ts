import { describe, expect, it } from 'vitest';
import { findReflectionProblem } from './ground-reflection.js';
import type { LastAttempt } from './last-attempt.js';

const attempt: LastAttempt = {
  ...{ phase: 1, kind: 'feature', task: 'feature login', reason: 'the login fails' },
  calls: [
    { name: 'run_command', arguments: '{}', outcome: 'completed' },
    { name: 'find', arguments: '{}', outcome: 'failed' },
  ],
  files: ['src/login.ts', 'Makefile'],
  tests: ['refuses a wrong password', 'unit'],
};

describe('a reflection', () => {
  it.each([
    'I assumed that run_command keeps its folder.',
    'I edited src/login.ts before I had read it.',
    'The check belongs into login.ts.',
    'The case "Refuses a wrong password" covers the empty one too.',
    'The call `find` needs a pattern.',
    'I called find() without a pattern.',
    "The verifier 'unit' ran another file.",
    'There is no target in `Makefile`.',
  ])('is accepted if it names something of the attempt: %s', (text) => {
    expect(findReflectionProblem(attempt, text)).toBeUndefined();
  });

  it.each([
    '',
    'I will be more careful next time.',
    // The ordinary words are no names.
    'I have to find the error with a unit test first.',
    'The login is wrong.',
    // Names of other things.
    'I changed src/login.tsx and other_run_command.',
    'I did not read `README.md`.',
  ])('is refused if it names nothing of the attempt: %s', (text) => {
    expect(findReflectionProblem(attempt, text)).toBe('it names no call, file or test of the attempt');
  });

  it.each([
    'archive/blocked_item-1.patch',
    'adds [two] (or more) numbers?',
    'a+b\\c|d^e$f{1}*',
    'über-morgen',
    '\ud800.md',
  ])('is accepted if it names %j, and not if it names more', (name) => {
    const only = { ...attempt, calls: [], files: [], tests: [name] };
    expect(findReflectionProblem(only, `I changed ${name}.`)).toBeUndefined();
    expect(findReflectionProblem(only, `I changed x${name}.`)).toBeDefined();
  });

  it('is refused if there is nothing to name', () => {
    const nothing = { ...attempt, calls: [], files: [''], tests: [] };
    expect(findReflectionProblem(nothing, 'run_command on src/login.ts')).toBeDefined();
  });
});
