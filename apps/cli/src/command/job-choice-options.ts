import type { Command } from 'commander';
import { createWholeNumberParser, parsePast } from './option-values.js';

/** Adds the options that choose recorded jobs. */
export function addJobChoice(command: Command): Command {
  return command
    .option('--job <job>', 'only this job')
    .option('--agent <agent>', 'only jobs of this agent')
    .option('--since <time>', 'only jobs submitted since: a duration such as 2h or 7d, or a date', parsePast)
    .option('--limit <jobs>', 'at most this many jobs, the newest ones', createWholeNumberParser(1, 1_000_000), 1_000);
}
