import type { JsonObject } from '@phaseline/basics';
import type { EventId, JobId } from '@phaseline/contracts';
import { extractPatterns, type PatternGroup } from '../patterns/extract-patterns.js';
import type { Violation } from '../patterns/violation.js';

/** The pattern of five calls of `write_file` that a person refused, with changes. */
export function groupViolations(
  changes: Partial<Violation> = {},
  args: readonly JsonObject[] = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ path: `src/${name}.ts` })),
): PatternGroup {
  const violations = args.map((one, index): Violation => ({
    trace: `e${index}` as EventId,
    position: 100 + index,
    jobId: 'j' as JobId,
    at: '2030-01-01T00:00:00Z',
    ...{ tenant: 'red', agent: 'tester', source: 'user_correction', reason: 'person_refused', happened: '{args.evil}' },
    ...{ point: 'PermissionRequest', tokens: 1, costMicroUsd: 1 },
    call: { tool: 'write_file', arguments: one },
    ...changes,
  }));
  return extractPatterns(violations)[0]!;
}
