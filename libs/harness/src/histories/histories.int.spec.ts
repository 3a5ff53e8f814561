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
import { describe, expect, it } from 'vitest';
import { useStore } from '../engine/use-store.fixture.js';
import { loadHistory, type JobHistory } from './history.js';
import { extractDecisions, listTimedFiles, replayHistory } from './replay-history.js';

const folder = new URL('./recorded/', import.meta.url);
const names = readdirSync(folder).flatMap((name) => /^(.+)\.jsonl\.gz$/.exec(name)?.[1] ?? []);

const opened = useStore();

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

/** Jobs of releases that decided otherwise, and what: they are only folded. */
const DECIDED_OTHERWISE: Readonly<Record<string, string>> = {
  'creator-demo': 'phases began without a summary in workspace.md, and nothing wrote output/completion.json',
  'creator-summaries': 'todos were completed without evidence',
  'creator-claims': 'prompts did not say what a todo demands, and plans had no outputs',
};

describe.each(names)('the recorded job %s', (name) => {
  it('folds to the same state as when it was recorded', async () => {
    const folded = foldHistory(await loadHistory(new URL(`${name}.jsonl.gz`, folder)));
    await expect(`${JSON.stringify(folded, null, 2)}\n`).toMatchFileSnapshot(`./recorded/${name}.folded.json`);
  });

  it.skipIf(name in DECIDED_OTHERWISE)('is decided as it was when recorded', async () => {
    const history = await loadHistory(new URL(`${name}.jsonl.gz`, folder));
    const replayed = await replayHistory(history, opened.store);
    expect(extractDecisions(replayed)).toEqual(extractDecisions(history));
    // The replay can be recorded as well: its blobs are the same.
    const listBlobs = (recorded: JobHistory): readonly string[] => {
      const timed = listTimedFiles(recorded);
      return [...recorded.blobs.keys()].filter((hash) => !timed.has(hash));
    };
    expect(listBlobs(replayed)).toEqual(listBlobs(history));
  });
});

it('at least one job is recorded and decided again', () => {
  expect(names.filter((name) => !(name in DECIDED_OTHERWISE)).length).toBeGreaterThan(0);
});
