import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { InvalidFormField, SUBMIT_FORM, SUBMIT_FORM_TEXT_FIELDS } from '@phaseline/client';
import { isDocumentName, SUBMIT_LIMITS } from '@phaseline/contracts';
import type { JobDocument } from '@phaseline/orchestration';
import { findExcess } from '@phaseline/queue';
import type { StoredContent } from '@phaseline/workspace';
import { ApiProblem } from '../problem/api-problem.js';
import { createExcessProblem } from './json-body-parser.js';
import { FIELD_BOUNDS, MAX_DRAINED_BYTES, formatMebibytes } from './limits.js';
import { refuseOversized, createTooLargeProblem } from './read-body.js';

/** A `multipart/form-data` request: the texts of its fields, and its files as references to stored bytes. */
export interface SubmittedForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly documents: readonly JobDocument[];
}

export interface FormLimits {
  readonly documentBytes: number;
  readonly formBytes: number;
}

/** Stores a stream of bytes without holding it in memory. `fields` are those that came before it. */
export type StoreBytes = (
  source: AsyncIterable<Uint8Array>,
  fields: Readonly<Record<string, string>>,
) => Promise<StoredContent>;

/** Maximum size in bytes of all fields that are not files. */
const MAX_FIELDS_BYTES = 2 * FIELD_BOUNDS.bytes;

/**
 * Reads a form to its end, even when part of it is refused, so that the caller receives the reason. No complete file is
 * ever held in memory. Throws ApiProblem and InvalidFormField.
 */
export async function readForm(request: FastifyRequest, limits: FormLimits, keep: StoreBytes): Promise<SubmittedForm> {
  const drain = Math.max(MAX_DRAINED_BYTES, limits.formBytes + MAX_FIELDS_BYTES);
  refuseOversized(request.headers['content-length'], limits.formBytes, drain);
  const fields: Record<string, string> = {};
  const documents: JobDocument[] = [];
  let refusal: Error | undefined;
  let bytes = 0;
  let fieldBytes = 0;
  const parts = request.parts({
    preservePath: true,
    limits: {
      fileSize: limits.documentBytes + 1,
      fieldSize: FIELD_BOUNDS.bytes,
      fields: 50,
      files: SUBMIT_LIMITS.documents,
    },
  });
  for await (const part of withProblems(parts)) {
    if (part.type === 'file') {
      const name = decodeFileName(part.filename);
      refusal ??= refuseName(part.fieldname, name);
      const limit = Math.min(limits.documentBytes, limits.formBytes - bytes);
      const content = refusal
        ? await discardFile(part.file)
        : await storeFile(part.file, limit, (source) => keep(source, fields));
      if (content) {
        bytes += content.size;
        documents.push({ name, content });
      } else if (!refusal) {
        refusal =
          limit === limits.documentBytes ? documentTooLarge(name, limits) : createTooLargeProblem(limits.formBytes);
      }
    } else if (part.valueTruncated) {
      refusal ??= new InvalidFormField(
        part.fieldname,
        `expected at most ${formatMebibytes(FIELD_BOUNDS.bytes)}; send documents as "${SUBMIT_FORM.file}"`,
      );
    } else {
      // A part with the content type JSON arrives parsed.
      const text = typeof part.value === 'string' ? part.value : JSON.stringify(part.value);
      fieldBytes += Buffer.byteLength(text);
      refusal ??= refuseField(part.fieldname, text, fieldBytes);
      if (!refusal) fields[part.fieldname] = text;
    }
  }
  if (refusal) throw refusal;
  return { fields, documents };
}

function refuseField(name: string, text: string, fieldBytes: number): Error | undefined {
  if (fieldBytes > MAX_FIELDS_BYTES)
    return new ApiProblem(
      'request_too_large',
      `The fields of the form are larger than ${formatMebibytes(MAX_FIELDS_BYTES)} together. Send documents as "${SUBMIT_FORM.file}".`,
    );
  if (SUBMIT_FORM_TEXT_FIELDS.includes(name)) return undefined;
  const excess = findExcess(text, FIELD_BOUNDS);
  return excess === undefined ? undefined : createExcessProblem(excess, FIELD_BOUNDS);
}

/** Translates the plain errors that the parser throws for a truncated or malformed form. */
async function* withProblems<Part>(parts: AsyncIterable<Part>): AsyncGenerator<Part, void, undefined> {
  try {
    yield* parts;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const isLimit = cause instanceof Error && 'statusCode' in cause && cause.statusCode === 413;
    if (isLimit)
      throw new ApiProblem(
        'request_too_large',
        `The form has too many parts: at most ${SUBMIT_LIMITS.documents} documents are accepted.`,
        { cause },
      );
    throw new ApiProblem(
      'invalid_request',
      `The form cannot be read: ${reason}. Send complete multipart/form-data with its boundary.`,
      { cause },
    );
  }
}

/** Stores a file; undefined when it has more than `limit` bytes. Always reads it to the end. */
async function storeFile(
  file: Readable,
  limit: number,
  keep: (source: AsyncIterable<Uint8Array>) => Promise<StoredContent>,
): Promise<StoredContent | undefined> {
  let size = 0;
  const within = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of file as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size <= limit) yield chunk;
    }
  };
  const entry = await keep(within());
  return size <= limit ? entry : undefined;
}

async function discardFile(file: Readable): Promise<undefined> {
  for await (const _chunk of file);
}

/** Decodes quotes and line breaks in a file name, which the standard for forms encodes in this way. */
function decodeFileName(fileName: string | undefined): string {
  return (fileName ?? '').replace(/%(?:22|0D|0A)/g, decodeURIComponent);
}

function refuseName(field: string, name: string): Error | undefined {
  if (field !== SUBMIT_FORM.file)
    return new InvalidFormField(field, `expected text; documents belong in "${SUBMIT_FORM.file}"`);
  if (isDocumentName(name)) return undefined;
  return new InvalidFormField(
    field,
    'expected a file name such as "spec.pdf" or "contracts/spec.pdf": relative, no "..", no control characters',
  );
}

function documentTooLarge(name: string, { documentBytes }: FormLimits): ApiProblem {
  return new ApiProblem(
    'document_too_large',
    `The document ${JSON.stringify(name)} is larger than ${formatMebibytes(documentBytes)}. Split it, or submit its text only.`,
    {
      errors: [{ path: SUBMIT_FORM.file, message: `expected at most ${formatMebibytes(documentBytes)} per document` }],
    },
  );
}
