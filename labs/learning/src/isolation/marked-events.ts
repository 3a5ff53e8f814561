import type { CallId } from '@phaseline/contracts';
import type { JobEvent, JobEventType, PhaseEvent, PhaseEventType } from '@phaseline/domain';

const HASH = 'a'.repeat(64);
const LATER = '2099-01-01T00:00:00.000Z';
const spent = {
  usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false },
  ...{ costMicroUsd: 0, durationMs: 1 },
};

/** Events with a marker in every text that a learning trace may take, and the type of the one that becomes the trace. */
interface MarkedEvents<Event extends JobEvent | PhaseEvent> {
  readonly type: Event['type'];
  readonly build: (marker: string, callId: CallId) => readonly Event[];
}

const requested = (callId: CallId, name: string, args: Record<string, string>) => ({
  ...({ lane: 'remote', effect: 'once', timeoutMs: 1 } as const),
  ...{ callId, step: 1, name, arguments: args },
});

const asked = (callId: CallId, marker: string): PhaseEvent => ({
  type: 'ApprovalRequested',
  data: { ...requested(callId, 'run_command', { program: marker }), traits: [], expiresAt: LATER },
});

/** One builder per kind of learning trace of a phase. */
export const markedPhaseEvents: readonly MarkedEvents<PhaseEvent>[] = [
  {
    type: 'ToolCallDenied',
    build: (marker, callId) => [
      {
        type: 'ModelResponded',
        data: {
          ...{ step: 1, model: 'm', content: marker, end: 'calls', ...spent },
          calls: [{ callId, name: 'write_file', arguments: { path: marker } }],
        },
      },
      {
        type: 'ToolCallDenied',
        data: { callId, step: 1, name: 'write_file', code: 'guard_denied', message: marker },
      },
    ],
  },
  {
    type: 'ClaimRefused',
    build: (marker) => [
      {
        type: 'ClaimRefused',
        data: {
          subject: { kind: 'todo', todoId: 1 },
          failures: [{ check: { verifier: 'unit' }, expected: marker, found: marker }],
          message: marker,
          inARow: 1,
        },
      } as PhaseEvent,
    ],
  },
  {
    type: 'TransitionRejected',
    build: (marker) => [{ type: 'TransitionRejected', data: { gate: 'checks', outcome: 'done', message: marker } }],
  },
  {
    type: 'ItemsRefused',
    build: (marker, callId) => [{ type: 'ItemsRefused', data: { callId, problems: [marker], count: 1 } }],
  },
  {
    type: 'StuckDetected',
    build: (marker) => [
      {
        type: 'StuckDetected',
        data: {
          ...{ pattern: 'same-call', rung: 'nudge', explanation: marker, message: marker },
          steps: { from: 1, to: 5 },
        },
      } as PhaseEvent,
    ],
  },
  {
    type: 'JudgeEnded',
    build: (marker, callId) => [
      {
        type: 'JudgeEnded',
        data: { callId, name: 'diff-review', step: 1, model: 'm', verdict: 'objection', reason: marker, ...spent },
      } as PhaseEvent,
    ],
  },
  {
    type: 'ToolCallCompleted',
    build: (marker, callId) => [
      {
        type: 'ToolCallRequested',
        data: {
          ...requested(callId, 'store_trace', { type: 'violation', happened: marker, correct: marker, why: marker }),
          traits: [],
        },
      },
      {
        type: 'ToolCallCompleted',
        data: { callId, content: 'Recorded.', result: { stored: true }, attempts: 1, durationMs: 1 },
      } as PhaseEvent,
    ],
  },
  {
    type: 'ApprovalRefused',
    build: (marker, callId) => [
      asked(callId, marker),
      { type: 'ApprovalRefused', data: { callId, actor: 'ada', reason: marker } } as PhaseEvent,
    ],
  },
  {
    type: 'ToolCallAmended',
    build: (marker, callId) => [
      asked(callId, marker),
      {
        type: 'ToolCallAmended',
        data: {
          ...{ callId, actor: 'ada', arguments: { program: marker } },
          ...{ argumentsHash: HASH, previousArgumentsHash: HASH, isValidated: true },
        },
      } as PhaseEvent,
    ],
  },
  {
    type: 'ApprovalGranted',
    build: (marker, callId) => [
      asked(callId, marker),
      { type: 'ApprovalGranted', data: { callId, actor: 'ada', reason: marker } } as PhaseEvent,
    ],
  },
  {
    type: 'QuestionAnswered',
    build: (marker, callId) => [
      {
        type: 'QuestionAsked',
        data: { callId, question: marker, questionHash: HASH, askedAt: LATER, deadlineAt: LATER },
      },
      { type: 'QuestionAnswered', data: { callId, actor: 'ada', answer: marker, questionHash: HASH } },
    ],
  },
];

/** One builder per kind of learning trace of a job. */
export const markedJobEvents: readonly MarkedEvents<JobEvent>[] = [
  {
    type: 'HandoffRefused',
    build: (marker, id) => [
      issued(marker, id),
      { type: 'HandoffRefused', data: { handoff: id, reason: marker } } as JobEvent,
    ],
  },
  {
    type: 'HandoffTimedOut',
    build: (marker, id) => [
      issued(marker, id),
      { type: 'HandoffTimedOut', data: { handoff: id, phase: 4 } } as JobEvent,
    ],
  },
  {
    type: 'HandoffRolledBack',
    build: (marker, id) => [
      issued(marker, id),
      { type: 'HandoffRolledBack', data: { handoff: id, to: 2, restored: 1, deleted: 1 } } as JobEvent,
    ],
  },
  { type: 'JobSteered', build: (marker) => [{ type: 'JobSteered', data: { actor: 'ada', message: marker } }] },
  {
    type: 'WorkspaceEdited',
    build: (marker) => [{ type: 'WorkspaceEdited', data: { actor: 'ada', path: marker, reason: marker } } as JobEvent],
  },
  {
    type: 'JobGuardOverridden',
    build: (marker) => [
      {
        type: 'JobGuardOverridden',
        data: { guard: marker, scope: 'agent', actor: 'ada', reason: marker, expiresAt: LATER },
      } as JobEvent,
    ],
  },
];

function issued(marker: string, handoff: string): JobEvent {
  return {
    type: 'HandoffIssued',
    data: {
      ...{ handoff, phase: 3, from: 'coder', agent: 'tester', task: marker, artifacts: [], preconditions: [] },
      ...{
        context: { filesChanged: [], filesChangedTotal: 0, previousState: 'code' },
        successCriteria: { testsPass: true },
      },
    },
  } as JobEvent;
}

/** Types whose events become the learning traces of the generated jobs. */
export const markedTypes: readonly (JobEventType | PhaseEventType)[] = [
  ...markedPhaseEvents.map(({ type }) => type),
  ...markedJobEvents.map(({ type }) => type),
];
