import { describe, expect, it } from 'vitest';
import { renderArchive } from './todo-archive.js';
import type { Todo } from './todo.js';

const todos: readonly Todo[] = [
  { id: 1, content: 'A', status: 'done', note: 'went well' },
  { id: 2, content: 'B', status: 'open', covers: ['2-7'] },
  { id: 3, content: 'C', status: 'open' },
];
const phase = { phase: 4, name: 'Work', endedAt: '2030-01-01T00:00:00.000Z', todos, summary: ['- Calls: 3'] };

describe('the archive of a list', () => {
  it('lists completed, started and pending todos, the notes, and why the list was abandoned', () => {
    expect(renderArchive({ ...phase, rewound: { issue: 'No way.\nNone.' } })).toBe(
      [
        '# Phase 4: Work',
        '',
        'Archived: 2030-01-01T00:00:00.000Z',
        '',
        '## Failure',
        '',
        'The agent abandoned this list.',
        '',
        '> No way.',
        '> None.',
        '',
        '## Completed (1)',
        '',
        '- [x] 1. A',
        '',
        '## In progress (1)',
        '',
        '- [ ] 2. B (covers 2-7)',
        '',
        '## Pending (1)',
        '',
        '- [ ] 3. C',
        '',
        '## Notes',
        '',
        '- 1: went well',
        '',
        '## Summary',
        '',
        '- Calls: 3',
        '',
      ].join('\n'),
    );
  });

  it('shows as in progress what the agent reported as started', () => {
    const said = todos.map((todo) => (todo.id === 3 ? { ...todo, started: true as const } : todo));
    const text = renderArchive({ ...phase, todos: said, rewound: { issue: 'x', pattern: 'same-call' } });
    expect(text).toMatch(
      /Stuck: same-call\.[\s\S]*In progress \(1\)\n\n- \[ \] 3\. C\n\n## Pending \(1\)\n\n- \[ \] 2\. B/,
    );
  });

  it('names the blocked todos apart, each with its reason, and counts each todo once', () => {
    const said = todos.map((todo) =>
      todo.id === 2 ? { ...todo, started: true as const, blocked: 'No access\nto it.' } : todo,
    );
    expect(renderArchive({ ...phase, todos: said })).toContain(
      [
        ...['## In progress (1)', '', '- [ ] 3. C', ''],
        ...['## Blocked (1)', '', '- [ ] 2. B (covers 2-7) (blocked: No access to it.)', ''],
        ...['## Pending (0)', ''],
      ].join('\n'),
    );
  });

  it('has no failure section if the list was not abandoned', () => {
    expect(renderArchive(phase)).not.toContain('Failure');
  });
});
