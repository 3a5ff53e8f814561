import {
  type Check,
  type CheckInput,
  listCheckedFiles,
  listSources,
  MAX_FILES_PER_CHECK,
  needsText,
} from '@phaseline/checks';
import type { PhaseState } from '../phase/phase-state.js';
import { findHash } from '../phase/state/tree.js';
import { listProvable } from '../item/proof-arguments.js';
import { findAttempted } from './attempted-changes.js';
import { findChangeOfPhase, findChangeOfTodo } from '../phase/state/work.js';

/** Texts of files by content hash. A file that is too large to be checked is absent. */
export type ClaimTexts = ReadonlyMap<string, string>;

const NO_RUNS: CheckInput['runs'] = new Map();

/** Builds the input of checks from the state of a phase and the texts that `listNeededTexts` names. */
export function buildCheckInput(
  { tree, start, work }: PhaseState,
  texts: ClaimTexts,
  runs: CheckInput['runs'] = NO_RUNS,
): CheckInput {
  return {
    tree,
    hashAt: (since, path) => {
      const attempted = since === 'attempt' ? undefined : findAttempted({ start, work }, since, path);
      if (attempted) return attempted.before;
      const known = since === 'todo' ? findChangeOfTodo(work, path)?.before : findChangeOfPhase(work, path)?.atStart;
      return known === undefined ? findHash(tree, path) : (known ?? undefined);
    },
    calls: work.calls,
    todoFrom: work.todoFrom,
    lastWrite: (path) => findChangeOfPhase(work, path)?.order,
    readText: (hash) => texts.get(hash),
    schemas: start.terms.schemas ?? {},
    provable: listProvable(start.plan.item),
    runs,
  };
}

/** Size in bytes up to which a file is read for a check. A larger one fails every check of its content. */
const MAX_CHECKED_BYTES = 8 * 1024 * 1024;
/** Size in bytes of all files that are read for one claim. */
const MAX_CLAIM_BYTES = 64 * 1024 * 1024;

/**
 * The files whose texts the checks need, by content hash with one of their paths. Files that are too large to be read are left out, and
 * so are those beyond the total.
 */
export function listNeededTexts(checks: readonly Check[], state: PhaseState): ReadonlyMap<string, string> {
  let total = 0;
  return new Map(
    [...listTexts(checks, state)].filter(([, path]) => {
      const { size } = state.tree[path]!;
      if (size > MAX_CHECKED_BYTES || total + size > MAX_CLAIM_BYTES) return false;
      total += size;
      return true;
    }),
  );
}

function listTexts(checks: readonly Check[], { tree }: PhaseState): ReadonlyMap<string, string> {
  const needed = new Map<string, string>();
  const visit = (check: Check): void => {
    if ('all' in check) check.all.forEach(visit);
    else if ('any' in check) check.any.forEach(visit);
    else if ('not' in check) visit(check.not);
    else if ('file' in check && needsText(check.file)) {
      const paths = listCheckedFiles(check.file, tree);
      if (paths.length <= MAX_FILES_PER_CHECK) for (const path of paths) needed.set(tree[path]!.hash, path);
      const { citations } = check.file;
      for (const path of citations ? listSources(citations, tree) : []) needed.set(tree[path]!.hash, path);
    }
  };
  checks.forEach(visit);
  return needed;
}
