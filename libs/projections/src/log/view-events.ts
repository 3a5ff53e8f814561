import type { JobId } from '@phaseline/contracts';
import {
  decodeJobEvent,
  decodePhaseEvent,
  createMemberDecoder,
  parseStreamName,
  getSchemaVersion,
  type JobEvent,
  type PhaseEvent,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';

/**
 * The events that change a read model, with the members of their data that a fold reads (`a.b` is a member of `a`). A
 * rebuild lets the database select them, because file contents and model answers are most of a log.
 */
export const viewFields = {
  JobSubmitted: ['agent.name', 'labels', 'tenant', 'actor', 'workflow.name', 'parameters'],
  JobForked: ['labels', 'carried'],
  JobDefinitionChanged: ['agent.name'],
  PhaseDispatched: ['phase', 'attempt', 'state', 'kind', 'name', 'todos'],
  PhaseEnded: ['phase', 'result'],
  JobPaused: [],
  JobResumed: [],
  JobRetried: [],
  JobCancelRequested: [],
  JobCompleted: ['summary', 'deliverables', 'confidence', 'notes'],
  JobFailed: ['code', 'message', 'end', 'items'],
  JobCancelled: ['reason'],
  PhaseStarted: ['identity', 'plan.todos', 'terms.model'],
  ModelResponded: ['model', 'usage', 'costMicroUsd'],
  ConversationSummarised: ['model', 'usage', 'costMicroUsd'],
  JudgeEnded: ['name', 'verdict', 'model', 'usage', 'costMicroUsd'],
  ReflectionRecorded: ['model', 'usage', 'costMicroUsd'],
  GuardDecided: ['guard', 'decision', 'failure', 'override'],
  ToolCallRequested: ['callId', 'step', 'name', 'lane', 'effect'],
  ApprovalRequested: ['callId', 'step', 'name', 'lane', 'effect', 'expiresAt'],
  ApprovalGranted: ['callId'],
  ApprovalRefused: ['callId'],
  QuestionAsked: ['callId', 'deadlineAt'],
  QuestionAnswered: ['callId'],
  QuestionTimedOut: ['callId'],
  PhaseForked: ['waiting', 'blockedTodos'],
  ToolCallDenied: ['callId', 'step', 'name', 'code'],
  ToolCallStarted: ['callId'],
  ToolCallCompleted: ['callId', 'result', 'attempts', 'durationMs'],
  ToolCallFailed: ['callId', 'code', 'result', 'attempts', 'durationMs'],
  TodoAdded: [],
  TodoCompleted: ['todoId'],
  TodoBlocked: ['todoId'],
  TodoUnblocked: ['todoId'],
  TransitionRejected: [],
  PhaseTakenOver: [],
  PhaseCompleted: ['outcome'],
  PhaseFailed: ['code'],
  PhaseCancelled: [],
  PlanArtifactRecorded: ['kind', 'hash'],
  PlanStatusChanged: [
    'planningStatus',
    'stage',
    'responseText',
    'escalateReason',
    'selectedPattern',
    'patternRfcRequired',
    'patternRfcText',
  ],
  PatternApproved: ['proposal', 'actor', 'pattern', 'definition'],
  PreferenceAsked: ['user', 'preference'],
  PreferenceAnswered: ['user', 'preference', 'value'],
  StageAssessed: ['stage', 'confidence'],
} as const satisfies Partial<Record<(JobEvent | PhaseEvent)['type'], readonly string[]>>;

export type ViewEventType = keyof typeof viewFields;
export type ViewEvent = Extract<JobEvent | PhaseEvent, { type: ViewEventType }>;

/** All event types that change a read model. */
export const viewTypes = Object.keys(viewFields) as readonly ViewEventType[];
const viewTypeSet: ReadonlySet<string> = new Set(viewTypes);

/** A recorded event, decoded for the read models. */
export interface ViewChange {
  readonly jobId: JobId;
  /** Number of the phase whose stream contains the event; undefined for events of the job itself. */
  readonly phase: number | undefined;
  readonly position: number;
  /** Time in the format of the log or of PostgreSQL in UTC; only the date and the time of day are used. */
  readonly recordedAt: string;
  readonly event: ViewEvent;
}

export type ReadEvent = Pick<
  RecordedEvent,
  'streamId' | 'version' | 'type' | 'schemaVersion' | 'data' | 'position' | 'recordedAt' | 'correlationId'
>;

/** Decodes an event of the log; undefined when it changes no read model. Throws UndecodableEvent. */
export function toViewChange(recorded: ReadEvent): ViewChange | undefined {
  if (!viewTypeSet.has(recorded.type)) return undefined;
  const stream = parseStreamName(recorded.streamId);
  // The correlation id decides a job's partition and which events are read with it, so it has to match the stream.
  if (stream?.jobId !== recorded.correlationId) return undefined;
  const event = stream.kind === 'job' ? decodeJobEvent(recorded) : decodePhaseEvent(recorded);
  return changeOf(recorded, stream, event as ViewEvent);
}

/**
 * Like `toViewChange`, for an event whose data was selected by `viewFields`. Only for events with the current schema
 * version.
 */
export function toPickedViewChange(recorded: ReadEvent): ViewChange | undefined {
  const stream = parseStreamName(recorded.streamId);
  if (stream?.jobId !== recorded.correlationId) return undefined;
  const data = decoders.get(recorded.type)!({
    ...recorded,
    schemaVersion: getSchemaVersion(recorded.type as ViewEventType),
  });
  // TypeScript does not connect a type to its data in a union.
  return changeOf(recorded, stream, { type: recorded.type, data } as unknown as ViewEvent);
}

const decoders: ReadonlyMap<string, ReturnType<typeof createMemberDecoder>> = new Map(
  viewTypes.map((type) => [type, createMemberDecoder(type, viewFields[type])]),
);

function changeOf(
  { position, recordedAt }: ReadEvent,
  stream: NonNullable<ReturnType<typeof parseStreamName>>,
  event: ViewEvent,
): ViewChange {
  return {
    jobId: stream.jobId,
    phase: stream.kind === 'phase' ? stream.phase : undefined,
    position,
    recordedAt,
    event,
  };
}

/** Current schema version of each event type in `viewTypes`; older events have to be upcast before they are read. */
export const viewVersions = viewTypes.map((type) => getSchemaVersion(type));
