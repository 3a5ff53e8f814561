import { describe, expect, it } from 'vitest';
import { useStore } from '../engine/use-store.fixture.js';
import { createPlanner, decidePlan, playPlan, readFile, readSession, startPlan } from './planner.fixture.js';

const opened = useStore();

describe('a plan', () => {
  it('goes from the goal to an approved schedule', async () => {
    const { policy, requests } = playPlan();
    const subject = await createPlanner(opened.store, policy);
    const jobId = await startPlan(subject, { goal: 'Build a boat by the end of January' });
    const states = [];
    const { phases, status } = await subject.loadJob(jobId);
    for (let phase = 1; phase <= phases; phase++) {
      const { start } = await subject.loadPhase(jobId, phase);
      states.push(start.identity.state);
    }
    console.log(states, status, (await subject.loadJob(jobId)).failure, requests.length);
    expect(await readSession(subject, jobId)).toMatchObject({
      planningStatus: 'needs_clarification',
      stage: 'approval',
    });
    const args = await decidePlan(subject, jobId);
    expect(args).toMatchObject({ kind: 'schedule', job: jobId });
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    const session = await readSession(subject, jobId);
    expect(session).toMatchObject({ planningStatus: 'complete' });
    expect(args['content_hash']).toBe(session.hashes.schedule);
    const schedule = JSON.parse(await readFile(subject, jobId, 'plan/schedule.json'));
    expect(schedule.tasks).toEqual([]);
  });
});
