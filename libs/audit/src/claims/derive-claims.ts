import { CodedError, toCanonicalJson } from '@phaseline/basics';
import type { JobId, StreamId } from '@phaseline/contracts';
import {
  AcceptedClaims,
  decodeJobEvent,
  decodePhaseEvent,
  deriveClaim,
  foldJob,
  foldPhase,
  isEncryptedJob,
  jobStream,
  listClaimFiles,
  parseStreamName,
  phaseStream,
  UndecodableEvent,
  type AcceptedClaim,
  type JobEvent,
  type JobEventData,
  type JobState,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import type { ClaimEvent, ClaimSource } from './claim-source.js';
import type { ClaimsTally } from './claims-report.js';

/** The events from which a fork continues are not available. */
class ParentMissing extends Error {
  override readonly name = 'ParentMissing';
}

type Ends = Map<number, PhaseEventData<'PhaseCompleted'>>;

/**
 * Derives every accepted claim of a job again: folds its phases up to each claim, evaluates the same checks with the recorded results
 * of verifiers and judges, and compares what they read with the evidence. Needs no model and runs no command.
 */
export async function deriveClaimsOfJob(source: ClaimSource, jobId: JobId, tally: ClaimsTally): Promise<void> {
  tally.addJob();
  if (isEncryptedJob(jobId)) return tally.note('encrypted jobs, whose claims can be read only with their keys');
  await new JobClaims(source, jobId, tally).derive();
}

class JobClaims {
  /** Hashes of contents that retention removed, as events of the job say. */
  private readonly removed = new Set<string>();
  /** How the phases of the job completed, by number. */
  private readonly ends: Ends = new Map();
  private streams: ReadonlySet<StreamId> = new Set();

  constructor(
    private readonly source: ClaimSource,
    private readonly jobId: JobId,
    private readonly tally: ClaimsTally,
  ) {}

  async derive(): Promise<void> {
    const own = jobStream(this.jobId);
    await this.guard(own, () => this.readRemovals(own));
    this.streams = new Set((await this.source.listStreams(this.jobId)).toSorted());
    for (const streamId of this.streams)
      if (parseStreamName(streamId)?.kind === 'phase') await this.guard(streamId, () => this.derivePhase(streamId));
    await this.guard(own, () => this.deriveJob(own));
  }

  private async readRemovals(streamId: StreamId): Promise<void> {
    for await (const stored of this.source.readEvents(streamId)) {
      if (stored.type !== 'FilesRemoved') continue;
      const event = decodeJobEvent(stored);
      if (event.type === 'FilesRemoved') for (const hash of event.data.hashes) this.removed.add(hash);
    }
  }

  private async derivePhase(streamId: StreamId): Promise<void> {
    let claims: AcceptedClaims | undefined;
    for await (const stored of this.source.readEvents(streamId)) {
      const event = decodePhaseEvent(stored) as PhaseEvent;
      claims ??= new AcceptedClaims(await this.loadPhaseBase(event));
      const claim = claims.apply(event);
      if (!claim) continue;
      if (claim.event.type === 'PhaseCompleted') this.ends.set(claim.state.start.identity.phase, claim.event.data);
      await this.deriveOne(streamId, claim);
    }
  }

  private async deriveOne(streamId: StreamId, claim: AcceptedClaim): Promise<void> {
    const texts = new Map<string, string>();
    for (const [hash, path] of listClaimFiles(claim)) {
      const content = await this.source.readContent(hash);
      if (content) texts.set(hash, new TextDecoder().decode(content));
      else if (this.removed.has(hash))
        return this.tally.addUnderivable('claims that read files which retention removed');
      else return this.report('claim-unreadable', streamId, claim.version, `the content of ${path} is missing`);
    }
    const derivation = deriveClaim(claim, texts);
    const { outcome } = derivation;
    if (outcome === 'derived') return this.tally.addDerived();
    if (outcome === 'unruled') return this.tally.addUnderivable('claims made before claims had checks');
    const kind = outcome === 'not-derived' ? 'claim-not-derived' : 'claim-without-evidence';
    this.report(kind, streamId, claim.version, `${describeSubject(claim)}: ${derivation.detail}`);
  }

  /** Derives the completion of the job from the end of its last phase. */
  private async deriveJob(streamId: StreamId): Promise<void> {
    let state: JobState | undefined;
    let isFirst = true;
    for await (const stored of this.source.readEvents(streamId)) {
      const event = decodeJobEvent(stored) as JobEvent;
      if (isFirst) state = await this.loadJobBase(event);
      isFirst = false;
      if (event.type === 'JobCompleted') {
        // A fork may continue after the end of the last phase, which then belongs to its parent.
        if (state?.fork && state.last && !this.streams.has(phaseStream(this.jobId, state.last.phase)))
          return this.tally.addUnderivable('claims of forks whose last phase belongs to the job that was forked');
        const problem = findCompletionProblem(state, event.data, this.ends);
        if (problem === undefined) this.tally.addDerived();
        else this.report('claim-not-derived', streamId, stored.version, `the completion of the job: ${problem}`);
      }
      state = foldJob([event], state);
    }
  }

  private async loadPhaseBase(first: PhaseEvent): Promise<PhaseState | undefined> {
    if (first.type !== 'PhaseForked') return undefined;
    const { streamId, version, hash } = first.data.parent;
    const events = (await this.readShared(streamId, version, hash)).map((one) => decodePhaseEvent(one) as PhaseEvent);
    return foldPhase(events, await this.loadPhaseBase(events[0]!));
  }

  private async loadJobBase(first: JobEvent): Promise<JobState | undefined> {
    if (first.type !== 'JobForked') return undefined;
    const { jobId, version, hash } = first.data.parent;
    const events = (await this.readShared(jobStream(jobId), version, hash)).map(
      (one) => decodeJobEvent(one) as JobEvent,
    );
    return foldJob(events, await this.loadJobBase(events[0]!));
  }

  /** Reads the events that a fork shares with its parent. Throws ParentMissing. */
  private async readShared(streamId: StreamId, version: number, hash: string): Promise<readonly ClaimEvent[]> {
    const events: ClaimEvent[] = [];
    for await (const event of this.source.readEvents(streamId)) if (event.version <= version) events.push(event);
    const last = events.at(-1);
    if (last?.version !== version || last.hash !== hash) throw new ParentMissing(streamId);
    return events;
  }

  /** Reports what makes a stream unreadable, instead of failing. */
  private async guard(streamId: StreamId, derive: () => Promise<void>): Promise<void> {
    try {
      await derive();
    } catch (error) {
      if (error instanceof ParentMissing)
        return this.tally.note('streams of forks that continue a job which is not available');
      if (error instanceof UndecodableEvent && error.isNewer)
        return this.tally.note('streams with events of a newer release');
      const version = error instanceof UndecodableEvent ? error.event.version : 1;
      // Errors of the database and of the file system end the run.
      if (!(error instanceof CodedError) && !isFoldError(error)) throw error;
      this.report('claim-unreadable', streamId, version, error.message);
    }
  }

  private report(
    kind: 'claim-not-derived' | 'claim-without-evidence' | 'claim-unreadable',
    streamId: StreamId,
    version: number,
    detail: string,
  ): void {
    this.tally.addProblem({ kind, streamId, version, jobId: this.jobId, detail });
  }
}

/** Folds throw plain errors when events cannot follow each other. */
function isFoldError(error: unknown): error is Error {
  return error instanceof Error && error.constructor === Error && !('code' in error);
}

function describeSubject({ event }: AcceptedClaim): string {
  return event.type === 'TodoCompleted' ? `todo ${event.data.todoId}` : `the end as ${event.data.outcome}`;
}

/** Why a job cannot have been completed, or not with this evidence; `undefined` if it follows from its last phase. */
function findCompletionProblem(
  state: JobState | undefined,
  { evidence }: JobEventData<'JobCompleted'>,
  ends: Ends,
): string | undefined {
  const { last } = state ?? {};
  if (!state || !last) return 'no phase of the job has ended';
  const end = ends.get(last.phase);
  if (!end) return `phase ${last.phase}, the last one, did not complete`;
  const transition = state.definition.workflow.states[last.state]?.outcomes[end.outcome];
  if (!transition || !('end' in transition) || transition.end !== 'completed')
    return `the outcome ${end.outcome} of ${last.state} does not complete the job`;
  if (toCanonicalJson(evidence ?? []) !== toCanonicalJson(end.evidence ?? []))
    return `its evidence is not that of the end of phase ${last.phase}`;
  return undefined;
}
