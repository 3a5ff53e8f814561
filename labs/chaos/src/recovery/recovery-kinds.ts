import type { FaultPointName } from '@phaseline/fault-points';
import type { RecordedEvent } from '@phaseline/event-store';
import type { Effect } from '../agent/chaos-pack.js';

/** A way to lose a process, and the evidence that another process continued its work. */
export interface RecoveryKind {
  readonly name: string;
  readonly point: FaultPointName;
  /**
   * Returns when the work continued, in milliseconds since 1970, or `undefined` if it has not. `events` of the job and `effects`
   * of its tools are those after the loss; `subject` names what the process was working on (`<jobId>/<callId>` or `<jobId>`).
   */
  findRecoveryTime(subject: string, events: readonly RecordedEvent[], effects: readonly Effect[]): number | undefined;
}

export const recoveryKinds: readonly RecoveryKind[] = [
  {
    name: 'worker killed during a model call: PhaseTakenOver',
    point: 'worker.during-model-call',
    findRecoveryTime: (_, events) => first(events, ({ type }) => type === 'PhaseTakenOver'),
  },
  {
    name: 'worker killed before its first append: ModelCallStarted',
    point: 'worker.before-pickup',
    findRecoveryTime: (_, events) =>
      first(events, ({ type }) => type === 'ModelCallStarted' || type === 'PhaseTakenOver'),
  },
  {
    name: 'tool-runner killed in a `once` tool: the outcome is recorded as unknown',
    point: 'tool.before-effect',
    findRecoveryTime: (subject, events) => first(events, ({ data }) => data.callId === callOf(subject)),
  },
  {
    name: 'tool-runner killed in a `pure` or `idempotent` tool: it runs again',
    point: 'tool.during-repeatable',
    findRecoveryTime: (subject, events, effects) =>
      effects.find(({ callId }) => callId === callOf(subject))?.at ??
      first(events, ({ data }) => data.callId === callOf(subject)),
  },
  {
    name: 'orchestrator killed before an append: the decision is in the log',
    point: 'orchestrator.decided',
    findRecoveryTime: (jobId, events) => first(events, ({ streamId }) => streamId === `job-${jobId}`),
  },
  {
    name: 'orchestrator killed before a dispatch: a worker runs the phase',
    point: 'orchestrator.before-dispatch',
    findRecoveryTime: (_, events) => first(events, ({ type }) => type === 'ModelCallStarted'),
  },
];

export function parseJobId(subject: string): string {
  return subject.split('/', 1)[0]!;
}

function callOf(subject: string): string {
  return subject.split('/', 2)[1] ?? '';
}

function first(events: readonly RecordedEvent[], wanted: (event: RecordedEvent) => boolean): number | undefined {
  const event = events.find(wanted);
  return event && Date.parse(event.recordedAt);
}
