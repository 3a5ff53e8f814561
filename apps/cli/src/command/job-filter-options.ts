import type { JobWaitKind } from '@phaseline/client';
import type { Command } from 'commander';
import { jobStatusNames } from './job-status-names.js';
import { collectList, collectValue, createChoiceCollector, parseAge, parseAmount, parsePast } from './option-values.js';

/** What jobs can wait for. A copy, because loading the client would slow down every `--help`; the type keeps both equal. */
const waitKinds = {
  person: true,
  approval: true,
  question: true,
  todo: true,
  pause: true,
  blocked: true,
  child: true,
  orchestrator: true,
  worker: true,
} as const satisfies Record<JobWaitKind | 'person', true>;
const waitKindNames = Object.keys(waitKinds) as readonly (keyof typeof waitKinds)[];

/** Adds the options that select jobs. They are combined; several values of one select jobs with any, several labels with all. */
export function addJobFilterOptions(command: Command): Command {
  return command
    .option(
      '-s, --status <status>',
      `only jobs with this status; may be repeated (${jobStatusNames.join(', ')})`,
      createChoiceCollector(jobStatusNames),
    )
    .option('-a, --agent <agent>', 'only jobs of this agent; may be repeated', collectList)
    .option('--tenant <tenant>', 'only jobs of this tenant; may be repeated', collectList)
    .option('-l, --label <key[=value]>', 'only jobs with this label; may be repeated', collectValue)
    .option('--text <text>', 'only jobs with this text in id, agent, phase, labels, result or failure')
    .option('--since <time>', 'only jobs submitted since: a duration such as 2h or 7d, or a date', parsePast)
    .option('--before <time>', 'only jobs submitted before', parsePast)
    .option('--idle-since <time>', 'only jobs in which nothing happened since', parsePast)
    .option('--min-cost <amount>', 'only jobs that cost at least this, in US dollars', parseAmount)
    .option('--max-cost <amount>', 'only jobs that cost at most this, in US dollars', parseAmount)
    .option(
      '--waits-for <what>',
      `only jobs that wait for this; may be repeated (${waitKindNames.join(', ')})`,
      createChoiceCollector(waitKindNames),
    )
    .option(
      '--longer-than <duration>',
      'only jobs that have waited for this long, such as 90s, 30m, 2h or 3d',
      parseAge,
    );
}
