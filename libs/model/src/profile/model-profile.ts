import { jsonObjectSchema, reasoningHabits } from '@phaseline/domain';
import { z } from 'zod';

/** Timers of Node take at most this many milliseconds; a larger delay would fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;
const milliseconds = z.int().min(1).max(LONGEST_TIMER_MS);
const usdPerMillion = z.number().nonnegative().max(1_000_000);

/** Far above any model. With the highest prices, a call of this size still costs what a number holds exactly. */
const MAX_TOKENS = 1_000_000_000;
export const contextTokensSchema = z.int().min(512).max(MAX_TOKENS);

export const pricesSchema = z.strictObject({
  /** USD per million tokens. A model of one's own costs nothing unless told otherwise. */
  inputPerMillion: usdPerMillion.default(0),
  /** What the server takes for tokens that it had in its prompt cache; the full price when absent. */
  cachedInputPerMillion: usdPerMillion.optional(),
  outputPerMillion: usdPerMillion.default(0),
});

export const reasoningSchema = z.strictObject({
  /** Where reasoning is sent back, and read first; answers are read from either field. */
  field: z.enum(['reasoning_content', 'reasoning']).default('reasoning_content'),
  /**
   * `never`: most servers reject it. `between-calls`: with the calls since the last user message (gpt-oss).
   * `with-calls`: with every answer that made calls, even when it is empty (DeepSeek in thinking mode).
   */
  sendBack: z.enum(reasoningHabits).default('never'),
});

export const timeoutsSchema = z.strictObject({
  /** One attempt from sending to the last byte. */
  callMs: milliseconds.default(900_000),
  /** From sending to the first byte of the body: a local model may read a long prompt for minutes. */
  firstByteMs: milliseconds.default(600_000),
  /** Between two pieces of a stream; keep-alive comments count as life, hidden reasoning is silence. */
  idleMs: milliseconds.default(300_000),
});

export const retriesSchema = z.strictObject({
  /** Attempts in all, the first included. */
  attempts: z.int().min(1).max(20).default(5),
  /** The first pause; each further one is twice as long, and every pause is spread at random over its upper half. */
  baseDelayMs: milliseconds.default(500),
  maxDelayMs: milliseconds.default(30_000),
  /** A server that asks for more patience than this is not waited for: the call fails, and may be made later. */
  maxRetryAfterMs: milliseconds.default(120_000),
  /**
   * How long a phase waits for a server that is away or overloaded once these attempts are used up; six hours by default, and never
   * beyond the job's deadline. With 0 the phase fails at once.
   */
  waitMs: z.int().min(0).max(31_536_000_000).default(21_600_000),
});

/** All that is to be known of a model at an endpoint: one YAML file under `models/`. */
export const modelProfileSchema = z.strictObject({
  /** What agent definitions call it. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'expected lower-case letters, digits, dots and dashes'),
  /** What the server calls it. */
  model: z.string().min(1),
  /** Tokens that one call can take, request and answer together; asked of the server when absent. */
  contextTokens: contextTokensSchema.optional(),
  maxOutputTokens: z.int().min(16).max(MAX_TOKENS).default(8_192),
  /** Sent as `parallel_tool_calls` with the tools; nothing is sent when absent, as some models reject the parameter. */
  parallelCalls: z.boolean().optional(),
  streaming: z.boolean().default(true),
  /** Whether to ask for usage in streams (`stream_options`); a few old servers reject that. */
  streamUsage: z.boolean().default(true),
  /** How the bound of the answer is named; by default as the host wants it (api.openai.com has its own name). */
  maxTokensParameter: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  reasoning: reasoningSchema.prefault({}),
  /** Takes `<tool_call>…` out of the text, for servers that do not parse their model's calls. Offered tools only. */
  textCallRescue: z.boolean().default(false),
  temperature: z.number().min(0).max(2).optional(),
  /** Further members of the request, for what a server knows beyond the common (`reasoning_effort`, `top_p`). */
  extraBody: jsonObjectSchema.optional(),
  prices: pricesSchema.prefault({}),
  timeouts: timeoutsSchema.prefault({}),
  retries: retriesSchema.prefault({}),
});

export type ModelProfile = z.infer<typeof modelProfileSchema>;
export type ModelPrices = z.infer<typeof pricesSchema>;
export type ModelTimeouts = z.infer<typeof timeoutsSchema>;
export type RetryPolicy = z.infer<typeof retriesSchema>;
