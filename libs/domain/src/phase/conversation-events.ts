import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { usageSchema } from './model-events.js';

const count = z.int().min(0);

export const toolResultsCleared = defineEvent(
  'ToolResultsCleared',
  1,
  'Old tool results were removed from the conversation. The log keeps them, and the model may call again.',
  z.object({
    callIds: z.array(callIdSchema).min(1),
    /** Tokens saved in every later call. */
    tokens: count,
  }),
);

export const reasoningCleared = defineEvent(
  'ReasoningCleared',
  1,
  'Reasoning of older answers was removed from the conversation that is sent to the model. The log keeps it.',
  z.object({
    /** The last step whose answer lost its reasoning. All earlier answers have lost theirs too. */
    upToStep: z.int().min(1),
    /** Tokens saved in every later call. */
    tokens: count,
  }),
);

export const conversationSummarised = defineEvent(
  'ConversationSummarised',
  2,
  'The older part of the conversation was replaced by a summary that the model wrote.',
  z.object({
    /** The step for which the summary makes room. */
    step: z.int().min(1),
    model: z.string(),
    summary: z.string(),
    /** Number of entries, counted from the start of the conversation, that the summary replaces. */
    entries: z.int().min(1),
    usage: usageSchema,
    costMicroUsd: count,
    durationMs: count,
  }),
);

export const summaryNotRecorded = defineEvent(
  'SummaryNotRecorded',
  1,
  'A fork that replays a recording kept its conversation whole, because no summary was recorded that could replace a part of it.',
  z.object({
    /** The step before which the conversation would have been summarised. */
    step: z.int().min(1),
    /** Size of the prompt in tokens. */
    promptTokens: count,
  }),
);
