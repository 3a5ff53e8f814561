import {
  agentDefinitionSchema,
  foldPhase,
  type ContextSettings,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import { buildPhaseStart } from '@phaseline/domain/testing';
import { type ReasoningMode } from '@phaseline/contracts';
import * as fc from 'fast-check';
import { hashRequest } from './build-prompt.js';
import { selectResultsOverLimit, selectResultsToClear } from './clear-results.js';
import { planSummary } from './summarise.js';

/** Something that happens in a phase. Texts from people are numbered, so that they can be found in the prompt. */
export type Happening =
  | { readonly kind: 'step'; readonly results: readonly number[]; readonly refused: boolean; readonly allowed: boolean }
  | { readonly kind: 'words' }
  | { readonly kind: 'steered' }
  | { readonly kind: 'nudged' }
  | { readonly kind: 'done' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'summarise'; readonly limit: number }
  | { readonly kind: 'overflow'; readonly excess: number };

const length = fc.integer({ min: 1, max: 400 });
export const happeningsArbitrary: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('step' as const),
        results: fc.array(length, { minLength: 1, maxLength: 4 }),
        refused: fc.boolean(),
        allowed: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('words' as const, 'steered' as const, 'nudged' as const, 'done' as const),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ kind: 'clear' as const }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('summarise' as const), limit: fc.integer({ min: 500, max: 6_000 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('overflow' as const), excess: fc.integer({ min: 1, max: 2_000 }) }),
    },
  ),
  { minLength: 5, maxLength: 40 },
);

export const TODOS = ['Read the first chapter', 'Compare the editions', 'Write the findings', 'Check the citations'];
const agent = agentDefinitionSchema.parse({ name: 'tester', displayName: 'Tester', tools: {} });
const usage = { inputTokens: 7, cachedInputTokens: 0, outputTokens: 3, estimated: false };

/** A phase to which random happenings are appended as the engine would append them. */
export class RandomPhase {
  state: PhaseState;
  /** Messages and decisions of people so far. */
  readonly decisions: string[] = [];
  private steps = 0;

  constructor(
    context: Partial<ContextSettings> = {},
    readonly mode: ReasoningMode = 'never',
  ) {
    this.state = foldPhase([started({ ...agent.context, keepResults: 2, clearTokens: 500, ...context })])!;
  }

  happen(happening: Happening): void {
    switch (happening.kind) {
      case 'step':
        return this.step(happening);
      case 'words':
        return this.append(answered((this.steps += 1), []));
      case 'steered': {
        const said = `Mind rule ${this.decisions.length + 1}.`;
        this.decisions.push(said);
        return this.append({ type: 'PhaseSteered', data: { actor: 'ada', message: said } }, calling(this.steps + 1));
      }
      case 'nudged':
        return this.append({ type: 'PhaseNudged', data: { count: 1, message: 'Go on.' } });
      case 'done': {
        const open = this.state.todos.list.find(({ status }) => status === 'open');
        if (open)
          this.append({ type: 'TodoCompleted', data: { todoId: open.id, note: `noted of ${open.id}`, callId: 'c' } });
        return;
      }
      case 'clear':
        return this.clear(selectResultsToClear(this.state, this.mode));
      case 'overflow':
        return this.clear(selectResultsOverLimit(this.state, happening.excess, this.mode));
      case 'summarise': {
        const plan = planSummary(this.state, happening.limit, hashRequest, this.mode);
        if (!plan) return;
        this.append({
          type: 'ConversationSummarised',
          data: {
            step: this.steps + 1,
            model: 'm',
            summary: `SUMMARY ${this.steps}`,
            entries: plan.entries,
            usage,
            costMicroUsd: 1,
            durationMs: 1,
          },
        });
      }
    }
  }

  /** Appends a call that waits for a person's approval. */
  askForApproval(): string {
    this.steps += 1;
    const callId = `c${this.steps}_1`;
    this.append(
      answered(this.steps, [callId], 'this takes some words to explain '.repeat(200)),
      requested('ApprovalRequested', callId, this.steps),
    );
    return callId;
  }

  private step({ results, refused, allowed }: Extract<Happening, { kind: 'step' }>): void {
    this.steps += 1;
    const callIds = results.map((_, index) => `c${this.steps}_${index + 1}`);
    this.append(answered(this.steps, callIds));
    for (const [index, callId] of callIds.entries()) {
      const content = `result of ${callId}: ${'word '.repeat(results[index]!)}`;
      const ended: PhaseEvent = { type: 'ToolCallCompleted', data: { callId, content, attempts: 1, durationMs: 1 } };
      if (index === 0 && refused) {
        const reason = `not ${callId}, because rule ${this.decisions.length + 1} says so and everybody has agreed on it long ago in writing`;
        this.decisions.push(reason);
        this.append(requested('ApprovalRequested', callId, this.steps), {
          type: 'ApprovalRefused',
          data: { callId, actor: 'ada', reason },
        });
      } else if (index === 0 && allowed) {
        this.append(
          requested('ApprovalRequested', callId, this.steps),
          { type: 'ApprovalGranted', data: { callId, actor: 'ada' } },
          ended,
        );
      } else this.append(requested('ToolCallRequested', callId, this.steps), ended);
    }
  }

  private clear(clearing: ReturnType<typeof selectResultsToClear>): void {
    if (clearing?.reasoning) this.append({ type: 'ReasoningCleared', data: clearing.reasoning });
    if (clearing && clearing.callIds.length > 0)
      this.append({
        type: 'ToolResultsCleared',
        data: { callIds: [...clearing.callIds], tokens: Math.max(0, clearing.tokens) },
      });
  }

  private append(...events: PhaseEvent[]): void {
    this.state = foldPhase(events, this.state)!;
  }
}

function started(context: ContextSettings): PhaseEvent {
  const todos = TODOS.map((content, index) => ({ id: index + 1, content, status: 'open' as const }));
  return buildPhaseStart({ terms: { context }, plan: { todos } });
}

function answered(step: number, callIds: readonly string[], words = `thought ${step}`): PhaseEvent {
  const calls = callIds.map((callId) => ({ callId, name: 'fetch', arguments: { of: callId } }));
  return {
    type: 'ModelResponded',
    data: {
      step,
      model: 'm',
      content: words,
      reasoning: `weighing ${step} ${'this and that '.repeat(step % 7)}`,
      calls,
      end: calls.length > 0 ? 'calls' : 'stop',
      usage,
      costMicroUsd: 1,
      durationMs: 1,
    },
  };
}

function requested(type: 'ToolCallRequested' | 'ApprovalRequested', callId: string, step: number): PhaseEvent {
  const data: PhaseEventData<'ToolCallRequested'> = {
    callId,
    step,
    name: 'fetch',
    arguments: { of: callId },
    lane: 'remote',
    effect: 'pure',
    traits: [],
    timeoutMs: 1_000,
  };
  return type === 'ToolCallRequested'
    ? { type, data }
    : { type, data: { ...data, expiresAt: '2030-01-01T00:00:00.000Z' } };
}

function calling(step: number): PhaseEvent {
  const reserved = { inputTokens: 1, reservedTokens: 1, reservedMicroUsd: 1 };
  return {
    type: 'ModelCallStarted',
    data: { step, model: 'm', promptBuilder: 1, requestHash: '0'.repeat(64), ...reserved, leaseOwner: 'w', epoch: 0 },
  };
}
