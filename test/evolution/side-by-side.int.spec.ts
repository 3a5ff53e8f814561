import {
  defineEvent,
  EventCatalogue,
  jobEventDefinitions,
  jobStream,
  phaseEventDefinitions,
  phaseStream,
  UndecodableEvent,
  type EventDefinition,
  type EventCatalogues,
} from '@phaseline/domain';
import { type ChatRequest } from '@phaseline/contracts';
import { createPool, EventStore, type EventLog, type StreamAppend } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import type { ChatModel } from '@phaseline/model';
import { submitJob } from '@phaseline/orchestration';
import { createQueues, type DeadLetter } from '@phaseline/queue';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  toChatAnswer,
  defaultWorkflow,
  call,
  COMPLETE_JOB,
  PLAN_ONE_TODO,
  parsePrompt,
  type Reply,
} from '@phaseline/harness';
import { agent, Release } from './release.fixture.js';

/** Events with new members in the next release, which can still read their current form. */
const changed: readonly EventDefinition[] = [
  extended('PhaseDispatched', { decidedBy: z.string() }),
  extended('ToolCallCompleted', { language: z.string() }),
];
const upcasters = {
  PhaseDispatched: upcastTo('PhaseDispatched', { decidedBy: 'a release before this one' }),
  ToolCallCompleted: upcastTo('ToolCallCompleted', { language: 'unknown' }),
};
const withChanges = (definitions: readonly EventDefinition[]): EventCatalogue =>
  new EventCatalogue(
    definitions.map((definition) => changed.find(({ type }) => type === definition.type) ?? definition),
    upcasters,
  );
const nextReading: EventCatalogues = {
  job: withChanges(jobEventDefinitions),
  phase: withChanges(phaseEventDefinitions),
};
const additions: Readonly<Record<string, object>> = {
  PhaseDispatched: { decidedBy: 'next' },
  ToolCallCompleted: { language: 'en' },
};

/** The definition of an event in today's release. */
function findDefinition(type: string): EventDefinition {
  return [...jobEventDefinitions, ...phaseEventDefinitions].find((definition) => definition.type === type)!;
}

/** Upcasters of the next release, which adds these members to an event. */
function upcastTo(type: string, added: object): Readonly<Record<number, (data: unknown) => unknown>> {
  const newest = findDefinition(type).version;
  const earlier = Array.from({ length: newest - 1 }, (_, index) => [index + 1, (data: unknown) => data] as const);
  return Object.fromEntries([...earlier, [newest, (data: unknown) => ({ ...(data as object), ...added })]]);
}

function extended(type: string, members: z.ZodRawShape): EventDefinition {
  const known = findDefinition(type);
  return defineEvent(type, known.version + 1, known.summary, (known.data as z.ZodObject).extend(members));
}

/** Returns a log that writes these events as the next release does. */
function nextWriting(log: EventLog): EventLog {
  const withAdditions = ({ events, ...append }: StreamAppend): StreamAppend => ({
    ...append,
    events: events.map((event) =>
      additions[event.type]
        ? { ...event, schemaVersion: event.schemaVersion + 1, data: { ...event.data, ...additions[event.type] } }
        : event,
    ),
  });
  return new Proxy(log, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (key !== 'append') return typeof member === 'function' ? member.bind(target) : member;
      return (appends: StreamAppend | readonly StreamAppend[], options?: object) =>
        target.append([appends].flat().map(withAdditions), options);
    },
  });
}

const packs: readonly ToolPack[] = [
  {
    name: 'fetching',
    tools: [
      defineRemoteTool({
        name: 'fetch',
        description: '',
        effect: 'pure',
        timeoutMs: 5_000,
        input: z.object({}),
        run: async () => ({ content: 'fetched' }),
      }),
    ],
  },
];

function policy(request: ChatRequest): Reply {
  const { phase, kind, turn } = parsePrompt(request);
  if (kind === 'strategic') return phase === 1 ? PLAN_ONE_TODO : COMPLETE_JOB;
  return [call('write_file', { path: 'a.md', content: 'made' }), call('fetch')][turn] ?? call('todo_complete');
}
const model: ChatModel = { complete: async (request) => toChatAnswer(policy(request)) };

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let letters: DeadLetter[];
const releases: Release[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.serviceUrl, { max: 16 });
  store = new EventStore(pool);
  letters = [];
});
afterEach(async () => {
  await Promise.all(releases.splice(0).map((release) => release.stop()));
  await pool.end();
  await database.drop();
});

async function release(name: 'today' | 'next', chat: ChatModel = model): Promise<Release> {
  const queues = await createQueues(
    { backend: 'postgres', connectionString: database.serviceUrl },
    { onDeadLetter: async (letter) => void letters.push(letter), onError: () => undefined },
  );
  const releaseOptions = name === 'next' ? { reading: nextReading, write: nextWriting } : {};
  const created = new Release({ name, pool, store, queues, model: chat, packs, ...releaseOptions });
  releases.push(created);
  return created;
}

async function submit(): Promise<string> {
  const hash = '0'.repeat(64);
  const resolved = { definition: agent, hash, instructions: 'Do it.', workflow: defaultWorkflow, workflowHash: hash };
  const clock = { now: () => new Date() };
  const parts = { store, repository: new JobRepository(store), agents: { resolve: () => resolved }, clock };
  return (await submitJob(parts, { agent: 'tester' }, { actor: { id: 'spec', kind: 'process' } })).jobId;
}

const statusOf = async (jobId: string): Promise<string | undefined> =>
  (await new JobRepository(store, { reading: nextReading }).loadJob(jobId))?.status;
const versionsOf = async (jobId: string, type: string): Promise<readonly number[]> =>
  (await store.readCorrelation(jobId, { types: [type] })).map((event) => event.schemaVersion);

describe('two releases side by side on one log', () => {
  it('complete every job, and lose none to events that one of them does not know', async () => {
    const [today, next] = [await release('today'), await release('next')];
    const jobs = await Promise.all(Array.from({ length: 6 }, submit));
    await Promise.all([today.start(), next.start()]);
    for (const jobId of jobs)
      await vi.waitFor(async () => expect(await statusOf(jobId)).toBe('completed'), { timeout: 60_000, interval: 50 });
    expect(letters).toEqual([]);
    expect([...today.problems, ...next.problems]).toEqual([]);
    expect(next.leftToNewer).toEqual([]);
  });

  it('the older one advances jobs until it meets a newer event, then leaves them alone without failing them', async () => {
    const next = await release('next');
    const newerJob = await submit();
    await next.driver.advance(newerJob);
    expect(await versionsOf(newerJob, 'PhaseDispatched')).toEqual([findDefinition('PhaseDispatched').version + 1]);
    const before = (await store.head(jobStream(newerJob)))!.version;

    const today = await release('today');
    await today.start();
    const own = await submit();
    await vi.waitFor(async () => expect(await statusOf(own)).toBe('completed'), { timeout: 60_000, interval: 50 });
    // Its first phase contains no newer event, so today's worker may run it; what follows is decided by a release that
    // can read it.
    await vi.waitFor(() => expect(today.leftToNewer).toContain(`${jobStream(newerJob)} PhaseDispatched`), {
      timeout: 60_000,
    });
    expect((await store.head(jobStream(newerJob)))!.version).toBe(before);
    expect(await statusOf(newerJob)).toBe('running');
    expect(today.problems).toEqual([]);
    expect(letters).toEqual([]);

    await next.start();
    await vi.waitFor(async () => expect(await statusOf(newerJob)).toBe('completed'), { timeout: 60_000, interval: 50 });
  });

  it('a message for a phase with a newer event is postponed until the newer release takes it', async () => {
    // The next release is stopped in the middle of a phase, after a tool call that only it can read.
    const running: Release[] = [];
    const stopping: ChatModel = {
      complete: async (request, { signal }) => {
        const { kind, turn } = parsePrompt(request);
        if (kind === 'strategic' || turn === 0) return toChatAnswer(policy(request));
        void running[0]?.stop().catch(() => undefined);
        return new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    };
    const stopped = await release('next', stopping);
    running.push(stopped);
    const jobId = await submit();
    await stopped.start();
    await vi.waitFor(
      async () =>
        expect(await versionsOf(jobId, 'ToolCallCompleted')).toContain(findDefinition('ToolCallCompleted').version + 1),
      {
        timeout: 60_000,
      },
    );
    releases.length = 0;

    const today = await release('today');
    await today.start();
    const place = `${phaseStream(jobId, 2)} ToolCallCompleted`;
    await vi.waitFor(() => expect(today.postponed.filter((put) => put === place).length).toBeGreaterThan(2), {
      timeout: 60_000,
    });
    expect(letters).toEqual([]);
    expect(await statusOf(jobId)).toBe('running');

    await (await release('next')).start();
    await vi.waitFor(async () => expect(await statusOf(jobId)).toBe('completed'), { timeout: 60_000, interval: 50 });
    expect(letters).toEqual([]);
    expect(today.problems).toEqual([]);
  });

  it('the newer one reads events of the older one in its own form', async () => {
    const today = await release('today');
    await today.start();
    const jobId = await submit();
    await vi.waitFor(async () => expect(await statusOf(jobId)).toBe('completed'), { timeout: 60_000, interval: 50 });
    const [event] = await store.readCorrelation(jobId, { types: ['ToolCallCompleted'] });
    expect(nextReading.phase.decode(event!).data).toMatchObject({ language: 'unknown' });
    expect(() =>
      nextReading.phase.decode({ ...event!, schemaVersion: findDefinition('ToolCallCompleted').version + 2 }),
    ).toThrow(UndecodableEvent);
  });
});
