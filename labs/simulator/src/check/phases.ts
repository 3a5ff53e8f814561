import { evolvePhase, hasCallEnded, TODOS_FILE, type PhaseEvent, type PhaseState, type Todo } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readActorId } from './read-actor-id.js';
import { readJobLogs, type JobLog, type PhaseLog, type LoggedEvent } from './streams.js';

/** Checks that todos are completed once each in their own phase, that no phase completes with open todos, and that the next phase has the planned ones. */
export function* checkTodoLists(remains: RunResult): Iterable<string> {
  for (const job of readJobLogs(remains)) {
    for (const phase of job.phases) yield* checkTodos(job, phase);
    yield* checkHandover(job);
    yield* checkObligations(job);
  }
}

function* checkTodos({ agent, state: job }: JobLog, { phase, events, state }: PhaseLog): Iterable<string> {
  const { outcomes } = job.definition.workflow.states[state.start.identity.state]!;
  for (const [before, { event }] of eventsWithState(events)) {
    const where = `${agent} phase ${phase}`;
    if (event.type === 'TodoCompleted') {
      const todo = before?.todos.list.find(({ id }) => id === event.data.todoId);
      if (!todo) yield `${where}: todo ${event.data.todoId} was completed but is not on the list`;
      else if (todo.status === 'done') yield `${where}: todo ${event.data.todoId} was completed twice`;
    }
    if (event.type === 'PhaseCompleted' && !event.data.rewound && !outcomes[event.data.outcome]?.early) {
      const open = before?.todos.list.filter(({ status }) => status === 'open') ?? [];
      if (open.length > 0) yield `${where} completed with todo ${open.map(({ id }) => id).join(', ')} open`;
    }
  }
}

/** Checks that each phase has the todos that the previous one planned, or those of the failed attempt that it repeats. */
function* checkHandover({ agent, phases, state: job }: JobLog): Iterable<string> {
  for (const [index, { phase, state }] of phases.entries()) {
    const planned = phases[index - 1];
    const before = planned?.state;
    if (!before?.end) continue;
    const { start } = state;
    const texts = (todos: readonly Todo[]): string => JSON.stringify(todos);
    // A failed phase of a loop is no longer repeated once it counts as a failed attempt.
    const isRepeated = before.end.kind !== 'completed' && (start.identity.attempt > 1 || !job.items);
    if (isRepeated && texts(start.plan.todos) !== texts(before.todos.list))
      yield `${agent} phase ${phase} repeats phase ${phase - 1} with different todos`;
    const plan = before.end.kind === 'completed' ? before.end.plan : undefined;
    if (plan && texts(start.plan.todos) !== texts(plan.todos))
      yield `${agent} phase ${phase} does not have the todos that phase ${phase - 1} planned`;
    if (plan && !wrotePlan(phases, index - 1))
      yield `${agent} phase ${phase} has a plan that was not written in phase ${phase - 1}`;
    const isPlanned = job.definition.workflow.states[start.identity.state]!.todos === 'from-file';
    if (isPlanned && before.start.identity.kind === 'strategic' && !plan)
      yield `${agent} phase ${phase} began without a plan`;
  }
}

/** Checks that each todo left open by a rewind is repeated or covered by a later phase before the job completes. */
function* checkObligations({ agent, state, phases }: JobLog): Iterable<string> {
  if (state?.status !== 'completed') return;
  const worked = phases.map(({ state: phase }) => phase).filter(({ start }) => start.identity.kind === 'tactical');
  for (const { start, todos, end } of worked) {
    if (end?.kind !== 'completed') continue;
    const later = worked
      .filter((other) => other.start.identity.phase > start.identity.phase)
      .flatMap((other) => other.todos.list);
    for (const todo of todos.list.filter(({ status }) => status === 'open')) {
      const ref = `${start.identity.phase}-${todo.id}`;
      if (!later.some(({ content, covers }) => content === todo.content || covers?.includes(ref)))
        yield `${agent} completed although no later todo covers ${ref}, which was left open`;
    }
  }
}

/** Whether the list was written in that phase or in an earlier attempt at it; unchanged text is not written again. */
function wrotePlan(phases: readonly PhaseLog[], index: number): boolean {
  const phase = phases[index];
  if (!phase) return false;
  if (phase.events.some(({ event }) => event.type === 'FileWritten' && event.data.path === TODOS_FILE)) return true;
  const before = phases[index - 1]?.state.end;
  return before !== undefined && before.kind !== 'completed' && wrotePlan(phases, index - 1);
}

/** Checks that answers come from the owner of the open call in its epoch, and that each open call gets one result. */
export function* checkFencing(remains: RunResult): Iterable<string> {
  for (const { jobId, agent, phases } of readJobLogs(remains)) {
    const starters = new Map<string, string>();
    for (const { phase, events } of phases) {
      for (const [before, { event, recorded }] of eventsWithState(events)) {
        const where = `${agent} phase ${phase} version ${recorded.version}`;
        const actor = readActorId(recorded);
        if (event.type === 'ModelResponded' || event.type === 'JudgeEnded' || event.type === 'ReflectionRecorded')
          yield* checkAnswer(where, before, actor, event.data.usage);
        if (event.type === 'ModelCallStarted' && before?.modelCall.open)
          yield `${where}: a second model call while one is open`;
        if (event.type === 'ModelCallStarted' && before?.paused) yield `${where}: a model call in a paused phase`;
        if (event.type === 'PhaseTakenOver' && event.data.epoch !== (before?.modelCall.epoch ?? 0) + 1)
          yield `${where}: epoch ${event.data.epoch} after ${before?.modelCall.epoch}`;
        if (event.type === 'ToolCallStarted') {
          if (before?.calls.byId[event.data.callId]?.status !== 'requested')
            yield `${where}: ${event.data.callId} was started twice`;
          starters.set(event.data.callId, event.data.leaseOwner);
        }
        if (event.type === 'ToolCallCompleted' || event.type === 'ToolCallFailed') {
          const call = before?.calls.byId[event.data.callId];
          if (!call || hasCallEnded(call)) yield `${where}: a result for ${event.data.callId}, which was not open`;
        }
      }
    }
    for (const effect of remains.effects) {
      if (effect.jobId !== jobId || effect.kind !== 'once') continue;
      const starter = starters.get(effect.callId);
      if (starter !== effect.processId)
        yield `${agent}: ${effect.processId} ran ${effect.callId}, which the log assigns to ${starter ?? 'no process'}`;
    }
  }
}

function* checkAnswer(
  where: string,
  before: PhaseState | undefined,
  actor: string,
  { inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number },
): Iterable<string> {
  const call = before?.modelCall.open;
  if (!call) yield `${where}: ${actor} answered a call that was not open`;
  else if (call.leaseOwner !== actor) yield `${where}: ${actor} answered the call of ${call.leaseOwner}`;
  else if (inputTokens + outputTokens > call.reservedTokens)
    yield `${where}: ${inputTokens + outputTokens} tokens of ${call.reservedTokens} reserved`;
  else if (call.epoch !== before.modelCall.epoch)
    yield `${where}: an answer of epoch ${call.epoch} in epoch ${before.modelCall.epoch}`;
}

/** Checks that every call of an ended phase has a result, so that its conversation could be sent. */
export function* checkCallsClosed(remains: RunResult): Iterable<string> {
  for (const { agent, phases } of readJobLogs(remains)) {
    for (const { phase, state } of phases) {
      const open = state.end ? Object.values(state.calls.byId).filter((call) => !hasCallEnded(call)) : [];
      for (const { callId } of open) yield `${agent} phase ${phase} ended with ${callId} open`;
    }
  }
}

/** Yields every event with the state before it. */
function* eventsWithState(
  told: readonly LoggedEvent<PhaseEvent>[],
): Iterable<[PhaseState | undefined, LoggedEvent<PhaseEvent>]> {
  let state: PhaseState | undefined;
  for (const one of told) {
    yield [state, one];
    state = evolvePhase(state, one.event);
  }
}
