import type { Queryable } from '@phaseline/event-store';
import { proposeGuard, type GuardProposal } from '../proposals/propose-guard.js';
import { readAcceptedCalls } from '../proposals/read-accepted-calls.js';
import { extractPatterns, type Pattern, type PatternGroup } from './extract-patterns.js';
import { readViolations, type ViolationFilter } from './read-violations.js';

/** The patterns of tenants, computed from the log when they are asked for. */
export class Patterns {
  constructor(private readonly database: Queryable) {}

  /** Lists the patterns, the most frequent first. */
  async list(filter: ViolationFilter): Promise<readonly Pattern[]> {
    return (await this.extract(filter)).map(({ pattern }) => pattern);
  }

  /** Proposes a rule for a pattern; undefined if the tenants have no such pattern. */
  async propose(
    filter: ViolationFilter,
    id: string,
    owner: string,
  ): Promise<{ readonly pattern: Pattern; readonly proposal: GuardProposal } | undefined> {
    const group = (await this.extract(filter)).find(({ pattern }) => pattern.id === id);
    if (!group) return undefined;
    const { tenant, agent, tool } = group.pattern;
    const accepted = tool === undefined ? [] : await readAcceptedCalls(this.database, { tenant, agent, tool });
    return { pattern: group.pattern, proposal: proposeGuard(group, accepted, owner) };
  }

  private async extract(filter: ViolationFilter): Promise<readonly PatternGroup[]> {
    return extractPatterns(await readViolations(this.database, filter));
  }
}
