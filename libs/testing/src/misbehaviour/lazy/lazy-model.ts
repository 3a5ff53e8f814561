import type { AgentDefinition } from '@phaseline/domain';
import { calls, where } from '../../engine/scripts.js';
import type { Policy, Reply } from '../../engine/engine.js';

/** The content of a workspace, by path. */
export type Files = ReadonlyMap<string, string>;

export interface Task {
  readonly name: string;
  readonly instructions: string;
  readonly documents: readonly { readonly name: string; readonly content: string }[];
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly deliverables: readonly string[];
  /**
   * What is wrong with the work, from the final workspace alone; nothing where the work is done. It knows nothing of gates, todos or
   * what the model claims.
   */
  readonly flaws: (files: Files) => Promise<readonly string[]> | readonly string[];
}

/** One call of a tool: its name and its arguments. */
export type Call = [name: string, args?: object];
/** Calls of one answer each. */
export type Answers = readonly (readonly Call[])[];

/** A model that gets through a job without doing its work, by a script. */
export interface LazyModel {
  readonly name: string;
  readonly task: Task;
  /**
   * Whether a job with this model completes today although its work is not done. What is true here is to become false once todos,
   * phases and jobs are accepted on evidence only: the spec then fails for this kind, and this is the place to change.
   */
  readonly acceptedToday: boolean;
  /** Codes of the calls that the engine refuses it today. */
  readonly refusedCalls?: readonly string[];
  readonly policy: Policy;
}

export interface LazyScript {
  /** Answers of the first planning phase before it writes its todos. */
  readonly before?: Answers;
  readonly todos?: readonly string[];
  /** Answers of each phase of work, the todos apart. */
  readonly work?: readonly Answers[];
  /** Todos of a list that was given up, which the next plan is said to cover. */
  readonly covers?: readonly string[];
  /** Completes its todos one by one with a harmless call before each. */
  readonly stepByStep?: Call;
  readonly notes?: string;
  /** Answers of the last phase before it completes the job. */
  readonly end?: Answers;
  readonly completion?: object;
}

export const write = (path: string, content: string): Call => ['write_file', { path, content }];
const PHASE_TODOS = ['Read the material', 'Do the work', 'Check the work'];
/** Of the planning phases of the shipped workflow, and of its closing one. */
const PLANNING_TODOS = 4;
const CLOSING_TODOS = 3;

/** The policy of a script: plan, work through the phases of work, review and complete, with as few answers as the gates allow. */
export function lazyPolicy(script: LazyScript): Policy {
  const { before = [], todos = PHASE_TODOS, work = [[]], end = [], notes, stepByStep } = script;
  const done: Call = ['todo_complete', notes === undefined ? {} : { notes }];
  const all = (call: Call, count: number): Call[] => Array.from({ length: count }, () => call);
  const planOf = (items: readonly object[]): Call[] => [
    ['todo_write', { phase: 'The work', todos: items }],
    ...all(['todo_complete'], PLANNING_TODOS),
  ];
  const plan = planOf(todos.map((content) => ({ content })));
  const planAgain = script.covers ? planOf([{ content: 'See whether it is needed', covers: script.covers }]) : plan;
  const ticks: Answers = stepByStep ? todos.map(() => [stepByStep, done]) : [all(done, todos.length)];
  const completeBehind = (ticked: number): Call[] => [
    ...all(['todo_complete'], ticked),
    ['job_complete', { summary: 'Everything is done and checked.', confidence: 0.99, ...script.completion }],
  ];
  const review = 2 * work.length + 1;
  return (request): Reply => {
    const { kind, phase, turn } = where(request);
    const isCovering = script.covers !== undefined && phase > 3;
    let answers: Answers;
    if (kind === 'tactical') answers = [...(work[phase / 2 - 1] ?? []), ...(isCovering ? [[done]] : ticks)];
    else if (phase === 1) answers = [...before, plan];
    else if (phase < review) answers = [planAgain];
    else if (phase === review) answers = [...end, completeBehind(PLANNING_TODOS - 1)];
    else answers = [completeBehind(CLOSING_TODOS - 1)];
    return calls(...(answers[Math.min(turn, answers.length - 1)] ?? []));
  };
}

export const LAZY_TOOLS: AgentDefinition['tools'] = {
  workspace: [
    'read_file',
    'write_file',
    'append_file',
    'edit_file',
    'list_files',
    'search_files',
    'file_exists',
    'delete_file',
  ],
  strategic: ['todo_write', 'todo_complete', 'job_complete'],
  tactical: ['todo_complete', 'todo_rewind'],
  domain: ['run_command', 'run_script'],
};
