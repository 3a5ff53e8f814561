import { readdirSync } from 'node:fs';
import {
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  foldPhase,
  parseStreamName,
  type JobEvent,
  type PhaseEvent,
} from '@phaseline/domain';
import { expect, it } from 'vitest';
import { loadHistory, type JobHistory } from './history.js';

const folder = new URL('./recorded/', import.meta.url);
const names = readdirSync(folder).flatMap((name) => /^(.+)\.jsonl\.gz$/.exec(name)?.[1] ?? []);

/** Folds the events of a job, without the texts of the definitions. */
function foldHistory({ events }: JobHistory): object {
  const streams = new Map<string, { jobs: JobEvent[]; phases: PhaseEvent[] }>();
  for (const event of events) {
    const stream = streams.get(event.streamId) ?? { jobs: [], phases: [] };
    streams.set(event.streamId, stream);
    if (parseStreamName(event.streamId)?.kind === 'job') stream.jobs.push(decodeJobEvent(event));
    else stream.phases.push(decodePhaseEvent(event));
  }
  return Object.fromEntries(
    [...streams].map(([streamId, { jobs, phases }]) => {
      const job = foldJob(jobs);
      if (job) {
        const { version, status, spending, completion, failure } = job;
        return [streamId, { version, status, phases: job.phases, spending, completion, failure }];
      }
      const { version, start, modelCall, todos, tree, conversation, money, end } = foldPhase(phases)!;
      const { state, kind, attempt } = start.identity;
      const entries = conversation.transcript.map((entry) =>
        entry.kind === 'answer'
          ? { step: entry.answer.step, calls: entry.answer.calls.map(({ name }) => name) }
          : { notice: entry.text },
      );
      const { epoch } = modelCall;
      const { spending } = money;
      return [
        streamId,
        { version, state, kind, attempt, epoch, todos: todos.list, tree, conversation: entries, spending, end },
      ];
    }),
  );
}

it.each(names)('the recorded job %s folds to the same state as when it was recorded', async (name) => {
  const folded = foldHistory(await loadHistory(new URL(`${name}.jsonl.gz`, folder)));
  await expect(`${JSON.stringify(folded, null, 2)}\n`).toMatchFileSnapshot(`./recorded/${name}.folded.json`);
});
