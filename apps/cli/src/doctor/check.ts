import type { DoctorTarget } from './doctor-target.js';
import type { Prerequisite } from './prerequisite.js';

/** `skipped`: the check did not run because a prerequisite is missing, which another check reports. */
export type FindingLevel = 'ok' | 'warn' | 'fail' | 'skipped';

/** What a check found. */
export interface Finding {
  readonly level: FindingLevel;
  /** What was found and, if it is a problem, why. For people. */
  readonly text: string;
  /** What to type or do next. */
  readonly remedy?: string;
  /** Fixes the problem, if that is possible without risk. Returns a description of what was done. */
  readonly fix?: () => Promise<string>;
}

/** A check of one aspect of the system. */
export interface Check {
  /** Stable, for scripts. */
  readonly name: string;
  readonly needs?: readonly Prerequisite[];
  /** Returns what was found. A generator yields each problem and returns the finding for the case that there is none. */
  run(target: DoctorTarget): Promise<Finding | readonly Finding[]> | AsyncGenerator<Finding, Finding>;
}

export function ok(text: string): Finding {
  return { level: 'ok', text };
}

export function warn(text: string, remedy: string, fix?: Finding['fix']): Finding {
  return { level: 'warn', text, remedy, ...(fix ? { fix } : {}) };
}

export function fail(text: string, remedy: string, fix?: Finding['fix']): Finding {
  return { level: 'fail', text, remedy, ...(fix ? { fix } : {}) };
}

/** Maximum items of a list in a finding. */
const MAX_LISTED = 3;

/** Joins the first items of a list and counts the others. */
export function formatList(items: readonly string[]): string {
  const hidden = items.length - MAX_LISTED;
  return hidden > 0 ? `${items.slice(0, MAX_LISTED).join(', ')} and ${hidden} more` : items.join(', ');
}
