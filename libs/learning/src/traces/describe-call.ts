import { clip, toSingleLine, type JsonObject } from '@phaseline/basics';
import type { LearningAction } from '@phaseline/contracts';
import type { PhaseEventData } from '@phaseline/domain';

/** Maximum characters of one argument. A lesson is about the path or the program of a call, rarely about the content of a file. */
const MAX_ARGUMENT = 200;

/** Describes a call in one line: its tool, and its arguments without what is long. */
export function describeCall(name: string, args: JsonObject): string {
  const described = Object.entries(args).map(
    ([key, value]) =>
      `${key}: ${clip(toSingleLine(typeof value === 'string' ? value : JSON.stringify(value)), MAX_ARGUMENT)}`,
  );
  return described.length === 0 ? name : `${name} (${described.join(', ')})`;
}

const WRITING_TOOLS: ReadonlySet<string> = new Set(['write_file', 'append_file', 'edit_file', 'delete_file']);

/** The shipped guard that keeps agents from saying that a feature is tested. */
const TESTED_GUARD = 'block-tested-true';

/** The action of a call. `guard`: the guard that denied it. */
export function chooseAction(name: string, args: JsonObject, guard?: string): LearningAction {
  if (guard === TESTED_GUARD) return 'mark_tested_true';
  if (name === 'run_command') return 'run_command';
  return WRITING_TOOLS.has(name) && typeof args['path'] === 'string' ? 'write_file' : 'call_tool';
}

type Subject = PhaseEventData<'ClaimRefused'>['subject'];

export function describeSubject(subject: Subject): string {
  return subject.kind === 'todo' ? `todo ${subject.todoId}` : `the phase (${subject.outcome})`;
}
