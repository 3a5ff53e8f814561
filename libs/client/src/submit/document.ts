import { z } from 'zod';

/**
 * Upper bounds of a submission; a server may be configured lower. 32 MiB is a text of some ten thousand pages or a scan of
 * a few hundred; all of it is held in memory once on its way into the log.
 */
export const SUBMIT_LIMITS = {
  documents: 50,
  documentBytes: 32 * 1024 * 1024,
  /** Of a document that is a part of a form: it passes through in pieces, so it may be larger. */
  formDocumentBytes: 256 * 1024 * 1024,
  instructionsCharacters: 1_000_000,
  /** Members of objects and items of lists in the parameters, at all depths together. */
  parameterValues: 10_000,
  /** Characters of the parameters as JSON: they stand in the log and in the prompt. Larger data belongs in a document. */
  parameterCharacters: 256 * 1024,
  labels: 32,
} as const;

const NAME_HINT =
  'expected a relative name such as "spec.pdf" or "contracts/spec.pdf": no "..", backslash, control or unpaired character';

/** Whether a document may be stored under this name below `documents/`. */
export function isDocumentName(name: string): boolean {
  if (name.length === 0 || name.length > 255 || /[\u0000-\u001f\u007f\\]|\p{Cs}/u.test(name)) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** How many bytes a base64 text stands for, without decoding it. */
export function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

const TOO_LARGE = `expected at most ${SUBMIT_LIMITS.documentBytes / 1024 / 1024} MiB a document in JSON: send it as a file of a form`;

/** An input file of a job. It becomes `documents/<name>` of the workspace, byte for byte. */
export const documentSchema = z
  .strictObject({
    name: z.string().refine(isDocumentName, NAME_HINT),
    /** Text, stored as UTF-8. */
    content: z.string().max(SUBMIT_LIMITS.documentBytes, TOO_LARGE).optional(),
    /** Any bytes, in standard base64 with padding. */
    contentBase64: z
      .base64()
      .refine((text) => decodedBytes(text) <= SUBMIT_LIMITS.documentBytes, TOO_LARGE)
      .optional(),
    /** For example `application/pdf`; guessed from the name and the first bytes where it is missing. */
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

export type JobDocument = z.infer<typeof documentSchema>;
