import type { ViewEvent } from '../log/view-events.js';

/** Columns with the usage and cost of models. */
export interface SpendingRow {
  readonly steps: number;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly cost_micro_usd: number;
}

export const noSpending: SpendingRow = {
  steps: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  cost_micro_usd: 0,
};

export const spendingColumns = Object.keys(noSpending) as readonly (keyof SpendingRow)[];

type AnswerEvent = Extract<
  ViewEvent,
  { type: 'ModelResponded' | 'ConversationSummarised' | 'JudgeEnded' | 'ReflectionRecorded' }
>;

/** Whether an event is an answer of a model, with what it cost. */
export function isAnswer(event: ViewEvent): event is AnswerEvent {
  const { type } = event;
  return (
    type === 'ModelResponded' ||
    type === 'ConversationSummarised' ||
    type === 'JudgeEnded' ||
    type === 'ReflectionRecorded'
  );
}

/** Adds the usage and cost of a model's answer to a row. Only an answer that continues the work is a step. */
export function addSpending<Item extends SpendingRow>(row: Item, { type, data }: AnswerEvent): Item {
  const { usage, costMicroUsd } = data;
  return {
    ...row,
    steps: row.steps + (type === 'ModelResponded' ? 1 : 0),
    input_tokens: row.input_tokens + usage.inputTokens,
    cached_input_tokens: row.cached_input_tokens + usage.cachedInputTokens,
    output_tokens: row.output_tokens + usage.outputTokens,
    cost_micro_usd: row.cost_micro_usd + costMicroUsd,
  };
}
