import type { JobId, StreamId } from '@phaseline/contracts';
import { CALL_POINTS, type Guard, type HookPoint, type JobState } from '@phaseline/domain';
import { isUnreachable } from '@phaseline/event-store';
import { groupCommits, type Commit } from '../log/commits.js';
import { decodeWhenRead, type DecodedEvent } from '../log/decoded-event.js';
import { RecordedJob, type ReadableLog } from '../log/recorded-job.js';
import { getCommitTime } from '../redecide/commit-time.js';
import type { DecisionParts } from '../redecide/redecide-parts.js';
import { AddedGuard } from '../redecide/added-guard.js';
import { CallMoments } from './call-moments.js';
import { ComparedMoments } from './compared-moments.js';
import type { GuardDecided } from './guard-decisions.js';
import { PhaseAccount, type GuardHit } from './phase-account.js';
import { REDECIDED_POINTS, RedecidedMoments, type AskedCommit } from './redecided-moments.js';

/** What a guard would have done in one job. */
export interface TestedJob {
  readonly jobId: JobId;
  /** How the job ended, or its status; undefined if its beginning cannot be read. */
  readonly status: JobState['status'] | undefined;
  /** Events that were read. */
  readonly events: number;
  /** Calls and claims about which the guard was asked. */
  readonly calls: number;
  /** Those whose outcome is known: the job ended by itself, or a person decided about the call. */
  readonly labelled: number;
  /**
   * Hook points of the guard at which it was not asked. Rules and scripts are never asked where hooks observe and nothing is decided. A command is
   * asked about calls only.
   */
  readonly untested: readonly HookPoint[];
  /** Commits that could not be decided again, by reason, if the guard is asked about claims, prompts or the beginning of a phase. */
  readonly unknown: Record<string, number>;
  /** Why the job could not be tested to its end: it cannot be read. */
  readonly unreadable?: string;
  /** Phase by phase, each in the order of the log. */
  readonly hits: readonly GuardHit[];
}

/**
 * Asks a guard about everything that a recorded job did, at the moments at which it would have been asked live, and lists what it would
 * have decided, what became of it, and what the phase used afterwards. It is asked in shadow: what it decides changes nothing that follows, so
 * every hit is about what really happened.
 */
export async function backtestJob(
  log: ReadableLog,
  jobId: JobId,
  guard: Guard,
  parts: DecisionParts,
): Promise<TestedJob> {
  const added = new AddedGuard(guard);
  const job = new RecordedJob(jobId, log, added);
  const test = new GuardTest(added, job, parts);
  const found = { events: 0, unreadable: undefined as string | undefined };
  try {
    for await (const commit of groupCommits(log.iterateCorrelation(jobId, { texts: 'whole' }), decodeWhenRead)) {
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
    ...test.compared.count(job.job?.status),
    untested: guard.points.filter((point) => !isTested(guard, point, parts)),
    unknown: test.listUnknown(),
    ...(unreadable === undefined ? {} : { unreadable }),
    hits: test.listHits(),
  };
}

function isTested({ kind }: Guard, point: HookPoint, { askCommands }: DecisionParts): boolean {
  switch (kind) {
    case 'rule':
    case 'script':
      return REDECIDED_POINTS.has(point) || CALL_POINTS.has(point);
    case 'command':
      return askCommands !== undefined && CALL_POINTS.has(point);
    case 'judge':
      return false;
  }
}

type PhaseDecoded = Extract<DecodedEvent, { kind: 'phase' }>;

const NOTHING_ASKED: AskedCommit = { decided: new Map(), inserted: new Map() };

/** Events after which a phase has no others. */
const phaseEnds: ReadonlySet<string> = new Set<PhaseDecoded['event']['type']>([
  ...(['PhaseCompleted', 'PhaseFailed', 'PhaseCancelled'] as const),
]);

class GuardTest {
  readonly compared: ComparedMoments;
  private readonly isAboutCalls: boolean;
  /** Set if the guard is asked where a whole commit has to be decided again. */
  private readonly redecided: RedecidedMoments | undefined;
  private readonly calls = new Map<StreamId, CallMoments>();
  private readonly accounts = new Map<StreamId, PhaseAccount | readonly GuardHit[]>();

  constructor(
    private readonly added: AddedGuard,
    private readonly job: RecordedJob,
    private readonly parts: DecisionParts,
  ) {
    const { guard } = added;
    this.compared = new ComparedMoments(added);
    const tested = guard.points.filter((point) => isTested(guard, point, parts));
    this.isAboutCalls = tested.some((point) => CALL_POINTS.has(point));
    if (tested.some((point) => REDECIDED_POINTS.has(point))) this.redecided = new RedecidedMoments(guard, job, parts);
  }

  listHits(): readonly GuardHit[] {
    return [...this.accounts.values()].flatMap((account) =>
      account instanceof PhaseAccount ? account.listHits() : account,
    );
  }

  listUnknown(): Record<string, number> {
    return this.redecided?.unknown ?? {};
  }

  async readCommit(commit: Commit): Promise<void> {
    const isGuarded = this.isGuarded();
    const asked = (isGuarded && (await this.redecided?.ask(commit))) || NOTHING_ASKED;
    for (const one of commit.events) {
      if (one.kind === 'job') await this.job.applyEvent(one);
      else if (isGuarded || this.isGuarded()) await this.readEvent(one, commit, asked);
      else await this.job.applyEvent(one);
      if (this.redecided) this.job.noteRequest(one);
      if (one.kind === 'phase' && phaseEnds.has(one.recorded.type)) this.endPhase(one);
    }
  }

  private async readEvent(one: PhaseDecoded, commit: Commit, asked: AskedCommit): Promise<void> {
    const { decided, inserted } = asked;
    if (this.isAboutCalls) this.compared.readCall(one);
    if (asked !== NOTHING_ASKED) this.compared.readClaim(one);
    for (const event of inserted.get(one.recorded) ?? []) this.job.insertEvent(one.phase, event);
    const aboutCalls = await this.applyEvent(one, commit);
    this.openAccount(one.streamId)?.read(one, [...(decided.get(one.recorded) ?? []), ...aboutCalls]);
  }

  /** Moves behind an event, and returns what the guard decides about calls at it. */
  private async applyEvent(one: PhaseDecoded, commit: Commit): Promise<readonly GuardDecided[]> {
    const { job, added, parts } = this;
    const { streamId, phase } = one;
    const open = this.calls.get(streamId);
    const nested = open?.isNested(one) ? job.getPhase(phase) : undefined;
    await job.applyEvent(one);
    const begin = this.isAboutCalls && !open ? job.getPhase(phase) : undefined;
    if (begin) this.calls.set(streamId, new CallMoments(added, parts, job.blobs, begin));
    if (!open) return [];
    const getState = () => job.getPhase(phase)!;
    return open.ask(one, { nested, getState, getNow: () => getCommitTime(commit) });
  }

  /** Whether the guard is asked in phases of the workflow of the job. */
  private isGuarded(): boolean {
    const { workflows } = this.added.guard;
    return workflows === undefined || workflows.includes(this.job.job?.definition.workflow.name ?? '');
  }

  private openAccount(streamId: StreamId): PhaseAccount | undefined {
    const open = this.accounts.get(streamId) ?? new PhaseAccount(streamId);
    this.accounts.set(streamId, open);
    return open instanceof PhaseAccount ? open : undefined;
  }

  /** Keeps only the hits of a phase that has ended: its state is large. */
  private endPhase({ streamId, phase }: PhaseDecoded): void {
    this.job.forgetPhase(phase);
    this.calls.delete(streamId);
    const account = this.accounts.get(streamId);
    if (account instanceof PhaseAccount) this.accounts.set(streamId, account.listHits());
  }
}
