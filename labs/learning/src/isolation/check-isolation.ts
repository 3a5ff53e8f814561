import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@phaseline/basics';
import type { CallId, EventId, JobId, LearningTraceScope } from '@phaseline/contracts';
import {
  assertReadable,
  getSchemaVersion,
  jobStream,
  phaseStream,
  type JobEvent,
  type PhaseEvent,
} from '@phaseline/domain';
import { buildPhaseStart } from '@phaseline/domain/testing';
import { createPool, EventStore, type StreamAppend } from '@phaseline/event-store';
import {
  call,
  calls,
  createThreePhasePolicy,
  DO_THE_TODO,
  Engine,
  parsePrompt,
  SeededRandom,
} from '@phaseline/harness';
import {
  AgentTraces,
  createLearningTracesProjection,
  LearningTraces,
  Precedents,
  TracePromotions,
} from '@phaseline/learning';
import { createLearningPack } from '@phaseline/remote-packs';
import { markedJobEvents, markedPhaseEvents } from './marked-events.js';

/** Generated pairs whose learning traces are stored together. */
const BATCH = 50;

/** Time for which the table of learning traces may stay behind the log. */
const MAX_WAIT_MS = 60_000;

/** Calls of an answer of the reading agent. */
const CALLS_PER_ANSWER = 6;

const TENANTS = ['red', 'blue'] as const;
const PROJECTS = ['shop', 'bank'] as const;

/** What is asked of a reading job, and what its requests contained. */
export interface IsolationReport {
  readonly pairs: number;
  readonly traces: number;
  readonly promoted: number;
  readonly requests: number;
  /** Markers that the requests contained, each of a learning trace that was promoted for the job. */
  readonly seen: number;
  /** Markers that first prompts quoted, before any call. */
  readonly quoted: number;
  /** What a request contained that was not promoted for its job, and what a job could not read that was. */
  readonly problems: readonly string[];
}

interface MarkedTrace {
  readonly id: EventId;
  readonly marker: string;
  scope: LearningTraceScope;
}

interface Pair {
  readonly name: string;
  readonly writer: Place & { readonly jobId: JobId };
  readonly reader: Place;
  readonly traces: readonly MarkedTrace[];
}

interface Place {
  readonly tenant: string;
  readonly project: string;
}

/**
 * Generates pairs of jobs: one that leaves learning traces of every kind, each with a marker in all of its texts, of which people promote and
 * withdraw some; and one whose phases begin with those that fit, and whose agent searches for them and asks for them by their ids. Every request
 * that the second one sends to its model is searched for markers, also for those of other pairs.
 */
export async function checkIsolation(databaseUrl: string, pairs: number, seed: number): Promise<IsolationReport> {
  const pool = createPool(databaseUrl, { max: 8, applicationName: 'isolation' });
  const store = new EventStore(pool, { checkEvent: assertReadable });
  const projection = createLearningTracesProjection(pool, { pollMs: 10 });
  const total = { pairs, traces: 0, promoted: 0, requests: 0, seen: 0, quoted: 0, problems: [] as string[] };
  const markers = new Map<string, { readonly pair: Pair; readonly trace: MarkedTrace }>();
  const random = new SeededRandom(seed);
  const scribe = new Engine({ store, policy: () => call('none') });
  await projection.start();
  try {
    for (let first = 0; first < pairs; first += BATCH) {
      const batch: Pair[] = [];
      for (let index = first; index < Math.min(pairs, first + BATCH); index += 1)
        batch.push(await writePair(random, store, scribe, `p${seed}x${index}`));
      const traces = batch.flatMap((pair) => pair.traces.map((trace) => ({ pair, trace })));
      for (const one of traces) markers.set(one.trace.marker, one);
      await waitFor(pool, traces);
      await changeScopes(random, pool, store, traces);
      await waitFor(pool, traces);
      total.traces += traces.length;
      total.promoted += traces.filter(({ trace }) => trace.scope !== 'job').length;
      for (const pair of batch) {
        const requests = await readTraces(pool, store, pair);
        total.requests += requests.length;
        const seen = new Set(requests.flatMap((request) => [...listMarkers(request)]));
        total.seen += seen.size;
        total.quoted += listMarkers(requests[0]!).size;
        for (const marker of seen) {
          const known = markers.get(marker);
          if (!known || !isVisible(known.pair.writer, known.trace, pair.reader))
            total.problems.push(`${pair.name}: a request contains ${marker}`);
        }
        for (const trace of pair.traces)
          if (isVisible(pair.writer, trace, pair.reader) && !seen.has(trace.marker))
            total.problems.push(`${pair.name}: ${trace.marker} was promoted, and no request contains it`);
      }
    }
  } finally {
    await projection.close();
    await store.close();
    await pool.end();
  }
  return total;
}

function listMarkers(request: string): ReadonlySet<string> {
  return new Set(request.match(/marker[a-z0-9]+/g));
}

/** Who may read a learning trace, said once more than the code that is checked says it. */
function isVisible(writer: Place, { scope }: MarkedTrace, reader: Place): boolean {
  if (writer.tenant !== reader.tenant || scope === 'job') return false;
  return scope === 'universal' || writer.project === reader.project;
}

/** Submits the writing job of a pair, and appends one event per kind of learning trace. */
async function writePair(random: SeededRandom, store: EventStore, engine: Engine, name: string): Promise<Pair> {
  const choosePlace = (): Place => ({ tenant: random.pick(TENANTS), project: random.pick(PROJECTS) });
  const [writer, reader] = [choosePlace(), choosePlace()];
  const jobId = await engine.submit({ tenant: writer.tenant, labels: { project: writer.project } });
  engine.messages.length = 0;
  const traces: MarkedTrace[] = [];
  const mark = <Event extends JobEvent | PhaseEvent>(
    kinds: readonly { readonly type: string; readonly build: (marker: string, callId: CallId) => readonly Event[] }[],
  ): StoredEvent[] =>
    kinds.flatMap(({ type, build }) => {
      const marker = `marker${name}x${traces.length}`;
      return build(marker, `call${traces.length}` as CallId).map((event) => {
        const eventId = randomUUID() as EventId;
        if (event.type === type) traces.push({ id: eventId, marker, scope: 'job' });
        return toStored(eventId, event);
      });
    });
  await append(store, jobStream(jobId), jobId, mark(markedJobEvents));
  const start = buildPhaseStart({
    identity: { jobId },
    plan: { todos: [{ id: 1, content: 'Do it', status: 'open' }] },
  });
  const events = [toStored(randomUUID() as EventId, start), ...mark(markedPhaseEvents)];
  await append(store, phaseStream(jobId, 1), jobId, events);
  return { name, writer: { ...writer, jobId }, reader, traces };
}

type StoredEvent = StreamAppend['events'][number];

/** What the schemas of events accept is JSON; their types have no index signature. */
function toStored(eventId: EventId, { type, data }: JobEvent | PhaseEvent): StoredEvent {
  return { eventId, type, schemaVersion: getSchemaVersion(type), data: data as unknown as JsonObject, metadata: {} };
}

async function append(store: EventStore, streamId: string, jobId: JobId, events: StoredEvent[]): Promise<void> {
  await store.append({ streamId, correlationId: jobId, expectedVersion: 'any', events });
}

interface PairTrace {
  readonly pair: Pair;
  readonly trace: MarkedTrace;
}

/** Promotes a third of the learning traces, and withdraws some of those. */
async function changeScopes(
  random: SeededRandom,
  pool: ReturnType<typeof createPool>,
  store: EventStore,
  traces: readonly PairTrace[],
): Promise<void> {
  const promotions = new TracePromotions(pool, store);
  const actor = { id: 'reviewer', kind: 'person' } as const;
  const stored = new LearningTraces(pool);
  for (const { trace } of traces) {
    if (random.next() > 1 / 3) continue;
    const found = (await stored.find({ tenants: 'all' }, trace.id))!;
    const to = random.pick(['project', 'universal'] as const);
    ({ scope: trace.scope } = await promotions.promote(found, { to, reason: 'generated' }, actor));
    if (random.next() < 1 / 4) ({ scope: trace.scope } = await promotions.withdraw(found, 'generated', actor));
  }
}

/** Waits until the table has the learning traces with their scopes. */
async function waitFor(pool: ReturnType<typeof createPool>, traces: readonly PairTrace[]): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM phaseline.learning_traces AS t
       JOIN unnest($1::uuid[], $2::text[]) AS wanted(id, scope) USING (id, scope)`,
      [traces.map(({ trace }) => trace.id), traces.map(({ trace }) => trace.scope)],
    );
    if (rows[0]!.count === traces.length) return;
    if (performance.now() > deadline)
      throw new Error(`only ${rows[0]!.count} of ${traces.length} learning traces are stored`);
    await sleep(20);
  }
}

/** Runs the reading job of a pair, and returns all requests to its model as text. */
async function readTraces(
  pool: ReturnType<typeof createPool>,
  store: EventStore,
  { reader, traces }: Pair,
): Promise<readonly string[]> {
  const requests: string[] = [];
  const asked = Array.from({ length: Math.ceil(traces.length / CALLS_PER_ANSWER) }, (_, part) =>
    traces.slice(part * CALLS_PER_ANSWER, (part + 1) * CALLS_PER_ANSWER),
  );
  const work = createThreePhasePolicy((request) => {
    const { turn } = parsePrompt(request);
    if (turn === 0) return call('query_traces');
    if (turn === 1) return call('query_traces', { text: 'refused, denied or approved calls of the agent' });
    if (turn === 2) return call('extract_patterns');
    const part = asked[turn - 3];
    return part ? calls(...part.map(({ id }): [string, object] => ['get_trace', { id, level: 'full' }])) : DO_THE_TODO;
  });
  const engine = new Engine({
    store,
    searchPrecedents: (jobId, task) => new Precedents(pool).search(jobId, task),
    packs: [createLearningPack({ getTenant: async () => reader.tenant }, new AgentTraces(pool))],
    agent: {
      tools: { workspace: ['read_file'], tactical: ['todo_complete', 'query_traces', 'get_trace', 'extract_patterns'] },
      limits: { steps: 100, deniedCalls: 100 },
      stuck: { enabled: false },
    },
    policy: (request, signal) => {
      requests.push(JSON.stringify(request));
      return work(request, signal);
    },
  });
  await engine.submitAndRun({
    tenant: reader.tenant,
    labels: { project: reader.project },
    instructions: 'Repair what was refused, denied or approved.',
  });
  return requests;
}
