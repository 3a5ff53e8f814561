import type { JsonObject } from '@phaseline/basics';
import type { Queryable } from '@phaseline/event-store';
import type { Proposal, ProposalSources } from '../proposals/proposal.js';
import { proposeGuard, type GuardProposal } from '../proposals/propose-guard.js';
import { proposeInstructions } from '../proposals/propose-instructions.js';
import { proposeStricterGuard } from '../proposals/propose-stricter-guard.js';
import { readAcceptedCalls } from '../proposals/read-accepted-calls.js';
import { readDecidingGuard } from '../proposals/read-deciding-guard.js';
import { readInstructions } from '../proposals/read-instructions.js';
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

  /** Finds a pattern with its violations; undefined if the reader sees no such pattern. */
  async find(reader: LearningTraceReader, id: string): Promise<PatternGroup | undefined> {
    return (await this.extract(reader, {})).find(({ pattern }) => pattern.id === id);
  }

  /** Proposes a rule for a pattern. */
  async proposeGuard(group: PatternGroup, owner: string): Promise<GuardProposal> {
    return proposeGuard(group, await this.readAccepted(group), owner);
  }

  /** Makes all proposals that a pattern allows. Throws UndecodableEvent. */
  async propose(group: PatternGroup, owner: string, sources: ProposalSources): Promise<readonly Proposal[]> {
    const { pattern } = group;
    const accepted = await this.readAccepted(group);
    const makers: Record<Proposal['kind'], () => Proposal | Promise<Proposal>> = {
      stricter_guard: async () => proposeStricterGuard(pattern, await readDecidingGuard(this.database, group, sources)),
      change_instructions: async () =>
        proposeInstructions(group, accepted, await readInstructions(this.database, group, sources)),
      new_rule: () => ({ kind: 'new_rule', ...describeRule(proposeGuard(group, accepted, owner)) }),
    };
    return Promise.all(pattern.proposals.map((kind) => makers[kind]()));
  }

  private async readAccepted({ pattern: { tenant, agent, tool } }: PatternGroup): Promise<readonly JsonObject[]> {
    return tool === undefined ? [] : readAcceptedCalls(this.database, { tenant, agent, tool });
  }

  private async extract(reader: LearningTraceReader, filter: ViolationFilter): Promise<readonly PatternGroup[]> {
    return extractPatterns(await readViolations(this.database, reader, filter, { withCorrections: true }));
  }
}

function describeRule(proposal: GuardProposal): Omit<Proposal, 'kind'> {
  if ('problem' in proposal) return proposal;
  const { guard } = proposal;
  return {
    summary: 'The least general rule that denies these calls, and no accepted call of a completed job.',
    guard,
    tryWith: `phaseline guards backtest ${String(guard['name'])}.yaml`,
  };
}
