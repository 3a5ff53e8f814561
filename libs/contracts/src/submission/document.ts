import { z } from 'zod';

/**
 * Upper bounds of a submission; a server may have lower limits. 32 MiB is a text of about ten thousand pages or a scan of a few
 * hundred; a document in JSON is held in memory while it is stored.
 */
export const SUBMIT_LIMITS = {
  documents: 50,
  documentBytes: 32 * 1024 * 1024,
  /** Limit of a document in a form. It is streamed, so it may be larger. */
  formDocumentBytes: 256 * 1024 * 1024,
  instructionsCharacters: 1_000_000,
  /** Total number of object members and array elements in the parameters, at all depths. */
  parameterValues: 10_000,
  /** Length of the parameters as JSON. They are stored in the log and included in the prompt; larger data belongs in a document. */
  parameterCharacters: 256 * 1024,
  labels: 32,
} as const;

/**
 * Limits of a submission as JSON text, checked before it is parsed: over HTTP and on the `jobs` queue. A document in base64 takes four
 * thirds of its size; the rest is for the other fields. Parameters may have half of the values, and 32 of the levels.
 */
export const SUBMISSION_JSON_BOUNDS = {
  bytes: Math.ceil((SUBMIT_LIMITS.documentBytes * 4) / 3) + 8 * 1024 * 1024,
  values: 2 * SUBMIT_LIMITS.parameterValues,
  depth: 40,
} as const;

const NAME_HINT =
  'expected a relative name such as "spec.pdf" or "contracts/spec.pdf": no "..", backslash, control or unpaired character';

/** Whether a document may have this name. */
export function isDocumentName(name: string): boolean {
  if (name.length === 0 || name.length > 255 || /[\u0000-\u001f\u007f\\]|\p{Cs}/u.test(name)) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Computes the decoded size of a base64 text in bytes, without decoding it. */
function countDecodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

const TOO_LARGE = `expected at most ${SUBMIT_LIMITS.documentBytes / 1024 / 1024} MiB per document in JSON; send it as a file of a form`;

/** An input file of a job. It is stored unchanged as `documents/<name>` in the workspace. */
export const documentSchema = z
  .strictObject({
    name: z.string().refine(isDocumentName, NAME_HINT),
    /** Text, stored as UTF-8. */
    content: z.string().max(SUBMIT_LIMITS.documentBytes, TOO_LARGE).optional(),
    /** Any bytes, in standard base64 with padding. */
    contentBase64: z
      .base64()
      .refine((text) => countDecodedBytes(text) <= SUBMIT_LIMITS.documentBytes, TOO_LARGE)
      .optional(),
    /** For example `application/pdf`. Default: detected from the name and the first bytes. */
    mediaType: z
      .string()
      .max(200)
      .regex(/^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w.+-]+=[^\s;]+)*$/, 'expected a media type such as "text/markdown"')
      .optional(),
  })
  .refine(({ content, contentBase64 }) => (content === undefined) !== (contentBase64 === undefined), {
    message: 'expected exactly one of "content" (text) and "contentBase64" (bytes)',
    path: ['content'],
  })
  .meta({ id: 'Document' });
