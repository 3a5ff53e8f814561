import { jsonObjectSchema } from '@phaseline/basics';
import { reasoningModes } from '@phaseline/contracts';
import { z } from 'zod';

/** Longest delay of a Node timer in milliseconds; with a longer delay it fires immediately. */
export const MAX_TIMER_MS = 2_147_483_647;
const milliseconds = z.int().min(1).max(MAX_TIMER_MS);
const usdPerMillion = z.number().nonnegative().max(1_000_000);

/** Far above any model, and low enough that the cost of such a call is a safe integer even at the highest prices. */
const MAX_TOKENS = 1_000_000_000;
export const contextTokensSchema = z.int().min(512).max(MAX_TOKENS);

const pricesSchema = z.strictObject({
  /** USD per million input tokens. Defaults to 0, as for a self-hosted model. */
  inputUsdPerMillion: usdPerMillion.default(0),
  /** USD per million input tokens served from the prompt cache. Defaults to the full input price. */
  cachedInputUsdPerMillion: usdPerMillion.optional(),
  /** USD per million input tokens that the server writes into its prompt cache. Defaults to the full input price. */
  cacheWriteInputUsdPerMillion: usdPerMillion.optional(),
  outputUsdPerMillion: usdPerMillion.default(0),
});

const reasoningSchema = z.strictObject({
  /** Field in which reasoning is sent back, and which is read first. Answers are read from either field. */
  field: z.enum(['reasoning_content', 'reasoning']).default('reasoning_content'),
  /**
   * When to send reasoning back. `never`: most servers reject it. `between-calls`: with the calls since the last user
   * message (gpt-oss). `with-calls`: with every answer that made calls, even if it is empty (DeepSeek in thinking mode).
   */
  sendBack: z.enum(reasoningModes).default('never'),
});

const timeoutsSchema = z.strictObject({
  /** Timeout of one attempt, from sending to the last byte. */
  callMs: milliseconds.default(900_000),
  /** Timeout from sending to the first byte of the body. A local model may read a long prompt for minutes. */
  firstByteMs: milliseconds.default(600_000),
  /** Timeout between two pieces of a stream. Keep-alive comments count as pieces; during hidden reasoning nothing is sent. */
  idleMs: milliseconds.default(300_000),
});

export const retriesSchema = z.strictObject({
  /** Total number of attempts, including the first. */
  attempts: z.int().min(1).max(20).default(5),
  /** First pause. Each later pause is twice as long; each is randomised between half and all of its length. */
  baseDelayMs: milliseconds.default(500),
  maxDelayMs: milliseconds.default(30_000),
  /** Longest `retry-after` to wait for. If the server requests more, the call fails and may be retried later. */
  maxRetryAfterMs: milliseconds.default(120_000),
  /**
   * How long a phase waits for an unavailable or overloaded server after its attempts are used up. Defaults to six hours and
   * never exceeds the job's deadline. With 0 the phase fails immediately.
   */
  waitMs: z.int().min(0).max(31_536_000_000).default(21_600_000),
});

/** Configuration of a model at an endpoint: one YAML file under `models/`. */
export const modelProfileSchema = z.strictObject({
  /** Name that agent definitions use. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'expected lower-case letters, digits, dots and dashes'),
  /** Name of the model on the server. */
  model: z.string().min(1),
  /** Context size in tokens, for request and answer together. If absent, it is queried from the server. */
  contextTokens: contextTokensSchema.optional(),
  maxOutputTokens: z.int().min(16).max(MAX_TOKENS).default(8_192),
  /** Sent as `parallel_tool_calls` with the tools. If absent, nothing is sent, because some models reject the parameter. */
  parallelCalls: z.boolean().optional(),
  streaming: z.boolean().default(true),
  /** Whether to request usage in streams (`stream_options`). A few old servers reject that. */
  streamUsage: z.boolean().default(true),
  /** Name of the parameter for the output limit. Defaults to the name that the host expects (api.openai.com has its own). */
  maxTokensParameter: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  reasoning: reasoningSchema.prefault({}),
  /** Extracts `<tool_call>…` from the text, for servers that do not parse their model's calls. Offered tools only. */
  textCallRescue: z.boolean().default(false),
  temperature: z.number().min(0).max(2).optional(),
  /** Additional members of the request body, for server-specific parameters (`reasoning_effort`, `top_p`). */
  extraBody: jsonObjectSchema.optional(),
  prices: pricesSchema.prefault({}),
  timeouts: timeoutsSchema.prefault({}),
  retries: retriesSchema.prefault({}),
});

export type ModelProfile = z.infer<typeof modelProfileSchema>;
export type ModelPrices = z.infer<typeof pricesSchema>;
export type ModelTimeouts = z.infer<typeof timeoutsSchema>;
export type RetryPolicy = z.infer<typeof retriesSchema>;
