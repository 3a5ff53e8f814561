import {
  decodeJobEvent,
  decodePhaseEvent,
  memberDecoder,
  parseStreamName,
  schemaVersionOf,
  type JobEvent,
  type PhaseEvent,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';

/**
 * The events that change a read model, and of each the members of its data that a fold reads (`a.b` reaches into `a`). A
 * rebuild lets the database pick them, since contents of files and answers of models are most of a log.
 */
export const viewFields = {
  JobSubmitted: ['agent.name', 'labels', 'tenant'],
  JobForked: ['labels', 'carried'],
  JobDefinitionChanged: ['agent.name'],
  PhaseDispatched: ['phase', 'attempt', 'state', 'kind', 'name', 'todos'],
  PhaseEnded: ['phase', 'result'],
  JobPaused: [],
  JobResumed: [],
  JobRetried: [],
  JobCancelRequested: [],
  JobCompleted: ['summary', 'deliverables', 'confidence', 'notes'],
  JobFailed: ['code', 'message'],
  JobCancelled: ['reason'],
  PhaseStarted: ['attempt', 'state', 'kind', 'name', 'todos', 'model'],
  ModelResponded: ['model', 'usage', 'costMicroUsd'],
  ConversationSummarised: ['model', 'usage', 'costMicroUsd'],
  ToolCallRequested: ['callId', 'step', 'name', 'lane', 'effect'],
  ApprovalRequested: ['callId', 'step', 'name', 'lane', 'effect'],
  ApprovalGranted: ['callId'],
  ApprovalRefused: ['callId'],
  ToolCallDenied: ['callId', 'step', 'name', 'code'],
  ToolCallStarted: ['callId'],
  ToolCallCompleted: ['callId', 'attempts', 'durationMs'],
  ToolCallFailed: ['callId', 'code', 'attempts', 'durationMs'],
  TodoAdded: [],
  TodoCompleted: [],
  TransitionRejected: [],
  PhaseResumed: [],
  PhaseCompleted: ['outcome'],
  PhaseFailed: ['code'],
  PhaseCancelled: [],
} as const satisfies Partial<Record<(JobEvent | PhaseEvent)['type'], readonly string[]>>;

export type ViewEventType = keyof typeof viewFields;
export type ViewEvent = Extract<JobEvent | PhaseEvent, { type: ViewEventType }>;

/** A reader of the log needs no others. */
export const viewTypes = Object.keys(viewFields) as readonly ViewEventType[];
const wanted: ReadonlySet<string> = new Set(viewTypes);

/** A recorded event in the terms of the read models. */
export interface ViewChange {
  readonly jobId: string;
  /** The phase whose stream it stands in; undefined for events of the job itself. */
  readonly phase: number | undefined;
  readonly position: number;
  /** As the log gives it, or as PostgreSQL writes it in UTC: only the date and the time of day are looked at. */
  readonly recordedAt: string;
  readonly event: ViewEvent;
}

export type ReadEvent = Pick<
  RecordedEvent,
  'streamId' | 'version' | 'type' | 'schemaVersion' | 'data' | 'position' | 'recordedAt' | 'correlationId'
>;

/** Reads an event of the log. Undefined when it changes no read model. Throws UndecodableEvent. */
export function viewChange(recorded: ReadEvent): ViewChange | undefined {
  if (!wanted.has(recorded.type)) return undefined;
  const stream = parseStreamName(recorded.streamId);
  // What partition a job is in, and which events are read with it, goes by the correlation: both name the job.
  if (stream?.jobId !== recorded.correlationId) return undefined;
  const event = stream.kind === 'job' ? decodeJobEvent(recorded) : decodePhaseEvent(recorded);
  return changeOf(recorded, stream, event as ViewEvent);
}

/** The same of an event whose data was picked by `viewFields`; only events of today's shape may be read so. */
export function pickedChange(recorded: ReadEvent): ViewChange | undefined {
  const stream = parseStreamName(recorded.streamId);
  if (stream?.jobId !== recorded.correlationId) return undefined;
  const data = decoders.get(recorded.type)!({
    ...recorded,
    schemaVersion: schemaVersionOf(recorded.type as ViewEventType),
  });
  return changeOf(recorded, stream, { type: recorded.type, data } as unknown as ViewEvent);
}

const decoders: ReadonlyMap<string, ReturnType<typeof memberDecoder>> = new Map(
  viewTypes.map((type) => [type, memberDecoder(type, viewFields[type])]),
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

/** The version that each event is written with today; an older one has to be brought up to it before it is read. */
export const viewVersions = viewTypes.map((type) => schemaVersionOf(type));
