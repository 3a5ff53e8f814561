import { calls, doPlanningTodo, parsePrompt, type Policy, type Reply } from '@phaseline/harness';

/** A tool call: name and arguments. */
export type Call = [name: string, args?: object];
/** The calls of each answer. */
type Answers = readonly (readonly Call[])[];

interface WorkflowScript {
  readonly todos?: readonly string[];
  /** Answers of each phase of work, without those that complete todos. */
  readonly work?: readonly Answers[];
  /** A call that counts as work on a todo; by default, reading the instructions, which every job has. */
  readonly look?: Call;
}

const PHASE_TODOS = ['Read the material', 'Do the work', 'Check the work'];
/** Predefined todos of the planning phases and of the final phase of the shipped workflow. */
const PLANNING_TODOS = 4;
const CLOSING_TODOS = 3;
const LOOK: Call = ['read_file', { path: 'instructions.md' }];
const DONE: Call = ['todo_complete'];

/** Policy that goes through the shipped workflow: the work of each phase, and one more call for each todo. */
export function createWorkflowPolicy({ todos = PHASE_TODOS, work = [[]], look = LOOK }: WorkflowScript): Policy {
  const tick = (count: number): Call[][] => Array.from({ length: count }, () => [look, DONE]);
  const plan: Answers = [
    [
      [
        'todo_write',
        { phase: 'The work', description: 'What the job asks for.', todos: todos.map((content) => ({ content })) },
      ],
      DONE,
    ],
  ];
  const complete: Answers = [[['job_complete', { summary: 'Everything is done and checked.', confidence: 0.99 }]]];
  const review = 2 * work.length + 1;
  return (request): Reply => {
    const { kind, phase, turn } = parsePrompt(request);
    const pick = (answers: Answers, at: number) => calls(...(answers[Math.min(at, answers.length - 1)] ?? []));
    if (kind === 'tactical') return pick([...(work[phase / 2 - 1] ?? []), ...tick(todos.length)], turn);
    const before = (phase <= review ? PLANNING_TODOS : CLOSING_TODOS) - 1;
    if (turn < before) return doPlanningTodo(request);
    return pick(phase < review ? plan : complete, turn - before);
  };
}
