import type { JsonObject } from '@phaseline/basics';
import type { CallId, JobId } from '@phaseline/contracts';
import {
  addSpending,
  decodePhaseEvent,
  hasJobEnded,
  parseStreamName,
  type JobState,
  type PhaseEvent,
  type PhaseState,
  type Spending,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import type { callOutcomes, caseOutcomes } from './case-schema.js';
import type { PlayedJob } from './play-job.js';

/** A call of a job with everything that expectations read. */
export interface CallFacts {
  readonly callId: CallId;
  readonly phase: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly outcome: (typeof callOutcomes)[number];
  readonly code?: string;
  /** What the model reads. */
  readonly message: string;
}

/** An end of a phase that a gate rejected. */
interface RejectionFacts {
  readonly gate: string;
  readonly message: string;
}

/** What became of a job. */
export interface JobFacts {
  readonly job: JobState;
  readonly outcome: (typeof caseOutcomes)[number];
  /** Why the job ended without its deliverables. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
  readonly phases: readonly PhaseState[];
  readonly calls: readonly CallFacts[];
  readonly rejections: readonly RejectionFacts[];
  readonly spending: Spending;
}

/** Reads what became of a job from its log. */
export async function readJobFacts({ jobId, log, repository }: PlayedJob): Promise<JobFacts> {
  const job = (await repository.loadJob(jobId))!;
  const phases = await loadPhases(jobId, job.phases, repository);
  const active = phases.find(({ start }) => start.identity.phase === job.active?.phase);
  return {
    job,
    outcome: hasJobEnded(job) ? (job.status as JobFacts['outcome']) : 'open',
    failure: job.failure,
    phases,
    ...readEvents(await log.readCorrelation(jobId)),
    spending: active ? addSpending(job.spending, active.money.spending) : job.spending,
  };
}

async function loadPhases(
  jobId: JobId,
  count: number,
  repository: PlayedJob['repository'],
): Promise<readonly PhaseState[]> {
  const phases: PhaseState[] = [];
  for (let phase = 1; phase <= count; phase += 1) {
    const state = await repository.loadPhase(jobId, phase);
    if (state) phases.push(state);
  }
  return phases;
}

/** Reads the calls and the rejections of phases from the events of a job. */
function readEvents(events: readonly RecordedEvent[]): Pick<JobFacts, 'calls' | 'rejections'> {
  const calls = new Map<string, CallFacts>();
  const rejections: RejectionFacts[] = [];
  for (const recorded of events) {
    const name = parseStreamName(recorded.streamId);
    if (name?.kind !== 'phase') continue;
    const event = decodePhaseEvent(recorded);
    if (event.type === 'TransitionRejected') rejections.push({ gate: event.data.gate, message: event.data.message });
    else applyToCalls(calls, name.phase, event);
  }
  return { calls: [...calls.values()], rejections };
}

function applyToCalls(calls: Map<string, CallFacts>, phase: number, event: PhaseEvent): void {
  const change = (callId: CallId, changed: Partial<CallFacts>): void => {
    const known = calls.get(`${phase} ${callId}`);
    if (known) calls.set(`${phase} ${callId}`, { ...known, ...changed });
  };
  switch (event.type) {
    case 'ModelResponded':
      for (const { callId, name, arguments: args = {} } of event.data.calls)
        calls.set(`${phase} ${callId}`, { callId, phase, tool: name, args, outcome: 'open', message: '' });
      return;
    case 'ToolCallRequested':
    case 'ApprovalRequested': {
      const { callId, name, arguments: args } = event.data;
      calls.set(`${phase} ${callId}`, { callId, phase, tool: name, args, outcome: 'open', message: '' });
      return;
    }
    case 'ToolCallDenied': {
      const { callId, name, code, message } = event.data;
      const { args = {} } = calls.get(`${phase} ${callId}`) ?? {};
      calls.set(`${phase} ${callId}`, { callId, phase, tool: name, args, outcome: 'denied', code, message });
      return;
    }
    case 'ApprovalRefused':
      return change(event.data.callId, { outcome: 'refused', message: event.data.reason });
    case 'ToolCallCompleted':
      return change(event.data.callId, { outcome: 'completed', message: event.data.content });
    case 'ToolCallFailed':
      return change(event.data.callId, {
        outcome: 'failed',
        code: event.data.code,
        message: event.data.message,
      });
    default:
      return;
  }
}
