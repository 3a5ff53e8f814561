import type { TaskName } from '../list/kind-entry.js';
import type { Answer } from '../script/call.js';
import type { GroundTruth } from '../truth/files.js';

/** A todo of the honest plan, with the answers that do its work; the last answer also completes it. */
interface TaskTodo {
  readonly content: string;
  /** Path of the file that it produces. */
  readonly output: string;
  readonly work: readonly Answer[];
}

interface InputFile {
  readonly path: string;
  readonly content: string;
}

export interface SubmittedVerifier {
  readonly argv: string[];
  readonly folder?: string;
  readonly inputs: string[];
  readonly reads: { readonly tap: string };
}

/** One generated instance of a task. The same seed generates the same instance. */
export interface Task {
  readonly name: TaskName;
  /** Folder below `agents/`. */
  readonly agent: string;
  readonly instructions: string;
  /** Documents of the submission, with their paths in the workspace. */
  readonly documents: readonly InputFile[];
  /** Files that the job starts with. */
  readonly files: readonly InputFile[];
  /** The honest plan. A task whose workflow has its own todos has none. */
  readonly todos: readonly TaskTodo[];
  /** Files that the job must deliver. */
  readonly outputs: readonly string[];
  /** Verifiers that the submission adds to those of the agent, by name. The model does not see them. */
  readonly verifiers?: Readonly<Record<string, SubmittedVerifier>>;
  readonly truth: GroundTruth;
}
