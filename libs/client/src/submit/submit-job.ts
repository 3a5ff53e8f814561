import { randomKey } from '../http/random-key.js';
import { ENCRYPT_HEADER, IDEMPOTENCY_KEY_HEADER, routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import { SUBMIT_FORM } from './submit-form.js';
import { submitResponseSchema, type SubmitRequest, type SubmitResponse } from './submit-request.js';

/** A document whose bytes are at hand; sent as they are, not as base64. */
export interface SubmitFile {
  readonly name: string;
  readonly content: Blob | Uint8Array<ArrayBuffer> | string;
  readonly mediaType?: string;
}

/**
 * Asks for a job. Without an idempotency key of the caller's one is invented, so that a retry after a lost answer finds the
 * job that the first attempt made instead of making another.
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
        [IDEMPOTENCY_KEY_HEADER]: idempotencyKey ?? randomKey(),
        ...(rest.encrypt ? { [ENCRYPT_HEADER]: 'true' } : {}),
      },
      body: files.length === 0 ? JSON.stringify(rest) : form(rest, files),
      signal: options.signal,
      repeatable: true,
      timeoutMs: transport.timeoutMs + files.reduce((sum, file) => sum + bytesOf(file), 0) / SLOWEST_BYTES_PER_MS,
    },
    submitResponseSchema,
  );
}

/** A file gets a second more for each megabyte. */
const SLOWEST_BYTES_PER_MS = 1_000;

function bytesOf({ content }: SubmitFile): number {
  if (content instanceof Blob) return content.size;
  return typeof content === 'string' ? content.length : content.byteLength;
}

function form(request: SubmitRequest, files: readonly SubmitFile[]): FormData {
  const data = new FormData();
  data.append(SUBMIT_FORM.request, JSON.stringify(request));
  for (const { name, content, mediaType } of files) {
    const type = mediaType ?? (content instanceof Blob ? content.type : '');
    data.append(SUBMIT_FORM.file, new Blob([content], { type }), name);
  }
  return data;
}
