import { expect, it } from 'vitest';
import { getEndPoint } from './refuse-end.js';

it('the end of a phase of another agent than that of the job is a SubagentStop', () => {
  expect(getEndPoint({ identity: { isSubagent: true } } as never)).toBe('SubagentStop');
  expect(getEndPoint({ identity: {} } as never)).toBe('Stop');
});
