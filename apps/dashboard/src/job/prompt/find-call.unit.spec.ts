import type { ModelCall } from '@phaseline/client';
import { expect, it } from 'vitest';
import { findCallAt, nameCall } from './find-call.js';

const call = (step: number, attempt: number, position: number, purpose: ModelCall['purpose'] = 'work'): ModelCall => ({
  ...{ step, attempt, purpose, position },
  ...{ model: 'default', promptBuilder: 3, requestHash: '', inputTokens: 1 },
});

it('the call at a position is the last that had started', () => {
  const calls = [call(1, 1, 10), call(2, 1, 20), call(2, 2, 25)];
  expect([9, 10, 19, 20, 24, 25, 99].map((position) => findCallAt(calls, position))).toEqual([-1, 0, 0, 1, 1, 2, 2]);
  expect(findCallAt([], 5)).toBe(-1);
});

it('a call is named by its step, and by what sets it apart', () => {
  expect(nameCall(call(3, 1, 1))).toBe('Step 3');
  expect(nameCall(call(3, 2, 1))).toBe('Step 3, call 2');
  expect(nameCall(call(3, 2, 1, 'summary'))).toBe('Step 3, call 2, summary');
});
