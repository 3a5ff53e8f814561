import { z } from 'zod';
import { metamodelSchema } from './metamodel.js';

const share = z.number().min(0).max(1);

/**
 * Limits of the document tools. An argument of the model may only be stricter: smaller chunks, less overlap, a higher
 * confidence, fewer vocabularies.
 */
export const documentSettingsSchema = z
  .strictObject({
    /** Maximum size of a chunk in tokens (estimated). */
    chunkTokens: z.int().min(100).max(16_000).default(1_500),
    /** Tokens of the previous chunk that a chunk repeats. */
    overlapTokens: z.int().min(0).max(1_000).default(60),
    /** Below this confidence, a candidate is doubtful: the words are more often not an obligation. */
    minConfidence: share.default(0.5),
    /** Names of the vocabularies with which relevance is assessed; all that are shipped or beside the agent if absent. */
    vocabularies: z
      .array(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected the name of a vocabulary in lower case'))
      .min(1)
      .max(20)
      .optional(),
  })
  .refine(({ chunkTokens, overlapTokens }) => overlapTokens * 2 <= chunkTokens, {
    path: ['overlapTokens'],
    error: "expected at most half of 'chunkTokens'",
  });
export type DocumentSettings = z.infer<typeof documentSettingsSchema>;
export const DEFAULT_DOCUMENT_SETTINGS = documentSettingsSchema.parse({});

/** Depths of a web search, the shallowest first. */
export const searchDepths = ['basic', 'advanced'] as const;
export type SearchDepth = (typeof searchDepths)[number];

/** Limits of the web search. An argument of the model may only be stricter: fewer results, a shallower search. */
export const searchSettingsSchema = z.strictObject({
  maxResults: z.int().min(1).max(20).default(20),
  /** How thoroughly the search engine looks, where it supports this; deeper searches cost more. */
  depth: z.enum(searchDepths).default('basic'),
});
export type SearchSettings = z.infer<typeof searchSettingsSchema>;
export const DEFAULT_SEARCH_SETTINGS = searchSettingsSchema.parse({});

/** Limits of the graph tools. An argument of the model may only be stricter: a lower threshold finds more duplicates. */
export const graphSettingsSchema = z.strictObject({
  /** Similarity from which two requirements count as duplicates. */
  duplicateThreshold: share.default(0.9),
  /** What the graph may contain; the metamodel of the tool-runner if absent. */
  metamodel: metamodelSchema.optional(),
});
export type GraphSettings = z.infer<typeof graphSettingsSchema>;
export const DEFAULT_GRAPH_SETTINGS = graphSettingsSchema.parse({});
