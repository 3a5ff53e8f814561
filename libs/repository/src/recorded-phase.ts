import {
  decodePhaseEvent,
  foldPhase,
  type GuardWait,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import { toCanonicalJson, type JsonObject } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import type { RecordedEvent } from '@phaseline/event-store';
import { RecordedMoments, type GuardMoment } from './recorded-moments.js';
import { RecordedGuards } from './recorded-guards.js';

/** A tool call of the recording. */
export interface RecordedCall {
  readonly callId: CallId;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly lane: 'inline' | 'remote';
  /** The person's decision, for a call that waited for approval. */
  approvalDecision?: Extract<PhaseEvent, { type: 'ApprovalGranted' | 'ApprovalRefused' }>;
  /** The change of its arguments by the person who approved it. */
  amendment?: Extract<PhaseEvent, { type: 'ToolCallAmended' }>;
  /** How its question ended, if it asked one that ended. */
  questionEnd?: Extract<PhaseEvent, { type: 'QuestionAnswered' | 'QuestionTimedOut' }>;
  /** Set for a call whose claim had to wait for runs. */
  raisedClaim?: true;
  /** Events of what the call changed, in order: files, todos, a proposal. */
  readonly facts: PhaseEvent[];
  /** How the call ended; absent if it did not end or was cancelled. */
  end?: Extract<PhaseEvent, { type: 'ToolCallCompleted' | 'ToolCallFailed' }>;
}

/** Results or reasoning cleared from the conversation, and the files in which some results were stored. */
export interface RecordedClearing {
  /** The step before which they were cleared. */
  readonly step: number;
  readonly facts: readonly PhaseEvent[];
  /** Ids of the cleared calls; empty if reasoning was cleared. */
  readonly callIds: readonly CallId[];
  /** The last step whose answer lost its reasoning. */
  readonly reasoningTo?: number;
}

/** A recorded answer of the model, or a summary that it wrote. */
type RecordedAnswer = PhaseEventData<'ModelResponded' | 'ConversationSummarised'>;

/** A recorded phase of the forked job, from which a fork takes answers, results and decisions. */
export class RecordedPhase {
  readonly answers = new Map<number, PhaseEventData<'ModelResponded'>>();
  /** Calls by id, in the order in which they were requested. */
  readonly calls = new Map<CallId, RecordedCall>();
  /** What guards decided about calls. */
  private readonly guarded = new RecordedGuards();
  /** What guards decided at the other moments. */
  private readonly moments = new RecordedMoments();
  /** Files written by the phase itself and not by a call, by path. */
  readonly ownFiles = new Map<string, PhaseEventData<'FileWritten'>>();
  /** Summaries in the order in which they were made. */
  readonly summaries: PhaseEventData<'ConversationSummarised'>[] = [];
  /** The calls that led to the answers and the summaries: the last attempt of each. */
  readonly modelCalls = new Map<RecordedAnswer, PhaseEventData<'ModelCallStarted'>>();
  private lastModelCall?: PhaseEventData<'ModelCallStarted'>;
  /** What the model answered about the failed attempt before, or that it was not asked. */
  readonly reflections: Extract<PhaseEvent, { type: 'ReflectionRecorded' | 'ReflectionSkipped' }>[] = [];
  /** Clearings in the order in which they were made. */
  readonly clearings: RecordedClearing[] = [];
  private clearedFiles: PhaseEvent[] = [];
  failure?: PhaseEventData<'PhaseFailed'>;
  ended = false;
  /** The last state of the phase. */
  state: PhaseState | undefined;

  static fromEvents(events: readonly RecordedEvent[]): RecordedPhase {
    const phase = new RecordedPhase();
    for (const recorded of events) phase.add(decodePhaseEvent(recorded));
    return phase;
  }

  /** The call with that id, if it has the same name and arguments, before or after a person changed them. */
  findCall(callId: CallId, name: string, args: JsonObject): RecordedCall | undefined {
    const call = this.calls.get(callId);
    if (!call) return undefined;
    const key = buildCallKey(name, args);
    return key === buildCallKey(call.name, call.arguments) || key === getRunKey(call) ? call : undefined;
  }

  /**
   * Returns what guards decided about a call at a moment and what followed, if the phase has the same guards as the recording and the model
   * made the same call.
   */
  findGuarded(
    { start, conversation }: PhaseState,
    callId: CallId,
    after: 'admission' | 'end' | GuardWait,
  ): readonly PhaseEvent[] | undefined {
    if (listGuardVersions(start) !== listGuardVersions(this.state?.start)) return undefined;
    const events = this.guarded.find(callId, after);
    const made = this.findAnswered(callId);
    const last = conversation.transcript.findLast((entry) => entry.kind === 'answer');
    const now = last?.kind === 'answer' ? last.answer.calls.find((call) => call.callId === callId) : undefined;
    // The call of a script has no answer of its own: the script made the same call, as its results are those of the recording.
    if (made && now && buildCallKey(made.name, made.arguments ?? {}) !== buildCallKey(now.name, now.arguments ?? {}))
      return undefined;
    return events;
  }

  /**
   * Returns the recorded decisions of guards at a moment: none if all of them allowed it. `undefined` if the phase has other guards than the
   * recording, or did not reach this moment there.
   */
  findGuardDecisions(state: PhaseState, moment: GuardMoment): readonly PhaseEvent[] | undefined {
    if (listGuardVersions(state.start) !== listGuardVersions(this.state?.start)) return undefined;
    const { step, calls } = findLastAnswer(state);
    const recorded = this.answers.get(step)?.calls ?? [];
    return toCanonicalJson(calls) === toCanonicalJson(recorded) ? this.moments.find(state, moment) : undefined;
  }

  private findAnswered(callId: CallId) {
    for (const { calls } of this.answers.values()) {
      const found = calls.find((call) => call.callId === callId);
      if (found) return found;
    }
    return undefined;
  }

  private add(event: PhaseEvent): void {
    this.guarded.add(event);
    this.moments.add(event, this.state);
    this.state = foldPhase([event], this.state);
    switch (event.type) {
      case 'ModelCallStarted':
        this.lastModelCall = event.data;
        return;
      case 'ModelResponded':
        this.answers.set(event.data.step, event.data);
        this.addModelCall(event.data);
        return;
      case 'ConversationSummarised':
        this.summaries.push(event.data);
        this.addModelCall(event.data);
        return;
      case 'ReflectionRecorded':
      case 'ReflectionSkipped':
        this.reflections.push(event);
        return;
      case 'ReasoningCleared': {
        const step = (this.state?.money.spending.steps ?? 0) + 1;
        this.clearings.push({ step, facts: [event], callIds: [], reasoningTo: event.data.upToStep });
        return;
      }
      case 'ToolResultsCleared': {
        const step = (this.state?.money.spending.steps ?? 0) + 1;
        this.clearings.push({ step, facts: [...this.clearedFiles, event], callIds: event.data.callIds });
        this.clearedFiles = [];
        return;
      }
      case 'ToolCallRequested':
      case 'ApprovalRequested': {
        const { callId, name, arguments: args, lane } = event.data;
        if (!this.calls.has(callId)) this.calls.set(callId, { callId, name, arguments: args, lane, facts: [] });
        return;
      }
      case 'ApprovalGranted':
      case 'ApprovalRefused': {
        const call = this.calls.get(event.data.callId);
        if (call) call.approvalDecision = event;
        return;
      }
      case 'ToolCallAmended': {
        const call = this.calls.get(event.data.callId);
        if (call) call.amendment = event;
        return;
      }
      case 'ClaimRaised': {
        const call = event.data.callId === undefined ? undefined : this.calls.get(event.data.callId);
        if (call) call.raisedClaim = true;
        return;
      }
      case 'QuestionAnswered':
      case 'QuestionTimedOut': {
        const call = this.calls.get(event.data.callId);
        if (call) call.questionEnd = event;
        return;
      }
      case 'ToolCallCompleted':
      case 'ToolCallFailed': {
        const call = this.calls.get(event.data.callId);
        const stopped = event.type === 'ToolCallFailed' && event.data.code === 'cancelled';
        if (call && !stopped) call.end = event;
        return;
      }
      case 'FileWritten':
        if (event.data.callId === undefined && event.data.origin === undefined)
          this.ownFiles.set(event.data.path, event.data);
        this.addFact(event, event.data.callId);
        return;
      case 'GuardDecided':
        if (this.isFactOfCall(event.data)) this.addFact(event, event.data.callId);
        return;
      case 'ChildJobEnded':
      case 'FileDeleted':
      case 'CommandStopped':
      case 'ConnectionRecorded':
      case 'ProtectedChangeUndone':
      case 'ClaimRefused':
      case 'JudgeEnded':
      case 'TodoCompleted':
      case 'ToolsLoaded':
      case 'TodoAdded':
      case 'TodoStarted':
      case 'TodoBlocked':
      case 'TodoUnblocked':
      case 'TodosRewound':
      case 'ExperienceNoted':
      case 'JobCompletionProposed':
      case 'PhaseReturned':
      case 'ItemsSubmitted':
      case 'ItemsRefused':
      case 'PlanArtifactRecorded':
      case 'PlanAdapted':
      case 'PatternProposed':
      case 'PatternApproved':
      case 'PatternRefused':
      case 'StageAssessed':
      case 'PolicyOverridden':
      case 'PreferenceAsked':
      case 'PreferenceAnswered':
      case 'PlanStatusChanged':
      case 'PlanRunOpened':
      case 'PlanTaskStarted':
      case 'PlanTaskEnded':
      case 'PlanReplaced':
        this.addFact(event, event.data.callId);
        return;
      case 'PhaseFailed':
        this.failure = event.data;
        this.ended = true;
        return;
      case 'PhaseCompleted':
      case 'PhaseCancelled':
        this.ended = true;
        return;
    }
  }

  /** Whether guards decided about what a call claims, or about a file that it changed. What they decide about the call itself is no event of it. */
  private isFactOfCall({ point, callId }: PhaseEventData<'GuardDecided'>): boolean {
    const call = callId === undefined ? undefined : this.calls.get(callId);
    return point === 'TaskCompleted' || (point === 'PreToolUse' && call !== undefined && !call.end);
  }

  private addModelCall(answer: RecordedAnswer): void {
    if (this.lastModelCall) this.modelCalls.set(answer, this.lastModelCall);
  }

  private addFact(event: PhaseEvent, callId: CallId | undefined): void {
    const call = callId === undefined ? undefined : this.calls.get(callId);
    // A file written after the end of its call stores a result that is about to be cleared.
    if (call?.end && event.type === 'FileWritten') this.clearedFiles.push(event);
    else call?.facts.push(event);
  }
}

/** The step and the calls of the last answer of the model. */
function findLastAnswer({ conversation }: PhaseState): Pick<PhaseEventData<'ModelResponded'>, 'step' | 'calls'> {
  const last = conversation.transcript.findLast((entry) => entry.kind === 'answer');
  return last?.kind === 'answer' ? last.answer : { step: 0, calls: [] };
}

/** The guards of a phase with their versions and stages, as one text. */
function listGuardVersions(start: PhaseState['start'] | undefined): string {
  return (start?.terms.guards ?? [])
    .map(({ scope, name, version, stage }) => `${scope} ${name} ${version} ${stage}`)
    .join('\n');
}

/** Key of a call with the arguments with which it ran. */
export function getRunKey(call: RecordedCall): string {
  return buildCallKey(call.name, getRunArguments(call));
}

/** The arguments with which a call ran: those of the person who approved it, if that person changed them. */
export function getRunArguments({ arguments: args, amendment }: RecordedCall): JsonObject {
  return amendment?.data.arguments ?? args;
}

/** Key that is equal for calls with the same name and arguments, regardless of the order of the argument keys. */
export function buildCallKey(name: string, args: JsonObject): string {
  return `${name} ${toCanonicalJson(args)}`;
}
