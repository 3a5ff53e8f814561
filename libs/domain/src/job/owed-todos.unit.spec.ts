import { describe, expect, it } from 'vitest';
import { createForkedJob } from '../fork/create-forked-job.js';
import type { Todo } from '../todo/todo.js';
import type { JobEventData } from './job-events.js';
import { evolveJob } from './evolve-job.js';
import { type JobState } from './job-state.js';
import { removeCoveredTodos, addOwedTodos, pickOwedTodos, type OwedTodos } from './owed-todos.js';

const todo = (id: number, content: string, covers?: string[]): Todo => ({
  id,
  content,
  status: 'open',
  ...(covers ? { covers } : {}),
});
const ended = (changes: Partial<JobEventData<'PhaseEnded'>>): JobEventData<'PhaseEnded'> => ({
  phase: 2,
  result: { kind: 'completed', outcome: 'rewound' },
  spending: { steps: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
  ...changes,
});
const dispatched = (kind: 'strategic' | 'tactical', ...todos: Todo[]): JobEventData<'PhaseDispatched'> => ({
  phase: 3,
  attempt: 1,
  state: 's',
  kind,
  name: 'n',
  todos,
  allowance: {},
});

const left = [
  { phase: 2, id: 1, content: 'A' },
  { phase: 2, id: 2, content: 'B' },
];
const rewound = ended({ rewound: { issue: 'no' }, openTodos: left });
const afterRewind = { ...addOwedTodos({}, rewound) } as OwedTodos;

describe('the todos a job owes', () => {
  it('are those a rewound list left open, until a later list accounts for them', () => {
    expect(afterRewind).toEqual({ obligations: left, rewound: { phase: 2, issue: 'no' }, rewinds: 1 });
    expect(removeCoveredTodos(afterRewind, dispatched('strategic', todo(1, 'A'), todo(2, 'B')))).toEqual({});
    expect(removeCoveredTodos(afterRewind, dispatched('tactical', todo(1, 'B')))).toEqual({
      obligations: [left[0]],
      rewound: undefined,
    });
    expect(removeCoveredTodos(afterRewind, dispatched('tactical', todo(1, 'All', ['2-1', '2-2'])))).toEqual({
      obligations: undefined,
      rewound: undefined,
    });
  });

  it('accumulate over several rewound lists, and so does the number of rewinds', () => {
    const more = [{ phase: 4, id: 1, content: 'C' }];
    expect(addOwedTodos(afterRewind, ended({ phase: 4, rewound: { issue: 'nor so' }, openTodos: more }))).toEqual({
      obligations: [...left, ...more],
      rewound: { phase: 4, issue: 'nor so' },
      rewinds: 2,
    });
  });

  it('are absent in a job that never abandoned a list', () => {
    expect(addOwedTodos({}, ended({ result: { kind: 'completed', outcome: 'done' } }))).toEqual({});
    expect(removeCoveredTodos({}, dispatched('tactical', todo(1, 'A')))).toEqual({});
    expect(pickOwedTodos({})).toEqual({});
  });

  it('are inherited by a fork; a retry keeps them and resets the count of rewinds', () => {
    const job = {
      ...afterRewind,
      version: 5,
      phases: 2,
      timers: {},
      definition: {},
      submitted: {},
    } as unknown as JobState;
    const fork = createForkedJob(job, { jobId: 'f', actor: 'a', labels: {} } as unknown as JobEventData<'JobForked'>);
    expect(pickOwedTodos(fork)).toEqual({ obligations: left, rewound: { phase: 2, issue: 'no' }, rewinds: 1 });
    const retried = evolveJob(job, { type: 'JobRetried', data: { actor: 'a', reason: 'again' } });
    expect(retried).toMatchObject({ obligations: left });
    expect(retried.rewinds).toBeUndefined();
  });
});
