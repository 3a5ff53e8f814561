import type { Check } from '@phaseline/checks';
import { expect, it } from 'vitest';
import { createWorkflowTodos } from './workflow-todos.js';

const precedent: Check = { call: { tool: 'query_traces', since: 'phase' } };
const report: Check = { file: { path: 'report.md' } };

it('a check of a tool that the phase does not offer is left out, and all others stay', () => {
  const todos = createWorkflowTodos(
    [
      { content: 'Look', checks: [precedent] },
      { content: 'Write', checks: [precedent, report] },
      { content: 'Read', checks: [{ call: { tool: ['read_file', 'list_*'] } }] },
      'Rest',
    ],
    ['list_files'],
  );
  expect(todos.map(({ outputs }) => outputs)).toEqual([
    undefined,
    [report],
    [{ call: { tool: ['read_file', 'list_*'] } }],
    undefined,
  ]);
  expect(todos.map(({ id, content }) => `${id} ${content}`)).toEqual(['1 Look', '2 Write', '3 Read', '4 Rest']);
});

it('a check of an offered tool stays', () => {
  const [todo] = createWorkflowTodos([{ content: 'Look', checks: [precedent] }], ['query_traces']);
  expect(todo!.outputs).toEqual([precedent]);
});
