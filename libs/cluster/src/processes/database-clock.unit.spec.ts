import { expect, it } from 'vitest';
import { CLOCK_LIMIT_MS, DatabaseClock } from './database-clock.js';

/** A process with a wall clock that can be set, and a database whose clock can be. */
function clocks() {
  const at = { wall: 1_000_000, steady: 500, database: 2_000_000 };
  const pass = (ms: number): void => {
    for (const name of ['wall', 'steady', 'database'] as const) at[name] += ms;
  };
  const clock = new DatabaseClock({ wall: () => at.wall, steady: () => at.steady });
  /** A question that takes so long, answered in the middle. */
  const ask = (tookMs: number, answeredAfterMs = tookMs / 2): void => {
    const asked = clock.ask();
    pass(answeredAfterMs);
    const answer = at.database;
    pass(tookMs - answeredAfterMs);
    clock.observe(answer, asked);
  };
  return { at, clock, pass, ask };
}

it('tells the time of the database, whatever happens to the clock of the process', () => {
  const { at, clock, pass, ask } = clocks();
  ask(2);
  for (const jump of [600_000, -1_200_000, 3]) {
    at.wall += jump;
    pass(1_000);
    expect(clock.now().getTime()).toBe(at.database);
  }
});

it('follows the database when its clock is set, at the next question', () => {
  const { at, clock, ask } = clocks();
  ask(2);
  for (const jump of [-600_000, 600_000]) {
    at.database += jump;
    ask(40);
    expect(Math.abs(clock.now().getTime() - at.database)).toBeLessThanOrEqual(20);
  }
});

it('a slow answer does not spoil what is known better', () => {
  const { at, clock, ask } = clocks();
  ask(2);
  // The event loop stood still for five seconds behind the answer.
  ask(5_000, 1);
  expect(clock.now().getTime()).toBe(at.database);
});

it('complains when the two are further apart than the limit, in either direction', () => {
  const { at, clock, ask } = clocks();
  at.wall = at.database;
  ask(2);
  expect(clock.complaint()).toBeUndefined();
  at.wall += CLOCK_LIMIT_MS - 10;
  expect(clock.complaint()).toBeUndefined();
  at.wall += 1_010;
  expect(clock.complaint()).toContain('31 s ahead of the database');
  at.wall -= 2 * CLOCK_LIMIT_MS + 2_000;
  expect(clock.complaint()).toContain('31 s behind the database');
});
