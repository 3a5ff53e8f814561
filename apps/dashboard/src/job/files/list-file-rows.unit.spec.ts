import type { WorkspaceFile } from '@phaseline/client';
import { expect, it } from 'vitest';
import { listFileRows } from './list-file-rows.js';

const side = { hash: '0'.repeat(64), size: 2, writtenAt: '2026-01-01T00:00:00.000Z' };
const file = (path: string): WorkspaceFile => ({ path, ...side });

it('changed, new and deleted files come first, each group by path', () => {
  const changes = {
    added: [{ path: 'z.md', ...side }],
    removed: [{ path: 'm.md', ...side, size: 7 }],
    changed: [{ path: 'b.md', from: side, to: side }],
  };
  expect(listFileRows([file('a.md'), file('b.md'), file('c.md'), file('z.md')], changes)).toEqual([
    { path: 'b.md', size: 2, change: 'changed' },
    { path: 'm.md', size: 7, change: 'deleted' },
    { path: 'z.md', size: 2, change: 'new' },
    { path: 'a.md', size: 2 },
    { path: 'c.md', size: 2 },
  ]);
  expect(listFileRows([file('a.md')], undefined)).toEqual([{ path: 'a.md', size: 2 }]);
});
