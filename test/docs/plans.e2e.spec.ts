import { expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

it.each(findReaders('plans'))('the page of plans can be followed as %s', { timeout: 600_000 }, async (as) => {
  const blocks = await followPage('docs/how-to/plans.md', { as });
  const [preferences, waiting, approved, made, again, taken] = blocks.map(({ output }) => output);
  expect(preferences).toMatch(/capacity +\{"minutesPerDay":120,"minutesPerWeek":600\} +set/);
  expect(preferences).toMatch(/tone +neutral +default +neutral, friendly, clinical/);
  expect(waiting).toMatch(/The exit code is 3\.\n[^]*Status +needs_clarification[^]*Learn to sail[^]*Reply 'approve'/);
  expect(approved).toMatch(/is approved\.[^]*JobCompleted/);
  expect(made).toMatch(/schedule\.svg\n[^]*schedule\.ics\n[^]*schedule\.csv\n[^]*schedule_generator/);
  expect(again).toMatch(/The exit code is 3\.\n[^]*needs_clarification[^]*complete/);
  expect(taken?.trim()).toBe(`${again!.split('\n')[0]}\nThe exit code is 3.`);
});
