import {
  admitCall,
  EXPIRY_ACTOR,
  type Guard,
  type HookPoint,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import { liveSource, PendingCommit, recordEndedCall, recordGuardedAdmission } from '@phaseline/execution';
import { mayDecide } from '@phaseline/guards';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import { withGuards } from '../redecide/add-guard.js';

type GuardDecided = PhaseEventData<'GuardDecided'>;
type Call = { readonly answer: PhaseEventData<'ModelResponded'>; readonly index: number };

/** Hook points about one call. */
export const CALL_POINTS: ReadonlySet<HookPoint> = new Set<HookPoint>([
  ...(['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'] as const),
]);

/** When a guard is asked, and about which state of the phase. */
interface Moment {
  /** The state before the call of a script was admitted; undefined for every other event. */
  readonly nested: PhaseState | undefined;
  /** Returns the state after the event. Folding takes longer than everything else, so it is asked for only if the guard may decide something. */
  readonly getState: () => PhaseState;
  readonly now: Date;
}

/**
 * Asks a guard about the calls of one phase, event by event: at the same moments, with the same state, as a live phase asks its guards. It does
 * not need the rest of the decisions, so that a long log is read quickly.
 */
export class CallMoments {
  /** Calls of the last answer that were not admitted yet, in order. */
  private waiting: Call[] = [];
  /** The tools of the calls that were admitted and have not ended. */
  private readonly running = new Map<string, string>();
  /** Ids of the calls about which the guard was asked. */
  private readonly compared = new Set<string>();
  /** Ids of the calls that a person approved or refused. */
  private readonly decidedByPeople = new Set<string>();
  /** One list, which is compiled once. */
  private readonly guards: readonly Guard[];

  constructor(
    guard: Guard,
    private readonly tools: ToolRegistry,
    private readonly blobs: BlobReader,
  ) {
    this.guards = [guard];
  }

  /** Whether an event admits a call that a script made. The guard is asked about the state before it. */
  isNested(event: PhaseEvent): boolean {
    return isAdmission(event) && event.data.parent !== undefined && this.mayDecideBefore(event.data.name);
  }

  /** Number of calls about which the guard was asked, and of those about which a person decided. */
  countCalls(): { readonly compared: number; readonly decidedByPeople: number } {
    const { compared, decidedByPeople } = this;
    return {
      compared: compared.size,
      decidedByPeople: [...compared].filter((callId) => decidedByPeople.has(callId)).length,
    };
  }

  /** What the guard decides at an event. */
  async ask(event: PhaseEvent, moment: Moment): Promise<readonly GuardDecided[]> {
    switch (event.type) {
      case 'ModelResponded':
        this.waiting = event.data.calls.map((_call, index) => ({ answer: event.data, index }));
        return this.askNext(moment);
      case 'ToolCallRequested':
      case 'ApprovalRequested':
        this.running.set(event.data.callId, event.data.name);
        if (moment.nested) return this.askAbout(event, moment.nested, moment.now);
        return this.askAfterAdmission(event.data.callId, moment);
      case 'GuardsAwaited':
      case 'ToolCallDenied':
        return this.askAfterAdmission(event.data.callId, moment);
      case 'ToolCallCompleted':
      case 'ToolCallFailed':
        return this.askAfterEnd(event, moment);
      case 'ApprovalGranted':
      case 'ApprovalRefused':
        if (event.data.actor !== EXPIRY_ACTOR) this.decidedByPeople.add(event.data.callId);
        return [];
      default:
        return [];
    }
  }

  private async askAfterAdmission(callId: string | undefined, moment: Moment): Promise<readonly GuardDecided[]> {
    const [next] = this.waiting;
    if (next?.answer.calls[next.index]?.callId !== callId) return [];
    this.waiting.shift();
    return this.askNext(moment);
  }

  private async askAfterEnd(
    { type, data: { callId } }: Extract<PhaseEvent, { type: 'ToolCallCompleted' | 'ToolCallFailed' }>,
    { getState, now }: Moment,
  ): Promise<readonly GuardDecided[]> {
    const tool = this.running.get(callId);
    this.running.delete(callId);
    const point = type === 'ToolCallCompleted' ? 'PostToolUse' : 'PostToolUseFailure';
    if (tool === undefined || !mayDecide(this.guards, point, tool)) return [];
    this.compared.add(callId);
    const commit = this.open(getState(), now);
    await recordEndedCall(commit, callId, liveSource);
    return listDecided(commit);
  }

  /** Live guards are asked about a call once the one before it was admitted. */
  private async askNext({ getState, now }: Moment): Promise<readonly GuardDecided[]> {
    const [next] = this.waiting;
    if (!next || !this.mayDecideBefore(next.answer.calls[next.index]!.name)) return [];
    const state = getState();
    return this.askAbout(admitCall(state, next.answer, next.index, this.tools.forPhase(state), now), state, now);
  }

  private mayDecideBefore(tool: string): boolean {
    return mayDecide(this.guards, 'PreToolUse', tool) || mayDecide(this.guards, 'PermissionRequest', tool);
  }

  private async askAbout(admission: PhaseEvent, state: PhaseState, now: Date): Promise<readonly GuardDecided[]> {
    if (this.isAskedBefore(admission)) this.compared.add(admission.data.callId);
    const commit = this.open(state, now);
    await recordGuardedAdmission(commit, admission, {
      source: liveSource,
      tools: this.tools,
      clock: { now: () => now },
    });
    return listDecided(commit);
  }

  /** Whether live guards are asked about an admission: not if the engine denies the call, and at PermissionRequest only if a person is. */
  private isAskedBefore(admission: PhaseEvent): admission is Admission {
    if (!isAdmission(admission)) return false;
    return (
      mayDecide(this.guards, 'PreToolUse', admission.data.name) ||
      (admission.type === 'ApprovalRequested' && mayDecide(this.guards, 'PermissionRequest', admission.data.name))
    );
  }

  private open(state: PhaseState, now: Date): PendingCommit {
    return new PendingCommit(withGuards(state, this.guards), this.blobs, now);
  }
}

type Admission = Extract<PhaseEvent, { type: 'ToolCallRequested' | 'ApprovalRequested' }>;

function isAdmission(event: PhaseEvent): event is Admission {
  return event.type === 'ToolCallRequested' || event.type === 'ApprovalRequested';
}

function listDecided({ events }: PendingCommit): readonly GuardDecided[] {
  return events.flatMap((event) => (event.type === 'GuardDecided' ? [event.data] : []));
}
