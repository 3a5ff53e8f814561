import { createHash } from 'node:crypto';
import type { JsonObject } from '@phaseline/basics';
import { z } from 'zod';
import { estimateTokens, REHEARSAL_MODEL } from './answer-chunks.js';
import { Refusal } from './refusal.js';

/** Numbers per vector. */
const DIMENSIONS = 256;

/** Characters of a word that count, so that most of its forms are the same. */
const STEM_CHARACTERS = 5;

const requestSchema = z.object({
  model: z.string(),
  input: z.union([
    z
      .string()
      .min(1)
      .transform((text) => [text]),
    z.array(z.string().min(1)).min(1).max(2_048),
  ]),
  encoding_format: z.enum(['float', 'base64']).default('float'),
});

/**
 * Answers a request for embeddings as a server with an OpenAI-compatible API does. The vectors are made of the words of a text alone: texts with the
 * same words are similar, and nothing is known of their meaning.
 *
 * @throws {Refusal} if a real server would reject it as well.
 */
export function embedTexts(body: string): JsonObject {
  const { input, encoding_format: format } = parseEmbeddingRequest(body);
  const tokens = input.reduce((sum, text) => sum + estimateTokens(text), 0);
  return {
    object: 'list',
    model: REHEARSAL_MODEL,
    data: input.map((text, index) => {
      const vector = hashWords(text);
      return { object: 'embedding', index, embedding: format === 'base64' ? toBase64(vector) : [...vector] };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function parseEmbeddingRequest(body: string): z.output<typeof requestSchema> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
  const { data, error } = requestSchema.safeParse(json);
  if (!data) throw new Refusal(400, `${error.issues[0]!.path.join('.')}: ${error.issues[0]!.message}`);
  if (data.model !== REHEARSAL_MODEL)
    throw new Refusal(404, `this server has no model but ${REHEARSAL_MODEL}`, 'model_not_found');
  return data;
}

/** Adds or subtracts one per word, at the place that its hash says. */
function hashWords(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const hash = createHash('sha256').update(word.slice(0, STEM_CHARACTERS)).digest();
    const place = hash.readUInt16LE(0) % DIMENSIONS;
    vector[place] = vector[place]! + (hash[2]! % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((number) => number / length);
}

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}
