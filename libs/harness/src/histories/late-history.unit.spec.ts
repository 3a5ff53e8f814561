import { offeredPacks } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { checkJob } from '@phaseline/what-if';
import { expect, it } from 'vitest';
import { loadHistory } from './history.js';
import { openHistory } from './history-log.js';

const history = await loadHistory(new URL('./recorded/creator-plans.jsonl.gz', import.meta.url));
const { events } = history;
const jobId = events[0]!.correlationId;
/** Index of a later commit that reserves a model call, by the event that ends the commit. */
const reserved = events.findIndex(({ type }, index) => type === 'ModelCallStarted' && index > events.length / 2);
/** When the job passes its deadline. */
const deadlineAt = /"deadlineAt":"([^"]+)"/.exec(JSON.stringify(events))![1]!;

/** Checks the job up to the reserved call, with all commits that meet the condition recorded after the deadline. */
async function checkWith(isLate: (transactionId: string) => boolean) {
  const late = new Date(Date.parse(deadlineAt) + 1).toISOString().replace('Z', '000Z');
  const changed = events
    .slice(0, reserved + 1)
    .map((event) => (isLate(event.transactionId) ? { ...event, recordedAt: late } : event));
  return checkJob(openHistory({ ...history, events: changed }), jobId, {
    tools: new ToolRegistry([...offeredPacks]),
  });
}

const last = events[reserved]!.transactionId;

it('a deadline that passed between a decision and its commit is no difference', async () => {
  const { decisions, differences } = await checkWith((transactionId) => transactionId === last);
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThan(100);
});

it('a call that was reserved after the deadline is one', async () => {
  const before = events.findLast(({ transactionId }, index) => index < reserved && transactionId !== last)!;
  const { differences } = await checkWith((id) => id === last || id === before.transactionId);
  expect(differences).toContainEqual(
    expect.objectContaining({ decider: 'caps', recorded: 'ModelCallStarted', decided: 'PhaseFailed' }),
  );
});
