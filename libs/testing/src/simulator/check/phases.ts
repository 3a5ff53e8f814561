import { evolvePhase, hasEnded, TODOS_FILE, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { Remains } from '../run/world.js';
import { jobLogs, type JobLog, type PhaseLog, type Told } from './streams.js';

/** Todos are done once each, in a phase that has them; a phase completes with none open; the next one has those planned. */
export function* todosKept(remains: Remains): Iterable<string> {
  for (const job of jobLogs(remains)) {
    for (const phase of job.phases) yield* todosOf(job, phase);
    yield* handedOver(job);
    yield* accountedFor(job);
  }
}

function* todosOf({ agent }: JobLog, { phase, told }: PhaseLog): Iterable<string> {
  for (const [before, { event }] of walk(told)) {
    const where = `${agent} phase ${phase}`;
    if (event.type === 'TodoCompleted') {
      const todo = before?.todos.find(({ id }) => id === event.data.todoId);
      if (!todo) yield `${where}: todo ${event.data.todoId} was completed and is not on the list`;
      else if (todo.status === 'done') yield `${where}: todo ${event.data.todoId} was done twice`;
    }
    if (event.type === 'PhaseCompleted' && !event.data.rewound) {
      const open = before?.todos.filter(({ status }) => status === 'open') ?? [];
      if (open.length > 0) yield `${where} completed with todo ${open.map(({ id }) => id).join(', ')} open`;
    }
  }
}

/** The todos of each phase are those that the one before planned, or left when it failed. */
function* handedOver({ agent, phases }: JobLog): Iterable<string> {
  for (const [index, { phase, state }] of phases.entries()) {
    const planned = phases[index - 1];
    const before = planned?.state;
    if (!before?.end) continue;
    const { start } = state;
    const texts = (todos: PhaseState['todos']): string => JSON.stringify(todos);
    if (before.end.kind !== 'completed' && texts(start.todos) !== texts(before.todos))
      yield `${agent} phase ${phase} tries phase ${phase - 1} again with other todos`;
    const plan = before.end.kind === 'completed' ? before.end.plan : undefined;
    if (plan && texts(start.todos) !== texts(plan.todos))
      yield `${agent} phase ${phase} does not have the todos that phase ${phase - 1} planned`;
    if (plan && !wrotePlan(phases, index - 1))
      yield `${agent} phase ${phase} has a plan that nobody wrote in phase ${phase - 1}`;
    if (start.kind === 'tactical' && before.start.kind === 'strategic' && !plan)
      yield `${agent} phase ${phase} began although nobody had planned it`;
  }
}

/** A todo that a list left open when it was given up is done later, or by one that accounts for it, before its job completes. */
function* accountedFor({ agent, state, phases }: JobLog): Iterable<string> {
  if (state?.status !== 'completed') return;
  const worked = phases.map(({ state: phase }) => phase).filter(({ start }) => start.kind === 'tactical');
  for (const { start, todos, end } of worked) {
    if (end?.kind !== 'completed') continue;
    const later = worked.filter((other) => other.start.phase > start.phase).flatMap((other) => other.todos);
    for (const todo of todos.filter(({ status }) => status === 'open')) {
      const ref = `${start.phase}-${todo.id}`;
      if (!later.some(({ content, covers }) => content === todo.content || covers?.includes(ref)))
        yield `${agent} completed although nothing accounts for todo ${ref}, which was left open`;
    }
  }
}

/** Whether the list was written in that phase, or in an attempt at the same before it: the same text is not written twice. */
function wrotePlan(phases: readonly PhaseLog[], index: number): boolean {
  const phase = phases[index];
  if (!phase) return false;
  if (phase.told.some(({ event }) => event.type === 'FileWritten' && event.data.path === TODOS_FILE)) return true;
  const before = phases[index - 1]?.state.end;
  return before !== undefined && before.kind !== 'completed' && wrotePlan(phases, index - 1);
}

/** Answers come from the holder of the open call in its epoch; results come for calls that were open, once each. */
export function* fenceHolds(remains: Remains): Iterable<string> {
  for (const { jobId, agent, phases } of jobLogs(remains)) {
    const starters = new Map<string, string>();
    for (const { phase, told } of phases) {
      for (const [before, { event, recorded }] of walk(told)) {
        const where = `${agent} phase ${phase} version ${recorded.version}`;
        const actor = String(recorded.metadata['actor']);
        if (event.type === 'ModelResponded') yield* answeredBy(where, before, actor, event.data.usage);
        if (event.type === 'ModelCallStarted' && before?.openModelCall)
          yield `${where}: a second model call beside an open one`;
        if (event.type === 'ModelCallStarted' && before?.paused)
          yield `${where}: the model is called in a paused phase`;
        if (event.type === 'PhaseResumed' && event.data.epoch !== (before?.epoch ?? 0) + 1)
          yield `${where}: epoch ${event.data.epoch} after ${before?.epoch}`;
        if (event.type === 'ToolCallStarted') {
          if (before?.calls[event.data.callId]?.status !== 'requested')
            yield `${where}: ${event.data.callId} began twice`;
          starters.set(event.data.callId, event.data.holder);
        }
        if (event.type === 'ToolCallCompleted' || event.type === 'ToolCallFailed') {
          const call = before?.calls[event.data.callId];
          if (!call || hasEnded(call)) yield `${where}: a result for ${event.data.callId}, which was not open`;
        }
      }
    }
    for (const effect of remains.effects) {
      if (effect.jobId !== jobId || effect.kind !== 'once') continue;
      const starter = starters.get(effect.callId);
      if (starter !== effect.processId)
        yield `${agent}: ${effect.processId} ran ${effect.callId}, which the log gave to ${starter ?? 'nobody'}`;
    }
  }
}

function* answeredBy(
  where: string,
  before: PhaseState | undefined,
  actor: string,
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
): Iterable<string> {
  const call = before?.openModelCall;
  if (!call) yield `${where}: ${actor} answered a call that nobody made`;
  else if (call.holder !== actor) yield `${where}: ${actor} answered the call of ${call.holder}`;
  else if (inputTokens + outputTokens > call.reservedTokens)
    yield `${where}: ${inputTokens + outputTokens} tokens of ${call.reservedTokens} reserved`;
  else if (call.epoch !== before.epoch) yield `${where}: an answer of epoch ${call.epoch} in epoch ${before.epoch}`;
}

/** An ended phase is a conversation that could be sent: every call of it has a result. */
export function* callsClosed(remains: Remains): Iterable<string> {
  for (const { agent, phases } of jobLogs(remains)) {
    for (const { phase, state } of phases) {
      const open = state.end ? Object.values(state.calls).filter((call) => !hasEnded(call)) : [];
      for (const { callId } of open) yield `${agent} phase ${phase} ended with ${callId} open`;
    }
  }
}

/** Every event with the state that it met. */
function* walk(told: readonly Told<PhaseEvent>[]): Iterable<[PhaseState | undefined, Told<PhaseEvent>]> {
  let state: PhaseState | undefined;
  for (const one of told) {
    yield [state, one];
    state = evolvePhase(state, one.event);
  }
}
