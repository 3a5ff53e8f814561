import { expect, it } from 'vitest';
import { findJobId, keepListed, summariseOutcomes } from './dead-letter-fields.js';

const JOB = '019a8f00-0000-7000-8000-00000000000a';

it('finds the job of a message only where the payload names one', () => {
  expect(findJobId({ payload: { jobId: JOB, phase: 1 } })).toBe(JOB);
  for (const payload of [{ jobId: '../x' }, { jobId: 7 }, { other: JOB }, `{"jobId":"${JOB}"}`, null, undefined, [JOB]])
    expect(findJobId({ payload })).toBeUndefined();
});

it('keeps of a selection what is still listed, in the order of the list', () => {
  expect(keepListed(new Set(['1', '3', '9']), [{ id: '3' }, { id: '2' }, { id: '1' }])).toEqual(['3', '1']);
});

it('summarises what became of several requests', () => {
  expect(summariseOutcomes([{ id: '1' }], 'sent again')).toBe('1 message sent again');
  expect(summariseOutcomes([{ id: '1' }, { id: '2' }, { id: '3', refusal: 'no' }], 'discarded')).toBe(
    '2 messages discarded, 1 refused',
  );
});
