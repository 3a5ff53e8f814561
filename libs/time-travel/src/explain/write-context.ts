import type { CallId, JobId } from '@phaseline/contracts';
import {
  decodePhaseEvent,
  foldTodos,
  todoEventTypes,
  todosInProgress,
  type PhaseEvent,
  type PhaseEventData,
  type Todo,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import type { DispatchedPhase } from './file-history.js';
import type { FileVersion } from './file-version.js';
import { findReadDocuments, type ReadDocument } from './read-documents.js';

/** Types of phase events that say how a version of a file came about. */
export const contextTypes: readonly string[] = [
  ...new Set([
    ...todoEventTypes,
    'ModelCallStarted',
    'ToolCallRequested',
    'ApprovalRequested',
    'ToolCallAmended',
    'ToolCallCompleted',
  ]),
];

/** The model call that requested the call which wrote a version. */
interface PromptReference {
  readonly phase: number;
  readonly step: number;
  readonly model: string;
  /** SHA-256 of the request as recorded. */
  readonly requestHash: string;
}

/** How a version of a file came about, as far as the log says. */
export interface WriteContext {
  /** Name of the phase and of its state in the workflow. */
  readonly phase?: { readonly number: number; readonly state: string; readonly kind: string; readonly name: string };
  readonly step?: number;
  readonly tool?: string;
  /** The call of the model, if the call that wrote was made by a script. */
  readonly outer?: { readonly callId: CallId; readonly tool: string };
  /** The todo that was in progress. */
  readonly todo?: Pick<Todo, 'id' | 'content'>;
  readonly prompt?: PromptReference;
  /** Documents that the agent had read for this todo, or in the same step, before it wrote. They need not be what it used. */
  readonly read: readonly ReadDocument[];
}

type Admitted = PhaseEventData<'ToolCallRequested'>;
interface Call {
  readonly data: Pick<Admitted, 'callId' | 'step' | 'name' | 'arguments' | 'parent'>;
  readonly position: number;
  readonly isCompleted: boolean;
}

/** Follows the events of one phase and describes how files came about at any of its events. */
export class PhaseContext {
  private readonly calls = new Map<CallId, Call>();
  private readonly prompts = new Map<number, PhaseEventData<'ModelCallStarted'>>();
  private todos: Parameters<typeof foldTodos>[0];
  /** Position at which the current todo began. */
  private todoBeganAt = 0;

  constructor(private readonly dispatched: DispatchedPhase) {
    this.todos = { list: dispatched.data.todos };
  }

  /** Applies the next event of the phase, which must be one of `contextTypes`. */
  apply(recorded: RecordedEvent): void {
    const event = decodePhaseEvent(recorded);
    const { position } = recorded;
    switch (event.type) {
      case 'ModelCallStarted':
        if (event.data.purpose === undefined) this.prompts.set(event.data.step, event.data);
        return;
      case 'ToolCallRequested':
      case 'ApprovalRequested':
        this.calls.set(event.data.callId, { data: event.data, position, isCompleted: false });
        return;
      case 'ToolCallAmended':
        this.changeCall(event.data.callId, ({ data }) => ({ data: { ...data, arguments: event.data.arguments } }));
        return;
      case 'ToolCallCompleted':
        this.changeCall(event.data.callId, () => ({ isCompleted: true }));
        return;
      default:
        this.applyToTodos(event, position);
    }
  }

  private applyToTodos(event: PhaseEvent, position: number): void {
    if (event.type === 'PhaseStarted' || event.type === 'PhaseForked') return;
    this.todos = foldTodos(this.todos, event);
    if (event.type === 'TodoCompleted' || event.type === 'TodoStarted') this.todoBeganAt = position;
  }

  /** Describes a version that this phase wrote, as of the last applied event. */
  describe({ callId }: FileVersion): WriteContext {
    const { phase, state, kind, name } = this.dispatched.data;
    const [todo] = todosInProgress(this.todos.list);
    const call = callId === undefined ? undefined : this.calls.get(callId);
    const step = call?.data.step;
    const outer = call && this.findOuter(call);
    const prompt = step === undefined ? undefined : this.prompts.get(step);
    return {
      phase: { number: phase, state, kind, name },
      ...(step === undefined ? {} : { step }),
      ...(call ? { tool: call.data.name } : {}),
      ...(outer ? { outer: { callId: outer.data.callId, tool: outer.data.name } } : {}),
      ...(todo ? { todo: { id: todo.id, content: todo.content } } : {}),
      ...(prompt && step !== undefined
        ? { prompt: { phase, step, model: prompt.model, requestHash: prompt.requestHash } }
        : {}),
      read: call ? this.listRead(call) : [],
    };
  }

  private changeCall(callId: CallId, change: (call: Call) => Partial<Call>): void {
    const call = this.calls.get(callId);
    if (call) this.calls.set(callId, { ...call, ...change(call) });
  }

  /** The call of the model from which a call comes, if a script made it. */
  private findOuter(call: Call): Call | undefined {
    let outer: Call | undefined;
    for (let next = call; next.data.parent !== undefined;) {
      const parent = this.calls.get(next.data.parent);
      if (!parent) break;
      outer = next = parent;
    }
    return outer;
  }

  private listRead(writer: Call): readonly ReadDocument[] {
    const read = [...this.calls.values()].filter(
      (call) =>
        // A call that cites and writes has read too.
        call === writer ||
        (call.isCompleted && (call.position > this.todoBeganAt || call.data.step === writer.data.step)),
    );
    return findReadDocuments(read.map(({ data }) => data));
  }
}

/** Describes the versions that some phases of a job wrote. `events` contains those of `contextTypes`, in order. */
export class WriteContexts {
  private readonly phases = new Map<number, PhaseContext>();
  /** Versions to describe, the last one first. */
  private readonly due: FileVersion[];
  private readonly found = new Map<FileVersion, WriteContext>();

  constructor(
    versions: readonly FileVersion[],
    private readonly dispatched: ReadonlyMap<number, DispatchedPhase>,
  ) {
    this.due = versions.toSorted((left, right) => right.event.position - left.event.position);
  }

  /** Applies the next event of any phase, in the order of positions. */
  apply(recorded: RecordedEvent, phase: number): void {
    this.describeUpTo(recorded.position);
    this.findPhase(phase)?.apply(recorded);
  }

  /** Returns the context of every version, when all events were applied. */
  finish(): ReadonlyMap<FileVersion, WriteContext> {
    this.describeUpTo(Number.MAX_SAFE_INTEGER);
    return this.found;
  }

  private describeUpTo(position: number): void {
    while (this.due.length > 0 && this.due.at(-1)!.event.position < position) {
      const version = this.due.pop()!;
      const phase = version.phase === undefined ? undefined : this.findPhase(version.phase);
      this.found.set(version, phase?.describe(version) ?? { read: [] });
    }
  }

  private findPhase(phase: number): PhaseContext | undefined {
    const known = this.phases.get(phase);
    const dispatched = this.dispatched.get(phase);
    if (known || !dispatched) return known;
    const context = new PhaseContext(dispatched);
    this.phases.set(phase, context);
    return context;
  }
}

/** The part of the log that contains the contexts of some versions: from the start of the first phase to the last version. */
export function findContextRange(
  versions: readonly FileVersion[],
  dispatched: ReadonlyMap<number, DispatchedPhase>,
): { readonly from: { readonly jobId: JobId; readonly position: number }; readonly to: number } | undefined {
  const written = versions.filter(({ phase }) => phase !== undefined);
  const phases = written.flatMap(({ phase }) => dispatched.get(phase!) ?? []);
  if (phases.length === 0) return undefined;
  const first = phases.reduce((left, right) => (right.position < left.position ? right : left));
  return { from: first, to: Math.max(...written.map(({ event }) => event.position)) };
}
