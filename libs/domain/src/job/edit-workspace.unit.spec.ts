import { describe, expect, it } from 'vitest';
import { buildPhaseStart } from '../testing/phase-start.js';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseState } from '../phase/phase-state.js';
import { applyEdits, editWorkspace, type FileEdit } from './edit-workspace.js';

const entry = (letter: string) => ({ hash: letter.repeat(64), size: 3, writtenAt: '2026-01-01T00:00:00.000Z' });
const NOW = new Date('2026-01-01T00:00:00.000Z');
const tree = { 'notes.md': entry('a'), 'src/main.ts': entry('b') };
const edit = (change: Partial<FileEdit>, phase?: PhaseState) =>
  editWorkspace(tree, phase, 'ada', { path: 'notes.md', file: entry('c'), ...change }, NOW);

describe('the edit of a file by a person', () => {
  it('is kept for the next phase while none is active, with the hash of what it replaces', () => {
    expect(edit({ expected: 'a'.repeat(64), reason: 'typo' })).toEqual({
      kind: 'record',
      job: [
        {
          type: 'WorkspaceEdited',
          data: { actor: 'ada', path: 'notes.md', file: entry('c'), previousHash: 'a'.repeat(64), reason: 'typo' },
        },
      ],
      activePhase: [],
    });
  });

  it('reaches an active phase as a file of a person and as a message that names the file', () => {
    const phase = foldPhase([buildPhaseStart()])!;
    const decision = edit({}, phase);
    expect(decision).toMatchObject({ kind: 'record', job: [{ data: { phase: phase.start.identity.phase } }] });
    const changed = foldPhase(decision.kind === 'record' ? decision.activePhase : [], phase)!;
    expect(changed.tree['notes.md']).toEqual(entry('c'));
    expect(JSON.stringify(changed.conversation.pendingNotices)).toContain(
      'Message from ada: I wrote the file notes.md',
    );
  });

  it.each([
    ['another hash', { expected: 'f'.repeat(64) }, 'notes.md has other content now'],
    ['a file that was expected to be new', { expected: 'none' as const }, 'notes.md exists'],
    ['a missing file that was expected', { path: 'gone.md', expected: 'a'.repeat(64) }, 'there is no file gone.md'],
  ])('is refused for %s, so that no concurrent change is lost', (_what, change, reason) => {
    expect(edit(change)).toMatchObject({ kind: 'file-changed', reason: expect.stringContaining(reason) });
  });

  it.each(['archive/phase-1.md', 'tool_results/a.txt', 'sources/web/a.md'])(
    'is refused for the evidence %s',
    (path) => {
      expect(edit({ path })).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('managed by the system'),
      });
    },
  );

  it('is refused where a file would be a folder, or a folder a file', () => {
    expect(edit({ path: 'src' })).toMatchObject({ kind: 'refused', reason: 'src is a folder' });
    expect(edit({ path: 'notes.md/a' })).toMatchObject({ kind: 'refused' });
  });

  it('with the content and the mode that the file has records nothing', () => {
    expect(edit({ file: entry('a') }).kind).toBe('nothing-to-do');
    expect(edit({ file: { ...entry('a'), mode: 'executable' } }).kind).toBe('record');
  });
});

it('edits apply in their order, and leave the tree that they start from unchanged', () => {
  const edits = [
    { actor: 'ada', path: 'new.md', file: entry('d') },
    { actor: 'ada', path: 'notes.md' },
    { actor: 'ada', path: 'new.md', file: entry('e') },
  ];
  expect(applyEdits(tree, edits)).toEqual({ 'src/main.ts': entry('b'), 'new.md': entry('e') });
  expect(Object.keys(tree)).toEqual(['notes.md', 'src/main.ts']);
});
