import type { PlayedJob, RecordedEvent } from './play-job.js';

/** A todo that was accepted, and the workspace at that moment. */
export interface AcceptedTodo {
  readonly phase: number;
  readonly content: string;
  /** Hash of the content of each file. */
  readonly tree: ReadonlyMap<string, string>;
}

export interface Claims {
  /** Accepted todos, phases and jobs. */
  readonly accepted: number;
  /** Claims that were refused, and completions that could not be made. */
  readonly refused: number;
  readonly todos: readonly AcceptedTodo[];
}

const COMPLETING_TOOLS = new Set(['todo_complete', 'job_complete']);

/** Reads from the events of a job what was accepted and what was refused. */
export function readClaims({ status, phases }: Pick<PlayedJob, 'status' | 'phases'>): Claims {
  const read = phases.map((events, index) => readPhase(index + 1, events));
  const count = (of: (phase: PhaseClaims) => number): number => read.reduce((sum, phase) => sum + of(phase), 0);
  const todos = read.flatMap((phase) => phase.todos);
  return {
    accepted: todos.length + count(({ ended }) => ended) + (status === 'completed' ? 1 : 0),
    refused: count(({ refused }) => refused),
    todos,
  };
}

interface PhaseClaims {
  readonly todos: readonly AcceptedTodo[];
  readonly ended: number;
  readonly refused: number;
}

function readPhase(phase: number, events: readonly RecordedEvent[]): PhaseClaims {
  const tree = new Map<string, string>();
  const contents = new Map<number, string>();
  const tools = new Map<string, string>();
  const todos: AcceptedTodo[] = [];
  /** Calls whose claim was refused; the failure of the call is the same refusal. */
  const refusedCalls = new Set<string>();
  let refusals = 0;
  let ended = 0;
  for (const { type, data } of events) {
    const callId = String(data['callId']);
    if (type === 'PhaseStarted') readStart(data, tree, contents);
    else if (type === 'TodoAdded') contents.set(Number(data['todoId']), String(data['content']));
    else if (type === 'FileWritten') tree.set(String(data['path']), String(data['hash']));
    else if (type === 'FileDeleted') tree.delete(String(data['path']));
    else if (type === 'TodoCompleted')
      todos.push({ phase, content: contents.get(Number(data['todoId'])) ?? '', tree: new Map(tree) });
    else if (type === 'ToolCallRequested') tools.set(callId, String(data['name']));
    else if (type === 'ToolCallDenied' && COMPLETING_TOOLS.has(String(data['name']))) refusedCalls.add(callId);
    else if (type === 'ToolCallFailed' && COMPLETING_TOOLS.has(tools.get(callId) ?? '')) refusedCalls.add(callId);
    else if (type === 'ClaimRefused' && 'callId' in data) refusedCalls.add(callId);
    else if (type === 'TransitionRejected') {
      // The last todo is open again.
      todos.pop();
      refusals += 1;
    } else if (type === 'PhaseCompleted') ended += 1;
  }
  return { todos, ended, refused: refusals + refusedCalls.size };
}

function readStart(data: RecordedEvent['data'], tree: Map<string, string>, contents: Map<number, string>): void {
  const { workspace, plan } = data as {
    workspace: { tree: Readonly<Record<string, { hash: string }>> };
    plan: { todos: readonly { id: number; content: string }[] };
  };
  for (const [path, { hash }] of Object.entries(workspace.tree)) tree.set(path, hash);
  for (const { id, content } of plan.todos) contents.set(id, content);
}
