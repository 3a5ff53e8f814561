import type { ChatAnswer, ChatRequest } from '@phaseline/domain';
import type { ChatModel } from '@phaseline/model';
import { where } from '../engine/scripts.js';
import { Chance, type Roll } from '../simulator/schedule/chance.js';
import { DELIVERABLE, parsed, type Habit, type Utterance } from './habit.js';
import { habits } from './habits.js';

const TODOS = ['Gather', 'Sort', 'Write', 'Check', 'Note'];

/** A model with some bad habits: which ones, and how often it gives way to each, follows from the seed. */
export class MisbehavingModel implements ChatModel {
  readonly habits: readonly string[];
  private readonly rates: readonly { readonly habit: Habit; readonly rate: number }[];
  private turns = 0;

  constructor(private readonly chance: Chance) {
    const roll = chance.at('habits');
    const names = Object.keys(habits);
    this.habits = [...new Set(Array.from({ length: roll.between(1, 4) }, () => roll.pick(names)))];
    this.rates = this.habits.map((name) => ({ habit: habits[name]!, rate: roll.pick([0.1, 0.3, 0.6, 1]) }));
  }

  /** Longer than any job may last; a model that is asked more often is asked for ever. */
  static readonly mostTurns = 4_000;

  complete(request: ChatRequest): Promise<ChatAnswer> {
    this.turns += 1;
    if (this.turns > MisbehavingModel.mostTurns)
      throw new Error(`the model was asked ${this.turns} times; nothing ended the job`);
    return Promise.resolve(answerOf(this.utterance(request, this.chance.at(`turn ${this.turns}`))));
  }

  private utterance(request: ChatRequest, roll: Roll): Utterance {
    for (const { habit, rate } of this.rates) {
      const utterance = roll.happens(rate) ? habit(request, roll) : undefined;
      if (utterance) return utterance;
    }
    return diligent(request);
  }
}

/** What a good model would do next: plan, write the report, complete the todos, complete the job. */
function diligent(request: ChatRequest): Utterance {
  const { kind, phase } = where(request);
  const last = request.messages.at(-1);
  const complete = parsed('todo_complete');
  if (kind === 'tactical') {
    const wrote = last?.role === 'tool' && last.content.startsWith(`Wrote ${DELIVERABLE}`);
    return wrote
      ? { calls: [complete] }
      : { calls: [parsed('write_file', { path: DELIVERABLE, content: `The report of phase ${phase}.` })] };
  }
  const plans = phase === 1 || owes(request);
  if (!plans && request.tools.some(({ name }) => name === 'job_complete'))
    return { calls: [parsed('job_complete', { summary: 'done', confidence: 0.9, deliverables: [DELIVERABLE] })] };
  return {
    calls: [parsed('todo_write', { phase: 'The work', todos: TODOS.map((content) => ({ content })) }), complete],
  };
}

/** A list was given up, and the next one has to account for what was left open: `4-2: the todo`. */
function owes({ messages }: ChatRequest): boolean {
  return /\b\d+-\d+: /.test(messages[0]?.content ?? '');
}

function answerOf({ content = '', calls = [], end }: Utterance): ChatAnswer {
  return {
    content,
    calls: calls.map((call, index) => ({ id: `call${index}`, ...call })),
    end: end ?? (calls.length > 0 ? 'calls' : 'stop'),
    usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, estimated: false },
  };
}
