import { judgeRuns } from './judge-runs.js';
import { labelledSet } from './labelled-set.js';
import { stuckTable, wronglyJudged } from './stuck-table.js';

/*
 * node libs/testing/dist/stuck/main.js
 *
 * How well stuck detection does on the labelled runs, part by part, with the runs that it judges wrong.
 */
for (const [part, { kinds, seeds }] of Object.entries(labelledSet)) {
  const runs = judgeRuns(kinds, seeds);
  const wrong = wronglyJudged(runs).map((line) => `- ${line}`);
  process.stdout.write(`## ${part}: ${runs.length} runs of ${kinds.length} kinds\n\n${stuckTable(runs)}\n\n`);
  process.stdout.write(wrong.length === 0 ? 'All judged right.\n\n' : `Judged wrong:\n\n${wrong.join('\n')}\n\n`);
}
