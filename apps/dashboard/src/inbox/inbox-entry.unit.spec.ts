import type { InboxItem } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import { findNext, keyOfEntry, summariseEntry } from './inbox-entry.js';

const entry = (more: Partial<InboxItem>): InboxItem =>
  ({ kind: 'question', jobId: 'j', tenant: 't', agent: 'a', phase: 2, position: 9, askedAt: '', ...more }) as InboxItem;

describe('an entry of the inbox', () => {
  it('keeps its key when its position changes, and differs from others of its job', () => {
    const call = entry({ callId: 'call_1_1_1' });
    expect(keyOfEntry({ ...call, position: 10 })).toBe(keyOfEntry(call));
    const todo = { id: 3, content: '', reason: '' };
    const keys = [call, entry({ callId: 'call_1_1_2' }), entry({ kind: 'blocked-todo', todo }), entry({ phase: 3 })];
    expect(new Set(keys.map(keyOfEntry)).size).toBe(4);
  });

  it('is summarised by what it is about', () => {
    const approval = { tool: 'write_file', arguments: { path: 'a.md', content: 'x' }, argumentsHash: '' };
    expect(summariseEntry(entry({ approval }))).toBe('write_file a.md');
    expect(summariseEntry(entry({ approval: { ...approval, arguments: { n: 1 } } }))).toBe('write_file');
    expect(summariseEntry(entry({ unreadableReason: 'erased' }))).toBe('The content of the job cannot be read');
    expect(summariseEntry(entry({ blocked: { code: 'c', message: 'No key.' } }))).toBe('No key.');
  });

  it('is followed by the next one, and the last one by the one before it', () => {
    const items = [1, 2, 3].map((phase) => entry({ phase }));
    expect(findNext(items, keyOfEntry(items[0]!))).toBe(items[1]);
    expect(findNext(items, keyOfEntry(items[2]!))).toBe(items[1]);
    expect(findNext(items, 'gone')).toBe(items[0]);
    expect(findNext([items[0]!], keyOfEntry(items[0]!))).toBeUndefined();
  });
});
