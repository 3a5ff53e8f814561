import { readFile } from 'node:fs/promises';
import { workflowSchema, type Workflow } from '@phaseline/domain';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryPack } from '@phaseline/tools';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, calls, finish, where } from './scripts.js';

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

const plan = (...contents: string[]) => ({ todos: contents.map((content) => ({ content })) });
const systemOf = (request: Parameters<Policy>[0]): string => request.messages[0]?.content ?? '';
const openIn = (request: Parameters<Policy>[0]): number => {
  const [, done = '0', all = '0'] = /Progress: (\d+) of (\d+) done/.exec(request.messages[1]?.content ?? '') ?? [];
  return Number(all) - Number(done);
};
/** Completes the predefined todos one after the other, and with the last of them does what is given. */
const withLast = (request: Parameters<Policy>[0], reply: ReturnType<typeof calls>) =>
  openIn(request) > 1 ? call('todo_complete') : reply;

describe('a list that is given up', () => {
  it('goes back to planning with its reason, and what it left open is owed until it is planned again', async () => {
    const prompts: string[] = [];
    const firstMessages: string[] = [];
    const results: string[] = [];
    const subject = engine((request) => {
      const { phase, kind, last, turn } = where(request);
      if (turn > 0) results.push(`${phase}: ${last}`);
      if (turn === 0) {
        prompts.push(systemOf(request));
        firstMessages.push(request.messages.find(({ role }) => role === 'user')?.content ?? '');
      }
      if (phase === 1)
        return withLast(request, calls(['todo_write', plan('Gather', 'Sort by colour', 'Write')], ['todo_complete']));
      if (phase === 2)
        return turn === 0
          ? call('todo_complete', { notes: 'gathered 3' })
          : calls(['todo_rewind', { issue: 'Nothing has a colour. Sort by size instead.' }], ['todo_complete']);
      if (phase === 3) {
        if (openIn(request) > 1) return call('todo_complete');
        // First forgetful, then in a hurry, then right.
        if (!last.includes('Not written')) return call('todo_write', plan('Write', 'Something else'));
        if (!last.includes('job_complete')) return calls(['job_complete', { summary: 's', confidence: 1 }]);
        return finish;
      }
      return kind === 'tactical' ? call('todo_complete') : withLast(request, finish);
    });
    const jobId = await subject.submit();
    await subject.run(jobId, { messages: 3 });
    const rewound = (await subject.histories.phase(jobId, 2))!;
    expect(rewound.end).toEqual({
      kind: 'completed',
      outcome: 'rewound',
      rewound: { issue: 'Nothing has a colour. Sort by size instead.' },
    });
    expect(await subject.histories.job(jobId)).toMatchObject({
      rewinds: 1,
      rewound: { phase: 2 },
      obligations: [
        { phase: 2, id: 2, content: 'Sort by colour' },
        { phase: 2, id: 3, content: 'Write' },
      ],
    });
    const third = (await subject.histories.phase(jobId, 3))!;
    expect(third.start).toMatchObject({
      state: 'review',
      rewinds: 1,
      completion: { gates: ['obligations', 'deliverables'] },
    });
    expect(third.start.todos[0]?.content).toMatch(/given up/);
    expect(prompts[2]).toMatch(/The list of phase 2 was given up[\s\S]*Sort by size instead[\s\S]*2-2: Sort by colour/);
    expect(firstMessages[2]).toMatch(/## Experiences[\s\S]*given up: Nothing has a colour/);
    expect(prompts[2]).not.toContain('## Experiences');
    const archive = await text(subject, jobId, 3, 'archive/phase_002.md');
    expect(archive).toMatch(/## Failure[\s\S]*Nothing has a colour[\s\S]*## Completed \(1\)[\s\S]*Gather/);
    expect(archive).toMatch(
      /## In progress \(1\)\n\n- \[ \] 2\. Sort by colour[\s\S]*## Pending \(1\)\n\n- \[ \] 3\. Write/,
    );
    expect(archive).toMatch(/## Notes\n\n- 1: gathered 3/);
    expect(results.join('\n')).toMatch(/3: Not written: these todos.*2-2 "Sort by colour"/);
    expect(results.join('\n')).not.toMatch(/3: Not written.*2-3 "Write"/);
    // Refused for what is owed as often as it asks, and never completed.
    expect((await subject.histories.job(jobId))!.status).not.toBe('completed');
  });

  it('lets the job end once a later list has accounted for what was left open', async () => {
    const subject = engine((request) => {
      const { phase, kind, turn } = where(request);
      if (phase === 1) return withLast(request, calls(['todo_write', plan('A', 'B', 'C')], ['todo_complete']));
      if (phase === 2) return call('todo_rewind', { issue: 'B cannot be done' });
      if (phase === 3) {
        const todos = [{ content: 'A' }, { content: 'Instead of both', covers: ['2-2', 3] }];
        return withLast(request, calls(['todo_write', { todos }], ['todo_complete']));
      }
      return kind === 'tactical' ? call('todo_complete', { notes: `turn ${turn}` }) : withLast(request, finish);
    });
    const jobId = await subject.submit();
    await subject.run(jobId);
    const job = (await subject.histories.job(jobId))!;
    expect(job).toMatchObject({ status: 'completed', phases: 5, rewinds: 1 });
    expect(job.obligations).toBeUndefined();
    expect(job.rewound).toBeUndefined();
    const fourth = (await subject.histories.phase(jobId, 4))!;
    expect(fourth.start.todos[1]).toMatchObject({ content: 'Instead of both', covers: ['2-2', '2-3'] });
    expect(fourth.start.obligations).toBeUndefined();
  });

  it('is accounted for although the agent writes the file itself', async () => {
    const said: string[] = [];
    const subject = engine((request) => {
      const { phase, kind, last } = where(request);
      if (phase === 1) return withLast(request, calls(['todo_write', plan('A', 'B')], ['todo_complete']));
      if (phase === 2) return call('todo_rewind', { issue: 'no' });
      if (phase === 3) {
        said.push(last);
        const short = 'todos:\n  - {id: 1, content: A}\n';
        const content = last.includes('not accepted') ? `${short}  - {id: 2, content: Both, covers: 2-2}\n` : short;
        return withLast(request, calls(['write_file', { path: 'todos.yaml', content }], ['todo_complete']));
      }
      return kind === 'tactical' ? call('todo_complete') : withLast(request, finish);
    });
    const jobId = await subject.submit();
    await subject.run(jobId);
    expect(said.join('\n')).toMatch(/The plan is not accepted: these todos of earlier lists.*2-2 "B"/);
    expect(await subject.histories.job(jobId)).toMatchObject({ status: 'completed' });
  });

  it('fails the job with the issue once it was given up too often', async () => {
    const subject = engine(
      (request) => {
        if (where(request).kind === 'tactical') return call('todo_rewind', { issue: 'It is impossible, as before.' });
        return withLast(request, calls(['todo_write', plan('A')], ['todo_complete']));
      },
      { agent: { limits: { rewinds: 2 } } as never },
    );
    const jobId = await subject.submit();
    await subject.run(jobId);
    const job = (await subject.histories.job(jobId))!;
    expect(job).toMatchObject({ status: 'failed', rewinds: 2, phases: 6, failure: { code: 'rewind_limit' } });
    expect(job.failure?.message).toMatch(/rewound 2 times already; last: It is impossible, as before\./);
  });
});

describe('a plan that has no phase left', () => {
  const toConclude = (how: Policy): Policy => {
    return (request, signal) => {
      const { phase, kind } = where(request);
      if (phase === 1) return withLast(request, calls(['todo_write', plan('A')], ['todo_complete']));
      if (kind === 'tactical') return call('todo_complete');
      return phase === 3 ? withLast(request, await_(how(request, signal))) : withLast(request, finish);
    };
  };
  const await_ = (reply: ReturnType<Policy>) => reply as ReturnType<typeof calls>;

  it.each<[string, Policy]>([
    ['the agent says so', () => calls(['todo_write', { plan_complete: true }], ['todo_complete'])],
    [
      'every line of the plan is marked, and there is no other list',
      () => calls(['write_file', { path: 'main_plan.md', content: '# Plan\n\n- [x] Phase 1: A\n' }], ['todo_complete']),
    ],
  ])('is followed by the final todos when %s', async (_how, how) => {
    const subject = engine(toConclude(how));
    const jobId = await subject.submit();
    await subject.run(jobId);
    expect(await subject.histories.job(jobId)).toMatchObject({ status: 'completed', phases: 4 });
    const { start } = (await subject.histories.phase(jobId, 4))!;
    expect(start).toMatchObject({ state: 'conclude', kind: 'strategic' });
    expect(start.todos.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Verify the deliverables/),
      expect.stringMatching(/^Write the report/),
      expect.stringMatching(/^Call job_complete/),
    ]);
    expect(start.tree['todos.yaml']).toBeUndefined();
  });

  it.each<[string, Policy]>([
    ['writes nothing', () => call('todo_complete')],
    [
      'has a phase left in its plan',
      () => calls(['write_file', { path: 'main_plan.md', content: '- [x] One\n- [ ] Two\n' }], ['todo_complete']),
    ],
    [
      'claims it with a phase left in its plan',
      () =>
        calls(
          ['write_file', { path: 'main_plan.md', content: '- [x] One\n- [ ] Two\n' }],
          ['write_file', { path: 'todos.yaml', content: 'plan_complete: true\n' }],
          ['todo_complete'],
        ),
    ],
  ])('is not what a strategic phase has that %s', async (_what, how) => {
    const subject = engine(toConclude(how), { retries: 0 });
    const jobId = await subject.submit();
    await subject.run(jobId);
    expect(await subject.histories.job(jobId)).toMatchObject({ status: 'failed', failure: { code: 'gate_refused' } });
  });
});

async function text(subject: Engine, jobId: string, phase: number, path: string): Promise<string> {
  const { hash } = (await subject.histories.phase(jobId, phase))!.tree[path]!;
  return new TextDecoder().decode(await opened.store.blobs.get(hash));
}
