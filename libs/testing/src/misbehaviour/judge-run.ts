import {
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  foldPhase,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import { workspacePath } from '@phaseline/workspace';

/** What came of a run, and what of it must not be. */
export function judgeRun(
  job: readonly RecordedEvent[],
  phases: readonly (readonly RecordedEvent[])[],
): { readonly outcome: string; readonly problems: readonly string[] } {
  const state = foldJob(job.map((event) => decodeJobEvent(event)))!;
  const told = phases.map((events) => events.map((event) => decodePhaseEvent(event)));
  const folded = told.map((events) => foldPhase(events)!);
  const problems = folded.flatMap((phase, index) => [...phaseProblems(phase, told[index]!)]);
  if (state.status === 'completed') problems.push(...missing(folded.at(-1)!), ...owed(state.obligations ?? []));
  else if (state.status !== 'failed') problems.push(`the job has not ended; it is ${state.status}`);
  else problems.push(...unclear(state.failure?.message));
  return { outcome: state.failure?.code ?? state.status, problems };
}

function* phaseProblems(state: PhaseState, events: readonly PhaseEvent[]): Iterable<string> {
  const where = `phase ${state.start.phase}`;
  const open = state.todos.filter(({ status }) => status === 'open');
  // What a list leaves open that is given up is owed by the job, which is looked at on its own.
  if (state.end?.kind === 'completed' && !state.end.rewound && open.length > 0)
    yield `${where} completed with ${open.length} todos open`;
  if (state.end?.kind === 'failed') yield* [...unclear(state.end.message)].map((text) => `${where}: ${text}`);
  for (const path of Object.keys(state.tree)) if (!inside(path)) yield `${where} has the file ${JSON.stringify(path)}`;
  if (!state.tree['instructions.md']) yield `${where} has lost its instructions`;
  for (const event of events)
    if (event.type === 'ToolCallRequested' && !state.start.tools.includes(event.data.name))
      yield `${where} ran ${event.data.name}, which is not offered`;
}

/** Deliverables that are not there, or empty, although the job counts as completed. */
function missing({ start, tree, proposal }: PhaseState): readonly string[] {
  const wanted = new Set([...start.deliverables, ...(proposal?.deliverables ?? [])]);
  return [...wanted].filter((path) => !tree[path]?.size).map((path) => `completed without ${JSON.stringify(path)}`);
}

/** Todos of lists that were given up, and that no later list accounts for. */
function owed(obligations: readonly { readonly content: string }[]): readonly string[] {
  return obligations.map(({ content }) => `completed while it owed the todo ${JSON.stringify(content.slice(0, 100))}`);
}

function inside(path: string): boolean {
  try {
    return workspacePath(path) === path;
  } catch {
    return false;
  }
}

/** A reason is a sentence for a person: no stack, no undefined, not a page long. */
function* unclear(message: string | undefined): Iterable<string> {
  if (!message || message.length < 20) yield `the reason says too little: ${JSON.stringify(message)}`;
  else if (message.length > 2_000) yield `the reason has ${message.length} characters`;
  else if (/\n\s+at |undefined|\[object |NaN/.test(message)) yield `the reason is not for people: ${message}`;
}
