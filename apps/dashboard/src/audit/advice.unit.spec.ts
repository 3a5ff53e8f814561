import { expect, it } from 'vitest';
import { adviseOn, describeAction, describePlace } from './advice.js';

it('advises on every family of problems', () => {
  const kinds = [
    'altered',
    'truncated',
    'anchor-other-key',
    'anchor-forged',
    'receipt-mismatch',
    'file-missing',
    'claim-not-derived',
  ];
  expect(new Set(kinds.map(adviseOn)).size).toBe(5);
});

it('names the place of a problem', () => {
  expect(describePlace({ streamId: 'job-1', version: 3 })).toBe('job-1, version 3');
  expect(describePlace({ streamId: 'job-1', version: 3, path: 'a.md' })).toBe('job-1, version 3, a.md');
  expect(describePlace({ anchor: 7 })).toBe('anchor 7');
  expect(describePlace({})).toBe('the log');
});

it('describes the types of events', () => {
  expect(['JobSubmitted', 'ToolCallRequested', 'PrincipalKeyCreated'].map(describeAction)).toEqual([
    ...['job submitted', 'tool call requested', 'principal key created'],
  ]);
});
