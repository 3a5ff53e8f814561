import {
  detectStuck,
  evolvePhase,
  type PhaseState,
  type StuckPattern,
  type StuckSettings,
  DEFAULT_STUCK_SETTINGS,
} from '@phaseline/domain';
import { Chance } from '@phaseline/harness';
import type { RunKind } from './labelled-run.js';
import { playRun } from './play-run.js';

/** Result of the detector for one run. */
export interface JudgedRun {
  readonly kind: string;
  readonly seed: number;
  readonly label: StuckPattern | 'fine';
  readonly also: readonly StuckPattern[];
  readonly steps: number;
  /** The first finding, if any. */
  readonly found?: { readonly pattern: StuckPattern; readonly explanation: string; readonly at: number };
}

/** Runs the detector after every answer of each run, like the phase runner, up to the first finding. */
export function judgeRuns(
  kinds: readonly RunKind[],
  seeds: readonly number[],
  settings: StuckSettings = DEFAULT_STUCK_SETTINGS,
): readonly JudgedRun[] {
  return kinds.flatMap((kind) => seeds.map((seed) => judgeRun(kind, seed, settings)));
}

function judgeRun(kind: RunKind, seed: number, settings: StuckSettings): JudgedRun {
  const turns = kind.play(new Chance(seed).rollFor(kind.name));
  const { name, label, also } = kind;
  const base = { kind: name, seed, label, also, steps: turns.length };
  let state: PhaseState | undefined;
  let answeredStep = 0;
  for (const event of [...playRun(turns), undefined]) {
    // The previous answer has all its results when the next one arrives.
    if (state && answeredStep > 0 && (!event || event.type === 'ModelResponded')) {
      const found = detectStuck(state.guards.watch, settings);
      if (found)
        return { ...base, found: { pattern: found.pattern, explanation: found.explanation, at: answeredStep } };
    }
    if (!event) break;
    if (event.type === 'ModelResponded') answeredStep = event.data.step;
    state = evolvePhase(state, event);
  }
  return base;
}

export interface Score {
  readonly pattern: StuckPattern | 'all';
  readonly stuck: number;
  readonly found: number;
  readonly fine: number;
  readonly falseAlarms: number;
  readonly precision: number;
  readonly recall: number;
  /** Share of the detected stuck runs whose reported pattern is their label or one of `also`. */
  readonly named: number;
}

/** Computes precision and recall over all runs and per pattern. A false alarm counts against the reported pattern. */
export function computeScores(runs: readonly JudgedRun[], patterns: readonly StuckPattern[]): readonly Score[] {
  return (['all', ...patterns] as const).map((pattern) => {
    const stuck = runs.filter(({ label }) => (pattern === 'all' ? label !== 'fine' : label === pattern));
    const found = stuck.filter((run) => run.found);
    const fine = runs.filter(({ label }) => label === 'fine');
    const falseAlarms = fine.filter((run) => run.found && (pattern === 'all' || run.found.pattern === pattern)).length;
    const named = found.filter(
      ({ found: finding, label, also }) => finding!.pattern === label || also.includes(finding!.pattern),
    ).length;
    return {
      pattern,
      stuck: stuck.length,
      found: found.length,
      fine: fine.length,
      falseAlarms,
      precision: ratio(found.length, found.length + falseAlarms),
      recall: ratio(found.length, stuck.length),
      named: ratio(named, found.length),
    };
  });
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
