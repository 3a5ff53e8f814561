import { expect, it } from 'vitest';
import { describeSandbox } from './describe-sandbox.js';

it.each([
  [{ mechanism: 'bubblewrap', limitedBy: 'cgroup v1', hasFilter: true, reasons: [] }, 'bubblewrap, cgroup v1'],
  [
    {
      mechanism: 'unshare',
      limitedBy: 'rlimits and a watcher',
      hasFilter: false,
      reasons: ['bubblewrap: it is missing'],
    },
    'unshare, rlimits and a watcher, no filter of system calls (bubblewrap: it is missing)',
  ],
  [{ mechanism: 'none', reasons: [] }, 'none: commands are not contained'],
  [{ mechanism: null, reasons: ['no user namespaces'] }, 'commands are refused (no user namespaces)'],
] as const)('%j is described', (record, text) => {
  expect(describeSandbox({ ...record, reasons: [...record.reasons] })).toBe(text);
});
