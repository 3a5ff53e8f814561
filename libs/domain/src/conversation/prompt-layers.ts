import { z } from 'zod';

const tokens = z.int().min(0);

/** Tokens of a prompt by layer: the system prompt, the todo list, the tools, the reflection on a failed attempt, the summary so far, the conversation. */
export const promptLayersSchema = z.object({
  system: tokens,
  todos: tokens,
  tools: tokens,
  /** Absent in a prompt without one. */
  reflexion: tokens.optional(),
  summary: tokens,
  conversation: tokens,
});
export type PromptLayers = z.infer<typeof promptLayersSchema>;
