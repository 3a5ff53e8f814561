import {
  getReservedReason,
  GUARD_SETS_DIRECTORY,
  INSTRUCTIONS_DIRECTORY,
  SKILLS_DIRECTORY,
  TODOS_FILE,
  VOCABULARIES_DIRECTORY,
  type PhaseKind,
} from '@phaseline/domain';

/** The inputs of the job. They stay unchanged, so that a manipulated model cannot change the inputs of later phases. */
const jobInputs = [
  'instructions.md',
  INSTRUCTIONS_DIRECTORY,
  'documents',
  SKILLS_DIRECTORY,
  VOCABULARIES_DIRECTORY,
  GUARD_SETS_DIRECTORY,
];

/**
 * Returns why an agent may not change a file, or undefined when it may. Archives, sources, stored results and the inputs of the job
 * are always read-only; the plan is read-only in tactical phases.
 */
export function getReadOnlyReason(path: string, kind: PhaseKind): string | undefined {
  const reserved = getReservedReason(path);
  if (reserved !== undefined) return reserved;
  const input = jobInputs.find((one) => path === one || path.startsWith(`${one}/`));
  if (input !== undefined) return `${input} is an input of the job and cannot be changed. Write to another path.`;
  if (path !== TODOS_FILE || kind !== 'tactical') return undefined;
  return `${TODOS_FILE} belongs to the strategic phase. Work on your current todos, and complete them with todo_complete.`;
}
