import type { JobId, StreamId } from '@phaseline/contracts';
import {
  jobStream,
  phaseStream,
  type CallState,
  type JobState,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { EventLog, StreamAppend } from '@phaseline/event-store';
import { NO_MUTATION, type Mutation } from '../mutation/mutations.js';
import { DailyBudgets, JobRepository, type PhaseAppendOptions } from '@phaseline/repository';

/** Repository that keeps the last state served per stream, so that it can be checked after the run. */
export class WatchedRepository extends JobRepository {
  readonly served = new Map<string, JobState | PhaseState>();

  constructor(
    store: EventLog,
    private readonly mutation: Pick<
      Mutation,
      | 'respectsOnceMark'
      | 'refreshesFolds'
      | 'keepsEditsBetweenPhases'
      | 'respectsFailedRuns'
      | 'remembersHandoffs'
      | 'awaitsChildJobs'
      | 'reservesAtVersion'
      | 'remembersTurns'
    > = NO_MUTATION,
  ) {
    super(store, mutation.reservesAtVersion ? {} : { budgets: new DailyBudgets(atAnyVersion(store)) });
  }

  override async loadPhase(jobId: JobId, phase: number): Promise<PhaseState | undefined> {
    const streamId = phaseStream(jobId, phase);
    const before = this.served.get(streamId);
    if (before && !this.mutation.refreshesFolds) return before as PhaseState;
    const read = this.note(streamId, await super.loadPhase(jobId, phase));
    const known = read && !this.mutation.remembersTurns ? { ...read, turn: undefined } : read;
    const state = known && !this.mutation.respectsFailedRuns ? withoutFailedRuns(known) : known;
    return state && !this.mutation.respectsOnceMark ? withoutStartMarks(state) : state;
  }

  override async loadJob(jobId: JobId): Promise<JobState | undefined> {
    const read = this.note(jobStream(jobId), await super.loadJob(jobId));
    const known = read && !this.mutation.remembersHandoffs ? { ...read, handoff: undefined } : read;
    const seemsEnded = !this.mutation.awaitsChildJobs && known?.submitted.delegatedBy !== undefined;
    const state = known && seemsEnded ? { ...known, status: 'completed' as const } : known;
    return state?.edits && !this.mutation.keepsEditsBetweenPhases ? { ...state, edits: [] } : state;
  }

  override async appendToPhase(
    state: PhaseState,
    events: readonly PhaseEvent[],
    options: PhaseAppendOptions,
  ): Promise<PhaseState> {
    const next = await super.appendToPhase(state, events, options);
    return this.note(phaseStream(next.start.identity.jobId, next.start.identity.phase), next);
  }

  private note<State extends JobState | PhaseState | undefined>(streamId: StreamId, state: State): State {
    if (state) this.served.set(streamId, state);
    return state;
  }
}

/** Appends whatever was appended meanwhile. */
function atAnyVersion(store: EventLog): Pick<EventLog, 'append' | 'iterate'> {
  return {
    append: (appends, options) => {
      const list = Array.isArray(appends) ? (appends as readonly StreamAppend[]) : [appends as StreamAppend];
      return store.append(
        list.map((append) => ({ ...append, expectedVersion: 'any' as const })),
        options,
      );
    },
    iterate: (streamId, options) => store.iterate(streamId, options),
  };
}

/** Resets started calls to requested. */
function withoutStartMarks(state: PhaseState): PhaseState {
  const calls = Object.entries(state.calls.byId).map(([callId, call]): [string, CallState] => [
    callId,
    call.status === 'started' ? { ...call, status: 'requested' } : call,
  ]);
  return { ...state, calls: { ...state.calls, byId: Object.fromEntries(calls) } };
}

/** Makes every ended run of a verifier look as if it passed. */
function withoutFailedRuns(state: PhaseState): PhaseState {
  const calls = state.work.calls.map((call) =>
    call.name === 'run_verifier' && call.result ? { ...call, result: { ...call.result, outcome: 'passed' } } : call,
  );
  return { ...state, work: { ...state.work, calls } };
}
