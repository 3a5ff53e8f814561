import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import type { Violation } from './violation.js';

/** Violations that make a pattern. */
const MIN_SUPPORT = 5;

/** Examples of a pattern that are shown, the newest ones. */
const MAX_EXAMPLES = 3;

/** What a person may do about a pattern. */
export type ProposalKind = 'stricter_guard' | 'change_instructions' | 'new_rule';

/** The same mistake, made several times by an agent. */
export interface Pattern extends Pick<Violation, 'tenant' | 'agent' | 'reason' | 'point' | 'guard'> {
  /** Hash of what its violations have in common, so that it stays the same while further ones are added. */
  readonly id: string;
  readonly tool?: string;
  /** Names of the arguments with the kinds of their values, sorted, such as `content:string path:string`. */
  readonly shape?: string;
  /** Folder and ending of the files that people edited, such as `docs/*.md`. */
  readonly files?: string;
  readonly proposals: readonly ProposalKind[];
  /** Number of violations. */
  readonly support: number;
  /** Number of jobs in which they happened. */
  readonly jobs: number;
  /** ISO times. */
  readonly first: string;
  readonly last: string;
  /** Tokens and price of the answers that made them. */
  readonly tokens: number;
  readonly costMicroUsd: number;
  /** The newest violations. */
  readonly examples: readonly Pick<Violation, 'trace' | 'jobId' | 'position' | 'at' | 'happened'>[];
}

/** A pattern with its violations, oldest first. */
export interface PatternGroup {
  readonly pattern: Pattern;
  readonly violations: readonly Violation[];
}

/**
 * Groups violations by hook point, tool, shape of the arguments, agent and reason, each tenant for itself, and returns the groups that are large enough,
 * the largest first. The same violations give the same patterns, in whatever order they are given.
 */
export function extractPatterns(violations: readonly Violation[]): readonly PatternGroup[] {
  const groups = Map.groupBy(violations, (violation) => JSON.stringify(listCommon(violation)));
  return [...groups]
    .filter(([, group]) => group.length >= MIN_SUPPORT)
    .map(([key, group]) => describeGroup(key, group))
    .sort(({ pattern: one }, { pattern: other }) => other.support - one.support || (one.id < other.id ? -1 : 1));
}

/** Counts the violations, and those with an earlier one that has the same in common. */
export function countRepeated(violations: readonly Violation[]): {
  readonly violations: number;
  readonly repeated: number;
} {
  const different = new Set(violations.map((violation) => JSON.stringify(listCommon(violation))));
  return { violations: violations.length, repeated: violations.length - different.size };
}

/** What all violations of a group have in common. */
function listCommon({ tenant, point, call, agent, reason, guard, file }: Violation): readonly (string | null)[] {
  return [
    tenant,
    point ?? null,
    call?.tool ?? null,
    call ? describeShape(call.arguments) : null,
    agent,
    reason,
    guard ?? null,
    ...(file === undefined ? [] : [describeFiles(file)]),
  ];
}

function describeGroup(key: string, group: readonly Violation[]): PatternGroup {
  const violations = group.toSorted((one, other) =>
    one.at === other.at ? (one.trace < other.trace ? -1 : 1) : one.at < other.at ? -1 : 1,
  );
  const first = violations[0]!;
  const { tenant, agent, reason, point, guard, call, file } = first;
  const sum = (read: (violation: Violation) => number): number =>
    violations.reduce((total, violation) => total + read(violation), 0);
  const pattern: Pattern = {
    id: createHash('sha256').update(key).digest('hex').slice(0, 16),
    ...{ tenant, agent, reason },
    ...(point === undefined ? {} : { point }),
    ...(guard === undefined ? {} : { guard }),
    ...(call ? { tool: call.tool, shape: describeShape(call.arguments) } : {}),
    ...(file === undefined ? {} : { files: describeFiles(file) }),
    proposals: listProposals(first),
    support: violations.length,
    jobs: new Set(violations.map(({ jobId }) => jobId)).size,
    ...{ first: first.at, last: violations.at(-1)!.at },
    tokens: sum(({ tokens }) => tokens),
    costMicroUsd: sum(({ costMicroUsd }) => costMicroUsd),
    examples: violations
      .slice(-MAX_EXAMPLES)
      .reverse()
      .map(({ trace, jobId, position, at, happened }) => ({ trace, jobId, position, at, happened })),
  };
  return { pattern, violations };
}

/**
 * What a guard denies already needs no other guard, only a stricter version, or instructions that say so. What a person refused because a guard asked
 * may become a denial of that guard. What a person corrected and what was refused when it was claimed may become a rule. What is no call of a tool
 * cannot.
 */
function listProposals({ guard, source, point, call, reason }: Violation): readonly ProposalKind[] {
  if (guard !== undefined && point === 'PreToolUse') return ['stricter_guard', 'change_instructions'];
  const isCorrected = source === 'user_correction' || (point !== undefined && point !== 'PreToolUse');
  return [
    ...(guard !== undefined && reason === 'person_refused' ? (['stricter_guard'] as const) : []),
    'change_instructions',
    ...(isCorrected && call ? (['new_rule'] as const) : []),
  ];
}

function describeFiles(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const ending = name.lastIndexOf('.');
  return `${path.slice(0, path.length - name.length)}${ending <= 0 ? '*' : `*${name.slice(ending)}`}`;
}

function describeShape(args: JsonObject): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}:${describeKind(value)}`)
    .sort()
    .join(' ');
}

function describeKind(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
