import type { FaultPointName } from '@phaseline/fault-points';
import type { RecordedEvent } from '@phaseline/event-store';
import type { Effect } from '../agent/chaos-pack.js';

/** A way to lose a process, and what shows that its work goes on elsewhere. */
export interface RecoveryKind {
  readonly name: string;
  readonly point: FaultPointName;
  /**
   * When the work went on, in milliseconds since 1970: out of the events of the job and the effects of its tools that came after
   * the loss. `subject` is what the process was working on.
   */
  wentOnAt(subject: string, events: readonly RecordedEvent[], effects: readonly Effect[]): number | undefined;
}

export const recoveryKinds: readonly RecoveryKind[] = [
  {
    name: 'worker killed during a model call: PhaseResumed',
    point: 'worker.during-model-call',
    wentOnAt: (_, events) => first(events, ({ type }) => type === 'PhaseResumed'),
  },
  {
    name: 'worker killed before its first append: ModelCallStarted',
    point: 'worker.before-pickup',
    wentOnAt: (_, events) => first(events, ({ type }) => type === 'ModelCallStarted' || type === 'PhaseResumed'),
  },
  {
    name: 'tool-runner killed in a `once` tool: the outcome is named unknown',
    point: 'tool.before-effect',
    wentOnAt: (subject, events) => first(events, ({ data }) => data.callId === callOf(subject)),
  },
  {
    name: 'tool-runner killed in a `pure` or `idempotent` tool: it runs again',
    point: 'tool.during-repeatable',
    wentOnAt: (subject, events, effects) =>
      effects.find(({ callId }) => callId === callOf(subject))?.at ??
      first(events, ({ data }) => data.callId === callOf(subject)),
  },
  {
    name: 'orchestrator killed before an append: the decision is in the log',
    point: 'orchestrator.decided',
    wentOnAt: (jobId, events) => first(events, ({ streamId }) => streamId === `job-${jobId}`),
  },
  {
    name: 'orchestrator killed before a dispatch: the phase is worked on',
    point: 'orchestrator.before-dispatch',
    wentOnAt: (_, events) => first(events, ({ type }) => type === 'ModelCallStarted'),
  },
];

/** Jobs that end with the decision have no phase to work on: their end is what was to be seen. */
export function jobOf(subject: string): string {
  return subject.split('/', 1)[0]!;
}

function callOf(subject: string): string {
  return subject.split('/', 2)[1] ?? '';
}

function first(events: readonly RecordedEvent[], wanted: (event: RecordedEvent) => boolean): number | undefined {
  const event = events.find(wanted);
  return event && Date.parse(event.recordedAt);
}
