import { stuckPatterns } from '@phaseline/domain';
import { computeScores, type JudgedRun, type Score } from './judge-runs.js';
import type { PlayedRun } from './play-through.js';

/** Renders precision and recall as a table. */
export function renderStuckTable(runs: readonly JudgedRun[]): string {
  const rows = computeScores(runs, stuckPatterns).map(renderRow);
  const head =
    '| pattern | stuck runs | found | false alarms | precision | recall | named as labelled |\n|---|---|---|---|---|---|---|';
  return [head, ...rows].join('\n');
}

function renderRow({ pattern, stuck, found, fine, falseAlarms, precision, recall, named }: Score): string {
  return `| ${pattern} | ${stuck} | ${found} | ${falseAlarms} of ${fine} | ${precision.toFixed(3)} | ${recall.toFixed(3)} | ${named.toFixed(3)} |`;
}

/** Describes the runs that the detector judges wrong. */
export function describeWrongRuns(runs: readonly JudgedRun[]): readonly string[] {
  return runs
    .filter(({ label, found }) => (label === 'fine') !== (found === undefined))
    .map(
      ({ kind, seed, label, steps, found }) =>
        `${kind} (${label}, seed ${seed}, ${steps} steps): ${found ? `${found.pattern} at step ${found.at}: ${found.explanation}` : 'not found'}`,
    );
}

/** Renders nudges and losses per part as a table, and names the parts without any. */
export function renderLossTable(parts: Readonly<Record<string, readonly PlayedRun[]>>): string {
  const rows: string[] = [];
  const quiet: string[] = [];
  for (const [part, runs] of Object.entries(parts)) {
    const nudged = runs.filter(({ nudges }) => nudges > 0).length;
    const nudges = runs.reduce((sum, run) => sum + run.nudges, 0);
    const lost = (...decisions: readonly string[]): number =>
      runs.filter(({ loss }) => loss && decisions.includes(loss.decision)).length;
    const all = runs.filter(({ loss }) => loss).length;
    const [rewound, stuck] = [lost('rewind'), lost('stuck')];
    if (nudges + all === 0) quiet.push(`${part} (${runs.length} runs)`);
    else
      rows.push(
        `| ${part} | ${runs.length} | ${nudged} | ${nudges} | ${rewound} | ${stuck} | ${all - rewound - stuck} |`,
      );
  }
  const head =
    '| runs | count | nudged | nudges | rewound | failed as stuck | ended by a limit |\n|---|---|---|---|---|---|---|';
  return [head, ...rows, ...(quiet.length > 0 ? ['', `Not nudged and nothing lost: ${quiet.join(', ')}.`] : [])].join(
    '\n',
  );
}
