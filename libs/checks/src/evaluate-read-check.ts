import type { CallRecord, EventRef } from './call-record.js';
import type { ReadCheck } from './check.js';
import type { CheckInput } from './check-input.js';
import { buildFails, buildHolds, type CheckFailure, type CheckResult } from './check-result.js';
import { listCheckedFiles, MAX_FILES_PER_CHECK } from './evaluate-file-check.js';

/** The tool whose calls count as reading. What a command prints is not known to come from a file. */
export const READING_TOOL = 'read_file';

/**
 * Evaluates whether files were read in the phase. Only files that existed when the phase began have to be read: a plan that does not exist
 * yet cannot be, and what the agent wrote itself it knows. It does not know what it wrote in an attempt before this one.
 */
export function evaluateReadCheck(check: { readonly read: ReadCheck }, input: CheckInput): CheckResult {
  const events: EventRef[] = [];
  const failures: CheckFailure[] = [];
  const paths = listFilesToRead(check.read, input);
  if (paths.length > MAX_FILES_PER_CHECK)
    return buildFails(check, `at most ${MAX_FILES_PER_CHECK} files ${check.read.path} to read`, `${paths.length}`);
  for (const path of paths) {
    const reads = input.calls.filter((call) => isReadOf(path, call));
    const inTime = reads.find(({ order }) => isInTime(check.read, order, input));
    if (inTime) events.push(inTime.event);
    else
      failures.push({ check, expected: describeExpected(path, check.read), found: describeFound(reads, check.read) });
  }
  return failures.length > 0 ? { kind: 'fails', failures } : buildHolds(check, { events });
}

/** Describes what a check demands, one line per file that has to be read; none if no such file existed when the phase began. */
export function describeRead(read: ReadCheck, input: Pick<CheckInput, 'tree' | 'hashAt'>): readonly string[] {
  return listFilesToRead(read, input).map((path) => describeExpected(path, read));
}

function listFilesToRead(read: ReadCheck, input: Pick<CheckInput, 'tree' | 'hashAt'>): readonly string[] {
  const known = listCheckedFiles(read, input.tree).filter((path) => input.hashAt('attempt', path) !== undefined);
  if (!read.newest) return known;
  const newest = known.reduce<string | undefined>(
    (best, path) => (best === undefined || isNewer(path, best, input.tree) ? path : best),
    undefined,
  );
  return newest === undefined ? [] : [newest];
}

/** Whether a file was written after another one; of files of the same moment, the one with the higher number in its name. */
function isNewer(path: string, other: string, tree: CheckInput['tree']): boolean {
  const [written, before] = [tree[path]!.writtenAt, tree[other]!.writtenAt];
  return written === before
    ? path.length > other.length || (path.length === other.length && path > other)
    : written > before;
}

/** Whether a call read the file from its beginning. A long file is shown in parts, of which the first is enough. */
function isReadOf(path: string, { name, outcome, arguments: args }: CallRecord): boolean {
  const named = args['path'];
  if (name !== READING_TOOL || outcome !== 'completed' || typeof named !== 'string') return false;
  const isFromStart = Number(args['from_line'] ?? 1) <= 1 && Number(args['from_byte'] ?? 0) === 0;
  return isFromStart && named.replace(/^(?:\.?\/)+/, '') === path;
}

function isInTime({ before }: ReadCheck, order: number, input: CheckInput): boolean {
  return before === undefined || order < (input.lastWrite(before) ?? 0);
}

function describeExpected(path: string, { before }: ReadCheck): string {
  const when = before === undefined ? '' : ` before the last write of ${before}`;
  return `${path} read from its beginning with ${READING_TOOL} in this phase${when}`;
}

function describeFound(reads: readonly CallRecord[], { before }: ReadCheck): string {
  return reads.length === 0 ? 'it was not read' : `it was read only after that; write ${before} again`;
}
