import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  traceScopeChangeSchema,
  type PromoteTraceRequest,
  type TraceScopeChangeRecord,
  type WithdrawTraceRequest,
} from './learning-trace.js';
import {
  guardProposalSchema,
  patternListSchema,
  patternProposalsSchema,
  type GuardProposalRecord,
  type PatternProposals,
  type PatternRecord,
  type PatternsQuery,
} from './pattern.js';
import { learningReportSchema, type LearningReportQuery, type LearningReportRecord } from './report.js';

/** What agents may learn from other jobs. */
export class LearningApi {
  constructor(private readonly transport: Transport) {}

  /** Lets agents of other jobs of the tenant read a learning trace. Throws RequestRefused, also if its job ran for the caller. */
  promote(id: string, request: PromoteTraceRequest, options: Cancellable = {}): Promise<TraceScopeChangeRecord> {
    const write = createWrite('POST', routes.learningTracePromotions(id), request, options);
    return this.transport.json(write, traceScopeChangeSchema);
  }

  /** Takes the promotion of a learning trace back. */
  withdraw(id: string, request: WithdrawTraceRequest, options: Cancellable = {}): Promise<TraceScopeChangeRecord> {
    const write = createWrite('POST', routes.learningTraceWithdrawals(id), request, options);
    return this.transport.json(write, traceScopeChangeSchema);
  }

  /** Lists mistakes that agents made at least five times, the most frequent first. */
  async patterns(query: PatternsQuery = {}, options: Cancellable = {}): Promise<readonly PatternRecord[]> {
    return (await this.transport.json(createGet(routes.learningPatterns(), query, options), patternListSchema)).items;
  }

  /** Returns a rule that denies the calls of a pattern, or why there is none. Throws PhaselineClientError `pattern_not_found`. */
  proposeGuard(pattern: string, options: Cancellable = {}): Promise<GuardProposalRecord> {
    return this.transport.json(createGet(routes.learningPatternGuard(pattern), {}, options), guardProposalSchema);
  }

  /** Returns everything that a person may do about a pattern. Throws PhaselineClientError `pattern_not_found`, and RequestRefused without the right to read files and guards. */
  proposals(pattern: string, options: Cancellable = {}): Promise<PatternProposals> {
    return this.transport.json(
      createGet(routes.learningPatternProposals(pattern), {}, options),
      patternProposalsSchema,
    );
  }

  /** Returns five anti-patterns of learning and five measures of success, counted from the log. */
  report(query: Partial<LearningReportQuery> = {}, options: Cancellable = {}): Promise<LearningReportRecord> {
    return this.transport.json(createGet(routes.learningReport(), query, options), learningReportSchema);
  }
}
