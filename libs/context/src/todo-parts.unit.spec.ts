import { describe, expect, it } from 'vitest';
import type { PhaseState } from '@phaseline/domain';
import { renderExperiences } from './experiences-part.js';
import { renderOwedTodos } from './owed-part.js';
import { adaptDuty, renderRewindDuty } from './todo-duties.js';

const TOOLS = ['todo_complete', 'todo_rewind'];
const state = (plan: object, tools: readonly string[] = TOOLS, routes: object = {}): PhaseState =>
  ({ start: { terms: { tools }, plan, routes }, todos: { list: [{}] } }) as unknown as PhaseState;

describe('the part on lists that were abandoned', () => {
  it('is empty if no list was abandoned', () => {
    expect(renderOwedTodos(state({}))).toEqual([]);
  });

  it('contains the reason and the reference of every owed todo', () => {
    const obligations = Array.from({ length: 100 }, (_, index) => ({
      phase: 4,
      id: index,
      content: 'x'.repeat(3_000),
    }));
    const text = renderOwedTodos(
      state({ rewound: { phase: 4, issue: 'No\nway', pattern: 'same-call' }, obligations }),
    ).join('\n');
    expect(text).toContain('## The list of phase 4 was abandoned\nThe phase was stuck (same-call). The reason: No way');
    for (const { id } of obligations) expect(text).toContain(`- 4-${id}: x`);
    expect(text.length).toBeLessThan(60_000);
  });
});

describe('experiences in the prompt', () => {
  it('are the items of the file with their headings, newest first, in any list format', () => {
    const file =
      '# Experiences\r\n\r\nText.\r\n\r\n## Lessons learned\r\n\r\n- One\r\n- Two\r\n\r\n## By hand\n* Three\n';
    expect(renderExperiences(file).slice(3)).toEqual([
      '- By hand: Three',
      '- Lessons learned: Two',
      '- Lessons learned: One',
    ]);
    expect(renderExperiences(undefined)).toEqual([]);
    expect(renderExperiences('# Experiences\n\nNothing yet.\n')).toEqual([]);
  });

  it('are limited, and the omitted ones are counted', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `- lesson ${index} ${'x'.repeat(200)}`);
    const part = renderExperiences(`## Lessons\n\n${lines.join('\n')}\n`);
    expect(part.join('\n').length).toBeLessThan(4_500);
    expect(part[3]).toContain('lesson 299 ');
    expect(part.at(-1)).toMatch(/^\[2\d\d older ones omitted/);
  });
});

describe('the duties of a phase', () => {
  const duty = 'Call todo_complete after each todo.';
  it('name the todo tools that the agent has', () => {
    expect(adaptDuty(state({}), duty)).toBe(duty);
    expect(adaptDuty(state({}, ['complete_todo']), duty)).toBe('Call complete_todo after each todo.');
    expect(adaptDuty(state({}, ['add_todo']), 'Do not change the plan or add work.')).toMatch(/add it with add_todo/);
  });

  it('mention todo_rewind only if the agent can use it', () => {
    const rewind = { outcome: 'rewound', gates: [] };
    expect(renderRewindDuty(state({}, TOOLS, { rewind }))[0]).toContain('todo_rewind');
    expect(renderRewindDuty(state({}))).toEqual([]);
    expect(renderRewindDuty(state({}, ['todo_complete'], { rewind }))).toEqual([]);
  });
});
