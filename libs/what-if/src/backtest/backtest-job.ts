import type { JobId, StreamId } from '@phaseline/contracts';
import type { Guard, HookPoint, JobState, PhaseEvent, PhaseEventData, PhaseState } from '@phaseline/domain';
import { isUnreachable } from '@phaseline/event-store';
import { groupCommits, type Commit } from '../log/commits.js';
import type { DecodedEvent } from '../log/decoded-event.js';
import { RecordedJob, type ReadableLog } from '../log/recorded-job.js';
import { getCommitTime } from '../redecide/commit-time.js';
import { redecideCommit } from '../redecide/redecide-commit.js';
import type { DecisionParts } from '../redecide/redecide-parts.js';
import { toShadow } from '../redecide/add-guard.js';
import { CALL_POINTS, CallMoments } from './call-moments.js';
import { PhaseAccount, type GuardHit } from './phase-account.js';

/** What a guard would have done in one job. */
export interface TestedJob {
  readonly jobId: JobId;
  /** How the job ended, or its status; undefined if its beginning cannot be read. */
  readonly status: JobState['status'] | undefined;
  /** Events that were read. */
  readonly events: number;
  /** Calls and claims about which the guard was asked. */
  readonly calls: number;
  /** Those whose outcome is known: the job completed or failed, or a person decided about the call. */
  readonly labelled: number;
  /** Hook points of the guard at which it was not asked: what it would have decided there is not known. */
  readonly untested: readonly HookPoint[];
  /** Commits that could not be decided again, by reason, if the guard is asked about claims. */
  readonly unknown: Record<string, number>;
  /** Why the job could not be tested to its end: it cannot be read. */
  readonly unreadable?: string;
  /** Phase by phase, each in the order of the log. */
  readonly hits: readonly GuardHit[];
}

/**
 * Asks a rule or a script about everything that a recorded job did, at the moments at which it would have been asked live, and lists what it would
 * have decided, what became of it, and what the phase used afterwards. It is asked in shadow: what it decides changes nothing that follows, so
 * every hit is about what really happened.
 */
export async function backtestJob(
  log: ReadableLog,
  jobId: JobId,
  guard: Guard,
  parts: DecisionParts,
): Promise<TestedJob> {
  const job = new RecordedJob(jobId, log);
  const test = new GuardTest(toShadow(guard), job, parts);
  const found = { events: 0, unreadable: undefined as string | undefined };
  try {
    for await (const commit of groupCommits(log.iterateCorrelation(jobId, { texts: 'whole' }))) {
      found.events += commit.recorded.length;
      await test.readCommit(commit);
    }
  } catch (error) {
    if (isUnreachable(error)) throw error;
    found.unreadable = error instanceof Error ? error.message : String(error);
  }
  const { events, unreadable } = found;
  return {
    jobId,
    status: job.job?.status,
    events,
    ...test.countCompared(job.job?.status),
    untested: guard.points.filter((point) => !CLAIM_POINTS.has(point) && !CALL_POINTS.has(point)),
    unknown: test.unknown,
    ...(unreadable === undefined ? {} : { unreadable }),
    hits: test.listHits(),
  };
}

/** Ends of a job that show whether its calls were right. */
const TELLING_ENDS: ReadonlySet<JobState['status']> = new Set<JobState['status']>([
  ...(['completed', 'failed', 'blocked', 'aborted'] as const),
]);

/** Points about claims, where the guard is asked by deciding the whole commit again. */
const CLAIM_POINTS: ReadonlySet<HookPoint> = new Set<HookPoint>(['TaskCompleted', 'Stop', 'SubagentStop']);

type GuardDecided = PhaseEventData<'GuardDecided'>;
type PhaseDecoded = Extract<DecodedEvent, { kind: 'phase' }>;

const NO_CLAIMS: ReadonlyMap<DecodedEvent['recorded'], readonly GuardDecided[]> = new Map();

class GuardTest {
  readonly unknown: Record<string, number> = {};
  /** Claims about which the guard was asked. */
  private claims = 0;
  private readonly isAboutCalls: boolean;
  private readonly isAboutClaims: boolean;
  private readonly calls = new Map<StreamId, CallMoments>();
  private readonly accounts = new Map<StreamId, PhaseAccount>();

  constructor(
    private readonly guard: Guard,
    private readonly job: RecordedJob,
    private readonly parts: DecisionParts,
  ) {
    this.isAboutCalls = guard.points.some((point) => CALL_POINTS.has(point));
    this.isAboutClaims = guard.points.some((point) => CLAIM_POINTS.has(point));
  }

  /**
   * Counts calls and claims about which the guard was asked, and those whose outcome is known. A job that runs or was cancelled does not show
   * whether a call was right; in it, only the decisions of people do.
   */
  countCompared(status: JobState['status'] | undefined): { readonly calls: number; readonly labelled: number } {
    const counts = [...this.calls.values()].map((calls) => calls.countCalls());
    const calls = counts.reduce((sum, { compared }) => sum + compared, this.claims);
    if (status !== undefined && TELLING_ENDS.has(status)) return { calls, labelled: calls };
    return { calls, labelled: counts.reduce((sum, { decidedByPeople }) => sum + decidedByPeople, 0) };
  }

  listHits(): readonly GuardHit[] {
    return [...this.accounts.values()].flatMap((account) => account.listHits());
  }

  async readCommit(commit: Commit): Promise<void> {
    const claims = this.isAboutClaims && this.isGuarded() ? await this.askAboutClaims(commit) : NO_CLAIMS;
    for (const one of commit.events) {
      if (one.kind === 'job' || !this.isGuarded()) {
        await this.job.applyEvent(one);
        continue;
      }
      const decided = this.isAboutCalls ? await this.askAboutCall(one, commit) : await this.job.applyEvent(one);
      const { streamId, recorded, event } = one;
      this.openAccount(streamId).read(recorded, event, [...(claims.get(recorded) ?? []), ...(decided ?? [])]);
    }
  }

  private async askAboutCall(one: PhaseDecoded, commit: Commit): Promise<readonly GuardDecided[]> {
    const calls = this.openCalls(one.streamId);
    const nested = calls.isNested(one.event) ? this.job.getPhase(one.phase) : undefined;
    await this.job.applyEvent(one);
    const getState = (): PhaseState => this.job.getPhase(one.phase)!;
    return calls.ask(one.event, { nested, getState, now: getCommitTime(commit) });
  }

  /** What the guard decides about claims of a commit, by the recorded event that follows from the claim. */
  private async askAboutClaims(
    commit: Commit,
  ): Promise<ReadonlyMap<DecodedEvent['recorded'], readonly GuardDecided[]>> {
    const { guard } = this;
    const redecided = await redecideCommit(this.job, commit, { ...this.parts, guard });
    if (redecided.kind === 'unknown') this.unknown[redecided.reason] = (this.unknown[redecided.reason] ?? 0) + 1;
    if (redecided.kind !== 'decided') return NO_CLAIMS;
    this.claims += commit.events.filter((one) => one.kind === 'phase' && isClaim(one.event, guard.points)).length;
    const claims = new Map<DecodedEvent['recorded'], GuardDecided[]>();
    for (const [index, { streamId, event }] of redecided.decided.entries()) {
      if (!isDecisionOf(guard, event) || !CLAIM_POINTS.has(event.data.point)) continue;
      // The recorded commit does not contain the decision, so that its place is that of the event after it.
      const ofStream = commit.events.filter((one) => one.streamId === streamId);
      const { recorded } = ofStream[Math.min(index, ofStream.length - 1)]!;
      claims.set(recorded, [...(claims.get(recorded) ?? []), event.data]);
    }
    return claims;
  }

  /** Whether the guard is asked in phases of the workflow of the job. */
  private isGuarded(): boolean {
    const { workflows } = this.guard;
    return workflows === undefined || workflows.includes(this.job.job?.definition.workflow.name ?? '');
  }

  private openCalls(streamId: StreamId): CallMoments {
    const open = this.calls.get(streamId) ?? new CallMoments(this.guard, this.parts.tools, this.job.blobs);
    this.calls.set(streamId, open);
    return open;
  }

  private openAccount(streamId: StreamId): PhaseAccount {
    const open = this.accounts.get(streamId) ?? new PhaseAccount(streamId);
    this.accounts.set(streamId, open);
    return open;
  }
}

/** Whether an event accepts or refuses a claim about which a guard with these points is asked. */
function isClaim(event: PhaseEvent, points: readonly HookPoint[]): boolean {
  switch (event.type) {
    case 'TodoCompleted':
      return points.includes('TaskCompleted');
    case 'ClaimRefused':
      return points.includes('TaskCompleted') || event.data.callId === undefined;
    case 'PhaseCompleted':
    case 'TransitionRejected':
      return points.includes('Stop') || points.includes('SubagentStop');
    default:
      return false;
  }
}

function isDecisionOf(
  { name, scope, version }: Guard,
  event: { readonly type: string; readonly data: unknown },
): event is Extract<PhaseEvent, { type: 'GuardDecided' }> {
  if (event.type !== 'GuardDecided') return false;
  const { guard } = event.data as PhaseEventData<'GuardDecided'>;
  return guard.name === name && guard.scope === scope && guard.version === version && guard.stage === 'shadow';
}
