import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../engine/engine.js';
import { useStore } from '../engine/use-store.fixture.js';
import {
  answerPlan,
  createPlanner,
  decidePlan,
  listEvents,
  listStates,
  playPlan,
  readArtifact,
  readSession,
  SMALL_PLAN,
  startPlan,
} from './planner.fixture.js';
import { startRehearsedPlanner, type RehearsedPlanner } from './rehearsed-planner.fixture.js';

const opened = useStore();
const preferences = { conversationStyle: 'concise' };
let planner: RehearsedPlanner;
let subject: Engine;

beforeAll(async () => {
  planner = await startRehearsedPlanner(opened.store);
  subject = planner.engine;
});
afterAll(() => planner?.close());

it('a refused final plan is made again from the context that the words change', async () => {
  const goal = 'Swim three evenings a week for twelve weeks';
  const jobId = await startPlan(subject, { goal, zone: 'UTC', preferences });
  const before = (await readSession(subject, jobId)).hashes.context;
  await decidePlan(subject, jobId, 'propose changes: I have no time on Fridays');
  const session = await readSession(subject, jobId);
  expect(session.approval?.subject).toBe('schedule');
  expect((await listStates(subject, jobId)).slice(-7)[0]).toBe('draft_outline');

  const [context, outline] = await Promise.all([
    readArtifact(subject, jobId, 'context'),
    readArtifact(subject, jobId, 'outline'),
  ]);
  const { hours } = context['calendar'] as { readonly hours: readonly { readonly weekday: string }[] };
  expect(hours).toHaveLength(3);
  expect(hours.map(({ weekday }) => weekday)).not.toContain('friday');
  expect(session.hashes.context).not.toBe(before);
  expect(outline['contextHash']).toBe(session.hashes.context);
  const adaptations = await listEvents(subject, jobId, 'PlanAdapted');
  expect(adaptations.find(({ artifact }) => artifact === 'context')).toMatchObject({
    introducedBy: 'user_feedback',
    by: 'ada',
    why: 'The person said: I have no time on Fridays',
  });
  await decidePlan(subject, jobId);
  expect((await subject.loadJob(jobId)).status).toBe('completed');
});

it('dates that contradict each other are corrected by the answer', async () => {
  const jobId = await startPlan(subject, { goal: 'Write the report by 3 March 2020', zone: 'UTC', preferences });
  expect((await readSession(subject, jobId)).responseText).toContain('The plan ends on 2020-03-03');
  await answerPlan(subject, jobId, 'By the end of next year.');
  expect((await readSession(subject, jobId)).approval?.subject).toBe('schedule');
  await decidePlan(subject, jobId);
  expect((await subject.loadJob(jobId)).status).toBe('completed');
});

it('asks what a change leaves open only if it blocks, and assumes the rest', async () => {
  const questions = [
    { text: 'Which exam is it?', assumption: 'The next one.', is_blocking: true },
    { text: 'Who helps?', assumption: 'Nobody.' },
  ];
  const outline = SMALL_PLAN.outline[0]!;
  const changed = [['context_elicitor', { end: '2027-02-26', questions, confidence: 0.9 }] as const, ...outline];
  const { policy } = playPlan({ outline: [outline, changed, outline] });
  const planner = await createPlanner(opened.store, policy);
  const jobId = await startPlan(planner, { goal: 'Build a boat', preferences });
  await decidePlan(planner, jobId, 'The exam is later.');

  const session = await readSession(planner, jobId);
  expect(session.pending).toMatchObject({ kind: 'uncertain', stage: 'outline', reason: 'Which exam is it?' });
  expect((await readArtifact(planner, jobId, 'context'))['facts']).toContainEqual({
    question: 'Who helps?',
    answer: 'Nobody.',
    isAssumed: true,
  });
  await answerPlan(planner, jobId, 'That of the yacht club.');
  expect((await readSession(planner, jobId)).approval?.subject).toBe('schedule');
});
