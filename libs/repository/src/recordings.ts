import { hasCallEnded, type CallState, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { EventLog, RecordedEvent } from '@phaseline/event-store';
import { Lineage } from './lineage.js';
import { buildCallKey, RecordedPhase, type RecordedCall } from './recorded-phase.js';
import { RecentFolds } from './recent-folds.js';

/** Recorded outcome of a `runner` call, for a fork that does not run live. */
export interface RecordedResult {
  readonly facts: readonly PhaseEvent[];
  readonly end: PhaseEvent;
}

/** Number of recorded phases that are cached. Only ended phases are. */
const MAX_CACHED_PHASES = 16;

/** Reads the recorded phases that forks replay. Phases that still run are read again each time. */
export class Recordings {
  private readonly phases = new RecentFolds<RecordedPhase>(MAX_CACHED_PHASES);
  private readonly lineage: Lineage;

  constructor(store: Pick<EventLog, 'read' | 'readAt' | 'iterate'>) {
    this.lineage = new Lineage(store);
  }

  /** The recording that a phase replays; `undefined` unless the phase runs in the mode `recorded`. */
  async findReplayed(state: PhaseState): Promise<RecordedPhase | undefined> {
    const { recording, phase } = state.start;
    return recording?.mode === 'recorded' ? this.phase(recording.jobId, phase) : undefined;
  }

  /**
   * The recorded outcome of a `runner` call; `undefined` if the phase runs live and the tool has to run. In the mode
   * `recorded` it is that of the call with the same id, otherwise of the corresponding call with the same name and arguments.
   */
  async findResult(state: PhaseState, call: CallState): Promise<RecordedResult | undefined> {
    const { recording } = state.start;
    if (!recording || hasCallEnded(call)) return undefined;
    const found =
      recording.mode === 'recorded'
        ? (await this.findReplayed(state))?.findCall(call.callId, call.name, call.arguments)
        : await this.findCorrespondingCall(recording.jobId, state, call);
    return found?.end
      ? { facts: found.facts.map((fact) => withCallId(fact, call.callId)), end: withCallId(found.end, call.callId) }
      : { facts: [], end: buildNotRecorded(call) };
  }

  /** Finds the recorded call with the same name and arguments that has the same ordinal number in its job as this one in the fork. */
  private async findCorrespondingCall(
    jobId: string,
    state: PhaseState,
    call: CallState,
  ): Promise<RecordedCall | undefined> {
    const key = buildCallKey(call.name, call.arguments);
    let index = 0;
    for await (const other of this.runnerCalls(state.start.jobId, state.start.phase)) {
      if (other.phase === state.start.phase && other.call.callId === call.callId) break;
      if (buildCallKey(other.call.name, other.call.arguments) === key && !wasRefused(other.call)) index += 1;
    }
    for await (const other of this.runnerCalls(jobId, Infinity)) {
      if (buildCallKey(other.call.name, other.call.arguments) !== key || !other.call.end) continue;
      if (index === 0) return other.call;
      index -= 1;
    }
    return undefined;
  }

  private async *runnerCalls(jobId: string, lastPhase: number): AsyncGenerator<{ phase: number; call: RecordedCall }> {
    for (let phase = 1; phase <= lastPhase; phase += 1) {
      const recorded = await this.phase(jobId, phase);
      if (!recorded.state) return;
      for (const call of recorded.calls.values()) if (call.lane === 'runner') yield { phase, call };
    }
  }

  private async phase(jobId: string, phase: number): Promise<RecordedPhase> {
    const key = `${jobId}/${phase}`;
    const cached = this.phases.get(key);
    if (cached) return cached;
    const events: RecordedEvent[] = [];
    for await (const event of this.lineage.iteratePhaseEvents(jobId, phase)) events.push(event);
    const recorded = RecordedPhase.fromEvents(events);
    if (recorded.ended) this.phases.set(key, recorded);
    return recorded;
  }
}

/** Builds the failure of a call that the recording does not contain. Nothing was run. */
export function buildNotRecorded(call: Pick<CallState, 'callId' | 'name'>): PhaseEvent {
  return {
    type: 'ToolCallFailed',
    data: {
      callId: call.callId,
      code: 'not_recorded',
      message: `Not run: this job repeats a recording, and the recording has no such call of ${call.name}.`,
      attempts: 0,
      durationMs: 0,
    },
  };
}

function wasRefused(call: RecordedCall): boolean {
  return call.judgement?.type === 'ApprovalRefused';
}

/** Assigns an event of a recorded call to the corresponding call of the fork. */
function withCallId(fact: PhaseEvent, callId: string): PhaseEvent {
  return { ...fact, data: { ...fact.data, callId } } as PhaseEvent;
}
