import { offeredPacks } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { checkJob } from '@phaseline/what-if';
import { expect, it } from 'vitest';
import { loadHistory } from './history.js';
import { openHistory } from './history-log.js';

const history = await loadHistory(new URL('./recorded/creator-plans.jsonl.gz', import.meta.url));
const jobId = history.events[0]!.correlationId;
const parts = { tools: new ToolRegistry([...offeredPacks]) };

/** Checks the job with another event in place of its first completed call. */
async function checkWith(change: object) {
  const index = history.events.findIndex(({ type }) => type === 'ToolCallCompleted');
  const changed = history.events.with(index, { ...history.events[index]!, ...change });
  return { at: changed[index]!, check: await checkJob(openHistory({ ...history, events: changed }), jobId, parts) };
}

it('a recorded event that this release cannot read is a difference', async () => {
  const { at, check } = await checkWith({ data: {} });
  const { streamId, version } = at;
  expect(check.differences).toMatchObject([{ decider: 'crash', streamId, version, recorded: 'ToolCallCompleted' }]);
  expect(check.unreadable).toBeUndefined();
});

it('an event of a newer release is none, and the job is not checked to its end', async () => {
  const { check } = await checkWith({ schemaVersion: 1_000 });
  expect(check.differences).toEqual([]);
  expect(check.unreadable).toContain('cannot be read');
});
