import { decodePhaseEvent, type PhaseEvent } from '@phaseline/domain';
import { type JsonObject } from '@phaseline/basics';
import type { RecordedEvent } from '@phaseline/event-store';

/** An event reduced to what two jobs can have in common: no ids, times, lease owners or prices. */
export interface ComparableEvent {
  readonly type: PhaseEvent['type'];
  readonly step: number;
  readonly position: number;
  readonly content: JsonObject;
}

/**
 * Yields the events of a phase in an order that does not depend on which of several tools ended first: the events of
 * one call together, and calls in the order in which the model made them.
 */
export async function* readComparableEvents(
  events: AsyncIterable<RecordedEvent>,
): AsyncGenerator<ComparableEvent, void, undefined> {
  let step = 0;
  let calls = new Map<string, ComparableEvent[]>();
  const flushCalls = function* (): Generator<ComparableEvent> {
    for (const list of calls.values()) yield* list;
    calls = new Map();
  };
  for await (const recorded of events) {
    const event = decodePhaseEvent(recorded);
    const content = contentOf(event);
    if (event.type === 'ModelResponded') ({ step } = event.data);
    if (!content) continue;
    // The data of events are JSON, but interfaces have no index signature.
    const comparable = { type: event.type, step, position: recorded.position, content: content as JsonObject };
    const callId = 'callId' in event.data ? event.data.callId : undefined;
    if (callId !== undefined) {
      calls.set(callId, [...(calls.get(callId) ?? []), comparable]);
      continue;
    }
    yield* flushCalls();
    yield comparable;
  }
  yield* flushCalls();
}

/** Returns the content to compare; `undefined` for events that record how a job did something rather than what it did. */
function contentOf(event: PhaseEvent): object | undefined {
  switch (event.type) {
    case 'PhaseStarted': {
      const {
        identity: { state, kind, name },
        terms: { model, tools, limits },
        plan: { todos },
      } = event.data;
      return {
        identity: { state, kind, name },
        terms: { model, tools, limits },
        plan: { todos },
      };
    }
    case 'ModelResponded': {
      const { content, calls, end } = event.data;
      return {
        content,
        end,
        calls: calls.map(({ name, arguments: args, malformed }) => ({ name, args, malformed })),
      };
    }
    case 'ToolCallRequested':
    case 'ApprovalRequested':
      return { name: event.data.name, arguments: event.data.arguments };
    case 'ToolCallDenied':
      return { name: event.data.name, code: event.data.code };
    case 'ApprovalGranted':
      return {};
    case 'ApprovalRefused':
      return { reason: event.data.reason };
    case 'ToolCallAmended':
      return { arguments: event.data.arguments };
    case 'QuestionAsked':
      return { question: event.data.question };
    case 'QuestionAnswered':
      return { answer: event.data.answer };
    case 'QuestionTimedOut':
      return {};
    case 'ToolCallCompleted':
      return { content: event.data.content };
    case 'ToolCallFailed':
      return { code: event.data.code, message: event.data.message };
    case 'FileWritten':
      return { path: event.data.path, hash: event.data.hash };
    case 'FileDeleted':
      return { path: event.data.path };
    case 'TodoCompleted':
      return { todoId: event.data.todoId, note: event.data.note ?? '' };
    case 'TodoAdded':
      return { todoId: event.data.todoId, content: event.data.content };
    case 'TodoStarted':
      return { todoId: event.data.todoId };
    case 'TodosRewound':
      return { issue: event.data.issue, pattern: event.data.pattern ?? '' };
    case 'ExperienceNoted':
      return { kind: event.data.kind, text: event.data.text };
    case 'JobCompletionProposed':
      return event.data.completion;
    case 'PhaseReturned':
      return { outcome: event.data.outcome ?? '', result: event.data.result };
    case 'ItemsSubmitted':
      return { items: event.data.items };
    case 'ItemsRefused':
      return { problems: event.data.problems };
    case 'PlanArtifactRecorded':
      return { kind: event.data.kind, hash: event.data.hash };
    case 'PlanAdapted':
      return { artifact: event.data.artifact, what: event.data.what, hash: event.data.hash };
    case 'PatternProposed':
    case 'PatternApproved':
    case 'PatternRefused':
      return { proposal: event.data.proposal };
    case 'StageAssessed':
      return { stage: event.data.stage, confidence: event.data.confidence };
    case 'PolicyOverridden':
      return { overrides: event.data.overrides };
    case 'PreferenceAsked':
      return { preference: event.data.preference };
    case 'PreferenceAnswered':
      return { preference: event.data.preference, value: event.data.value };
    case 'PlanStatusChanged':
      return { planningStatus: event.data.planningStatus, stage: event.data.stage };
    case 'PlanRunOpened':
      return { contentHash: event.data.contentHash, tasks: event.data.tasks };
    case 'PlanTaskStarted':
      return { item: event.data.item };
    case 'PlanTaskEnded':
      return { item: event.data.item, status: event.data.status };
    case 'PlanReplaced':
      return { to: event.data.to, why: event.data.why };
    case 'ReflectionRecorded':
      return { part: event.data.part, text: event.data.text };
    case 'ReflectionSkipped':
      return { code: event.data.code };
    case 'PhaseNudged':
    case 'PhaseSteered':
      return { message: event.data.message };
    case 'StuckDetected':
      return { pattern: event.data.pattern, rung: event.data.rung, evidence: event.data.explanation };
    case 'TransitionRejected':
      return { gate: event.data.gate, message: event.data.message };
    case 'PhaseCompleted':
      return { outcome: event.data.outcome, plan: event.data.plan ?? null };
    case 'PhaseFailed':
      return { code: event.data.code, message: event.data.message };
    case 'PhaseCancelled':
      return { reason: event.data.reason };
    case 'PhaseForked':
    case 'ModelCallStarted':
    case 'ModelCallFailed':
    case 'ToolCallStarted':
    case 'PhasePaused':
    case 'PhaseResumed':
    case 'PhaseTakenOver':
      return undefined;
    default:
      // Ignore event types that are newer than this list, instead of reporting a difference between two jobs that did
      // the same.
      return undefined;
  }
}
