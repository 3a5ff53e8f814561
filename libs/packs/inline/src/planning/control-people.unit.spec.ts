import { InlineToolBench, buildPhaseState } from '@phaseline/tools/testing';
import { expect, it } from 'vitest';
import { planningPack } from './planning-pack.js';

const HASH = 'a'.repeat(64);

async function openBench() {
  const bench = new InlineToolBench(planningPack, buildPhaseState());
  bench.put('parameters.json', JSON.stringify({ goal: 'Learn to sail', user: 'ada' }));
  bench.put('patterns/milestone_project.json', JSON.stringify(PATTERN));
  await bench.run('open_session');
  const session = JSON.parse(await bench.readText('plan/session.json')) as object;
  bench.put('plan/session.json', JSON.stringify({ ...session, approval: { subject: 'schedule', hash: HASH } }));
  return bench;
}

const PATTERN = {
  pattern: 'milestone_project',
  description: 'A project.',
  contains: { plan: ['L1 once'], 'L1 once': ['L3 once'] },
  level1: { min: 1, max: 2, mayOverlap: false },
  needs: ['L3 once'],
  ends: {},
  features: Object.fromEntries(
    ['endDate', 'recurrence', 'cumulativeMeasure', 'changeOfState'].map((name) => [name, { expected: 0, weight: 1 }]),
  ),
  subtypes: [],
};

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
    const bench = new InlineToolBench(planningPack, buildPhaseState());
    bench.put('parameters.json', JSON.stringify(parameters));
    bench.put('patterns/milestone_project.json', JSON.stringify(PATTERN));
    return bench.run('open_session');
  };
  await expect(open({ goal: ' ' })).rejects.toMatchObject({ code: 'request_invalid' });
  await expect(open({ goal: 'Sail', zone: 'Mars/Base' })).rejects.toMatchObject({ code: 'zone_unknown' });
  await expect(open({ goal: 'Sail', policy: { tone: 'rude' } })).rejects.toMatchObject({ code: 'request_invalid' });
  expect((await open({ goal: 'Sail' })).result).toEqual({ outcome: 'opened' });
});
