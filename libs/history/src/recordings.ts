import { hasEnded, type CallState, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { EventLog, RecordedEvent } from '@phaseline/event-store';
import { Lineage } from './lineage.js';
import { callKey, RecordedPhase, type RecordedCall } from './recorded-phase.js';
import { RecentFolds } from './recent-folds.js';

/** How a `runner` call of a fork that does not run live ends. */
export interface RecordedResult {
  readonly facts: readonly PhaseEvent[];
  readonly end: PhaseEvent;
}

/** Recorded phases that are kept; only those that have ended. */
const KEPT_PHASES = 16;

/** Reads what forks take from the job that they forked. Phases of that job which still run are read anew each time. */
export class Recordings {
  private readonly phases = new RecentFolds<RecordedPhase>(KEPT_PHASES);
  private readonly lineage: Lineage;

  constructor(store: Pick<EventLog, 'read' | 'readAt' | 'iterate'>) {
    this.lineage = new Lineage(store);
  }

  /** The recording that a phase repeats; `undefined` for one that does not run in the mode `recorded`. */
  async repeated(state: PhaseState): Promise<RecordedPhase | undefined> {
    const { recording, phase } = state.start;
    return recording?.mode === 'recorded' ? this.phase(recording.jobId, phase) : undefined;
  }

  /**
   * How a `runner` call ends, taken from the recording; `undefined` when the phase runs live and the tool is to be run. In
   * the mode `recorded` it is the call of the same id, else the one that asked for the same, in the order of the job.
   */
  async result(state: PhaseState, call: CallState): Promise<RecordedResult | undefined> {
    const { recording } = state.start;
    if (!recording || hasEnded(call)) return undefined;
    const found =
      recording.mode === 'recorded'
        ? (await this.repeated(state))?.call(call.callId, call.name, call.arguments)
        : await this.alike(recording.jobId, state, call);
    return found?.end
      ? { facts: found.facts.map((fact) => renamed(fact, call.callId)), end: renamed(found.end, call.callId) }
      : { facts: [], end: notRecorded(call) };
  }

  /** The recording's call of the same name and arguments that comes as late in its job as this one does in the fork. */
  private async alike(jobId: string, state: PhaseState, call: CallState): Promise<RecordedCall | undefined> {
    const key = callKey(call.name, call.arguments);
    let index = 0;
    for await (const other of this.runnerCalls(state.start.jobId, state.start.phase)) {
      if (other.phase === state.start.phase && other.call.callId === call.callId) break;
      if (callKey(other.call.name, other.call.arguments) === key && !refused(other.call)) index += 1;
    }
    for await (const other of this.runnerCalls(jobId, Infinity)) {
      if (callKey(other.call.name, other.call.arguments) !== key || !other.call.end) continue;
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
    const kept = this.phases.get(key);
    if (kept) return kept;
    const events: RecordedEvent[] = [];
    for await (const event of this.lineage.phaseEvents(jobId, phase)) events.push(event);
    const recorded = RecordedPhase.of(events);
    if (recorded.ended) this.phases.set(key, recorded);
    return recorded;
  }
}

/** The end of a call that the recording does not hold. Nothing was run. */
export function notRecorded(call: Pick<CallState, 'callId' | 'name'>): PhaseEvent {
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

function refused(call: RecordedCall): boolean {
  return call.judgement?.type === 'ApprovalRefused';
}

/** A fact of a recorded call as one of the call that stands for it in the fork. */
function renamed(fact: PhaseEvent, callId: string): PhaseEvent {
  return { ...fact, data: { ...fact.data, callId } } as PhaseEvent;
}
