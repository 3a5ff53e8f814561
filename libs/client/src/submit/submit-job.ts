import { generateIdempotencyKey } from '../http/generate-idempotency-key.js';
import { ENCRYPT_HEADER, IDEMPOTENCY_KEY_HEADER, routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import { SUBMIT_FORM } from './submit-form.js';
import { submitResponseSchema, type SubmitRequest, type SubmitResponse } from '@phaseline/contracts';

/** A document that is sent as bytes, not as base64. */
export interface SubmitFile {
  readonly name: string;
  readonly content: Blob | Uint8Array<ArrayBuffer> | string;
  readonly mediaType?: string;
}

/**
 * Submits a job. If the request has no idempotency key, a random one is used, so that a retry after a lost response returns the job of
 * the first attempt instead of creating another.
 */
export async function submitJob(
  transport: Transport,
  request: SubmitRequest,
  options: { readonly files?: readonly SubmitFile[]; readonly signal?: AbortSignal } = {},
): Promise<SubmitResponse> {
  const { idempotencyKey, ...rest } = request;
  const files = options.files ?? [];
  return transport.json(
    {
      method: 'POST',
      path: routes.jobs(),
      headers: {
        [IDEMPOTENCY_KEY_HEADER]: idempotencyKey ?? generateIdempotencyKey(),
        ...(rest.encrypt ? { [ENCRYPT_HEADER]: 'true' } : {}),
      },
      body: files.length === 0 ? JSON.stringify(rest) : createForm(rest, files),
      signal: options.signal,
      isRepeatable: true,
      timeoutMs: transport.timeoutMs + files.reduce((sum, file) => sum + sizeOf(file), 0) / MIN_UPLOAD_BYTES_PER_MS,
    },
    submitResponseSchema,
  );
}

/** Upload speed on which the timeout is based: one second per megabyte. */
const MIN_UPLOAD_BYTES_PER_MS = 1_000;

function sizeOf({ content }: SubmitFile): number {
  if (content instanceof Blob) return content.size;
  return typeof content === 'string' ? content.length : content.byteLength;
}

function createForm(request: SubmitRequest, files: readonly SubmitFile[]): FormData {
  const data = new FormData();
  data.append(SUBMIT_FORM.request, JSON.stringify(request));
  for (const { name, content, mediaType } of files) {
    const type = mediaType ?? (content instanceof Blob ? content.type : '');
    data.append(SUBMIT_FORM.file, new Blob([content], { type }), name);
  }
  return data;
}
