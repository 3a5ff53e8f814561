import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Throttle } from './throttle.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('runs the first action at once, and the last of those that follow after the interval', () => {
  const throttle = new Throttle(1_000);
  const ran: string[] = [];
  for (const name of ['a1', 'a2', 'a3']) throttle.run('a', () => ran.push(name));
  throttle.run('b', () => ran.push('b1'));
  expect(ran).toEqual(['a1', 'b1']);
  vi.advanceTimersByTime(1_000);
  expect(ran).toEqual(['a1', 'b1', 'a3']);
  throttle.run('a', () => ran.push('a4'));
  expect(ran).toHaveLength(3);
  vi.advanceTimersByTime(5_000);
  expect(ran.at(-1)).toBe('a4');
  expect(vi.getTimerCount()).toBe(0);
});

it('runs nothing after it was stopped', () => {
  const throttle = new Throttle(1_000);
  let count = 0;
  for (let run = 0; run < 3; run += 1) throttle.run('a', () => (count += 1));
  throttle.stop();
  vi.advanceTimersByTime(5_000);
  expect(count).toBe(1);
});
