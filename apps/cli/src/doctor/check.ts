import type { Patient } from './patient.js';

/** `skipped`: it could not be looked at, because something that it needs is not there; that has a finding of its own. */
export type Level = 'ok' | 'warn' | 'fail' | 'skipped';

/** What a check found. */
export interface Finding {
  readonly level: Level;
  /** What is the case, and why that is bad where it is. For people. */
  readonly text: string;
  /** What to type or to do next. */
  readonly mend?: string;
  /** Mends it, where that can be done without harm; returns what was done. */
  readonly repair?: () => Promise<string>;
}

/** What has to be there for a check to be of use. */
export type Need = 'database' | 'schema' | 'queues';

/** One thing that is looked at. */
export interface Check {
  /** Stable, for scripts. */
  readonly name: string;
  readonly needs?: readonly Need[];
  run(patient: Patient): Promise<Finding | readonly Finding[]>;
}

export function ok(text: string): Finding {
  return { level: 'ok', text };
}

export function warn(text: string, mend: string, repair?: Finding['repair']): Finding {
  return { level: 'warn', text, mend, ...(repair ? { repair } : {}) };
}

export function fail(text: string, mend: string, repair?: Finding['repair']): Finding {
  return { level: 'fail', text, mend, ...(repair ? { repair } : {}) };
}

/** The first few of a list, and how many more there are. */
export function some(items: readonly string[], shown = 3): string {
  const rest = items.length - shown;
  return rest > 0 ? `${items.slice(0, shown).join(', ')} and ${rest} more` : items.join(', ');
}
