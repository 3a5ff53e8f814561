import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../engine/engine.js';
import { useStore } from '../engine/use-store.fixture.js';
import { answerPlan, decidePlan, listStates, readArtifact, readSession, startPlan } from './planner.fixture.js';
import { startRehearsedPlanner, type RehearsedPlanner } from './rehearsed-planner.fixture.js';

const opened = useStore();
let planner: RehearsedPlanner;
let subject: Engine;

beforeAll(async () => {
  planner = await startRehearsedPlanner(opened.store);
  subject = planner.engine;
});
afterAll(() => planner?.close());

/** Plans a goal as a person would who answers everything briefly. Returns what happened. */
async function planGoal(goal: string) {
  const jobId = await startPlan(subject, { goal, zone: 'UTC', policy: { autonomy: 'low' } });
  const asked: string[] = [];
  for (let turn = 0; turn < 8; turn++) {
    const { status, failure } = await subject.loadJob(jobId);
    if (status !== 'running') return { jobId, status, failure, asked, session: await readSession(subject, jobId) };
    const session = await readSession(subject, jobId);
    asked.push(session.responseText);
    if (session.approval) await decidePlan(subject, jobId);
    else
      await answerPlan(
        subject,
        jobId,
        session.pending && 'choices' in session.pending
          ? (session.pending.choices[0]?.id ?? 'stop')
          : 'Three hours a week, in the evenings.',
      );
  }
  throw new Error(`the plan does not end: ${(await listStates(subject, jobId)).join(', ')}`);
}

it.each([
  ['Prepare for a half marathon in twelve weeks, three evenings a week', 'hybrid_project_cycle'],
  ['Move the online shop of a small bakery to a new supplier by the end of March', 'milestone_project'],
  ['Stretch for ten minutes every morning for the next eight weeks', 'recurring_cycle'],
  ['Save 6,000 euros within a year', 'progressive_accumulation_arc'],
  ['Become a team that deploys every day instead of twice a year, within nine months', 'strategic_transformation'],
  ['Write a thesis on bees in six months, five hours a week', 'milestone_project'],
])('%s', async (goal, pattern) => {
  const { jobId, status, failure, asked, session } = await planGoal(goal);
  expect({ status, failure }).toEqual({ status: 'completed', failure: undefined });
  // The style of the conversation, an option, and the approval.
  expect(asked).toHaveLength(3);
  const schedule = await readArtifact(subject, jobId, 'schedule');
  expect((schedule['tasks'] as unknown[]).length).toBeGreaterThan(0);
  expect(session.selectedPattern?.patternType).toBe(pattern);
});
