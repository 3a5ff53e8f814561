import type { JsonObject } from '@phaseline/basics';
import {
  admitCall,
  type HookPoint,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
  type ToolLookup,
} from '@phaseline/domain';
import {
  askAwaitedGuards,
  liveSource,
  PendingCommit,
  recordEndedCall,
  recordGuardedAdmission,
} from '@phaseline/execution';
import type { GuardEvent } from '@phaseline/guards';
import type { BlobReader } from '@phaseline/workspace';
import type { DecodedEvent } from '../log/decoded-event.js';
import type { AddedGuard } from '../redecide/added-guard.js';
import type { DecisionParts } from '../redecide/redecide-parts.js';
import { listDecisionsOf, type GuardDecided } from './guard-decisions.js';
import { isOfSystem, readData } from './read-data.js';

type PhaseDecoded = Extract<DecodedEvent, { kind: 'phase' }>;
type Call = { readonly answer: PhaseEventData<'ModelResponded'>; readonly index: number };
type Admission = Extract<PhaseEvent, { type: 'ToolCallRequested' | 'ApprovalRequested' }>;

/** When a guard is asked, and about which state of the phase. */
interface Moment {
  /** The state before the call of a script was admitted; undefined for every other event. */
  readonly nested: PhaseState | undefined;
  /** Returns the state after the event. Folding takes longer than everything else, so it is asked for only if the guard may decide something. */
  readonly getState: () => PhaseState;
  readonly getNow: () => Date;
}

/** A call that was admitted and has not ended. */
interface RunningCall {
  readonly admitted: PhaseDecoded;
  /** Whether a person changed its arguments. */
  readonly isAmended: boolean;
}

/**
 * Asks a guard about the calls of one phase, event by event: at the same moments, with the same state, as a live phase asks its guards. It does
 * not need the rest of the decisions, and events about which the guard decides nothing are not decoded, so that a long log is read quickly.
 */
export class CallMoments {
  /** Calls of the last answer that were not admitted yet, in order. */
  private waiting: Call[] = [];
  private readonly running = new Map<string, RunningCall>();
  private readonly phaseTools: ToolLookup;
  private readonly isAskedAfterwards: boolean;
  /** Whether guards of the phase may demand an approval that its agent does not demand. */
  private readonly mayBeAsked: boolean;

  constructor(
    private readonly added: AddedGuard,
    private readonly parts: DecisionParts,
    private readonly blobs: BlobReader,
    /** The state of the phase after its first event. */
    private readonly begin: PhaseState,
  ) {
    this.phaseTools = parts.tools.forPhase(begin);
    const { points } = added.guard;
    this.isAskedAfterwards = points.includes('PostToolUse') || points.includes('PostToolUseFailure');
    this.mayBeAsked = (begin.start.terms.guards ?? []).length > 1;
  }

  /** Whether an event admits a call that a script made, about which the guard may decide. It is asked about the state before it. */
  isNested(one: PhaseDecoded): boolean {
    if (!isAdmission(one.recorded.type) || readData(one)['parent'] === undefined) return false;
    const { event } = one;
    return isAdmissionEvent(event) && !isOfSystem(one) && this.mayDecideBefore(event);
  }

  /** What the guard decides at an event. */
  async ask(one: PhaseDecoded, moment: Moment): Promise<readonly GuardDecided[]> {
    switch (one.recorded.type) {
      case 'ModelResponded':
        this.waiting = this.listCalls(one);
        return this.askNext(moment);
      case 'ToolCallRequested':
      case 'ApprovalRequested':
        if (this.isAskedAfterwards) this.running.set(readCallId(one), { admitted: one, isAmended: false });
        if (moment.nested) return this.askAbout(one.event, moment.nested, moment.getNow());
        return this.askAfterAdmission(one, moment);
      case 'ToolCallAmended': {
        const call = this.running.get(readCallId(one));
        if (call) this.running.set(readCallId(one), { ...call, isAmended: true });
        return [];
      }
      case 'GuardsAwaited':
      case 'ToolCallDenied':
        return this.askAfterAdmission(one, moment);
      case 'ToolCallCompleted':
      case 'ToolCallFailed':
        return this.askAfterEnd(one, moment);
      default:
        return [];
    }
  }

  /** The calls of an answer; none if the guard decides nothing about any of their tools. */
  private listCalls(one: PhaseDecoded): Call[] {
    const { calls } = readData(one);
    const named = Array.isArray(calls) ? (calls as readonly JsonObject[]) : [];
    if (!named.some(({ name }) => this.mayConcern(String(name)))) return [];
    const { event } = one;
    if (event.type !== 'ModelResponded') return [];
    return event.data.calls.map((_call, index) => ({ answer: event.data, index }));
  }

  private async askAfterAdmission(one: PhaseDecoded, moment: Moment): Promise<readonly GuardDecided[]> {
    const [next] = this.waiting;
    if (!next || next.answer.calls[next.index]?.callId !== readCallId(one)) return [];
    this.waiting.shift();
    return this.askNext(moment);
  }

  private async askAfterEnd(one: PhaseDecoded, { getState, getNow }: Moment): Promise<readonly GuardDecided[]> {
    const callId = readCallId(one);
    const call = this.running.get(callId);
    this.running.delete(callId);
    if (!call || !this.mayDecideAfter(call, one)) return [];
    const { event } = one;
    if (event.type !== 'ToolCallCompleted' && event.type !== 'ToolCallFailed') return [];
    const commit = new PendingCommit(this.added.isolateIn(getState()), this.blobs, getNow());
    await recordEndedCall(commit, event.data.callId, liveSource);
    return this.listDecisions(commit);
  }

  private mayDecideAfter({ admitted, isAmended }: RunningCall, ended: PhaseDecoded): boolean {
    const point = ended.recorded.type === 'ToolCallCompleted' ? 'PostToolUse' : 'PostToolUseFailure';
    const { added } = this;
    const tool = String(readData(admitted)['name']);
    if (!added.mayDecide(point, tool)) return false;
    const [call, end] = [admitted.event, ended.event];
    if (isAmended || !isAdmissionEvent(call) || (end.type !== 'ToolCallCompleted' && end.type !== 'ToolCallFailed'))
      return true;
    const { result } = end.data;
    const event = { point, tool, arguments: call.data.arguments, ...(result ? { result } : {}) } satisfies GuardEvent;
    return added.mayDecideAbout(event, this.begin);
  }

  /** Live guards are asked about a call once the one before it was admitted. */
  private async askNext({ getState, getNow }: Moment): Promise<readonly GuardDecided[]> {
    const [next] = this.waiting;
    if (!next || !this.mayConcern(next.answer.calls[next.index]!.name)) return [];
    const { answer, index } = next;
    const now = getNow();
    // All that admission reads is known from the beginning, but for the tools that were found on demand.
    const early = admitCall(this.begin, answer, index, this.phaseTools, now);
    if (early.type === 'ToolCallDenied' && early.data.code !== 'not_offered') return [];
    if (isAdmissionEvent(early) && !this.mayDecideBefore(early)) return [];
    const state = getState();
    const admission = isAdmissionEvent(early) ? early : admitCall(state, answer, index, this.phaseTools, now);
    return this.askAbout(admission, state, now);
  }

  /** Whether the guard may decide something about a call of a tool before it is admitted. */
  private mayConcern(tool: string): boolean {
    const { added } = this;
    return added.mayDecide('PreToolUse', tool) || added.mayDecide('PermissionRequest', tool);
  }

  private mayDecideBefore({ type, data: { name: tool, arguments: args } }: Admission): boolean {
    const mayDecideAt = (point: HookPoint): boolean =>
      this.added.mayDecideAbout({ point, tool, arguments: args }, this.begin);
    return (
      mayDecideAt('PreToolUse') ||
      ((type === 'ApprovalRequested' || this.mayBeAsked) && mayDecideAt('PermissionRequest'))
    );
  }

  private async askAbout(admission: PhaseEvent, state: PhaseState, now: Date): Promise<readonly GuardDecided[]> {
    const commit = new PendingCommit(this.added.withoutOtherCommands(state), this.blobs, now);
    await recordGuardedAdmission(commit, admission, this.getAdmissionParts(now));
    return this.listDecisions(commit);
  }

  /** What the guard decides in a commit, once the commit awaits no command. */
  private async listDecisions(commit: PendingCommit): Promise<readonly GuardDecided[]> {
    const { askCommands } = this.parts;
    if (askCommands)
      await askAwaitedGuards(
        commit,
        (state, call) => askCommands(state, call, this.blobs),
        this.getAdmissionParts(commit.now),
      );
    return listDecisionsOf(this.added.guard, commit.events);
  }

  private getAdmissionParts(now: Date) {
    return { source: liveSource, tools: this.parts.tools, clock: { now: () => now } };
  }
}

function isAdmission(type: string): boolean {
  return type === 'ToolCallRequested' || type === 'ApprovalRequested';
}

function isAdmissionEvent(event: PhaseEvent): event is Admission {
  return isAdmission(event.type);
}

function readCallId(one: PhaseDecoded): string {
  return String(readData(one)['callId']);
}
