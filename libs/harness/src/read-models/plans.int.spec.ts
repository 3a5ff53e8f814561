import { createHash, randomUUID } from 'node:crypto';
import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import { buildJobSubmitted } from '@phaseline/domain/testing';
import { agentDefinitionSchema, getSchemaVersion, jobStream, phaseStream } from '@phaseline/domain';
import { redactEvent, type JobEvent, type PhaseEvent, type PhaseEventData } from '@phaseline/domain';
import { EventStore, MasterKeys } from '@phaseline/event-store';
import { checkReadModels, rebuildReadModels } from '@phaseline/projections';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultWorkflow } from '../engine/engine.js';
import { createPlanner, decidePlan, playPlan, readFile, readSession, startPlan } from '../planning/planner.fixture.js';
import { ProjectionsFixture } from './projections.fixture.js';

const masterKeys = MasterKeys.parse(MasterKeys.generate());

let setup: ProjectionsFixture;
beforeEach(async () => {
  setup = await ProjectionsFixture.open();
});
afterEach(() => setup.close());

const select = async (text: string, values: unknown[] = []): Promise<readonly JsonObject[]> =>
  (await setup.pool.query<{ row: JsonObject }>(`SELECT to_jsonb(t) AS row FROM (${text}) AS t`, values)).rows.map(
    ({ row }) => row,
  );
const readPlans = () => select('SELECT * FROM phaseline.plans ORDER BY submitted_position');
const readTasks = () => select('SELECT * FROM phaseline.scheduled_tasks ORDER BY starts_at, task');

/** Asserts that a rebuild of all read models, and of each alone, changes no row. */
async function expectRebuiltEqual(): Promise<void> {
  const live = await setup.readTables();
  await rebuildReadModels(setup.pool);
  expect(await setup.readTables()).toEqual(live);
  await rebuildReadModels(setup.pool, { names: ['scheduled_tasks'] });
  expect(await setup.readTables()).toEqual(live);
  expect(await checkReadModels(setup.pool)).toMatchObject({ passed: true });
}

async function append(streamId: string, jobId: string, ...events: readonly (JobEvent | PhaseEvent)[]): Promise<void> {
  const encryption = { masterKeys, redact: redactEvent };
  await new EventStore(setup.pool, { encryption }).append({
    ...{ streamId, correlationId: jobId, expectedVersion: 'any' },
    events: events.map(({ type, data }) => ({
      ...{ eventId: randomUUID(), type, schemaVersion: getSchemaVersion(type) },
      ...{ data: data as never, metadata: {} },
    })),
  });
}

/** Submits a job of the workflow `planning` without running it. */
async function submitPlan(parameters: JsonObject, jobId: string = randomUUID()): Promise<string> {
  const agent = agentDefinitionSchema.parse({ name: 'planner', displayName: 'Planner', tools: {} });
  const workflow = { ...defaultWorkflow, name: 'planning' };
  await append(jobStream(jobId), jobId, buildJobSubmitted({ jobId, agent, workflow, parameters, tenant: 'acme' }));
  return jobId;
}

const callId = 'call-1';
const pattern = { patternType: 'milestone_project', subtype: 'proposed:boat', variant: 'of oak' };

function buildStatus(changes: Partial<PhaseEventData<'PlanStatusChanged'>> = {}): PhaseEvent {
  const data = { callId, planningStatus: 'in_progress', stage: 'outline', responseText: 'Wait.' } as const;
  return {
    type: 'PlanStatusChanged',
    data: { ...data, patternRfcRequired: false, selectedPattern: pattern, ...changes },
  };
}

async function recordArtifact(
  kind: PhaseEventData<'PlanArtifactRecorded'>['kind'],
  artifact: JsonObject,
): Promise<{ readonly event: PhaseEvent; readonly hash: string }> {
  const content = Buffer.from(toCanonicalJson(artifact));
  const hash = createHash('sha256').update(content).digest('hex');
  expect(await setup.store.blobs.put(content)).toBe(hash);
  return { hash, event: { type: 'PlanArtifactRecorded', data: { callId, kind, hash, path: `plan/${kind}.json` } } };
}

/** Stores a schedule of these tasks, with a roadmap and an outline in which the first has a title and an agent. */
async function recordSchedule(...tasks: readonly string[]) {
  const outline = await recordArtifact('outline', {
    nodes: [{ id: tasks[0]!, title: 'Saw', agent: 'sawyer', estimateMinutes: 45, exceptDays: ['2027-01-05'] }],
  });
  const roadmap = await recordArtifact('roadmap', { outlineHash: outline.hash });
  const schedule = await recordArtifact('schedule', {
    roadmapHash: roadmap.hash,
    tasks: tasks.map((task) => ({
      ...{ task, start: '2027-01-04T08:00:00Z', end: '2027-01-04T09:00:00Z', zone: 'Europe/Berlin' },
      ...{ recurrence: 'FREQ=DAILY;COUNT=3', floatMinutes: 30, critical: true },
    })),
  });
  return { outline, roadmap, schedule, events: [outline.event, roadmap.event, schedule.event] };
}

const REAL = { parameters: { goal: 'Build a boat by the end of January', goalId: 'boat' } };

describe('the rows of a plan', () => {
  it('are those of its session and its schedule when the planner has run', async () => {
    await setup.startTail();
    const subject = await createPlanner(setup.store, playPlan().policy);
    const jobId = await startPlan(subject, REAL.parameters);
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    const common = { job_id: jobId, tenant: 'default', user_name: 'ada', goal_id: 'boat', goal: REAL.parameters.goal };
    expect(await readPlans()).toMatchObject([
      { ...common, planning_status: 'needs_clarification', stage: 'approval', approved_at: null },
    ]);
    await decidePlan(subject, jobId);
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    const { hashes, responseText, selectedPattern } = await readSession(subject, jobId);
    expect(await readPlans()).toMatchObject([
      {
        ...{ ...common, planning_status: 'complete', approved_at: expect.any(String), response_text: responseText },
        ...{ pattern_type: selectedPattern!.patternType, pattern_subtype: null, pattern_rfc_required: false },
        ...{ context_hash: hashes.context, outline_hash: hashes.outline },
        ...{ roadmap_hash: hashes.roadmap, schedule_hash: hashes.schedule },
      },
    ]);
    const { tasks } = JSON.parse(await readFile(subject, jobId, 'plan/schedule.json'));
    expect(tasks.length).toBeGreaterThan(1);
    const titles = new Map([
      ['saw', 'Saw the planks'],
      ['glue', 'Glue them'],
    ]);
    const rows = await readTasks();
    expect(new Set(rows.map(({ task }) => task))).toEqual(new Set(tasks.map(({ task }: JsonObject) => task)));
    for (const { task, start, floatMinutes } of tasks) {
      const row = rows.find((one) => one['task'] === task)!;
      const work = { saw: 240, glue: 120 }[task as string];
      expect(row).toMatchObject({ job_id: jobId, float_minutes: floatMinutes, agent: null, except_days: null });
      expect(row['work_minutes']).toBe(work);
      expect(Date.parse(row['starts_at'] as string)).toBe(Date.parse(start));
      if (titles.has(task)) expect(row['title']).toBe(titles.get(task));
    }
    await expectRebuiltEqual();
  });

  it('are those of the last schedule, and the hashes those that still apply', async () => {
    await setup.startTail();
    const jobId = await submitPlan({ goal: 'x'.repeat(5_000), user: 'bob' });
    const [first, second] = [await recordSchedule('a', 'b'), await recordSchedule('b', 'c')];
    await append(phaseStream(jobId, 1), jobId, ...first.events, ...second.events, buildStatus());
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    const common = { job_id: jobId, tenant: 'acme', zone: 'Europe/Berlin', recurrence: 'FREQ=DAILY;COUNT=3' };
    expect(await readTasks()).toMatchObject([
      {
        ...{ ...common, task: 'b', title: 'Saw', agent: 'sawyer', float_minutes: 30, critical: true },
        ...{ work_minutes: 45, except_days: ['2027-01-05'] },
      },
      { ...common, task: 'c', title: 'c', agent: null, work_minutes: null, except_days: null },
    ]);
    const third = await recordSchedule('d');
    await append(phaseStream(jobId, 1), jobId, third.schedule.event);
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    expect(await readTasks()).toMatchObject([{ task: 'd' }]);
    expect(await readPlans()).toMatchObject([
      {
        ...{ goal: 'x'.repeat(4_000), user_name: 'bob', goal_id: jobId, pattern_variant: 'of oak' },
        ...{ outline_hash: second.outline.hash, schedule_hash: third.schedule.hash },
      },
    ]);
    await append(phaseStream(jobId, 1), jobId, first.outline.event);
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    const outdated = { roadmap_hash: null, schedule_hash: null };
    expect(await readPlans()).toMatchObject([{ outline_hash: first.outline.hash, ...outdated }]);
    await expectRebuiltEqual();
  });

  it('say that a plan is aborted when its job ends without an approval', async () => {
    await setup.startTail();
    const end = (type: 'JobFailed' | 'JobCancelled', end?: 'aborted' | 'blocked'): JobEvent =>
      type === 'JobCancelled'
        ? { type, data: { actor: 'a', reason: 'enough' } }
        : { type, data: { code: 'c', message: 'm', ...(end && { end }) } };
    const complete = buildStatus({ planningStatus: 'complete', stage: 'approval' });
    const waiting = buildStatus({ planningStatus: 'needs_clarification', escalateReason: 'r', patternRfcText: 'why' });
    const cases: readonly (readonly [PhaseEvent, JobEvent, string])[] = [
      [buildStatus(), end('JobFailed'), 'aborted'],
      [waiting, end('JobFailed', 'aborted'), 'aborted'],
      [waiting, end('JobCancelled'), 'aborted'],
      [waiting, end('JobFailed', 'blocked'), 'needs_clarification'],
      [complete, end('JobFailed'), 'complete'],
    ];
    for (const [status, ended] of cases) {
      const jobId = await submitPlan({ goal: 'g' });
      await append(phaseStream(jobId, 1), jobId, status);
      await append(jobStream(jobId), jobId, ended);
    }
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    expect((await readPlans()).map((row) => row['planning_status'])).toEqual(cases.map(([, , expected]) => expected));
    await expectRebuiltEqual();
  });

  it('contain no content of an encrypted job', async () => {
    await setup.startTail();
    const jobId = randomUUID().replace(/^(.{14})4/, '$18');
    await submitPlan({ goal: 'a secret', goalId: 'secret' }, jobId);
    // Plain files with these hashes exist in another job: not even they are shown.
    const { events } = await recordSchedule('a');
    const approved: PhaseEvent = { type: 'PatternApproved', data: { callId, proposal: 'k', actor: 'ada', pattern } };
    await append(phaseStream(jobId, 1), jobId, ...events, approved, buildStatus({ stage: 'schedule' }));
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    expect(await readTasks()).toEqual([]);
    expect(await select('SELECT * FROM phaseline.pattern_decisions')).toEqual([]);
    expect(await readPlans()).toMatchObject([
      {
        ...{
          goal: null,
          goal_id: null,
          user_name: 'tester',
          response_text: null,
          pattern_type: null,
          outline_hash: null,
          schedule_hash: null,
        },
        ...{ planning_status: 'in_progress', stage: 'schedule' },
      },
    ]);
    await expectRebuiltEqual();
  });

  it('can be found by their pattern through an index', async () => {
    const indexes = await select(
      `SELECT indexdef FROM pg_indexes WHERE schemaname = 'phaseline' AND tablename = 'plans_v1'`,
    );
    const columns = indexes.map(({ indexdef }) => /\((.*)\)/.exec(indexdef as string)![1]);
    expect(columns.sort()).toEqual([
      'job_id',
      'tenant, goal_id, submitted_position',
      'tenant, pattern_subtype',
      'tenant, pattern_type',
      'tenant, pattern_variant',
      'tenant, submitted_position',
    ]);
  });
});

describe('the rows of questions about preferences', () => {
  it('are those of each plan that asked, with the answer if there is one', async () => {
    await setup.startTail();
    const question = { callId, user: 'ada', preference: 'conversationStyle' } as const;
    const [answered, open] = [await submitPlan({ goal: 'g' }), await submitPlan({ goal: 'h' })];
    await append(phaseStream(answered, 1), answered, { type: 'PreferenceAsked', data: question });
    await append(phaseStream(open, 1), open, { type: 'PreferenceAsked', data: question });
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    const data = { ...question, value: 'concise', words: 'Concise.' };
    await append(phaseStream(answered, 1), answered, { type: 'PreferenceAnswered', data });
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    const common = { tenant: 'acme', user_name: 'ada', preference: 'conversationStyle' };
    const rows = await select('SELECT * FROM phaseline.preference_questions ORDER BY asked_at');
    expect(rows).toMatchObject([
      { ...common, job_id: answered, value: 'concise', answered_position: expect.any(Number) },
      { ...common, job_id: open, value: null, answered_position: null, answered_at: null },
    ]);
    expect(rows[0]!['asked_at']).not.toBe(rows[0]!['answered_at']);
    await expectRebuiltEqual();
  });

  it('contain nothing of an encrypted job', async () => {
    await setup.startTail();
    const jobId = randomUUID().replace(/^(.{14})4/, '$18');
    await submitPlan({ goal: 'a secret' }, jobId);
    const data = { callId, user: 'ada', preference: 'conversationStyle' } as const;
    await append(phaseStream(jobId, 1), jobId, { type: 'PreferenceAsked', data });
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    expect(await select('SELECT * FROM phaseline.preference_questions')).toEqual([]);
    await expectRebuiltEqual();
  });
});

describe('the rows of assessed stages', () => {
  const assess = (stage: 'outline' | 'roadmap' | 'schedule', confidence: number): PhaseEvent => ({
    type: 'StageAssessed',
    data: {
      ...{ callId, stage, confidence, band: 'go_on' as const },
      ...{ self: 1, validator: 1, heuristics: 1, heuristicValues: {} },
    },
  });
  const nothing = { steps: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  const end = (outcome: string): JobEvent => ({
    type: 'PhaseEnded',
    data: { phase: 1, result: { kind: 'completed', outcome }, spending: nothing },
  });
  const complete = buildStatus({ planningStatus: 'complete', stage: 'approval' });
  const failed: JobEvent = { type: 'JobFailed', data: { code: 'c', message: 'm' } };

  it.each<[string, readonly (PhaseEvent | JobEvent)[], readonly (string | null)[]]>([
    ['nothing is known', [assess('outline', 1)], [null]],
    ['approved', [assess('outline', 1), assess('roadmap', 1), complete], ['approved', 'approved']],
    ['drafted again', [assess('outline', 1), assess('outline', 1)], ['replaced', null]],
    [
      'made from another outline',
      [assess('outline', 1), assess('roadmap', 1), assess('outline', 1)],
      ['replaced', 'replaced', null],
    ],
    ['invalid', [assess('outline', 1), assess('roadmap', 1), end('invalid_retryable')], [null, 'invalid']],
    ['changed', [assess('outline', 1), assess('roadmap', 1), end('rejected_to_roadmap')], [null, 'changed']],
    ['changed before', [assess('outline', 1), assess('schedule', 1), end('to_outline')], ['changed', 'changed']],
    ['another outcome', [assess('outline', 1), end('approved_to_roadmap'), end('to_approval')], [null]],
    ['aborted', [assess('outline', 1), failed], ['aborted']],
  ])('%s', async (_, events, outcomes) => {
    await setup.startTail();
    const jobId = await submitPlan({ goal: 'g' });
    for (const event of events) {
      const stream =
        event.type.startsWith('Job') || event.type === 'PhaseEnded' ? jobStream(jobId) : phaseStream(jobId, 1);
      await append(stream, jobId, event);
    }
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    const rows = await select('SELECT * FROM phaseline.stage_assessments ORDER BY number');
    expect(rows.map(({ outcome }) => outcome)).toEqual(outcomes);
    expect(rows.map(({ decided_at: decidedAt }) => decidedAt === null)).toEqual(outcomes.map((one) => one === null));
    expect(rows[0]).toMatchObject({ number: 1, tenant: 'acme', agent: 'planner', confidence: 1 });
    await expectRebuiltEqual();
  });
});

describe('the rows of pattern decisions', () => {
  it('are the approved patterns of a tenant, with the grammar of new ones', async () => {
    await setup.startTail();
    const jobId = await submitPlan({ goal: 'g' });
    const definition = { name: 'proposed:voyage' };
    await append(
      phaseStream(jobId, 1),
      jobId,
      { type: 'PatternProposed', data: { callId, proposal: 'a', pattern, rfc: 'why', nearest: 'milestone_project' } },
      { type: 'PatternApproved', data: { callId, proposal: 'a', actor: 'ada', pattern } },
      { type: 'PatternRefused', data: { callId, proposal: 'b', actor: 'ada' } },
      { type: 'PatternApproved', data: { callId, proposal: 'c', actor: 'bob', pattern, definition } },
    );
    await setup.waitForOlderTransactions();
    await setup.waitUntilCaughtUp();
    const common = { job_id: jobId, tenant: 'acme', pattern };
    expect(await select('SELECT * FROM phaseline.pattern_decisions ORDER BY key')).toMatchObject([
      { ...common, key: 'a', actor: 'ada', definition: null },
      { ...common, key: 'c', actor: 'bob', definition },
    ]);
    await expectRebuiltEqual();
  });
});
