import { ARCHIVE_DIRECTORY, RESULTS_DIRECTORY, SKILLS_DIRECTORY, TODOS_FILE, type PhaseKind } from '@phaseline/domain';

/** Where what tools fetched is kept; citations rest on it. */
export const SOURCES_DIRECTORY = 'sources';

/** The task and the documents as they were given; whatever a model was talked into, later phases work from these. */
const given = ['instructions.md', 'documents', SKILLS_DIRECTORY];

/**
 * Why an agent may not change a file, where it may not: archives, sources, kept results and what the job was given never, the plan not in
 * tactical phases.
 */
export function readOnlyReason(path: string, kind: PhaseKind): string | undefined {
  for (const folder of [ARCHIVE_DIRECTORY, SOURCES_DIRECTORY, RESULTS_DIRECTORY]) {
    if (path === folder || path.startsWith(`${folder}/`))
      return `${folder}/ is kept by the system and cannot be changed.`;
  }
  const input = given.find((one) => path === one || path.startsWith(`${one}/`));
  if (input !== undefined) return `${input} is what the job was given and cannot be changed. Write elsewhere.`;
  if (path !== TODOS_FILE || kind !== 'tactical') return undefined;
  return `${TODOS_FILE} belongs to the strategic phase. Work on the todos you have; complete them with todo_complete.`;
}
