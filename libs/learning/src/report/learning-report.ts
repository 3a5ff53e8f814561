import type { JobId } from '@phaseline/contracts';
import { decodeJobEvent, decodePhaseEvent, isEncryptedJob, parseStreamName, UndecodableEvent } from '@phaseline/domain';
import type { EventLog, Queryable } from '@phaseline/event-store';
import { readViolations, type ViolationFilter } from '../patterns/read-violations.js';
import { countRepeated } from '../patterns/extract-patterns.js';
import { addCounts, emptyCounts, JobTally, talliedTypes, type LearningCounts } from './job-tally.js';

/** A number of cases out of others, and its share; null if there are no others. */
export interface Share {
  readonly count: number;
  readonly of: number;
  readonly share: number | null;
}

/** The five anti-patterns of learning, and five measures of success, counted from the log. */
export interface LearningReport {
  /** Jobs that were counted, the newest first, and whether older ones match as well. */
  readonly jobs: number;
  readonly hasMore: boolean;
  readonly antiPatterns: {
    /** Learning traces of the jobs that no agent read with get_trace. */
    readonly neverRetrieved: Share;
    /** Third and later attempts at the same work that failed like the attempt before the last, and not like the last. */
    readonly oscillation: Share;
    /** Reflections that were refused because they name nothing of the attempt. */
    readonly genericReflections: Share;
    /** Confidence of agents that proposed to complete their job, against the share of these proposals that were accepted. */
    readonly selfScore: {
      readonly proposals: number;
      readonly meanConfidence: number | null;
      readonly shareAccepted: number | null;
      /** Mean confidence minus that share: positive if agents are too sure of themselves. */
      readonly overConfidence: number | null;
    };
    /** Phases that used at least 80 % of their limit of steps, and the mean share that phases used. */
    readonly overthinking: Share & { readonly meanUsed: number | null };
  };
  readonly metrics: {
    /** Accepted claims that were refuted later: by a failed test, a refused or rolled back handoff, or an abandoned list. The target is 0. */
    readonly prematureCompletion: Share & { readonly per100: number | null };
    readonly userPrompts: {
      readonly questions: number;
      readonly approvals: number;
      readonly steers: number;
      readonly perJob: number | null;
    };
    /** Violations with an earlier one of the same pattern. */
    readonly repeatedMistakes: Share;
    /** Denials by guards in production that held. Those that a person had overridden are counted apart. */
    readonly ruleCompliance: Share & { readonly overridden: number };
  };
}

export interface ReportFilter extends ViolationFilter {
  readonly tenants: 'all' | readonly string[];
  /** Maximum number of jobs. */
  readonly limit: number;
}

/** Counts what the jobs of tenants did, from their events. Jobs whose events this release cannot read are left out. */
export class LearningReports {
  constructor(
    private readonly database: Queryable,
    private readonly log: Pick<EventLog, 'iterateCorrelation'>,
  ) {}

  async compute(filter: ReportFilter): Promise<LearningReport> {
    const { jobs, hasMore } = await this.listJobs(filter);
    let counts = emptyCounts();
    const read = new Set<string>();
    for (const jobId of jobs) {
      const tally = await this.tallyJob(jobId);
      if (!tally) continue;
      counts = addCounts(counts, tally.counts);
      for (const id of tally.readTraces) read.add(id);
    }
    const traces = await this.listTraces(jobs);
    const unread = traces.filter((id) => !read.has(id)).length;
    const { violations, repeated } = countRepeated(await readViolations(this.database, filter, filter));
    return buildReport(counts, toShare(unread, traces.length), toShare(repeated, violations), hasMore);
  }

  /** Forks are left out, because they repeat what their parents did, and so are encrypted jobs. */
  private async listJobs({ tenants, since, agent, limit }: ReportFilter): Promise<{
    readonly jobs: readonly JobId[];
    readonly hasMore: boolean;
  }> {
    const { rows } = await this.database.query<{ readonly job_id: JobId }>(
      `SELECT j.job_id FROM phaseline.jobs AS j
       WHERE ($1::text[] IS NULL OR j.tenant = ANY ($1)) AND ($2::timestamptz IS NULL OR j.created_at >= $2)
         AND ($3::text IS NULL OR j.agent = $3)
         AND EXISTS (SELECT FROM phaseline.events AS e
           WHERE e.stream_id = 'job-' || j.job_id AND e.version = 1 AND e.type = 'JobSubmitted')
       ORDER BY j.created_at DESC, j.job_id LIMIT $4`,
      [tenants === 'all' ? null : [...tenants], since ?? null, agent ?? null, limit + 1],
    );
    const jobs = rows.slice(0, limit).map(({ job_id: jobId }) => jobId);
    return { jobs: jobs.filter((jobId) => !isEncryptedJob(jobId)), hasMore: rows.length > limit };
  }

  private async tallyJob(jobId: JobId): Promise<JobTally | undefined> {
    const tally = new JobTally();
    try {
      for await (const event of this.log.iterateCorrelation(jobId, { types: talliedTypes })) {
        const stream = parseStreamName(event.streamId);
        if (stream?.kind === 'job') tally.applyJobEvent(decodeJobEvent(event));
        else if (stream?.kind === 'phase') tally.applyPhaseEvent(stream.phase, decodePhaseEvent(event));
      }
    } catch (error) {
      if (error instanceof UndecodableEvent) return undefined;
      throw error;
    }
    return tally;
  }

  private async listTraces(jobs: readonly JobId[]): Promise<readonly string[]> {
    const { rows } = await this.database.query<{ readonly id: string }>(
      'SELECT id FROM phaseline.learning_traces WHERE job_id = ANY ($1::uuid[])',
      [[...jobs]],
    );
    return rows.map(({ id }) => id);
  }
}

/** Builds the report from counts. */
export function buildReport(
  counts: LearningCounts,
  neverRetrieved: Share,
  repeatedMistakes: Share,
  hasMore: boolean,
): LearningReport {
  const {
    jobs,
    proposedCompletions: proposals,
    acceptedCompletions,
    confidence,
    questions,
    approvals,
    steers,
  } = counts;
  const meanConfidence = divide(confidence, proposals);
  const shareAccepted = divide(acceptedCompletions, proposals);
  const premature = toShare(counts.refutedClaims, counts.acceptedClaims);
  return {
    jobs,
    hasMore,
    antiPatterns: {
      neverRetrieved,
      oscillation: toShare(counts.oscillations, counts.laterAttempts),
      genericReflections: toShare(counts.genericReflections, counts.reflections),
      selfScore: {
        ...{ proposals, meanConfidence, shareAccepted },
        overConfidence: meanConfidence === null || shareAccepted === null ? null : meanConfidence - shareAccepted,
      },
      overthinking: {
        ...toShare(counts.longPhases, counts.limitedPhases),
        meanUsed: divide(counts.usedLimits, counts.limitedPhases),
      },
    },
    metrics: {
      prematureCompletion: { ...premature, per100: premature.share === null ? null : premature.share * 100 },
      userPrompts: { questions, approvals, steers, perJob: divide(questions + approvals + steers, jobs) },
      repeatedMistakes,
      ruleCompliance: {
        ...toShare(counts.heldDenials, counts.heldDenials + counts.passedDenials),
        overridden: counts.overriddenDenials,
      },
    },
  };
}

export function toShare(count: number, of: number): Share {
  return { count, of, share: divide(count, of) };
}

function divide(count: number, of: number): number | null {
  return of === 0 ? null : count / of;
}
