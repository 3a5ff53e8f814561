import type { CallId } from '@phaseline/contracts';
import { type PhaseEvent } from '@phaseline/domain';
import { buildPhaseStart, type StartChanges } from '@phaseline/domain/testing';
import { contentHash } from '@phaseline/event-store';
import type { Act, Turn } from './labelled-run.js';

const TODOS = 12;
const WORKSPACE = new Set(['read_file', 'write_file', 'replace_in_file', 'list_files', 'todo_complete', 'list_todos']);

/** Generates the events of a phase in which these answers are given, as a log would contain them. */
export function* playRun(turns: readonly Turn[], changes: StartChanges = {}): Generator<PhaseEvent> {
  yield phaseStarted(changes);
  let todo = 1;
  for (const [index, turn] of turns.entries()) {
    const step = index + 1;
    const isCompleting = typeof turn === 'object' && 'done' in turn;
    const acts: readonly Act[] =
      typeof turn === 'string' ? [] : isCompleting ? [...turn.done, todoCompletion(todo)] : (turn as readonly Act[]);
    const calls = acts.map((act, at) => ({ callId: `call_1_${step}_${at + 1}`, name: act.tool, arguments: act.args }));
    yield {
      type: 'ModelResponded',
      data: {
        step,
        model: 'default',
        content: typeof turn === 'string' ? turn : '',
        calls,
        end: calls.length > 0 ? 'calls' : 'stop',
        usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, estimated: false },
        costMicroUsd: 1,
        durationMs: 1,
      },
    };
    for (const [at, act] of acts.entries())
      yield* callEvents(act, step, calls[at]!.callId, isCompleting && at === acts.length - 1 ? todo : undefined);
    if (isCompleting) todo += 1;
  }
}

function todoCompletion(todo: number): Act {
  return { tool: 'todo_complete', args: {}, result: `Todo ${todo} is done.` };
}

function* callEvents(act: Act, step: number, callId: CallId, todo: number | undefined): Generator<PhaseEvent> {
  const isInlineTool = WORKSPACE.has(act.tool);
  const effect = act.effect ?? 'pure';
  const lane = isInlineTool ? 'inline' : 'remote';
  yield {
    type: 'ToolCallRequested',
    data: { callId, step, name: act.tool, arguments: act.args, lane, effect, traits: [], timeoutMs: 1_000 },
  };
  if (todo !== undefined) yield { type: 'TodoCompleted', data: { todoId: todo, callId } };
  for (const [path, content] of Object.entries(act.files ?? {})) {
    const hash = contentHash(Buffer.from(content));
    yield {
      type: 'FileWritten',
      data: { path, hash, size: content.length, writtenAt: '2026-01-01T00:00:00.000Z', callId },
    };
  }
  if (act.failed)
    yield { type: 'ToolCallFailed', data: { callId, code: 'failed', message: act.result, attempts: 1, durationMs: 1 } };
  else yield { type: 'ToolCallCompleted', data: { callId, content: act.result, attempts: 1, durationMs: 1 } };
}

function phaseStarted(changes: StartChanges): PhaseEvent {
  return buildPhaseStart({
    ...changes,
    identity: { phase: 2, ...changes.identity },
    terms: { tools: ['read_file', 'todo_complete'], ...changes.terms },
    plan: {
      todos: Array.from({ length: TODOS }, (_, index) => ({
        id: index + 1,
        content: `Do part ${index + 1}`,
        status: 'open' as const,
      })),
      ...changes.plan,
    },
  });
}
