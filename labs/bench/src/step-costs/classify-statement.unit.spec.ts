import { expect, it } from 'vitest';
import { classifyStatement } from './classify-statement.js';

it.each([
  ['phaseline-append-one', 'append_one'],
  ['phaseline-append-event', 'append_one'],
  ['phaseline-append', 'append'],
  ['phaseline-read-stream', 'reads'],
  ['phaseline-read-ranges', 'reads'],
  ['phaseline-post', 'pg_notify'],
  ['bullmq_12', 'BullMQ'],
  ['phaseline-find-event', 'others'],
  [undefined, 'others'],
])('a statement prepared as %s is of the kind %s', (name, kind) => {
  expect(classifyStatement(name)).toBe(kind);
});
