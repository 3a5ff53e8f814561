import { z } from 'zod';
import { metamodelSchema } from './metamodel.js';

const share = z.number().min(0).max(1);

/** Values of the document tools where an agent sets none. */
export const DEFAULT_DOCUMENT_SETTINGS = { chunkTokens: 1_500, overlapTokens: 60, minConfidence: 0.5 };

/**
 * Limits of the document tools. An argument of the model may only be stricter: smaller chunks, less overlap, a higher
 * confidence, fewer vocabularies. Without a limit, an argument may have any value that the tool accepts.
 */
export const documentSettingsSchema = z
  .strictObject({
    /** Maximum size of a chunk in tokens (estimated). */
    chunkTokens: z.int().min(100).max(16_000).optional(),
    /** Tokens of the previous chunk that a chunk repeats. */
    overlapTokens: z.int().min(0).max(1_000).optional(),
    /** Below this confidence, a candidate is doubtful: the words are more often not an obligation. */
    minConfidence: share.optional(),
    /** Names of the vocabularies with which relevance is assessed; all that are shipped or beside the agent if absent. */
    vocabularies: z
      .array(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected the name of a vocabulary in lower case'))
      .min(1)
      .max(20)
      .optional(),
  })
  .refine(
    ({ chunkTokens = DEFAULT_DOCUMENT_SETTINGS.chunkTokens, overlapTokens = 0 }) => overlapTokens * 2 <= chunkTokens,
    { path: ['overlapTokens'], error: "expected at most half of 'chunkTokens'" },
  );
export type DocumentSettings = z.infer<typeof documentSettingsSchema>;

/** Depths of a web search, the shallowest first. */
export const searchDepths = ['basic', 'advanced'] as const;
export type SearchDepth = (typeof searchDepths)[number];

/** Limits of the web search. An argument of the model may only be stricter: fewer results, a shallower search. */
export const searchSettingsSchema = z.strictObject({
  maxResults: z.int().min(1).max(20).optional(),
  /** How thoroughly the search engine looks, where it supports this; deeper searches cost more. `basic` if absent. */
  depth: z.enum(searchDepths).optional(),
});

/** Similarity from which two requirements count as duplicates where an agent sets none. */
export const DEFAULT_DUPLICATE_THRESHOLD = 0.9;

/** Limits of the graph tools. An argument of the model may only be stricter: a lower threshold finds more duplicates. */
export const graphSettingsSchema = z.strictObject({
  /** Similarity from which two requirements count as duplicates. */
  duplicateThreshold: share.optional(),
  /** What the graph may contain; the metamodel of the tool-runner if absent. */
  metamodel: metamodelSchema.optional(),
});
