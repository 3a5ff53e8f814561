import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StartChanges } from '../testing/phase-start.js';
import { buildPhaseStart } from '../testing/phase-start.js';
import { evolvePhase } from '../phase/evolve-phase.js';
import type { PhaseState } from '../phase/phase-state.js';
import { listFiles, readPurposes, refreshSummary, setPurpose } from './workspace-summary.js';

const NOW = new Date('2026-11-23T12:00:00.500Z');
const LATER = new Date('2026-11-23T13:00:00.000Z');
const hash = 'a'.repeat(64);
const fileAt = (minute: number, size = 10) => ({
  hash,
  size,
  writtenAt: `2026-11-22T10:${String(minute).padStart(2, '0')}:00.000Z`,
});

function phase(tree: PhaseState['tree'] = {}, changes: StartChanges = {}): PhaseState {
  return evolvePhase(undefined, buildPhaseStart({ workspace: { tree: { ...tree } }, ...changes }));
}

const nonBlankLines = (text: string): readonly string[] => text.split('\n').filter((one) => one.trim() !== '');

describe('the summary of a workspace', () => {
  it('says when it was made, the state, and each file with its size, its last change and its purpose', () => {
    const state = phase(
      { 'a.md': fileAt(1), 'output/b.md': fileAt(2, 7), 'workspace.md': fileAt(3) },
      {
        identity: { name: 'Work', attempt: 2 },
        plan: {
          todos: [
            { id: 1, content: 'Read', status: 'done' },
            { id: 2, content: 'Write\nit', status: 'open' },
          ],
          number: 2,
          total: 4,
          obligations: [{ phase: 1, id: 3, content: 'x' }],
          rewound: { phase: 1, issue: 'No way' },
        },
      },
    );
    expect(setPurpose('# Workspace\n\nMine.\n', 'a.md', 'The notes', state, NOW)).toBe(
      [
        '# Workspace\n\nMine.\n',
        '<!-- summary: rewritten at the start of each phase; the text after the colon of a file is kept -->',
        '## Current state\n',
        '- Updated: 2026-11-23T12:00:00Z',
        '- Phase 1: Work (2 of 4) (tactical, attempt 2)',
        '- Todos: 1 of 2 done',
        '- Current todo: 2. Write it',
        '- Still owed: 1 todos of earlier lists',
        '- Abandoned list: phase 1: No way',
        '\n## Files\n',
        '- `output/b.md` (7 bytes, changed 2026-11-22T10:02:00Z)',
        '- `a.md` (10 bytes, changed 2026-11-22T10:01:00Z): The notes',
        '<!-- end of the summary -->\n',
      ].join('\n'),
    );
  });

  it('keeps the purposes and every line of the agent and of people, wherever they wrote it', () => {
    const state = phase({ 'a.md': fileAt(1), 'b.md': fileAt(2) });
    const made = setPurpose('# Workspace\n\n## Notes\n\n- kept\n', 'a.md', 'The notes', state, NOW);
    const edited = `${made
      .replace('- `b.md` (10 bytes, changed 2026-11-22T10:02:00Z)', '$&: written by hand')
      .replace('## Files', 'A line in between.\n\n## Files')}\n## Mine\n\ntext\n`;
    const after = refreshSummary(edited, state, LATER);
    expect(readPurposes(after)).toEqual(
      new Map([
        ['b.md', 'written by hand'],
        ['a.md', 'The notes'],
      ]),
    );
    expect(after).toContain('- Updated: 2026-11-23T13:00:00Z');
    expect(after).not.toContain('12:00:00Z');
    expect(nonBlankLines(after).slice(0, 3)).toEqual(['# Workspace', '## Notes', '- kept']);
    expect(nonBlankLines(after).slice(-3)).toEqual(['A line in between.', '## Mine', 'text']);
    expect(refreshSummary(after, state, LATER)).toBe(after);
  });

  it('loses nothing of any memory, also without its last line', () => {
    const line = fc.constantFrom('# Title', '## Notes', '- one', 'words', '', '## Current statement', '- `a.md`: mine');
    const lines = fc.array(line, { maxLength: 8 });
    const state = phase({ 'a.md': fileAt(1) });
    fc.assert(
      fc.property(lines, lines, lines, fc.boolean(), (before, within, after, isEnded) => {
        const block = refreshSummary('', state, NOW).trimEnd().split('\n');
        const end = block.pop()!;
        const text = [...before, ...block, ...within, ...(isEnded ? [end] : []), ...after].join('\n');
        const refreshed = refreshSummary(text, state, LATER);
        const own = nonBlankLines([...before, ...within, ...after].join('\n'));
        expect(nonBlankLines(refreshed).filter((one) => own.includes(one))).toEqual(own);
        expect(refreshed.split('<!-- summary:')).toHaveLength(2);
        expect(refreshSummary(refreshed, state, LATER)).toBe(refreshed);
      }),
    );
  });

  it('does not contain the data of Git', () => {
    const tree = {
      'repository/.git/index': fileAt(2),
      '.git/HEAD': fileAt(3),
      'repository/a.ts': fileAt(1),
      '.github/b': fileAt(1),
    };
    expect(listFiles(tree).map((line) => /`(.+)`/.exec(line)![1])).toEqual(['.github/b', 'repository/a.ts']);
    expect(listFiles({ '.git/HEAD': fileAt(3) })).toEqual(['- No files.']);
  });

  it('has few lines for 20,000 files: newest first, the others counted per folder, files with a purpose always', () => {
    const tree: Record<string, ReturnType<typeof fileAt>> = { 'deep/old.md': fileAt(0, 3) };
    for (let number = 0; number < 20_000; number += 1)
      tree[`folder-${number % 40}/${number}.md`] = fileAt(1 + (number % 50));
    tree['tool_results/1.txt'] = fileAt(59);
    tree['new.md'] = fileAt(58);
    const lines = listFiles(tree, new Map([['deep/old.md', 'Kept']]));
    expect(lines.length).toBeLessThan(50);
    expect(lines[0]).toBe('- `new.md` (10 bytes, changed 2026-11-22T10:58:00Z)');
    expect(lines.filter((line) => line.endsWith(': Kept'))).toHaveLength(1);
    expect(lines).toContain('- `tool_results/`: 1 more file, 10 bytes, changed 2026-11-22T10:59:00Z; see list_files');
    const counted = lines.map((line) => Number(/: (\d+) more files?/.exec(line)?.[1] ?? 1));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(20_003);
  });
});
