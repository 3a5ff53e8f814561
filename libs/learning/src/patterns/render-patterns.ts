import { clip } from '@phaseline/basics';
import { joinLines } from '../traces/render-traces.js';
import type { Pattern } from './extract-patterns.js';

/**
 * Renders as many patterns as fit into one line each for an agent: codes, names and counts, and the id of the newest learning trace. Texts of calls
 * are left out, because a line of another text looks like an instruction.
 */
export function renderPatterns(patterns: readonly Pattern[]): string {
  return joinLines(
    patterns.map(({ support, jobs, first, last, agent, reason, guard, tool, shape, point, proposals, examples }) =>
      [
        `${support} times in ${jobs} ${jobs === 1 ? 'job' : 'jobs'}, ${first.slice(0, 10)} to ${last.slice(0, 10)}, by ${clip(agent, 60)}: ${reason}`,
        ...(guard === undefined ? [] : [`guard ${clip(guard, 60)}`]),
        ...(point === undefined ? [] : [`at ${point}`]),
        ...(tool === undefined ? [] : [`${clip(tool, 60)} (${clip(shape ?? '', 120)})`]),
        `a person may choose: ${proposals.join(' or ')}`,
        `newest: ${examples[0]!.trace}`,
      ].join(', '),
    ),
  );
}
