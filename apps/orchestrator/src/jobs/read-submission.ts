import { yieldOnce } from '@phaseline/basics';
import { ENCRYPT_HEADER, IDEMPOTENCY_KEY_HEADER, submitRequestFromForm } from '@phaseline/client';
import {
  idempotencyKeySchema,
  SUBMIT_LIMITS,
  submitRequestSchema,
  type ParsedSubmitRequest,
} from '@phaseline/contracts';
import type { JobDocument, JobRequest } from '@phaseline/orchestration';
import type { FastifyRequest } from 'fastify';
import { formatMebibytes } from '../body/limits.js';
import { readForm, type FormLimits } from '../body/read-form.js';
import { readEncryptHeader, FormTarget } from '../erase/form-target.js';
import type { Submissions } from './submissions.js';
import { ApiProblem } from '../problem/api-problem.js';
import { invalidRequest, invalidValues } from '../problem/validation.pipe.js';

/** Reads a submission from a JSON body or a form. Throws ApiProblem and InvalidFormField. */
export async function readSubmission(
  request: FastifyRequest,
  forms: { readonly limits: FormLimits; readonly keep: Submissions['keep'] },
): Promise<JobRequest> {
  if (!request.isMultipart()) {
    // Parsing and checking a document of 32 MiB take about 50 and 100 ms; let other requests run between the two.
    await yieldOnce();
    return toJobRequest(parseSubmission(withHeaders(request, request.body)));
  }
  const target = new FormTarget(request);
  const { fields, documents } = await readForm(request, forms.limits, (source, before) =>
    forms.keep(source, target.jobId(before)),
  );
  const submission = toJobRequest(parseSubmission(withHeaders(request, submitRequestFromForm(fields))), documents);
  target.check(submission);
  return { ...submission, jobId: target.jobId(fields) };
}

/** Parses a submission. Throws ApiProblem. */
function parseSubmission(input: unknown): ParsedSubmitRequest {
  const parsed = submitRequestSchema.safeParse(input);
  if (!parsed.success) throw invalidValues(parsed.error);
  return parsed.data;
}

/**
 * Converts a submission from the API's format to the domain's. `files` are documents that came with a form. Throws
 * ApiProblem.
 */
export function toJobRequest(submission: ParsedSubmitRequest, files: readonly JobDocument[] = []): JobRequest {
  const { documents = [], ...rest } = submission;
  const all: JobDocument[] = [
    ...documents.map(({ name, content, contentBase64 }) => ({ name, content: bytesOf(content, contentBase64) })),
    ...files,
  ];
  if (all.length > SUBMIT_LIMITS.documents) {
    throw invalidRequest([{ path: 'documents', message: `expected at most ${SUBMIT_LIMITS.documents} documents` }]);
  }
  for (const [index, { name, content }] of all.entries()) {
    if (content instanceof Uint8Array && content.byteLength > SUBMIT_LIMITS.documentBytes) {
      throw new ApiProblem(
        'document_too_large',
        `The document ${JSON.stringify(name)} is larger than ${formatMebibytes(SUBMIT_LIMITS.documentBytes)}. Send it as multipart/form-data, which accepts larger ones.`,
        {
          errors: [
            {
              path: `documents.${index}`,
              message: `expected at most ${formatMebibytes(SUBMIT_LIMITS.documentBytes)} per document`,
            },
          ],
        },
      );
    }
  }
  return { ...rest, documents: all };
}

function bytesOf(content: string | undefined, contentBase64: string | undefined): Uint8Array {
  return contentBase64 === undefined ? new TextEncoder().encode(content) : Buffer.from(contentBase64, 'base64');
}

/** Adds the values of the headers to a submission. */
function withHeaders(request: FastifyRequest, body: unknown): unknown {
  const keyed = withKey(request, body);
  const encrypt = readEncryptHeader(request);
  if (encrypt === undefined || typeof keyed !== 'object' || keyed === null || Array.isArray(keyed)) return keyed;
  if ('encrypt' in keyed && keyed.encrypt !== encrypt)
    throw invalidRequest([
      { path: ENCRYPT_HEADER, message: 'expected the same as in the body, or only one of the two' },
    ]);
  return { ...keyed, encrypt };
}

/** Adds the idempotency key of the header, if there is one. */
function withKey(request: FastifyRequest, body: unknown): unknown {
  const header = request.headers[IDEMPOTENCY_KEY_HEADER];
  if (header === undefined || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if (!idempotencyKeySchema.safeParse(header).success) {
    throw invalidRequest([
      { path: IDEMPOTENCY_KEY_HEADER, message: 'expected 1 to 200 printable ASCII characters without spaces' },
    ]);
  }
  if ('idempotencyKey' in body && body.idempotencyKey !== header) {
    throw invalidRequest([
      { path: IDEMPOTENCY_KEY_HEADER, message: 'expected the same key as in the body, or only one of the two' },
    ]);
  }
  return { ...body, idempotencyKey: header };
}
