import {
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  foldPhase,
  type PhaseEvent,
  type PhaseState,
  getDeliverablePath,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import { normalisePath } from '@phaseline/workspace';

/** Returns the outcome of a run and the rules that it broke. */
export function judgeRun(
  job: readonly RecordedEvent[],
  phases: readonly (readonly RecordedEvent[])[],
): { readonly outcome: string; readonly problems: readonly string[] } {
  const state = foldJob(job.map((event) => decodeJobEvent(event)))!;
  const eventsByPhase = phases.map((events) => events.map((event) => decodePhaseEvent(event)));
  const folded = eventsByPhase.map((events) => foldPhase(events)!);
  const problems = folded.flatMap((phase, index) => [...phaseProblems(phase, eventsByPhase[index]!)]);
  if (state.status === 'completed')
    problems.push(...missingDeliverables(folded.at(-1)!), ...openObligations(state.obligations ?? []));
  else if (state.status !== 'failed' && state.status !== 'aborted')
    problems.push(`the job has not ended; it is ${state.status}`);
  else problems.push(...messageProblems(state.failure?.message));
  return { outcome: state.failure?.code ?? state.status, problems };
}

function* phaseProblems(state: PhaseState, events: readonly PhaseEvent[]): Iterable<string> {
  const where = `phase ${state.start.identity.phase}`;
  const open = state.todos.list.filter(({ status }) => status === 'open');
  // Open todos of a rewound list become obligations of the job, which are checked separately.
  if (state.end?.kind === 'completed' && !state.end.rewound && open.length > 0)
    yield `${where} completed with ${open.length} todos open`;
  if (state.end?.kind === 'failed') yield* [...messageProblems(state.end.message)].map((text) => `${where}: ${text}`);
  for (const path of Object.keys(state.tree))
    if (!isInsideWorkspace(path)) yield `${where} has the file ${JSON.stringify(path)}`;
  if (!state.tree['instructions.md']) yield `${where} has no instructions file`;
  for (const event of events)
    if (event.type === 'ToolCallRequested' && !state.start.terms.tools.includes(event.data.name))
      yield `${where} ran ${event.data.name}, which is not offered`;
}

/** Finds missing or empty deliverables of a completed job. */
function missingDeliverables({ start, tree, todos: { proposal } }: PhaseState): readonly string[] {
  const wanted = new Set([...start.plan.deliverables.map(getDeliverablePath), ...(proposal?.deliverables ?? [])]);
  return [...wanted].filter((path) => !tree[path]?.size).map((path) => `completed without ${JSON.stringify(path)}`);
}

/** Reports obligations from rewound lists that no later list covers. */
function openObligations(obligations: readonly { readonly content: string }[]): readonly string[] {
  return obligations.map(
    ({ content }) => `completed with the open obligation ${JSON.stringify(content.slice(0, 100))}`,
  );
}

function isInsideWorkspace(path: string): boolean {
  try {
    return normalisePath(path) === path;
  } catch {
    return false;
  }
}

/** Checks that a failure message is a sentence for people: no stack trace, no undefined, not a page long. */
function* messageProblems(message: string | undefined): Iterable<string> {
  if (!message || message.length < 20) yield `the message is too short: ${JSON.stringify(message)}`;
  else if (message.length > 2_000) yield `the message has ${message.length} characters`;
  else if (/\n\s+at |undefined|\[object |NaN/.test(message)) yield `the message is not written for people: ${message}`;
}
