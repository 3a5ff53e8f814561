import {
  admitCall,
  type Guard,
  type HookPoint,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import { liveSource, PendingCommit, recordEndedCall, recordGuardedAdmission } from '@phaseline/execution';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import { withGuards } from '../redecide/add-guard.js';

type GuardDecided = PhaseEventData<'GuardDecided'>;
type Call = { readonly answer: PhaseEventData<'ModelResponded'>; readonly index: number };

/** Hook points about one call. */
const CALL_POINTS: ReadonlySet<HookPoint> = new Set<HookPoint>([
  ...(['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'] as const),
]);

/** Whether a guard is asked about calls. */
export function isAboutCalls({ points }: Guard): boolean {
  return points.some((point) => CALL_POINTS.has(point));
}

/**
 * Asks a guard about the calls of one phase, event by event: at the same moments, with the same state, as a live phase asks its guards. It does
 * not need the rest of the decisions, so that a long log is read quickly.
 */
export class CallMoments {
  /** Calls of the last answer that were not admitted yet, in order. */
  private waiting: Call[] = [];
  /** One list, which is compiled once. */
  private readonly guards: readonly Guard[];

  constructor(
    guard: Guard,
    private readonly tools: ToolRegistry,
    private readonly blobs: BlobReader,
  ) {
    this.guards = [guard];
  }

  /** What the guard decides at an event. `before` and `after` are the states of the phase around it. */
  async ask(event: PhaseEvent, before: PhaseState, after: PhaseState, now: Date): Promise<readonly GuardDecided[]> {
    switch (event.type) {
      case 'ModelResponded':
        this.waiting = event.data.calls.map((_call, index) => ({ answer: event.data, index }));
        return this.askNext(after, now);
      case 'ToolCallRequested':
      case 'ApprovalRequested':
      case 'ToolCallDenied':
      case 'GuardsAwaited':
        return this.askAtAdmission(event, before, after, now);
      case 'ToolCallCompleted':
      case 'ToolCallFailed': {
        const commit = this.open(after, now);
        await recordEndedCall(commit, event.data.callId, liveSource);
        return listDecided(commit);
      }
      default:
        return [];
    }
  }

  private async askAtAdmission(
    event: Extract<
      PhaseEvent,
      { type: 'ToolCallRequested' | 'ApprovalRequested' | 'ToolCallDenied' | 'GuardsAwaited' }
    >,
    before: PhaseState,
    after: PhaseState,
    now: Date,
  ): Promise<readonly GuardDecided[]> {
    const { callId } = event.data;
    const [next] = this.waiting;
    if (next && next.answer.calls[next.index]?.callId === callId) {
      this.waiting.shift();
      return this.askNext(after, now);
    }
    // A call that a script made. Those that ask guards or verifiers are made by the system, which no guard is asked about.
    if (event.type !== 'ToolCallRequested' && event.type !== 'ApprovalRequested') return [];
    return event.data.parent === undefined ? [] : this.askAbout(event, before, now);
  }

  /** Live guards are asked about a call once the one before it was admitted. */
  private async askNext(state: PhaseState, now: Date): Promise<readonly GuardDecided[]> {
    const [next] = this.waiting;
    if (!next) return [];
    const admission = admitCall(state, next.answer, next.index, this.tools.forPhase(state), now);
    return this.askAbout(admission, state, now);
  }

  private async askAbout(admission: PhaseEvent, state: PhaseState, now: Date): Promise<readonly GuardDecided[]> {
    const commit = this.open(state, now);
    await recordGuardedAdmission(commit, admission, {
      source: liveSource,
      tools: this.tools,
      clock: { now: () => now },
    });
    return listDecided(commit);
  }

  private open(state: PhaseState, now: Date): PendingCommit {
    return new PendingCommit(withGuards(state, this.guards), this.blobs, now);
  }
}

function listDecided({ events }: PendingCommit): readonly GuardDecided[] {
  return events.flatMap((event) => (event.type === 'GuardDecided' ? [event.data] : []));
}
