import { clip, toWellFormedText } from '@phaseline/basics';
import { MAX_TRACE_TEXT, type CallId, type JobId } from '@phaseline/contracts';
import {
  decodeJobEvent,
  decodePhaseEvent,
  parseStreamName,
  passOverUndecodable,
  promotionEventTypes,
  type JobEvent,
  type LearningTracesRemoved,
  type PhaseEvent,
} from '@phaseline/domain';
import {
  Subscription,
  type RecordedEvent,
  type SubscriptionOptions,
  toQueryable,
  type Queryable,
} from '@phaseline/event-store';
import type pg from 'pg';
import { projectPromotion } from '../promotion/project-promotion.js';
import { JobLessons } from './job-lessons.js';
import { findTracedJob, type TracedJob } from './traced-job.js';
import type { Lesson } from './learning-trace.js';
import { PhaseLessons } from './phase-lessons.js';
import { isStoredTrace } from './stored-note.js';
import {
  callContextTypes,
  jobContextTypes,
  phaseContextTypes,
  tracedJobTypes,
  tracedPhaseTypes,
} from './traced-events.js';
import { isFailedVerifier } from './verifier-reason.js';

/** Name under which the checkpoints are stored. */
const SUBSCRIPTION = 'learning-traces';

/** Event about learning traces that retention removed. It counts only what is before it in the log, so that a rebuild removes the same. */
const REMOVAL: LearningTracesRemoved['type'] = 'LearningTracesRemoved';

/** Polling interval in milliseconds. An agent that asks for what it did a moment ago knows it anyway. */
const POLL_MS = 1_000;

/** Creates the subscription that stores learning traces, with rows and checkpoint in one transaction. */
export function createLearningTracesProjection(
  pool: pg.Pool,
  options: Pick<SubscriptionOptions, 'replicaId' | 'listener' | 'onError' | 'pollMs' | 'leaseMs' | 'cold'> = {},
): Subscription {
  return new Subscription(pool, {
    pollMs: POLL_MS,
    ...options,
    name: SUBSCRIPTION,
    // Most pages are skipped without a query.
    partitions: 1,
    types: [...tracedPhaseTypes, ...tracedJobTypes, ...promotionEventTypes, REMOVAL],
    handleInTransaction: (transaction, events) => projectLearningTraces(toQueryable(transaction), events),
  });
}

/** Adds the learning traces of these events to the table, sets the scopes of promoted ones, and removes those that retention removed; the same events again change nothing. Throws UndecodableEvent for an event of a newer release. */
async function projectLearningTraces(transaction: Queryable, events: readonly RecordedEvent[]): Promise<void> {
  for (const ofStream of Map.groupBy(events.filter(mayTeach), ({ streamId }) => streamId).values()) {
    const stream = parseStreamName(ofStream[0]!.streamId);
    if (!stream) continue;
    const job = await findReadableJob(transaction, stream.jobId);
    if (!job?.isLive) continue;
    const lessons = stream.kind === 'job' ? new JobLessons(job.agent) : new PhaseLessons(job.agent);
    const phase = stream.kind === 'phase' ? stream.phase : undefined;
    const context = await readContext(transaction, stream.kind, ofStream);
    for (const stored of [...context, ...ofStream].sort((left, right) => left.version - right.version)) {
      const event = decodeIfReadable(stored, stream.kind);
      // The kind of the stream decides which class folds its events.
      const lesson = event && (lessons as { apply(event: JobEvent | PhaseEvent): Lesson | undefined }).apply(event);
      if (lesson && isRecorded(stored))
        await insertTrace(transaction, stored, { jobId: stream.jobId, phase }, job, lesson);
    }
  }
  // Later than the learning traces that they are about, which may be of the same page.
  for (const event of events) {
    if (promotionEventTypes.includes(event.type)) await projectPromotion(transaction, event);
    if (event.type === REMOVAL) await transaction.query('SELECT phaseline.remove_learning_traces($1)', [event.eventId]);
  }
}

type ContextEvent = Pick<RecordedEvent, 'streamId' | 'version' | 'type' | 'schemaVersion' | 'data'>;

/** Whether the event is one of the page, not one that was read for it. */
function isRecorded(event: ContextEvent): event is RecordedEvent {
  return 'position' in event;
}

/** Most ended calls are neither a failed verifier nor a stored trace, which their result shows. */
function mayTeach({ type, data }: RecordedEvent): boolean {
  if (type !== 'ToolCallCompleted') return true;
  const { result } = data;
  return isStoredTrace(result) || isFailedVerifier(result);
}

/** Reads the events of a stream that those of the page refer to. */
async function readContext(
  transaction: Queryable,
  kind: 'job' | 'phase',
  events: readonly RecordedEvent[],
): Promise<readonly ContextEvent[]> {
  const streamId = events[0]!.streamId;
  const callIds = events.flatMap(({ data }) => (typeof data['callId'] === 'string' ? [data['callId'] as CallId] : []));
  const denials = events.flatMap(({ type, version }) => (type === 'ToolCallDenied' ? [version] : []));
  const { rows } = await transaction.query<ContextRow>(
    `SELECT version, type, schema_version, data FROM phaseline.events
     WHERE stream_id = $1 AND version < $2 AND (
       type = ANY ($3) OR (type = ANY ($4) AND data ->> 'callId' = ANY ($5)) OR version IN (
         -- The answer that made a denied call: its arguments are in no other event.
         SELECT answer.version FROM unnest($6::integer[]) AS denied(version) CROSS JOIN LATERAL (
           SELECT version FROM phaseline.events
           WHERE stream_id = $1 AND version < denied.version AND type = 'ModelResponded' ORDER BY version DESC LIMIT 1
         ) AS answer))`,
    [
      streamId,
      Math.max(...events.map(({ version }) => version)),
      kind === 'job' ? jobContextTypes : phaseContextTypes,
      kind === 'job' ? [] : callContextTypes,
      callIds,
      denials,
    ],
  );
  return rows.map(({ version, type, schema_version: schemaVersion, data }) => ({
    streamId,
    version: Number(version),
    type,
    schemaVersion,
    data,
  }));
}

interface ContextRow {
  readonly version: number | string;
  readonly type: string;
  readonly schema_version: number;
  readonly data: RecordedEvent['data'];
}

async function findReadableJob(transaction: Queryable, jobId: JobId): Promise<TracedJob | undefined> {
  try {
    return await findTracedJob(transaction, jobId);
  } catch (error) {
    return passOverUndecodable(error);
  }
}

function decodeIfReadable(event: ContextEvent, kind: 'job' | 'phase'): JobEvent | PhaseEvent | undefined {
  try {
    return kind === 'job' ? decodeJobEvent(event) : decodePhaseEvent(event);
  } catch (error) {
    return passOverUndecodable(error);
  }
}

async function insertTrace(
  transaction: Queryable,
  { eventId, position, recordedAt }: RecordedEvent,
  { jobId, phase }: { readonly jobId: JobId; readonly phase: number | undefined },
  { tenant, project }: TracedJob,
  { type, source, action, reason, context, event }: Lesson,
): Promise<void> {
  await transaction.query(
    `INSERT INTO phaseline.learning_traces (id, position, tenant, project, job_id, phase, recorded_at, type, source, action, reason,
       agent, feature, todo, task, happened, correct, why)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     ON CONFLICT (id) DO NOTHING`,
    [
      ...[eventId, position, tenant, project, jobId, phase ?? null, recordedAt, type, source, action, reason],
      ...[context.agent, context.feature ?? null, context.todo ?? null],
      ...[context.task, event.happened, event.correct, event.why].map(toStoredText),
    ],
  );
}

/** Texts may be built of arguments with any characters. The result is one character longer than the limit if the text was. */
function toStoredText(text: string | undefined): string | null {
  return text === undefined ? null : clip(toWellFormedText(text), MAX_TRACE_TEXT);
}
