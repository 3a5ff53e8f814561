import { describe, expect, it } from 'vitest';
import { undoChanges } from './undone-changes.js';

const change = (path: string) => ({ path, content: new Uint8Array() });

describe('undoChanges', () => {
  it('leaves out the files that are named, and records each with its reason', () => {
    const files = [change('a.md'), change('./b.md'), change('c.md')];
    const kept = undoChanges('call', files, new Map([['b.md', 'closed']]));
    expect(kept.files.map(({ path }) => path)).toEqual(['a.md', 'c.md']);
    expect(kept.events).toEqual([
      { type: 'ProtectedChangeUndone', data: { callId: 'call', path: 'b.md', reason: 'closed' } },
    ]);
    expect(kept.note).toBe('\n\nNot taken in: b.md: closed. These files have their content from before the call.');
    expect(undoChanges('call', files, new Map())).toEqual({ files, events: [], note: '' });
  });

  it('names at most 20 of thousands of files to the agent, and records all', () => {
    const paths = Array.from({ length: 5_000 }, (_, index) => `dist/${index}.js`);
    const kept = undoChanges('call', paths.map(change), new Map(paths.map((path) => [path, 'closed'])));
    expect(kept.events).toHaveLength(5_000);
    expect(kept.note.match(/closed/g)).toHaveLength(20);
    expect(kept.note).toContain('; and 4980 more files.');
  });
});
