import { calls, parsePrompt, type Policy, type Reply } from '@phaseline/harness';

/** A tool call: name and arguments. */
export type Call = [name: string, args?: object];
/** The calls of each answer. */
type Answers = readonly (readonly Call[])[];

/** What a model answers that gets through the shipped workflow with as few answers as its gates allow. */
interface LazyScript {
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
