import { expect, it } from 'vitest';
import { MAX_CLOCK_DIFFERENCE_MS, DatabaseClock } from './database-clock.js';

/** Creates adjustable clocks of a process and a database, and the DatabaseClock under test. */
function createClocks() {
  const at = { wall: 1_000_000, steady: 500, database: 2_000_000 };
  const pass = (ms: number): void => {
    for (const name of ['wall', 'steady', 'database'] as const) at[name] += ms;
  };
  const clock = new DatabaseClock({ wall: () => at.wall, steady: () => at.steady });
  /** Observes the database with a query of this duration, which the database answers in the middle by default. */
  const ask = (tookMs: number, answeredAfterMs = tookMs / 2): void => {
    const asked = clock.startObservation();
    pass(answeredAfterMs);
    const answer = at.database;
    pass(tookMs - answeredAfterMs);
    clock.observe(answer, asked);
  };
  return { at, clock, pass, ask };
}

it('returns the time of the database when the clock of the process is changed', () => {
  const { at, clock, pass, ask } = createClocks();
  ask(2);
  for (const jump of [600_000, -1_200_000, 3]) {
    at.wall += jump;
    pass(1_000);
    expect(clock.now().getTime()).toBe(at.database);
  }
});

it('follows a changed clock of the database at the next observation', () => {
  const { at, clock, ask } = createClocks();
  ask(2);
  for (const jump of [-600_000, 600_000]) {
    at.database += jump;
    ask(40);
    expect(Math.abs(clock.now().getTime() - at.database)).toBeLessThanOrEqual(20);
  }
});

it('ignores a less precise observation', () => {
  const { at, clock, ask } = createClocks();
  ask(2);
  // The event loop was blocked for five seconds after the response.
  ask(5_000, 1);
  expect(clock.now().getTime()).toBe(at.database);
});

it('reports clocks that differ by more than the limit, in either direction', () => {
  const { at, clock, ask } = createClocks();
  at.wall = at.database;
  ask(2);
  expect(clock.describeProblem()).toBeUndefined();
  at.wall += MAX_CLOCK_DIFFERENCE_MS - 10;
  expect(clock.describeProblem()).toBeUndefined();
  at.wall += 1_010;
  expect(clock.describeProblem()).toContain('31 s ahead of the database');
  at.wall -= 2 * MAX_CLOCK_DIFFERENCE_MS + 2_000;
  expect(clock.describeProblem()).toContain('31 s behind the database');
});
