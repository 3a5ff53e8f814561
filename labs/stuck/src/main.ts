import { judgeRuns } from './judge-runs.js';
import { LABELLED_SET } from './labelled-set.js';
import { playParts } from './played-parts.js';
import { renderLossTable, renderStuckTable, describeWrongRuns } from './stuck-table.js';

/*
 * node labs/stuck/dist/main.js
 *
 * Prints precision and recall of stuck detection per part of the labelled runs, with the runs that it judges wrong; then the decisions of
 * the phase about long honest runs and about the labelled ones, if each continues regardless of nudges.
 */
for (const [part, { kinds, seeds }] of Object.entries(LABELLED_SET)) {
  const runs = judgeRuns(kinds, seeds);
  const wrong = describeWrongRuns(runs).map((line) => `- ${line}`);
  process.stdout.write(`## ${part}: ${runs.length} runs of ${kinds.length} kinds\n\n${renderStuckTable(runs)}\n\n`);
  process.stdout.write(
    wrong.length === 0 ? 'All runs are judged correctly.\n\n' : `Judged wrong:\n\n${wrong.join('\n')}\n\n`,
  );
}

const played = playParts();
process.stdout.write(`## Decisions\n\n${renderLossTable(played)}\n\n`);
for (const { kind, seed, steps, loss } of played['honest'] ?? [])
  if (loss)
    process.stdout.write(
      `- ${kind} (seed ${seed}, ${steps} steps): ${loss.decision} (${loss.pattern ?? 'limit'}) at step ${loss.at}\n`,
    );
