import { z } from 'zod';
import { jsonObjectSchema } from '@phaseline/basics';
import { callIdSchema, processIdSchema, reasoningModes, streamIdSchema } from '@phaseline/contracts';
import { promptLayersSchema } from '../conversation/prompt-layers.js';
import { defineEvent } from '../event/define-event.js';

const count = z.int().min(0);
/** Purposes of the calls that do not continue the work. */
const modelCallPurposes = ['summary', 'judge', 'reflection'] as const;
export type ModelCallPurpose = (typeof modelCallPurposes)[number];

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const usageSchema = z.object({
  inputTokens: count,
  cachedInputTokens: count,
  /** The part of `inputTokens` that the server wrote into its prompt cache. Absent if it does not say, and in the first version of events. */
  cacheWriteInputTokens: count.optional(),
  outputTokens: count,
  estimated: z.boolean(),
});

const usd = z.number().nonnegative();

export const modelCallStarted = defineEvent(
  'ModelCallStarted',
  5,
  'A worker is about to call the model. The worst-case cost of the call is reserved.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    /** Version of the code that built the prompt. */
    promptBuilder: z.int().min(1),
    requestHash: sha256,
    inputTokens: count,
    reservedTokens: count,
    reservedMicroUsd: count,
    leaseOwner: processIdSchema,
    epoch: count,
    /** Set for a call that does not continue the work: it summarises the conversation, judges a claim, or reflects on a failed attempt. */
    purpose: z.enum(modelCallPurposes).optional(),
    /** The call of the system for which a judge is asked. */
    callId: callIdSchema.optional(),
    /** The reservation in the budget of a person for the day of the call. */
    daily: z.object({ budget: streamIdSchema, reservation: z.string() }).optional(),
    /** Share of `inputTokens` per layer of the prompt. The layers sum to it exactly. */
    layers: promptLayersSchema.optional(),
    /** Settings of the model's profile that the request depends on. Absent in calls of version 1. */
    request: z
      .object({
        maxOutputTokens: z.int().min(1),
        /** When the model's reasoning is sent back to it. */
        reasoning: z.enum(reasoningModes),
        /** Maximum tokens of a prompt before the conversation is summarised. */
        summariseTokens: z.int(),
        /** Maximum tokens of the model per call, request and answer together. Absent in calls before version 5. */
        contextTokens: z.int().min(1).optional(),
      })
      .optional(),
    /** Prices of the model in USD per million tokens, so that the cost of another prompt can be computed later. Absent in calls before version 5. */
    prices: z
      .object({
        inputUsdPerMillion: usd,
        cachedInputUsdPerMillion: usd.optional(),
        cacheWriteInputUsdPerMillion: usd.optional(),
        outputUsdPerMillion: usd,
      })
      .optional(),
  }),
);

export const modelCallFailed = defineEvent(
  'ModelCallFailed',
  2,
  'An attempt to call the model failed. Its reservation is kept if the call may have been charged.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    code: z.string(),
    message: z.string(),
    /** Number of attempts that the lease owner made at this call. */
    attempts: z.int().min(1),
    mayBeCharged: z.boolean(),
    /** How long the attempt took. Absent in attempts of version 1. */
    durationMs: count.optional(),
  }),
);

export const modelAwaited = defineEvent(
  'ModelAwaited',
  1,
  'The model server is unavailable or overloaded. The worker retries the call until the server answers.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    code: z.string(),
    /** Why the last attempt failed, and what can be done about it. */
    message: z.string(),
    since: z.iso.datetime(),
    /** When the phase gives up. */
    until: z.iso.datetime(),
  }),
);

export const modelResponded = defineEvent(
  'ModelResponded',
  2,
  'The model answered. Its actual usage replaces the reservation.',
  z.object({
    step: z.int().min(1),
    model: z.string(),
    content: z.string(),
    reasoning: z.string().optional(),
    calls: z.array(
      z.object({
        callId: callIdSchema,
        name: z.string(),
        /** Absent when the model sent no complete JSON object. `malformed` then contains what it sent. */
        arguments: jsonObjectSchema.optional(),
        malformed: z.string().optional(),
      }),
    ),
    end: z.enum(['stop', 'calls', 'truncated', 'filtered']),
    usage: usageSchema,
    costMicroUsd: count,
    durationMs: count,
  }),
);
