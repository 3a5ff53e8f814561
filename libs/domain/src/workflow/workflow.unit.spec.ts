import { describe, expect, it } from 'vitest';
import { workflowSchema } from './workflow.js';

const planned = { to: 'execute', gates: ['todos-file'] };
const workflow = (execute: object, review: object = {}) =>
  workflowSchema.safeParse({
    name: 'w',
    version: 1,
    start: 'review',
    states: {
      review: { kind: 'strategic', title: 'R', todos: ['x'], finish: 'planned', outcomes: { planned }, ...review },
      execute: { kind: 'tactical', title: 'E', todos: 'from-file', finish: 'done', ...execute },
    },
  });
const done = { to: 'review' };
const problems = (parsed: ReturnType<typeof workflow>) =>
  parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a workflow', () => {
  it('may have outcomes for rewinds and for exhausted plans', () => {
    const rewound = { to: 'review', todos: ['Think again'] };
    expect(problems(workflow({ rewind: 'rewound', outcomes: { done, rewound } }))).toEqual([]);
    expect(problems(workflow({ rewind: 'over', outcomes: { done, over: { end: 'failed' } } }))).toEqual([]);
    const finishing = { to: 'review', gates: ['plan-exhausted'] };
    expect(
      problems(workflow({ outcomes: { done } }, { exhausted: 'finishing', outcomes: { planned, finishing } })),
    ).toEqual([]);
  });

  it.each([
    [
      'an outcome that does not exist',
      { rewind: 'back', outcomes: { done } },
      /execute\.rewind: expected one of.*done/,
    ],
    [
      'a rewind that skips planning',
      { rewind: 'again', outcomes: { done, again: { to: 'execute', gates: ['todos-file'] } } },
      /execute\.rewind: .*must lead to a strategic state/,
    ],
    [
      'a rewind that completes the job',
      { rewind: 'over', outcomes: { done, over: { end: 'completed' } } },
      /execute\.rewind: .*or to a failed end/,
    ],
    [
      'an exhausted outcome in a tactical state',
      { exhausted: 'done', outcomes: { done } },
      /execute\.exhausted: only a strategic/,
    ],
  ])('is rejected with %s', (_what, execute, expected) => {
    expect(problems(workflow(execute)).join('\n')).toMatch(expected);
  });

  it('is rejected with a rewind of a strategic state', () => {
    const found = problems(workflow({ outcomes: { done } }, { rewind: 'planned' }));
    expect(found.join('\n')).toMatch(/review\.rewind: only a tactical state can be rewound/);
  });

  it.each([
    ['neither todos nor a controller', { todos: undefined, finish: undefined }, /review\.todos: expected todos/],
    ['todos and a controller', { controller: { tool: 'decide' } }, /review\.todos: the 'controller' decides/],
    [
      'gates beside a controller',
      { todos: undefined, finish: undefined, controller: { tool: 'decide' } },
      /review\.outcomes: planned: .* remove its gates and checks/,
    ],
    [
      'an outcome that a controller and checks name',
      {
        ...{ todos: undefined, finish: undefined, controller: { tool: 'decide' } },
        outcomes: { planned: { end: 'completed', when: [{ file: { path: 'a' } }] } },
      },
      /review\.outcomes\.planned\.when: the result of the 'controller'/,
    ],
    [
      'an objective for no model',
      { todos: undefined, finish: undefined, objective: 'Think.', controller: { tool: 'decide' } },
      /review\.objective: expected 'after'/,
    ],
    ['an objective beside todos', { objective: 'Think.' }, /review\.objective: expected a 'controller'/],
  ])('is rejected with %s', (_what, review, expected) => {
    expect(problems(workflow({ todos: ['x'], outcomes: { done } }, review)).join('\n')).toMatch(expected);
  });
});
