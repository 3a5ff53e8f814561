import { expect, it } from 'vitest';
import { openPlanBench } from './plan-bench.fixture.js';

const HASH = 'a'.repeat(64);

async function openBench() {
  const bench = await openPlanBench({ goal: 'Learn to sail', user: 'ada' });
  const session = JSON.parse(await bench.readText('plan/session.json')) as object;
  bench.put('plan/session.json', JSON.stringify({ ...session, approval: { subject: 'schedule', hash: HASH } }));
  return bench;
}

it('an approval holds for the artifact that it names, and for no other', async () => {
  const bench = await openBench();
  const approve = (changes: object) =>
    bench.run('approval_handler', {
      kind: 'schedule',
      job: 'job',
      content_hash: HASH,
      summary: 'The plan.',
      ...changes,
    });
  expect((await approve({})).result).toMatchObject({ ok: true });
  await expect(approve({ content_hash: 'b'.repeat(64) })).rejects.toMatchObject({ code: 'outdated' });
  await expect(approve({ kind: 'outline' })).rejects.toMatchObject({ code: 'outdated' });
});

it('opens a session only for a request that can be planned', async () => {
  const open = async (parameters: object) => {
    const bench = await openPlanBench(parameters);
    return JSON.parse(await bench.readText('plan/session.json')) as object;
  };
  await expect(open({ goal: ' ' })).rejects.toMatchObject({ code: 'request_invalid' });
  await expect(open({ goal: 'Sail', zone: 'Mars/Base' })).rejects.toMatchObject({ code: 'zone_unknown' });
  await expect(open({ goal: 'Sail', policy: { tone: 'rude' } })).rejects.toMatchObject({ code: 'request_invalid' });
  expect(await open({ goal: 'Sail' })).toMatchObject({ goal: 'Sail', planningStatus: 'in_progress' });
});
