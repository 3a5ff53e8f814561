import type { JobId } from '@phaseline/contracts';
import { LRUCache } from 'lru-cache';
import { decodePhaseEvent, foldPhase, type AdmittedCall, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { EventLog, RecordedEvent } from '@phaseline/event-store';
import { computeArgumentDistance } from './argument-distance.js';
import { Lineage } from './lineage.js';
import { buildCallKey, getRunArguments, getRunKey, RecordedPhase, type RecordedCall } from './recorded-phase.js';

/** Number of recorded phases that are cached. Only ended phases are. */
const MAX_CACHED_PHASES = 16;

/** A recorded call that succeeded, and the phase in which it was made. */
export interface NearestCall {
  readonly phase: number;
  readonly call: RecordedCall;
  readonly end: Extract<PhaseEvent, { type: 'ToolCallCompleted' }>;
}

/** Reads the recorded phases that forks replay. Phases that still run are read again each time. */
export class Recordings {
  private readonly phases = new LRUCache<string, RecordedPhase>({ max: MAX_CACHED_PHASES });
  private readonly lineage: Lineage;

  constructor(store: Pick<EventLog, 'read' | 'readAt' | 'iterate' | 'iteratePages'>) {
    this.lineage = new Lineage(store);
  }

  /** Loads the recording of a phase; of one that has not started, an empty recording. */
  async loadPhase(jobId: JobId, phase: number): Promise<RecordedPhase> {
    const key = `${jobId}/${phase}`;
    const cached = this.phases.get(key);
    if (cached) return cached;
    const events: RecordedEvent[] = [];
    for await (const event of this.lineage.iteratePhaseEvents(jobId, phase)) events.push(event);
    const recorded = RecordedPhase.fromEvents(events);
    if (recorded.ended) this.phases.set(key, recorded);
    return recorded;
  }

  /**
   * Loads a phase as it was while the call of the model for a step was open, the last attempt of that call; `undefined` if there is no response
   * for that step.
   */
  async loadStateAtCall(jobId: JobId, phase: number, step: number): Promise<PhaseState | undefined> {
    const events: PhaseEvent[] = [];
    for await (const recorded of this.lineage.iteratePhaseEvents(jobId, phase)) {
      const event = decodePhaseEvent(recorded);
      if (event.type === 'ModelResponded' && event.data.step === step) return foldPhase(events);
      events.push(event);
    }
    return undefined;
  }

  /**
   * Finds the recorded call of the job `jobId` that has the same name, arguments and ordinal number in its job as this
   * remote call of a fork.
   */
  async findCorrespondingCall(jobId: JobId, state: PhaseState, call: AdmittedCall): Promise<RecordedCall | undefined> {
    const key = buildCallKey(call.name, call.arguments);
    let index = 0;
    for await (const other of this.iterateCalls(state.start.identity.jobId, state.start.identity.phase)) {
      if (other.phase === state.start.identity.phase && other.call.callId === call.callId) break;
      if (other.call.lane === 'remote' && getRunKey(other.call) === key && !wasRefused(other.call)) index += 1;
    }
    for await (const other of this.iterateCalls(jobId, Infinity)) {
      if (other.call.lane !== 'remote' || getRunKey(other.call) !== key || !other.call.end) continue;
      if (index === 0) return other.call;
      index -= 1;
    }
    return undefined;
  }

  /**
   * Finds the call of the job `jobId` to the same tool whose arguments are nearest to those of a call: the first one of those at the same distance.
   * A result that was itself taken from another call does not count.
   */
  async findNearestCall(jobId: JobId, { name, arguments: args }: AdmittedCall): Promise<NearestCall | undefined> {
    let nearest: NearestCall | undefined;
    let least = Infinity;
    for await (const { phase, call } of this.iterateCalls(jobId, Infinity)) {
      const { end } = call;
      if (call.name !== name || end?.type !== 'ToolCallCompleted' || end.data.nearest) continue;
      const distance = computeArgumentDistance(args, getRunArguments(call));
      if (distance < least) [nearest, least] = [{ phase, call, end }, distance];
    }
    return nearest;
  }

  private async *iterateCalls(jobId: JobId, lastPhase: number): AsyncGenerator<{ phase: number; call: RecordedCall }> {
    for (let phase = 1; phase <= lastPhase; phase += 1) {
      const recorded = await this.loadPhase(jobId, phase);
      if (!recorded.state) return;
      for (const call of recorded.calls.values()) yield { phase, call };
    }
  }
}

function wasRefused(call: RecordedCall): boolean {
  return call.approvalDecision?.type === 'ApprovalRefused';
}
