import type { JsonObject } from '@phaseline/basics';
import type { EventId, JobId, LearningReason, LearningTraceSource } from '@phaseline/contracts';
import { systemTools, type HookPoint } from '@phaseline/domain';
import type { Queryable } from '@phaseline/event-store';
import { toReaderParameters, VISIBLE, type LearningTraceReader } from '../traces/visible-traces.js';
import type { Violation } from './violation.js';

/** Newest violations that are read at once. */
const MAX_VIOLATIONS = 20_000;

export interface ViolationFilter {
  /** ISO time. */
  readonly since?: string | undefined;
  readonly agent?: string | undefined;
}

/** Decisions with which a person corrected what an agent did. */
const CORRECTIONS: readonly LearningReason[] = ['person_steered', 'person_edited'];

/**
 * Reads the learning traces that the reader may see of the type violation, and with `withCorrections` those of messages and edits of people, with what
 * the log says about each: the call and the answer that made it, and the guard that denied it or asked a person.
 */
export async function readViolations(
  database: Queryable,
  reader: LearningTraceReader,
  { since, agent }: ViolationFilter,
  { withCorrections = false }: { readonly withCorrections?: boolean } = {},
): Promise<readonly Violation[]> {
  const { rows } = await database.query<ViolationRow>(
    `SELECT t.id, t.position::float8 AS position, t.tenant, t.job_id, t.agent, t.source, t.reason, t.happened,
       coalesce(t.why, t.correct) AS why,
       to_char(t.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
       e.type, e.data #>> '{subject,kind}' AS subject, e.data ->> 'callId' AS call_id,
       CASE WHEN e.type = 'WorkspaceEdited' THEN e.data ->> 'path' END AS file,
       coalesce(request.data, before.data) AS request, answer.data AS answer, decision.data #>> '{guard,name}' AS guard
     FROM (
       SELECT t.* FROM phaseline.learning_traces AS t
       WHERE (t.type = 'violation' OR t.reason = ANY ($6)) AND ${VISIBLE}
         AND ($4::timestamptz IS NULL OR t.recorded_at >= $4) AND ($5::text IS NULL OR t.agent = $5)
       ORDER BY position DESC LIMIT ${MAX_VIOLATIONS}
     ) AS t
     JOIN phaseline.events AS e ON e.event_id = t.id
     LEFT JOIN LATERAL (
       SELECT data FROM phaseline.events
       WHERE stream_id = e.stream_id AND version < e.version AND type = 'ModelResponded' ORDER BY version DESC LIMIT 1
     ) AS answer ON true
     LEFT JOIN LATERAL (
       SELECT data FROM phaseline.events
       WHERE stream_id = e.stream_id AND version < e.version AND type IN ('ApprovalRequested', 'ToolCallRequested')
         AND data ->> 'callId' = e.data ->> 'callId' ORDER BY version LIMIT 1
     ) AS request ON e.type <> 'ToolCallDenied'
     LEFT JOIN LATERAL (
       SELECT data FROM phaseline.events
       WHERE correlation_id = e.correlation_id AND position < e.position AND type IN ('ApprovalRequested', 'ToolCallRequested')
         AND data ->> 'name' <> ALL ($7) AND coalesce(data ->> 'traits', '') NOT LIKE '%"bookkeeping"%'
         AND (e.type = 'JobSteered' OR data #>> '{arguments,path}' = e.data ->> 'path')
       ORDER BY position DESC LIMIT 1
     ) AS before ON e.type IN ('JobSteered', 'WorkspaceEdited')
     LEFT JOIN LATERAL (
       SELECT data FROM phaseline.events
       WHERE stream_id = e.stream_id AND version < e.version AND type = 'GuardDecided' AND data ->> 'callId' = e.data ->> 'callId'
         AND data ->> 'decision' = CASE e.type WHEN 'ToolCallDenied' THEN 'deny' ELSE 'ask' END
         AND data #>> '{guard,stage}' = 'production' AND data -> 'override' IS NULL
       ORDER BY version DESC LIMIT 1
     ) AS decision ON e.type IN ('ToolCallDenied', 'ApprovalRefused')
     ORDER BY t.position`,
    [
      ...toReaderParameters(reader),
      ...[since ?? null, agent ?? null],
      withCorrections ? CORRECTIONS : [],
      Object.values(systemTools),
    ],
  );
  return rows.map(toViolation);
}

interface AnswerData {
  readonly calls?: readonly { readonly callId: string; readonly name: string; readonly arguments?: JsonObject }[];
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly costMicroUsd?: number;
}

interface ViolationRow {
  readonly id: EventId;
  readonly position: number;
  readonly tenant: string;
  readonly job_id: JobId;
  readonly agent: string;
  readonly source: LearningTraceSource;
  readonly reason: LearningReason;
  readonly happened: string;
  readonly why: string | null;
  readonly file: string | null;
  readonly at: string;
  readonly type: string;
  /** Kind of what was claimed. */
  readonly subject: string | null;
  readonly call_id: string | null;
  readonly request: { readonly name: string; readonly arguments: JsonObject } | null;
  readonly answer: AnswerData | null;
  readonly guard: string | null;
}

function toViolation(row: ViolationRow): Violation {
  const { id, position, tenant, job_id: jobId, agent, source, reason, happened, at, answer, guard, file, why } = row;
  const made = row.request ?? answer?.calls?.find(({ callId }) => callId === row.call_id);
  const point = findPoint(row);
  return {
    ...{ trace: id, tenant, jobId, position, agent, source, reason, happened, at },
    ...(point === undefined ? {} : { point }),
    ...(made ? { call: { tool: made.name, arguments: made.arguments ?? {} } } : {}),
    ...(guard === null ? {} : { guard }),
    ...(file === null ? {} : { file }),
    ...(why === null ? {} : { why }),
    tokens: (answer?.usage?.inputTokens ?? 0) + (answer?.usage?.outputTokens ?? 0),
    costMicroUsd: answer?.costMicroUsd ?? 0,
  };
}

/** The hook point at which guards are asked about what was refused. */
function findPoint({ type, subject }: Pick<ViolationRow, 'type' | 'subject'>): HookPoint | undefined {
  if (type === 'ClaimRefused') return subject === 'todo' ? 'TaskCompleted' : 'Stop';
  return points[type];
}

const points: Readonly<Record<string, HookPoint>> = {
  ToolCallDenied: 'PreToolUse',
  ItemsRefused: 'PreToolUse',
  TransitionRejected: 'Stop',
  ApprovalRefused: 'PermissionRequest',
  ToolCallAmended: 'PermissionRequest',
};
