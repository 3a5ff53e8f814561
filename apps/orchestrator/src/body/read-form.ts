import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { BadFormField, isDocumentName, SUBMIT_FORM, SUBMIT_LIMITS } from '@phaseline/client';
import { MAX_DOCUMENT_BYTES, type JobDocument } from '@phaseline/orchestration';
import { ApiProblem } from '../problem/api-problem.js';
import { MAX_FORM_BYTES, mebibytes } from './limits.js';
import { refuseHopeless, tooLarge } from './read-body.js';

/** A `multipart/form-data` request as it came: the texts of its fields, and its files with their bytes. */
export interface SubmittedForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly documents: readonly JobDocument[];
}

interface FormLimits {
  readonly documentBytes: number;
  readonly formBytes: number;
}

/** What a field may hold that is not a file: instructions, or a whole request with documents in it. */
const MAX_FIELD_BYTES = MAX_DOCUMENT_BYTES;

/**
 * Reads a form to its end, also when something in it is refused: the caller gets to read why. Throws ApiProblem and
 * BadFormField.
 */
export async function readForm(
  request: FastifyRequest,
  limits: FormLimits = { documentBytes: MAX_DOCUMENT_BYTES, formBytes: MAX_FORM_BYTES },
): Promise<SubmittedForm> {
  refuseHopeless(request.headers['content-length'], limits.formBytes);
  const fields: Record<string, string> = {};
  const documents: JobDocument[] = [];
  let refusal: Error | undefined;
  let bytes = 0;
  const parts = request.parts({
    preservePath: true,
    limits: {
      fileSize: limits.documentBytes + 1,
      fieldSize: MAX_FIELD_BYTES,
      fields: 50,
      files: SUBMIT_LIMITS.documents,
    },
  });
  for await (const part of readable(parts)) {
    if (part.type === 'file') {
      const name = unescaped(part.filename);
      refusal ??= refuseName(part.fieldname, name);
      const content = await collect(part.file, refusal ? 0 : Math.min(limits.documentBytes, limits.formBytes - bytes));
      if (content) {
        bytes += content.byteLength;
        documents.push({ name, content });
      } else if (!refusal) {
        refusal = part.file.truncated || bytes === 0 ? documentTooLarge(name, limits) : tooLarge(limits.formBytes);
      }
    } else if (part.valueTruncated) {
      refusal ??= new BadFormField(part.fieldname, `expected at most ${mebibytes(MAX_FIELD_BYTES)}`);
    } else {
      // A part that calls itself JSON arrives parsed.
      fields[part.fieldname] = typeof part.value === 'string' ? part.value : JSON.stringify(part.value);
    }
  }
  if (refusal) throw refusal;
  return { fields, documents };
}

/** The parser tells of a form that is cut or malformed with plain errors. */
async function* readable<Part>(parts: AsyncIterable<Part>): AsyncGenerator<Part, void, undefined> {
  try {
    yield* parts;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const isLimit = cause instanceof Error && 'statusCode' in cause && cause.statusCode === 413;
    if (isLimit)
      throw new ApiProblem(
        'request_too_large',
        `The form has too many parts: at most ${SUBMIT_LIMITS.documents} documents are taken.`,
        { cause },
      );
    throw new ApiProblem(
      'invalid_request',
      `The form cannot be read: ${reason}. Send multipart/form-data with its boundary, whole.`,
      { cause },
    );
  }
}

/** The bytes of a file; undefined when there are more than `limit`. Always reads to the end. */
async function collect(file: Readable, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size <= limit ? Buffer.concat(chunks, size) : undefined;
}

/** Quotes and line breaks cannot stand in the header of a part; whoever follows the standard of forms writes them so. */
function unescaped(fileName: string | undefined): string {
  return (fileName ?? '').replace(/%(?:22|0D|0A)/g, decodeURIComponent);
}

function refuseName(field: string, name: string): Error | undefined {
  if (field !== SUBMIT_FORM.file)
    return new BadFormField(field, `expected text; documents belong in "${SUBMIT_FORM.file}"`);
  if (isDocumentName(name)) return undefined;
  return new BadFormField(
    field,
    'expected a file name such as "spec.pdf" or "contracts/spec.pdf": relative, no "..", no control characters',
  );
}

function documentTooLarge(name: string, { documentBytes }: FormLimits): ApiProblem {
  return new ApiProblem(
    'document_too_large',
    `The document ${JSON.stringify(name)} is larger than ${mebibytes(documentBytes)}. Split it, or submit its text only.`,
    { details: [{ path: SUBMIT_FORM.file, message: `expected at most ${mebibytes(documentBytes)} a document` }] },
  );
}
