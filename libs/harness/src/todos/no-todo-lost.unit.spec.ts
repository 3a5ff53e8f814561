import { readFile } from 'node:fs/promises';
import { workflowSchema, type PhaseState, type Todo } from '@phaseline/domain';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { Chance } from '../chance.js';
import { runRandomJob, type RandomJob } from './random-job.fixture.js';

const RUNS = 400;

/** Finds todos that are neither done nor covered by a later todo when the job completes. */
function findLostTodos({ phases }: RandomJob): readonly string[] {
  const carriedOut = phases.filter(({ start }) => start.identity.kind === 'tactical');
  const later = (phase: PhaseState): readonly PhaseState[] =>
    carriedOut.filter(({ start }) => start.identity.phase > phase.start.identity.phase);
  const isKept = (phase: PhaseState, todo: Todo): boolean =>
    todo.status === 'done' ||
    later(phase).some((other) =>
      other.todos.list.some(
        (one) =>
          (one.content === todo.content || one.covers?.includes(`${phase.start.identity.phase}-${todo.id}`)) &&
          isKept(other, one),
      ),
    );
  return carriedOut.flatMap((phase) =>
    phase.todos.list.filter((todo) => !isKept(phase, todo)).map(({ id }) => `${phase.start.identity.phase}-${id}`),
  );
}

describe('a planned todo', () => {
  it(`is done or covered by a done one whenever a job completes: ${RUNS} jobs of agents with random calls`, async () => {
    const file = new URL('../../../../workflows/phase-alternation.yaml', import.meta.url);
    const workflow = workflowSchema.parse(load(await readFile(file, 'utf8')));
    const seen = { completed: 0, rewound: 0, owed: 0, concluded: 0, added: 0 };
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const run = await runRandomJob(workflow, new Chance(seed).rollFor('agent'));
      for (const { end, todos } of run.phases)
        if (end?.kind === 'completed' && !end.rewound)
          expect(todos.list.filter(({ status }) => status === 'open')).toEqual([]);
      if (run.job.status !== 'completed') continue;
      expect(findLostTodos(run), `seed ${seed}`).toEqual([]);
      seen.completed += 1;
      if (run.job.rewinds) seen.rewound += 1;
      if (run.phases.some(({ start }) => start.plan.obligations)) seen.owed += 1;
      if (run.phases.some(({ start }) => start.identity.state === 'conclude')) seen.concluded += 1;
      if (
        run.phases.some(
          ({ start, todos }) => start.identity.kind === 'tactical' && todos.list.length > start.plan.todos.length,
        )
      )
        seen.added += 1;
    }
    // The runs covered every case often enough.
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(RUNS / 50);
  });
});
