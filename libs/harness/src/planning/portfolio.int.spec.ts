import type { JsonObject } from '@phaseline/basics';
import { ToolError, type JobId } from '@phaseline/contracts';
import { createPortfolioHost, findPlanOwner, type PortfolioHost } from '@phaseline/remote-packs';
import { JobRepository } from '@phaseline/repository';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Engine } from '../engine/engine.js';
import { ProjectionsFixture } from '../read-models/projections.fixture.js';
import {
  answerPlan,
  createPlanner,
  decidePlan,
  listEvents,
  listStates,
  type PlanScript,
  playPlan,
  readArtifact,
  readFile,
  readSession,
  startPlan,
} from './planner.fixture.js';

let setup: ProjectionsFixture;
beforeEach(async () => {
  setup = await ProjectionsFixture.open();
  await setup.startTail();
});
afterEach(() => setup.close());

const GOAL = { goal: 'Build a boat by the end of January' };
// Without an end, tasks are done one after another; with one, they would be spread over its days.
const CONTEXT = { start: '2027-01-04', zone: 'Europe/Berlin', confidence: 0.9 };
const PROBING: Partial<PlanScript> = {
  context: [[['context_elicitor', CONTEXT]]],
  schedule: [[['portfolio_probe', {}]], [['schedule_generator', { confidence: 0.9 }]]],
};

/** A planner that reads the other plans of a person from the database. A script is played by each of its plans. */
async function openPlanner(script: Partial<PlanScript> = PROBING): Promise<Engine> {
  return createPlanner(setup.store, playAll(script), {}, openHost());
}

function openHost(): PortfolioHost {
  const repository = new JobRepository(setup.store);
  return createPortfolioHost({ database: setup.pool }, async (jobId) => {
    const job = await repository.loadJob(jobId);
    return findPlanOwner(job!.submitted);
  });
}

/** Plays the script from its beginning for each job. */
function playAll(script: Partial<PlanScript>): ReturnType<typeof playPlan>['policy'] {
  const players = new Map<string, ReturnType<typeof playPlan>['policy']>();
  return (request, signal) => {
    const goal = /"goal":\s*"([^"]*)"/.exec(JSON.stringify(request.messages).replaceAll('\\"', '"'))![1]!;
    const player = players.get(goal) ?? playPlan(script).policy;
    players.set(goal, player);
    return player(request, signal);
  };
}

async function catchUp(): Promise<void> {
  await setup.waitForOlderTransactions();
  await setup.waitUntilCaughtUp();
}

async function approve(subject: Engine, jobId: JobId): Promise<void> {
  await decidePlan(subject, jobId);
  await catchUp();
}

interface Times {
  readonly start: string;
  readonly end: string;
}

async function readTimes(subject: Engine, jobId: JobId): Promise<readonly Times[]> {
  return (await readArtifact(subject, jobId, 'schedule'))['tasks'] as unknown as readonly Times[];
}

function countOverlaps(one: readonly Times[], other: readonly Times[]): number {
  return one.flatMap((a) => other.filter((b) => a.start < b.end && b.start < a.end)).length;
}

const readStatus = async (subject: Engine, jobId: JobId) => (await subject.loadJob(jobId)).status;

it('a schedule is made around the other approved plans of the person, when they were read', async () => {
  const subject = await openPlanner();
  const first = await startPlan(subject, GOAL);
  await approve(subject, first);
  const second = await startPlan(subject, { goal: 'Build another boat' });
  const times = await readTimes(subject, second);
  expect(times).toHaveLength(2);
  expect(countOverlaps(times, await readTimes(subject, first))).toBe(0);
  const portfolio = JSON.parse(await readFile(subject, second, 'plan/portfolio.json')) as JsonObject;
  expect((portfolio['busy'] as JsonObject[]).map(({ plan, task }) => [plan, task])).toEqual([
    [first, 'saw'],
    [first, 'glue'],
  ]);
  expect((await readSession(subject, second)).portfolioVersion).toBe(portfolio['version']);
  await approve(subject, second);
  expect(await readStatus(subject, second)).toBe('completed');
});

it('only approved plans of the same tenant and person for other goals are read; of one goal, the latest', async () => {
  const subject = await openPlanner();
  const host = openHost();
  const plan = async (parameters: JsonObject, tenant?: string, isApproved = true) => {
    const jobId = await startPlan(subject, { ...parameters }, tenant);
    if (isApproved) await approve(subject, jobId);
    return jobId;
  };
  await plan({ goal: 'Boat 1', goalId: 'boat' });
  const latest = await plan({ goal: 'Boat 2', goalId: 'boat' });
  await plan({ goal: 'Boat of Bob', user: 'bob' });
  await plan({ goal: 'Boat of Acme' }, 'acme');
  await plan({ goal: 'Boat that nobody approved' }, undefined, false);
  const reader = await plan({ goal: 'A shed', goalId: 'shed' }, undefined, false);
  const replaced = await plan({ goal: 'Boat 3', goalId: 'boat' }, undefined, false);
  await catchUp();
  const read = async (jobId: JobId, from = '2027-01-01') =>
    (await host.listOtherTasks(jobId, new Date(from))).map(({ plan: other, task, workMinutes }) => [
      other,
      task,
      workMinutes,
    ]);
  expect(await read(reader)).toEqual([
    [latest, 'saw', 240],
    [latest, 'glue', 120],
  ]);
  expect(await read(replaced)).toEqual([]);
  expect(await read(reader, '2027-03-01')).toEqual([]);
});

it('an approved schedule is not complete if another plan has taken its time meanwhile: it is made again, and asked about again', async () => {
  const subject = await openPlanner();
  const waiting = await startPlan(subject, { goal: 'Build one boat' });
  const other = await startPlan(subject, { goal: 'Build another boat' });
  expect(countOverlaps(await readTimes(subject, waiting), await readTimes(subject, other))).toBe(2);
  await approve(subject, other);
  expect(await readStatus(subject, other)).toBe('completed');

  const { hashes: before } = await readSession(subject, waiting);
  await decidePlan(subject, waiting);
  expect(await readStatus(subject, waiting)).toBe('running');
  expect((await listStates(subject, waiting)).slice(-4)).toEqual([
    ...['seek_approval', 'draft_schedule', 'validate_schedule', 'seek_approval'],
  ]);
  const { hashes, messages } = await readSession(subject, waiting);
  expect(hashes.roadmap).toBe(before.roadmap);
  expect(hashes.schedule).not.toBe(before.schedule);
  const said = messages.findLast(({ from }) => from === 'planner')!.text;
  expect(said).toContain('saw from 2027-01-04 09:00 to 2027-01-04 13:00 is at the same time as "Saw the planks"');
  expect(countOverlaps(await readTimes(subject, waiting), await readTimes(subject, other))).toBe(0);
  await approve(subject, waiting);
  expect(await readStatus(subject, waiting)).toBe('completed');
  expect(await listEvents(subject, waiting, 'ApprovalRequested')).toHaveLength(2);
});

it('an approved schedule is complete if plans were approved meanwhile that leave it its time', async () => {
  const subject = await openPlanner();
  const waiting = await startPlan(subject, GOAL);
  const { portfolioVersion } = await readSession(subject, waiting);
  const later = await createPlanner(
    setup.store,
    playAll({
      context: [
        [['context_elicitor', { start: '2027-02-01', end: '2027-02-26', zone: 'Europe/Berlin', confidence: 0.9 }]],
      ],
    }),
    {},
    openHost(),
  );
  await approve(later, await startPlan(later, { goal: 'Build a boat in February' }));
  await decidePlan(subject, waiting);
  expect(await readStatus(subject, waiting)).toBe('completed');
  expect((await readSession(subject, waiting)).portfolioVersion).toBe(portfolioVersion);
});

it('an approved schedule is asked about again if the other plans could not be read', async () => {
  const host = openHost();
  let isBroken = false;
  const listOtherTasks: PortfolioHost['listOtherTasks'] = async (jobId, from) => {
    if (isBroken) throw new ToolError('no_database', 'There is no database.');
    return host.listOtherTasks(jobId, from);
  };
  const subject = await createPlanner(setup.store, playPlan(PROBING).policy, {}, { listOtherTasks });
  const jobId = await startPlan(subject, GOAL);
  isBroken = true;
  const first = await decidePlan(subject, jobId);
  expect((await listStates(subject, jobId)).slice(-2)).toEqual(['seek_approval', 'seek_approval']);
  isBroken = false;
  expect(await decidePlan(subject, jobId)).toMatchObject({ content_hash: first['content_hash'] });
  expect(await readStatus(subject, jobId)).toBe('completed');
});

it('the context names the version of the other plans that were read for it', async () => {
  const script: Partial<PlanScript> = {
    context: [
      [['portfolio_probe', {}]],
      [['context_elicitor', { start: '2027-01-04', end: '2027-01-29', zone: 'Europe/Berlin', confidence: 0.9 }]],
    ],
  };
  const subject = await openPlanner(script);
  const jobId = await startPlan(subject, GOAL);
  const { version } = JSON.parse(await readFile(subject, jobId, 'plan/portfolio.json')) as JsonObject;
  expect(await readArtifact(subject, jobId, 'context')).toMatchObject({ portfolioVersion: version });
  expect((await listStates(subject, jobId)).at(-1)).toBe('seek_approval');
});

it('a plan that does not fit beside the others says so, and continues with the choice of the person', async () => {
  const narrow = { start: '2027-01-04', end: '2027-01-05', zone: 'Europe/Berlin', confidence: 0.9 };
  const subject = await openPlanner({ ...PROBING, context: [[['context_elicitor', narrow]]] });
  await approve(subject, await startPlan(subject, { goal: 'Build one boat' }));
  const second = await startPlan(subject, { goal: 'Build another boat' });
  expect((await listStates(subject, second)).at(-1)).toBe('needs_sched_escalation');
  const { pending } = await readSession(subject, second);
  expect(pending).toMatchObject({ kind: 'infeasible', code: 'infeasible' });
  const { choices } = pending as { choices: readonly { readonly id: string }[] };
  expect(choices.length).toBeGreaterThan(0);
  await answerPlan(subject, second, choices[0]!.id);
  expect((await listStates(subject, second)).at(-1)).toBe('seek_approval');
});
