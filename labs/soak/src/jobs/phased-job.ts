import { summaryPolicy, type RehearsalCall, type RehearsalRequest } from '@phaseline/rehearsal';
import type { PlayedAgent } from './with-stack.js';

/** The shape of a job that works in phases of the same length. */
export interface PhasedJob {
  readonly phases: number;
  readonly stepsPerPhase: number;
  readonly todosPerPhase: number;
}

export const PHASED_AGENT = 'soak-phases';
const STEPS_PER_PHASE = 240;
const MAX_TODOS = 12;
/** Least steps per todo. The last todo of a phase also records that the phase is done. */
const STEPS_PER_TODO = 4;
const FILES = 20;
/** Written by the first step of a phase, and read by later ones. */
const FIRST_FILE = 'notes/first.md';
/** One of this number of steps makes a remote call. */
const REMOTE_EVERY = 8;
const PARAGRAPH = 'The service keeps every record for ten years and tells who has read it. '.repeat(8);

/** Divides steps into phases of about 240 steps, at least two. All together may have a few steps more. */
export function planPhasedJob(steps: number): PhasedJob {
  const phases = Math.max(2, Math.round(steps / STEPS_PER_PHASE));
  const stepsPerPhase = Math.ceil(steps / phases);
  const todosPerPhase = Math.max(1, Math.min(MAX_TODOS, Math.floor(stepsPerPhase / STEPS_PER_TODO)));
  return { phases, stepsPerPhase, todosPerPhase };
}

/** Creates the agent of a job with phases. Each phase adds a line to a file; the job ends when the file has one per phase. `onStep` is called for each answer. */
export function createPhasedAgent(job: PhasedJob, onStep: () => void): PlayedAgent {
  return {
    files: {
      [`agents/${PHASED_AGENT}/agent.yaml`]: renderAgent(job),
      [`agents/${PHASED_AGENT}/instructions.md`]: 'Do the work of each phase.\n',
      'workflows/soak-phases.yaml': renderWorkflow(job),
    },
    policies: [
      summaryPolicy,
      {
        name: PHASED_AGENT,
        matches: () => true,
        answer: (request) => {
          const step = readStep(request) + 1;
          onStep();
          return { content: `Step ${step}.`, calls: [chooseCall(step, job)] };
        },
      },
    ],
  };
}

function renderAgent({ stepsPerPhase }: PhasedJob): string {
  return `name: ${PHASED_AGENT}
displayName: Soak phases
description: Works in phases.
workflow: soak-phases
instructions: instructions.md
models: { tactical: rehearsal }
tools:
  workspace: [read_file, write_file, append_file]
  tactical: [todo_complete, query_traces]
limits: { steps: ${stepsPerPhase + 10} }
stuck: { enabled: false }
`;
}

function renderWorkflow({ phases, todosPerPhase }: PhasedJob): string {
  const todos = Array.from({ length: todosPerPhase }, (_, index) => `      - Do part ${index + 1} of the phase\n`);
  return `name: soak-phases
version: 1
description: Phases of the same kind, until all are done.
start: work
states:
  work:
    kind: tactical
    title: Work
    todos:
${todos.join('')}    finish: next
    outcomes:
      finished: { end: completed, when: [{ file: { path: progress.md, minLines: ${phases} } }] }
      next: { to: work }
caps: { phases: ${phases + 1} }
`;
}

/** The number of the last step of the phase, which the last answer names: that answer stays when older ones are removed. */
function readStep({ messages }: RehearsalRequest): number {
  const last = messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  return Number(/^Step (\d+)\./.exec(last)?.[1] ?? 0);
}

function chooseCall(step: number, { stepsPerPhase, todosPerPhase }: PhasedJob): RehearsalCall {
  const todoOf = (at: number): number => Math.floor((at * todosPerPhase) / stepsPerPhase);
  if (todoOf(step) > todoOf(step - 1)) return { name: 'todo_complete', arguments: { notes: `Done at step ${step}.` } };
  if (step === stepsPerPhase - 1)
    return { name: 'append_file', arguments: { path: 'progress.md', content: 'A phase is done.\n' } };
  if (step % REMOTE_EVERY === 0) return { name: 'query_traces', arguments: {} };
  if (step % 2 === 0) return { name: 'read_file', arguments: { path: FIRST_FILE } };
  const path = step === 1 ? FIRST_FILE : `notes/${step % FILES}.md`;
  return { name: 'write_file', arguments: { path, content: `# Step ${step}\n\n${PARAGRAPH}\n` } };
}
