import type { JsonObject } from '@phaseline/basics';
import type { ChatAnswer, ChatRequest } from '@phaseline/contracts';
import type { ChatModel } from '@phaseline/model';
import { doPlanningTodo, parsePrompt, Chance, type Roll } from '@phaseline/harness';
import { DELIVERABLE, parsedCall, type Habit, type Utterance } from './habit.js';
import { HABITS } from './habits.js';

const TODOS = ['Gather', 'Sort', 'Write', 'Check', 'Note'];

/** A model with a main bad habit and up to three more. The seed determines those, and how often it follows each. */
export class MisbehavingModel implements ChatModel {
  readonly habits: readonly string[];
  private readonly rates: readonly { readonly habit: Habit; readonly rate: number }[];
  private turns = 0;

  constructor(
    private readonly chance: Chance,
    mainHabit: string,
  ) {
    const roll = chance.rollFor('habits');
    const names = Object.keys(HABITS);
    this.habits = [...new Set([mainHabit, ...Array.from({ length: roll.between(0, 3) }, () => roll.pick(names))])];
    this.rates = this.habits.map((name) => ({ habit: HABITS[name]!, rate: roll.pick([0.1, 0.3, 0.6, 1]) }));
  }

  /** More turns than any job may take; a model that is called more often is in an endless loop. */
  static readonly MAX_TURNS = 4_000;

  complete(request: ChatRequest): Promise<ChatAnswer> {
    this.turns += 1;
    if (this.turns > MisbehavingModel.MAX_TURNS)
      throw new Error(`the model was called ${this.turns} times and nothing ended the job`);
    return Promise.resolve(toChatAnswer(this.utterance(request, this.chance.rollFor(`turn ${this.turns}`))));
  }

  private utterance(request: ChatRequest, roll: Roll): Utterance {
    for (const { habit, rate } of this.rates) {
      const utterance = roll.happens(rate) ? habit(request, roll) : undefined;
      if (utterance) return utterance;
    }
    return nextGoodAnswer(request);
  }
}

/** Next answer of a good model: plan, write the report, complete the todos, complete the job. */
function nextGoodAnswer(request: ChatRequest): Utterance {
  const { kind, phase } = parsePrompt(request);
  const last = request.messages.at(-1);
  const complete = parsedCall('todo_complete');
  if (kind === 'tactical') {
    const hasWritten = last?.role === 'tool' && last.content.startsWith(`Wrote ${DELIVERABLE}`);
    return hasWritten
      ? { calls: [complete] }
      : { calls: [parsedCall('write_file', { path: DELIVERABLE, content: `The report of phase ${phase}.` })] };
  }
  const [, done = 0, all = 0] = /Progress: (\d+) of (\d+) done/.exec(request.messages[1]?.content ?? '') ?? [];
  if (Number(all) - Number(done) > 1) {
    const { calls = [] } = doPlanningTodo(request);
    return { calls: calls.map(({ name, arguments: args }) => parsedCall(name, args as JsonObject)) };
  }
  const mustPlan = phase === 1 || hasObligations(request);
  if (!mustPlan && request.tools.some(({ name }) => name === 'job_complete'))
    return { calls: [parsedCall('job_complete', { summary: 'done', confidence: 0.9, deliverables: [DELIVERABLE] })] };
  return {
    calls: [
      parsedCall('todo_write', {
        phase: 'The work',
        description: 'What the job asks for.',
        todos: TODOS.map((content) => ({ content })),
      }),
      complete,
    ],
  };
}

/** Whether a rewound list left obligations, shown in the prompt as `4-2: the todo`. */
function hasObligations({ messages }: ChatRequest): boolean {
  return /\b\d+-\d+: /.test(messages[0]?.content ?? '');
}

function toChatAnswer({ content = '', calls = [], end }: Utterance): ChatAnswer {
  return {
    content,
    calls: calls.map((call, index) => ({ id: `call${index}`, ...call })),
    end: end ?? (calls.length > 0 ? 'calls' : 'stop'),
    usage: { inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, estimated: false },
  };
}
