import { BadFormField, ENCRYPT_HEADER, IDEMPOTENCY_KEY_HEADER, submitRequestFromForm } from '@phaseline/client';
import { newJobId } from '@phaseline/history';
import type { FastifyRequest } from 'fastify';
import { invalidRequest } from '../problem/validation.pipe.js';

/** Whether the header asks for encryption; undefined where it is not there. Throws ApiProblem. */
export function encryptHeader(request: Pick<FastifyRequest, 'headers'>): boolean | undefined {
  const header = request.headers[ENCRYPT_HEADER];
  if (header === undefined) return undefined;
  if (header === 'true') return true;
  if (header === 'false') return false;
  throw invalidRequest([{ path: ENCRYPT_HEADER, message: 'expected "true" or "false"' }]);
}

/**
 * The id of the job that a form asks for, settled when its first document comes: documents are stored as they arrive, and those
 * of an encrypted job under its key. So whether to encrypt, and the idempotency key, must be known by then: from headers, or
 * from fields before the first file.
 */
export class FormTarget {
  private settled: { readonly jobId: string | undefined; readonly key: string | undefined } | undefined;

  constructor(private readonly request: Pick<FastifyRequest, 'headers'>) {}

  /** The id of an encrypted job; undefined for any other. `fields` are those that came before. Throws BadFormField and ApiProblem. */
  jobId(fields: Readonly<Record<string, string>>): string | undefined {
    this.settled ??= this.settle(fields);
    return this.settled.jobId;
  }

  /** Throws BadFormField where something came behind a document that should have come before it. */
  check(form: { readonly encrypt?: unknown; readonly idempotencyKey?: unknown }): void {
    if (!this.settled) return;
    const { jobId, key } = this.settled;
    if ((form.encrypt === true) !== (jobId !== undefined))
      throw new BadFormField(
        'encrypt',
        `expected it before the first file, or the header "${ENCRYPT_HEADER}: true"; what came before it was not stored encrypted, and "phaseline blobs collect" removes it`,
      );
    if (jobId !== undefined && form.idempotencyKey !== key)
      throw new BadFormField(
        'idempotencyKey',
        'expected it before the first file, or as a header: the job is encrypted',
      );
  }

  private settle(fields: Readonly<Record<string, string>>): { jobId: string | undefined; key: string | undefined } {
    const { encrypt, idempotencyKey } = submitRequestFromForm(fields);
    const header = this.request.headers[IDEMPOTENCY_KEY_HEADER];
    const given = header ?? idempotencyKey;
    const key = typeof given === 'string' ? given : undefined;
    const sealed = encrypt === true || encryptHeader(this.request) === true;
    return { jobId: sealed ? newJobId({ sealed, key }) : undefined, key };
  }
}
