import { z } from 'zod';

/** Vocabularies that every agent can use without files of its own. */
export const SHIPPED_VOCABULARIES = ['gdpr', 'gobd'] as const;

const name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "expected a name in lower case such as 'gobd'");

const termSchema = z.strictObject({
  /**
   * One or more words. `*` at the end of a word stands for any ending, at its beginning for any first part, as in compounds. Upper
   * and lower case are the same.
   */
  term: z
    .string()
    .min(2)
    .max(200)
    .regex(/^\*?[\p{L}\p{N}§][\p{L}\p{N}§./-]*\*?(?: \*?[\p{L}\p{N}§][\p{L}\p{N}§./-]*\*?)*$/u, {
      error: "expected words with single spaces, with '*' only at the beginning or the end of a word",
    }),
  /** How strongly the term alone shows that a text belongs to the topic. */
  weight: z.number().gt(0).max(1),
});

/** Terms that show to which rules a text is relevant, by topic. */
export const vocabularySchema = z.strictObject({
  name,
  title: z.string().min(1).max(200),
  /** What the rules are, for a reader of the result. */
  description: z.string().min(1).max(1_000),
  topics: z
    .array(z.strictObject({ id: name, title: z.string().min(1).max(200), terms: z.array(termSchema).min(1).max(500) }))
    .min(1)
    .max(100)
    .refine((topics) => new Set(topics.map(({ id }) => id)).size === topics.length, { error: 'names a topic twice' }),
});
export type Vocabulary = z.infer<typeof vocabularySchema>;
