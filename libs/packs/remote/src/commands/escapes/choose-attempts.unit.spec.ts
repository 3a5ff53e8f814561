import { expect, it } from 'vitest';
import { attemptGroups } from './attempts.fixture.js';
import { chooseAttempts, SAMPLE_SIZE } from './choose-attempts.fixture.js';

const names = Object.values(attemptGroups)
  .flat()
  .map(({ name }) => name);

it('a sample has known attempts only, is the same for the same seed, and contains each kind of attack in every case', () => {
  const sample = chooseAttempts('a', 6);
  for (const chosen of sample) {
    expect(chosen.size).toBe(SAMPLE_SIZE);
    expect(names).toEqual(expect.arrayContaining([...chosen]));
    expect([...chosen]).toEqual(expect.arrayContaining(['opens a raw socket', 'survives its time limit']));
  }
  expect(chooseAttempts('a', 6)).toEqual(sample);
  expect(chooseAttempts('b', 6)).not.toEqual(sample);
});

it('six cases together make every attempt, and each case makes all on request', () => {
  expect(new Set(chooseAttempts('a', 6).flatMap((chosen) => [...chosen]))).toEqual(new Set(names));
  for (const chosen of chooseAttempts('all', 2)) expect(chosen).toEqual(new Set(names));
});
