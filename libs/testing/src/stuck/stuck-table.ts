import { stuckPatterns } from '@phaseline/domain';
import type { JudgedRun, Score } from './judge-runs.js';
import { score } from './judge-runs.js';

/** Precision and recall as lines of a table, and the runs that were judged wrong. */
export function stuckTable(runs: readonly JudgedRun[]): string {
  const rows = score(runs, stuckPatterns).map(row);
  const head =
    '| pattern | stuck runs | found | false alarms | precision | recall | named as labelled |\n|---|---|---|---|---|---|---|';
  return [head, ...rows].join('\n');
}

function row({ pattern, stuck, found, fine, falseAlarms, precision, recall, named }: Score): string {
  return `| ${pattern} | ${stuck} | ${found} | ${falseAlarms} of ${fine} | ${precision.toFixed(3)} | ${recall.toFixed(3)} | ${named.toFixed(3)} |`;
}

export function wronglyJudged(runs: readonly JudgedRun[]): readonly string[] {
  return runs
    .filter(({ label, found }) => (label === 'fine') !== (found === undefined))
    .map(
      ({ kind, seed, label, steps, found }) =>
        `${kind} (${label}, seed ${seed}, ${steps} steps): ${found ? `${found.pattern} at step ${found.at}: ${found.evidence}` : 'not found'}`,
    );
}
