import type { AgentDefinition } from '@phaseline/domain';
import { calls, parsePrompt, type Policy, type Reply } from '@phaseline/harness';

/** Contents of a workspace by path. */
export type Files = ReadonlyMap<string, string>;

export interface Task {
  readonly name: string;
  readonly instructions: string;
  readonly documents: readonly { readonly name: string; readonly content: string }[];
  readonly files: readonly { readonly path: string; readonly content: string }[];
  readonly deliverables: readonly string[];
  /**
   * Returns what is wrong with the work, judged by the final workspace alone; an empty list if the work is done. Independent of gates,
   * todos and claims of the model.
   */
  readonly findFlaws: (files: Files) => Promise<readonly string[]> | readonly string[];
}

/** A tool call: name and arguments. */
export type Call = [name: string, args?: object];
/** The calls of each answer. */
export type Answers = readonly (readonly Call[])[];

/** A scripted model that gets through a job without doing its work. */
export interface LazyModel {
  readonly name: string;
  readonly task: Task;
  /**
   * Whether a job with this model currently completes although its work is not done. Once todos, phases and jobs are accepted only with
   * evidence, the spec fails for this model; then set this to false.
   */
  readonly isAcceptedToday: boolean;
  /** Error codes of the calls that the engine currently refuses. */
  readonly refusedCalls?: readonly string[];
  readonly policy: Policy;
}

export interface LazyScript {
  /** Answers of the first planning phase before it writes its todos. */
  readonly before?: Answers;
  readonly todos?: readonly string[];
  /** Answers of each phase of work, without those that complete todos. */
  readonly work?: readonly Answers[];
  /** Todos of a rewound list that the next plan claims to cover. */
  readonly covers?: readonly string[];
  /** Harmless call to make before completing each todo; if omitted, one answer completes all todos. */
  readonly stepByStep?: Call;
  readonly notes?: string;
  /** Answers of the last phase before it completes the job. */
  readonly end?: Answers;
  readonly completion?: object;
}

export const writeFileCall = (path: string, content: string): Call => ['write_file', { path, content }];
const PHASE_TODOS = ['Read the material', 'Do the work', 'Check the work'];
/** Predefined todos of the planning phases and of the final phase of the shipped workflow. */
const PLANNING_TODOS = 4;
const CLOSING_TODOS = 3;

/** Policy of a script: plan, go through the phases of work, review and complete, with as few answers as the gates allow. */
export function createLazyPolicy(script: LazyScript): Policy {
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
    const { kind, phase, turn } = parsePrompt(request);
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
