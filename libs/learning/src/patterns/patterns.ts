import type { Queryable } from '@phaseline/event-store';
import { proposeGuard, type GuardProposal } from '../proposals/propose-guard.js';
import { readAcceptedCalls } from '../proposals/read-accepted-calls.js';
import type { LearningTraceReader } from '../traces/visible-traces.js';
import { extractPatterns, type Pattern, type PatternGroup } from './extract-patterns.js';
import { readViolations, type ViolationFilter } from './read-violations.js';

/** The patterns that a reader may see, computed from the log when they are asked for. */
export class Patterns {
  constructor(private readonly database: Queryable) {}

  /** Lists the patterns, the most frequent first. */
  async list(reader: LearningTraceReader, filter: ViolationFilter): Promise<readonly Pattern[]> {
    return (await this.extract(reader, filter)).map(({ pattern }) => pattern);
  }

  /** Proposes a rule for a pattern; undefined if the reader sees no such pattern. */
  async propose(
    reader: LearningTraceReader,
    id: string,
    owner: string,
  ): Promise<{ readonly pattern: Pattern; readonly proposal: GuardProposal } | undefined> {
    const group = (await this.extract(reader, {})).find(({ pattern }) => pattern.id === id);
    if (!group) return undefined;
    const { tenant, agent, tool } = group.pattern;
    const accepted = tool === undefined ? [] : await readAcceptedCalls(this.database, { tenant, agent, tool });
    return { pattern: group.pattern, proposal: proposeGuard(group, accepted, owner) };
  }

  private async extract(reader: LearningTraceReader, filter: ViolationFilter): Promise<readonly PatternGroup[]> {
    return extractPatterns(await readViolations(this.database, reader, filter));
  }
}
