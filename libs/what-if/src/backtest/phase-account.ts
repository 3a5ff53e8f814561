import type { Amount, CallId, HitOutcome, StreamId } from '@phaseline/contracts';
import { EXPIRY_ACTOR, isRefusedByGuard, type PhaseEvent, type PhaseEventData } from '@phaseline/domain';
import type { DecodedEvent } from '../log/decoded-event.js';

/** A call as it was recorded: its tool, and its arguments unless the model sent no JSON object. */
type RecordedCall = Pick<PhaseEventData<'ModelResponded'>['calls'][number], 'name' | 'arguments'>;

/** Something that a guard would have decided, what became of it, and what the phase used afterwards. */
export interface GuardHit {
  readonly streamId: StreamId;
  /** Version in its stream of the event at which the guard decides. */
  readonly version: number;
  readonly decided: PhaseEventData<'GuardDecided'>;
  /** The call that the decision is about; absent at the end of a phase. */
  readonly call?: RecordedCall;
  readonly outcome: HitOutcome;
  readonly phaseEnd: 'completed' | 'failed' | 'cancelled' | 'open';
  /** Mean step of the phase: its model call and the calls of its answer, without waits for people. */
  readonly meanStep: Amount;
  /** What the phase recorded after the hit, up to its end. */
  readonly after: Amount;
}

/** A hit whose phase is still being read. */
interface OpenHit extends Pick<GuardHit, 'version' | 'decided' | 'call'> {
  outcome: HitOutcome;
  readonly spentMicroUsd: number;
  readonly at: string;
}

type PhaseDecoded = Extract<DecodedEvent, { kind: 'phase' }>;

/** Types of the events that say what a hit cost, or what became of it. */
const accountedTypes: ReadonlySet<string> = new Set<PhaseEvent['type']>([
  ...(['ModelResponded', 'ConversationSummarised', 'JudgeEnded', 'ReflectionRecorded', 'ChildJobEnded'] as const),
  ...(['ToolCallRequested', 'ApprovalRequested', 'ToolCallCompleted', 'ToolCallFailed', 'ToolCallDenied'] as const),
  ...(['ApprovalRefused', 'ClaimRefused', 'TransitionRejected'] as const),
  ...(['PhaseCompleted', 'PhaseFailed', 'PhaseCancelled'] as const),
]);

/** Key of the end of the phase among the ids of calls. */
const END = '';

/** Follows one phase event by event, and keeps for each hit what became of its call, and the money and time that the phase used after it. */
export class PhaseAccount {
  private readonly hits: OpenHit[] = [];
  /** Hits whose outcome is not known yet, by the call that they are about. */
  private readonly waiting = new Map<string, OpenHit[]>();
  /** The calls of the last answer, and those that they made. */
  private readonly calls = new Map<CallId, RecordedCall>();
  /** Calls that are part of another call, or of the system. Their time is not that of the step once more. */
  private readonly nested = new Set<CallId>();
  private readonly steps = { count: 0, costMicroUsd: 0, durationMs: 0 };
  private spentMicroUsd = 0;
  private end: GuardHit['phaseEnd'] = 'open';
  private lastAt = '';
  /** Events before the first hit. They are decoded only if there is one. */
  private unread: PhaseDecoded[] = [];

  constructor(private readonly streamId: StreamId) {}

  /** Reads an event, and what the guard decides at it. */
  read(one: PhaseDecoded, decided: readonly OpenHit['decided'][]): void {
    const { type, version, recordedAt } = one.recorded;
    if (this.end === 'open') this.lastAt = recordedAt;
    const isAccounted = accountedTypes.has(type);
    if (this.hits.length === 0 && decided.length === 0) {
      if (isAccounted) this.unread.push(one);
      return;
    }
    for (const earlier of this.unread.splice(0)) this.note(earlier.event, []);
    if (isAccounted)
      this.note(
        one.event,
        decided.map((hit) => ({ version, at: recordedAt, hit })),
      );
    else for (const hit of decided) this.addHit(version, recordedAt, hit);
  }

  private note(
    event: PhaseEvent,
    decided: readonly { readonly version: number; readonly at: string; readonly hit: OpenHit['decided'] }[],
  ): void {
    this.noteCost(event);
    this.noteCalls(event);
    for (const { version, at, hit } of decided) this.addHit(version, at, hit);
    this.noteOutcome(event);
  }

  /** The hits in the order of the log, as the events that were read show them. */
  listHits(): readonly GuardHit[] {
    const { streamId, steps, end: phaseEnd } = this;
    const average = (sum: number): number => (steps.count === 0 ? 0 : Math.round(sum / steps.count));
    const meanStep = { costMicroUsd: average(steps.costMicroUsd), durationMs: average(steps.durationMs) };
    return this.hits.map(({ spentMicroUsd, at, ...hit }) => {
      const durationMs = Math.max(0, Date.parse(this.lastAt) - Date.parse(at));
      const after = { costMicroUsd: this.spentMicroUsd - spentMicroUsd, durationMs };
      return { streamId, ...hit, phaseEnd, meanStep, after };
    });
  }

  private noteCost(event: PhaseEvent): void {
    switch (event.type) {
      case 'ModelResponded':
        this.steps.count += 1;
        this.steps.costMicroUsd += event.data.costMicroUsd;
        this.steps.durationMs += event.data.durationMs;
        this.spentMicroUsd += event.data.costMicroUsd;
        return;
      case 'ConversationSummarised':
      case 'JudgeEnded':
      case 'ReflectionRecorded':
        this.spentMicroUsd += event.data.costMicroUsd;
        return;
      case 'ChildJobEnded':
        this.spentMicroUsd += event.data.spending.costMicroUsd;
        return;
      case 'ToolCallCompleted':
      case 'ToolCallFailed':
        if (!this.nested.delete(event.data.callId)) this.steps.durationMs += event.data.durationMs;
        return;
      default:
    }
  }

  private noteCalls(event: PhaseEvent): void {
    if (event.type === 'ModelResponded') {
      this.calls.clear();
      for (const call of event.data.calls) this.calls.set(call.callId, call);
    } else if (event.type === 'ToolCallRequested' || event.type === 'ApprovalRequested') {
      const { callId, parent } = event.data;
      this.calls.set(callId, event.data);
      if (parent !== undefined) this.nested.add(callId);
    }
  }

  private addHit(version: number, at: string, decided: OpenHit['decided']): void {
    const { callId } = decided;
    const call = callId === undefined ? undefined : this.calls.get(callId);
    const { spentMicroUsd } = this;
    const hit: OpenHit = { version, decided, ...(call ? { call } : {}), outcome: 'never-ended', spentMicroUsd, at };
    this.hits.push(hit);
    const key = callId ?? END;
    this.waiting.set(key, [...(this.waiting.get(key) ?? []), hit]);
  }

  private noteOutcome(event: PhaseEvent): void {
    switch (event.type) {
      case 'ToolCallCompleted':
        return this.setOutcome(event.data.callId, 'completed');
      case 'ToolCallFailed':
        return this.setOutcome(event.data.callId, event.data.code === 'cancelled' ? 'cancelled' : 'failed');
      case 'ToolCallDenied':
        return this.setOutcome(event.data.callId, event.data.code === 'guard_denied' ? 'denied-by-guard' : 'denied');
      case 'ApprovalRefused':
        return this.setOutcome(event.data.callId, event.data.actor === EXPIRY_ACTOR ? 'expired' : 'refused');
      case 'ClaimRefused':
        if (isRefusedByGuard(event.data.failures)) this.setOutcome(event.data.callId ?? END, 'denied-by-guard');
        return;
      case 'TransitionRejected':
        return this.setOutcome(END, 'failed');
      case 'PhaseCompleted':
        this.setOutcome(END, 'completed');
        this.end = 'completed';
        return;
      case 'PhaseFailed':
        this.end = 'failed';
        return;
      case 'PhaseCancelled':
        this.end = 'cancelled';
        return;
      default:
    }
  }

  private setOutcome(key: string, outcome: HitOutcome): void {
    for (const hit of this.waiting.get(key) ?? []) hit.outcome = outcome;
    this.waiting.delete(key);
  }
}
