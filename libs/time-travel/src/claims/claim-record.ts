import type { CheckEvidence, CheckFailure, NeededRun } from '@phaseline/checks';
import type { CallId, StreamId } from '@phaseline/contracts';
import type { ClaimSubject, JobEvent, PhaseEvent } from '@phaseline/domain';
import { parseStreamName } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';

/** A claim of a job: what was claimed, what it needed, and what became of it. */
export interface ClaimRecord {
  readonly subject: ClaimSubject | { readonly kind: 'job' };
  /** `open`: its runs have not ended. `dropped`: a file or a message came before it was decided. */
  readonly outcome: 'open' | 'accepted' | 'refused' | 'dropped';
  /** Number of the phase; absent for the completion of the job. */
  readonly phase?: number;
  /** The call that made the claim. */
  readonly callId?: CallId;
  /** Verifiers, guards and judges that were asked. */
  readonly runs: readonly NeededRun[];
  readonly evidence: readonly CheckEvidence[];
  readonly failures: readonly CheckFailure[];
  /** What the model was told when the claim was refused. */
  readonly message?: string;
  /** When a claim that needs runs was first raised. */
  readonly raisedAt?: string;
  /** The event of the decision, or of the claim while it is open. */
  readonly event: {
    readonly streamId: StreamId;
    readonly version: number;
    readonly position: number;
    readonly recordedAt: string;
  };
}

/** The types of events from which claims are read. */
export const claimTypes: readonly string[] = [
  'ClaimRaised',
  'ClaimRefused',
  'TodoCompleted',
  'PhaseCompleted',
  'JobCompleted',
  // They end the phase without deciding its open claim.
  'PhaseFailed',
  'PhaseCancelled',
];

type ClaimEvent = Extract<
  PhaseEvent | JobEvent,
  {
    readonly type:
      | ('ClaimRaised' | 'ClaimRefused' | 'TodoCompleted')
      | ('PhaseCompleted' | 'PhaseFailed' | 'PhaseCancelled' | 'JobCompleted');
  }
>;

type Writable<Record> = { -readonly [Member in keyof Record]: Record[Member] };

/** Collects the claims of a job from its events, in the order in which they were decided or raised. */
export class ClaimRecords {
  private readonly records: Writable<ClaimRecord>[] = [];
  /** The claim of each phase that was raised last and not decided. */
  private readonly open = new Map<StreamId, Writable<ClaimRecord>>();

  /** Takes the next event of the job. `type` is one of `claimTypes`. */
  apply(recorded: RecordedEvent, event: ClaimEvent): void {
    const { streamId, version, position, recordedAt } = recorded;
    const place = { event: { streamId, version, position, recordedAt }, ...findPhase(streamId) };
    const none = { runs: [], evidence: [], failures: [] };
    switch (event.type) {
      case 'ClaimRaised':
        return this.raise(streamId, { ...none, ...place, ...toRaised(event.data), raisedAt: recordedAt });
      case 'ClaimRefused': {
        const { subject, callId, failures, message } = event.data;
        return this.decide(streamId, {
          ...none,
          ...place,
          subject,
          ...toCall(callId),
          outcome: 'refused',
          failures,
          message,
        });
      }
      case 'TodoCompleted': {
        const { todoId, callId, evidence = [] } = event.data;
        const subject = { kind: 'todo' as const, todoId };
        return this.decide(streamId, { ...none, ...place, subject, callId, outcome: 'accepted', evidence });
      }
      case 'PhaseCompleted': {
        const { outcome, evidence = [] } = event.data;
        const subject = { kind: 'phase' as const, outcome };
        return this.decide(streamId, { ...none, ...place, subject, outcome: 'accepted', evidence });
      }
      case 'JobCompleted': {
        const { evidence = [] } = event.data;
        this.records.push({ ...none, ...place, subject: { kind: 'job' }, outcome: 'accepted', evidence });
        return;
      }
      default:
        return this.drop(streamId);
    }
  }

  /** The claims so far. */
  list(): readonly ClaimRecord[] {
    return this.records;
  }

  private raise(streamId: StreamId, raised: ClaimRecord): void {
    const known = this.open.get(streamId);
    if (known && isSameClaim(known, raised)) {
      // It waits for more runs now, or for the same ones again.
      this.records.splice(this.records.indexOf(known), 1);
    } else this.drop(streamId);
    const record = {
      ...raised,
      ...(known?.raisedAt && isSameClaim(known, raised) ? { raisedAt: known.raisedAt } : {}),
    };
    this.open.set(streamId, record);
    this.records.push(record);
  }

  private decide(streamId: StreamId, decided: ClaimRecord): void {
    const known = this.open.get(streamId);
    if (known && isSameClaim(known, decided)) {
      const { runs, raisedAt } = known;
      this.open.delete(streamId);
      this.records.splice(this.records.indexOf(known), 1);
      this.records.push({ ...decided, runs, ...(raisedAt === undefined ? {} : { raisedAt }) });
      return;
    }
    this.drop(streamId);
    this.records.push({ ...decided });
  }

  private drop(streamId: StreamId): void {
    const known = this.open.get(streamId);
    if (known) known.outcome = 'dropped';
    this.open.delete(streamId);
  }
}

function toRaised({ subject, callId, runs }: Extract<ClaimEvent, { readonly type: 'ClaimRaised' }>['data']) {
  const named = runs.map(({ kind, name }) => ({ kind, name }));
  return { subject, ...toCall(callId), outcome: 'open' as const, runs: named };
}

function toCall(callId: CallId | undefined): { readonly callId?: CallId } {
  return callId === undefined ? {} : { callId };
}

function findPhase(streamId: StreamId): { readonly phase?: number } {
  const name = parseStreamName(streamId);
  return name?.kind === 'phase' ? { phase: name.phase } : {};
}

function isSameClaim(left: ClaimRecord, right: ClaimRecord): boolean {
  return left.callId === right.callId && left.subject.kind === right.subject.kind;
}
