import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';

const count = z.int().min(0);
const ordinal = z.int().min(1);

/** A model call of a phase, as the log records its start. */
const modelCallSchema = z
  .object({
    step: ordinal,
    /** Number of the call within its step. A step whose attempt failed or was taken over has several. */
    attempt: ordinal,
    /** `summary` for a call that shortened the conversation, `reflection` for one about a failed attempt. */
    purpose: z.enum(['work', 'summary', 'judge', 'reflection']),
    /** Name of the model profile. */
    model: z.string(),
    /** Version of the code that built the prompt. */
    promptBuilder: ordinal,
    /** SHA-256 of the request as recorded. */
    requestHash: z.string(),
    inputTokens: count,
    /** Position of the event that records the start of the call. */
    position: ordinal,
  })
  .meta({ id: 'ModelCall' });
export type ModelCall = z.infer<typeof modelCallSchema>;

export const modelCallListSchema = z.object({ items: z.array(modelCallSchema) }).meta({ id: 'ModelCallList' });
export type ModelCallList = z.infer<typeof modelCallListSchema>;

/** Query of `GET /v1/jobs/:jobId/phases/:phase/steps/:step/prompt`. */
export const promptQuerySchema = z
  .strictObject({
    /** Number of the call within its step; default: the last. */
    attempt: queryInteger({ min: 1, max: 1_000_000 }).optional(),
  })
  .meta({ id: 'PromptQuery' });
export type PromptQuery = z.infer<typeof promptQuerySchema>;

const promptMessageSchema = z
  .object({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.string(),
    reasoning: z.string().optional(),
    toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
    /** The call that a message of the role `tool` answers. */
    callId: z.string().optional(),
  })
  .meta({ id: 'PromptMessage' });
export type PromptMessage = z.infer<typeof promptMessageSchema>;

/** Names of the layers of a prompt. */
const promptLayers = ['system', 'todos', 'reflexion', 'summary', 'conversation', 'tools'] as const;

const promptLayerSchema = z
  .object({
    layer: z.enum(promptLayers),
    tokens: count,
    /** Index of its first message in the request. */
    firstMessage: count,
    /** Number of its messages; 0 for the tools, which are sent beside the messages. */
    messageCount: count,
  })
  .meta({ id: 'PromptLayer' });
export type PromptLayer = z.infer<typeof promptLayerSchema>;

/** The request of a model call, rebuilt from the log. */
export const promptSchema = z
  .object({
    jobId: jobIdSchema,
    phase: ordinal,
    call: modelCallSchema,
    /** Version of the code that rebuilt the request. */
    rebuiltBy: ordinal,
    /** SHA-256 of the rebuilt request. */
    hash: z.string(),
    /** Whether `hash` equals the recorded hash, so that the request is exactly what the model was sent. */
    isExact: z.boolean(),
    /** Why a request that is not exact may differ. */
    difference: z.enum(['other-builder', 'other-release']).optional(),
    /** Layers with text, in the order in which they are sent. Their tokens sum to those of the request. */
    layers: z.array(promptLayerSchema),
    /** Tokens of each message of the request, as counted before it was sent. */
    messageTokens: z.array(count),
    /** Tokens of each tool of the request. */
    toolTokens: z.array(count),
    request: z.object({
      messages: z.array(promptMessageSchema),
      tools: z.array(
        z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
      ),
      maxOutputTokens: ordinal.optional(),
    }),
  })
  .meta({ id: 'Prompt' });
export type PromptResponse = z.infer<typeof promptSchema>;
