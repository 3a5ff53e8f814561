import { listLeafChecks, parseCheck, type Check } from '@phaseline/checks';
import { localPathSchema } from '@phaseline/contracts';
import { namesMachineFile } from './machine-files.js';

/** What the checks of a plan may name, and whether they demand anything. */
export interface OutputRules {
  /** Whether each todo must name its outputs, and the plan its phase and objective. */
  readonly required: boolean;
  /** What the agent has, by the member of a check that names it. */
  readonly known: Readonly<Record<'verifier' | 'judge' | 'jsonSchema', readonly string[]>>;
  /** Whether the check holds before the phase has done anything. */
  readonly holdsAlready: (check: Check) => boolean;
}

export interface ReadOutputs {
  readonly checks: readonly Check[];
  readonly problems: readonly string[];
}

/** Maximum number of outputs of one todo. */
const MAX_OUTPUTS = 20;

/**
 * Reads the outputs of a planned todo: paths or checks. A path demands that the file has content and changed. It counts since the phase
 * began, so that work done ahead counts; since the todo began for a path in `taken`, which counts for another todo, so that no change counts
 * twice. Without rules, only the shape is checked.
 */
export function readOutputs(
  given: unknown,
  place: string,
  taken: ReadonlySet<string>,
  rules: OutputRules | undefined,
): ReadOutputs {
  if (given === undefined || given === null) {
    if (!rules?.required) return { checks: [], problems: [] };
    return { checks: [], problems: [`${place}: 'outputs' must name at least one path or check.`] };
  }
  if (!Array.isArray(given) || given.length > MAX_OUTPUTS || (rules?.required && given.length === 0))
    return { checks: [], problems: [`${place}: 'outputs' must be a list of 1 to ${MAX_OUTPUTS} paths or checks.`] };
  const items: readonly unknown[] = given;
  const read = items.map((item, index) => readOutput(item, `${place}, output ${index + 1}`, taken, rules));
  return {
    checks: read.flatMap((one) => ('check' in one ? [one.check] : [])),
    problems: read.flatMap((one) => ('problem' in one ? [one.problem] : [])),
  };
}

/** The paths of files that the outputs demand. */
export function listOutputPaths(checks: readonly Check[]): readonly string[] {
  return checks.flatMap(listLeafChecks).flatMap((check) => ('file' in check ? [check.file.path] : []));
}

function readOutput(
  given: unknown,
  place: string,
  taken: ReadonlySet<string>,
  rules: OutputRules | undefined,
): ReturnType<typeof parseCheck> {
  const read = typeof given === 'string' ? readPath(given, place, taken) : parseCheck(given, place);
  if ('problem' in read || !rules) return read;
  const problem = findDemandProblem(read.check, rules);
  return problem === undefined ? read : { problem: `${place} ${problem}` };
}

function readPath(given: string, place: string, taken: ReadonlySet<string>): ReturnType<typeof parseCheck> {
  const path = given.trim().replace(/^(?:\.\/)+/, '');
  if (!localPathSchema.safeParse(path).success || path.endsWith('/'))
    return { problem: `${place} must be the path of a file in the workspace, such as notes/findings.md.` };
  return { check: { file: { path, changedSince: taken.has(path) ? 'todo' : 'phase', minBytes: 1 } } };
}

/** Why the check cannot be part of a plan: it proves no work, or nothing could ever fulfil it. */
function findDemandProblem(check: Check, { known, holdsAlready }: OutputRules): string | undefined {
  const leaves = listLeafChecks(check);
  for (const leaf of leaves) {
    if ('file' in leaf) {
      const { path, jsonSchema } = leaf.file;
      if (namesMachineFile(path)) return `names ${path}, which the system writes. Name a file that the todo produces.`;
      if (jsonSchema !== undefined && !known.jsonSchema.includes(jsonSchema))
        return describeUnknown('schema', jsonSchema, known.jsonSchema);
    }
    if ('verifier' in leaf && !known.verifier.includes(leaf.verifier))
      return describeUnknown('verifier', leaf.verifier, known.verifier);
    if ('proof' in leaf) return 'demands a proof, which only the workflow can. Demand a verifier instead.';
    if ('judge' in leaf && !known.judge.includes(leaf.judge)) return describeUnknown('judge', leaf.judge, known.judge);
  }
  if (!holdsAlready(check)) return undefined;
  return "holds already, so it proves no work. Demand what the todo changes, such as a file that does not exist yet, or 'changedSince: todo'.";
}

function describeUnknown(what: string, name: string, known: readonly string[]): string {
  return `names the ${what} ${name}, which the agent does not have; it has: ${known.join(', ') || 'none'}.`;
}
