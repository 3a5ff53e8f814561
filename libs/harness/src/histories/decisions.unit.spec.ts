import { readdirSync } from 'node:fs';
import { offeredPacks } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { checkJob } from '@phaseline/what-if';
import { expect, it } from 'vitest';
import { loadHistory } from './history.js';
import { openHistory } from './history-log.js';

const folder = new URL('./recorded/', import.meta.url);
const names = readdirSync(folder).flatMap((name) => /^(.+)\.jsonl\.gz$/.exec(name)?.[1] ?? []);
const parts = { tools: new ToolRegistry([...offeredPacks]) };

// A release that decides otherwise than the one before it shows here what it decides otherwise. Older releases differ by what was built since.
it.each(names)('what this release decides otherwise in the recorded job %s is known', async (name) => {
  const history = await loadHistory(new URL(`${name}.jsonl.gz`, folder));
  const { decisions, differences, unknown } = await checkJob(
    openHistory(history),
    history.events[0]!.correlationId,
    parts,
  );
  const counts: Record<string, number> = {};
  for (const { decider, recorded, decided, members } of differences) {
    const what =
      recorded === decided ? `${recorded}: ${members.map(({ path }) => path).join(', ')}` : `${recorded} → ${decided}`;
    counts[`${decider}, ${what}`] = (counts[`${decider}, ${what}`] ?? 0) + 1;
  }
  const sorted = Object.fromEntries(Object.entries(counts).sort(([left], [right]) => (left < right ? -1 : 1)));
  const text = `${JSON.stringify({ decisions, unknown, differences: sorted }, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(`./recorded/${name}.decisions.json`);
});

it('the job of the newest release is decided as it was recorded', async () => {
  const history = await loadHistory(new URL('creator-plans.jsonl.gz', folder));
  const { decisions, differences } = await checkJob(openHistory(history), history.events[0]!.correlationId, parts);
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThan(200);
});
