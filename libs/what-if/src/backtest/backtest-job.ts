import type { JobId, StreamId } from '@phaseline/contracts';
import type { Guard, HookPoint, PhaseEvent, PhaseEventData, PhaseState } from '@phaseline/domain';
import { groupCommits, type Commit } from '../log/commits.js';
import { RecordedJob, type ReadableLog } from '../log/recorded-job.js';
import { getCommitTime } from '../redecide/commit-time.js';
import { redecideCommit } from '../redecide/redecide-commit.js';
import type { DecisionParts } from '../redecide/redecide-parts.js';
import { toShadow } from '../redecide/add-guard.js';
import { CALL_POINTS, CallMoments } from './call-moments.js';

/** Something that a guard would have decided. */
interface GuardHit {
  readonly jobId: JobId;
  readonly streamId: StreamId;
  /** Version in its stream of the event at which the guard decides. */
  readonly version: number;
  readonly decided: PhaseEventData<'GuardDecided'>;
}

/** What a guard would have done in one job. */
export interface JobBacktest {
  readonly jobId: JobId;
  /** Events that were read. */
  readonly events: number;
  /** Hook points of the guard at which it was not asked: what it would have decided there is not known. */
  readonly untested: readonly HookPoint[];
  /** In the order of the log. */
  readonly hits: readonly GuardHit[];
}

/**
 * Asks a rule or a script about everything that a recorded job did, at the moments at which it would have been asked live, and lists what it would
 * have decided. It is asked in shadow: what it decides changes nothing that follows, so every hit is about what really happened.
 */
export async function backtestJob(
  log: ReadableLog,
  jobId: JobId,
  guard: Guard,
  parts: DecisionParts,
): Promise<JobBacktest> {
  const shadow = toShadow(guard);
  const job = new RecordedJob(jobId, log);
  const test = new GuardTest(shadow, job, parts);
  let events = 0;
  for await (const commit of groupCommits(log.iterateCorrelation(jobId, { texts: 'whole' }))) {
    events += commit.recorded.length;
    await test.readCommit(commit);
  }
  const untested = guard.points.filter((point) => !CLAIM_POINTS.has(point) && !CALL_POINTS.has(point));
  return { jobId, events, untested, hits: test.hits };
}

/** Points about claims, where the guard is asked by deciding the whole commit again. */
const CLAIM_POINTS: ReadonlySet<HookPoint> = new Set<HookPoint>(['TaskCompleted', 'Stop', 'SubagentStop']);

class GuardTest {
  readonly hits: GuardHit[] = [];
  private readonly isAboutCalls: boolean;
  private readonly isAboutClaims: boolean;
  private readonly calls = new Map<StreamId, CallMoments>();

  constructor(
    private readonly guard: Guard,
    private readonly job: RecordedJob,
    private readonly parts: DecisionParts,
  ) {
    this.isAboutCalls = guard.points.some((point) => CALL_POINTS.has(point));
    this.isAboutClaims = guard.points.some((point) => CLAIM_POINTS.has(point));
  }

  async readCommit(commit: Commit): Promise<void> {
    if (this.isAboutClaims && this.isGuarded()) await this.redecide(commit);
    for (const one of commit.events) {
      if (one.kind === 'job' || !this.isAboutCalls || !this.isGuarded()) {
        await this.job.applyEvent(one);
        continue;
      }
      const calls = this.openCalls(one.streamId);
      const nested = calls.isNested(one.event) ? this.job.getPhase(one.phase) : undefined;
      await this.job.applyEvent(one);
      const getState = (): PhaseState => this.job.getPhase(one.phase)!;
      const decided = await calls.ask(one.event, { nested, getState, now: getCommitTime(commit) });
      this.add(one.streamId, one.recorded.version, decided);
    }
  }

  private async redecide(commit: Commit): Promise<void> {
    const { guard } = this;
    const redecided = await redecideCommit(this.job, commit, { ...this.parts, guard });
    if (redecided.kind !== 'decided') return;
    for (const [index, { streamId, event }] of redecided.decided.entries())
      if (isDecisionOf(guard, event) && CLAIM_POINTS.has(event.data.point))
        this.add(streamId, commit.recorded[Math.min(index, commit.recorded.length - 1)]!.version, [event.data]);
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

  private add(streamId: StreamId, version: number, decided: readonly PhaseEventData<'GuardDecided'>[]): void {
    for (const one of decided) this.hits.push({ jobId: this.job.jobId, streamId, version, decided: one });
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
