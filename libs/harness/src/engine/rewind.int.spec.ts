import { readFile } from 'node:fs/promises';
import { workflowSchema, type Workflow } from '@phaseline/domain';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryPack } from '@phaseline/inline-packs';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { doPlanningTodo } from './planning-todo.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, DO_THE_TODO, calls, COMPLETE_JOB, parsePrompt } from './scripts.js';

let opened: OpenStore;
let workflow: Workflow;
beforeAll(async () => {
  opened = await openStore();
  const file = new URL('../../../../workflows/phase-alternation.yaml', import.meta.url);
  workflow = workflowSchema.parse(load(await readFile(file, 'utf8')));
});
afterAll(() => opened.close());

const engine = (policy: Policy, options: Partial<EngineOptions> = {}) =>
  new Engine({ store: opened.store, policy, workflow, packs: [memoryPack], ...options });

const NAMES = { phase: 'The work', description: 'What the job asks for.' };
const planArguments = (...contents: string[]) => ({ ...NAMES, todos: contents.map((content) => ({ content })) });
const systemOf = (request: Parameters<Policy>[0]): string => request.messages[0]?.content ?? '';
const countOpenTodos = (request: Parameters<Policy>[0]): number => {
  const [, done = '0', all = '0'] = /Progress: (\d+) of (\d+) done/.exec(request.messages[1]?.content ?? '') ?? [];
  return Number(all) - Number(done);
};
/** Completes the predefined todos one after the other and gives `reply` at the last one. */
const replyAtLastTodo = (request: Parameters<Policy>[0], reply: ReturnType<typeof calls>) =>
  countOpenTodos(request) > 1 ? doPlanningTodo(request) : reply;

/** What makes a plan long enough for the workflow. */
const APPROACH =
  'The goal is what instructions.md asks for, and each phase of this plan is one step to it, which is checked at its end.';

describe('a rewound todo list', () => {
  it('returns to planning with its issue, and its open todos stay obligations until they are planned again', async () => {
    const prompts: string[] = [];
    const firstMessages: string[] = [];
    const results: string[] = [];
    const subject = engine((request) => {
      const { phase, kind, last, turn } = parsePrompt(request);
      if (turn > 0) results.push(`${phase}: ${last}`);
      if (turn === 0) {
        prompts.push(systemOf(request));
        firstMessages.push(request.messages.find(({ role }) => role === 'user')?.content ?? '');
      }
      if (phase === 1)
        return replyAtLastTodo(
          request,
          calls(['todo_write', planArguments('Gather', 'Sort by colour', 'Write')], ['todo_complete']),
        );
      if (phase === 2)
        return turn === 0
          ? calls(['read_file', { path: 'instructions.md' }], ['todo_complete', { notes: 'gathered 3' }])
          : calls(['todo_rewind', { issue: 'Nothing has a colour. Sort by size instead.' }], ['todo_complete']);
      if (phase === 3) {
        if (countOpenTodos(request) > 1) return doPlanningTodo(request);
        // The first list omits todos, then the agent tries to complete the job too early, then everything is right.
        if (!last.includes('Not written')) return call('todo_write', planArguments('Write', 'Something else'));
        if (!last.includes('job_complete')) return calls(['job_complete', { summary: 's', confidence: 1 }]);
        return COMPLETE_JOB;
      }
      return kind === 'tactical' ? DO_THE_TODO : replyAtLastTodo(request, COMPLETE_JOB);
    });
    const jobId = await subject.submit();
    await subject.run(jobId, { messages: 3 });
    const rewound = await subject.loadPhase(jobId, 2);
    expect(rewound.end).toEqual({
      kind: 'completed',
      outcome: 'rewound',
      rewound: { issue: 'Nothing has a colour. Sort by size instead.' },
    });
    expect(await subject.loadJob(jobId)).toMatchObject({
      rewinds: 1,
      rewound: { phase: 2 },
      obligations: [
        { phase: 2, id: 2, content: 'Sort by colour' },
        { phase: 2, id: 3, content: 'Write' },
      ],
    });
    const third = await subject.loadPhase(jobId, 3);
    expect(third.start).toMatchObject({
      identity: { state: 'review' },
      plan: { rewinds: 1 },
      routes: { completion: { gates: ['obligations', 'deliverables'] } },
    });
    expect(third.start.plan.todos[0]?.content).toMatch(/abandoned/);
    expect(prompts[2]).toMatch(
      /The list of phase 2 was abandoned[\s\S]*Sort by size instead[\s\S]*2-2: Sort by colour/,
    );
    expect(firstMessages[2]).toMatch(/## Experiences[\s\S]*abandoned: Nothing has a colour/);
    expect(prompts[2]).not.toContain('## Experiences');
    const archive = await readFileText(subject, jobId, 3, 'archive/phase_002.md');
    expect(archive).toMatch(/## Failure[\s\S]*Nothing has a colour[\s\S]*## Completed \(1\)[\s\S]*Gather/);
    expect(archive).toMatch(
      /## In progress \(1\)\n\n- \[ \] 2\. Sort by colour[\s\S]*## Pending \(1\)\n\n- \[ \] 3\. Write/,
    );
    expect(archive).toMatch(/## Notes\n\n- 1: gathered 3/);
    expect(results.join('\n')).toMatch(/3: Not written: these todos.*2-2 "Sort by colour"/);
    expect(results.join('\n')).not.toMatch(/3: Not written.*2-3 "Write"/);
    // Completion is refused every time because of the obligations.
    expect((await subject.loadJob(jobId)).status).not.toBe('completed');
  });

  it('lets the job end once a later list covers the open todos', async () => {
    const subject = engine((request) => {
      const { phase, kind, turn } = parsePrompt(request);
      if (phase === 1)
        return replyAtLastTodo(request, calls(['todo_write', planArguments('A', 'B', 'C')], ['todo_complete']));
      if (phase === 2) return call('todo_rewind', { issue: 'B cannot be done' });
      if (phase === 3) {
        const todos = [{ content: 'A' }, { content: 'Instead of both', covers: ['2-2', 3] }];
        return replyAtLastTodo(request, calls(['todo_write', { ...NAMES, todos }], ['todo_complete']));
      }
      return kind === 'tactical'
        ? calls(['read_file', { path: 'instructions.md' }], ['todo_complete', { notes: `turn ${turn}` }])
        : replyAtLastTodo(request, COMPLETE_JOB);
    });
    const jobId = await subject.submitAndRun();
    const job = await subject.loadJob(jobId);
    expect(job).toMatchObject({ status: 'completed', phases: 5, rewinds: 1 });
    expect(job.obligations).toBeUndefined();
    expect(job.rewound).toBeUndefined();
    const fourth = await subject.loadPhase(jobId, 4);
    expect(fourth.start.plan.todos[1]).toMatchObject({ content: 'Instead of both', covers: ['2-2', '2-3'] });
    expect(fourth.start.plan.obligations).toBeUndefined();
  });

  it('is covered also by a list that the agent writes as a file', async () => {
    const lastMessages: string[] = [];
    const subject = engine((request) => {
      const { phase, kind, last } = parsePrompt(request);
      if (phase === 1)
        return replyAtLastTodo(request, calls(['todo_write', planArguments('A', 'B')], ['todo_complete']));
      if (phase === 2) return call('todo_rewind', { issue: 'no' });
      if (phase === 3) {
        lastMessages.push(last);
        const short = 'todos:\n  - {id: 1, content: A}\n';
        const content = last.includes('was rejected') ? `${short}  - {id: 2, content: Both, covers: 2-2}\n` : short;
        return replyAtLastTodo(request, calls(['write_file', { path: 'todos.yaml', content }], ['todo_complete']));
      }
      return kind === 'tactical' ? DO_THE_TODO : replyAtLastTodo(request, COMPLETE_JOB);
    });
    const jobId = await subject.submitAndRun();
    expect(lastMessages.join('\n')).toMatch(/The plan was rejected: these todos of earlier lists.*2-2 "B"/);
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed' });
  });

  it('fails the job with the issue after too many rewinds', async () => {
    const subject = engine(
      (request) => {
        if (parsePrompt(request).kind === 'tactical')
          return call('todo_rewind', { issue: 'It is impossible, as before.' });
        return replyAtLastTodo(request, calls(['todo_write', planArguments('A')], ['todo_complete']));
      },
      { agent: { limits: { rewinds: 2 } } },
    );
    const jobId = await subject.submitAndRun();
    const job = await subject.loadJob(jobId);
    expect(job).toMatchObject({ status: 'failed', rewinds: 2, phases: 6, failure: { code: 'rewind_limit' } });
    expect(job.failure?.message).toMatch(
      /already been rewound 2 times; the last reason: It is impossible, as before\./,
    );
  });
});

describe('a plan without remaining phases', () => {
  const conclusionPolicy = (how: Policy): Policy => {
    return (request, signal) => {
      const { phase, kind } = parsePrompt(request);
      if (phase === 1) return replyAtLastTodo(request, calls(['todo_write', planArguments('A')], ['todo_complete']));
      if (kind === 'tactical') return DO_THE_TODO;
      return phase === 3
        ? replyAtLastTodo(request, asReply(how(request, signal)))
        : replyAtLastTodo(request, COMPLETE_JOB);
    };
  };
  const asReply = (reply: ReturnType<Policy>) => reply as ReturnType<typeof calls>;

  it.each<[string, Policy]>([
    ['the agent declares it complete', () => calls(['todo_write', { plan_complete: true }], ['todo_complete'])],
    [
      'every line of the plan is checked and there is no new list',
      () =>
        calls(
          ['write_file', { path: 'main_plan.md', content: `# Plan\n\n${APPROACH}\n\n- [x] Phase 1: A\n` }],
          ['todo_complete'],
        ),
    ],
  ])('is followed by the final todos when %s', async (_how, how) => {
    const subject = engine(conclusionPolicy(how));
    const jobId = await subject.submitAndRun();
    expect(await subject.loadJob(jobId)).toMatchObject({ status: 'completed', phases: 4 });
    const { start } = await subject.loadPhase(jobId, 4);
    expect(start.identity).toMatchObject({ state: 'conclude', kind: 'strategic' });
    expect(start.plan.todos.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Verify the deliverables/),
      expect.stringMatching(/^Write a report/),
      expect.stringMatching(/^Call job_complete/),
    ]);
    expect(start.workspace.tree['todos.yaml']).toBeUndefined();
  });

  it.each<[string, Policy]>([
    ['writes nothing', () => DO_THE_TODO],
    [
      'has an open phase in its plan',
      () =>
        calls(
          ['write_file', { path: 'main_plan.md', content: `${APPROACH}\n\n- [x] One\n- [ ] Two\n` }],
          ['todo_complete'],
        ),
    ],
    [
      'declares its plan complete with an open phase in it',
      () =>
        calls(
          ['write_file', { path: 'main_plan.md', content: `${APPROACH}\n\n- [x] One\n- [ ] Two\n` }],
          ['write_file', { path: 'todos.yaml', content: 'plan_complete: true\n' }],
          ['todo_complete'],
        ),
    ],
  ])('is not assumed for a strategic phase that %s', async (_what, how) => {
    const subject = engine(conclusionPolicy(how), { retries: 0 });
    const jobId = await subject.submitAndRun();
    expect(await subject.loadJob(jobId)).toMatchObject({
      status: 'failed',
      failure: { code: 'gate_rejected' },
    });
  });
});

async function readFileText(subject: Engine, jobId: string, phase: number, path: string): Promise<string> {
  const { hash } = (await subject.loadPhase(jobId, phase)).tree[path]!;
  return new TextDecoder().decode(await opened.store.blobs.get(hash));
}
