import { BadFormField, ENCRYPT_HEADER, IDEMPOTENCY_KEY_HEADER, submitRequestFromForm } from '@phaseline/client';
import { newJobId } from '@phaseline/history';
import { actorIdOf } from '@phaseline/service';
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

interface Settled {
  readonly jobId: string | undefined;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
}

/**
 * The id of the job that a form asks for, settled when its first document comes: documents are stored as they arrive, and those
 * of an encrypted job under its key. So whether to encrypt, the tenant and the idempotency key must be known by then: from headers, or
 * from fields before the first file.
 */
export class FormTarget {
  private settled: Settled | undefined;

  constructor(private readonly request: Pick<FastifyRequest, 'headers' | 'raw'>) {}

  /** The id of an encrypted job; undefined for any other. `fields` are those that came before. Throws BadFormField and ApiProblem. */
  jobId(fields: Readonly<Record<string, string>>): string | undefined {
    this.settled ??= this.settle(fields);
    return this.settled.jobId;
  }

  /** Throws BadFormField where something came behind a document that should have come before it. */
  check(form: { readonly encrypt?: unknown; readonly idempotencyKey?: unknown; readonly tenant?: unknown }): void {
    if (!this.settled) return;
    const { jobId, key, tenant } = this.settled;
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
    if (jobId !== undefined && key !== undefined && form.tenant !== tenant)
      throw new BadFormField('tenant', 'expected it before the first file: the job is encrypted');
  }

  private settle(fields: Readonly<Record<string, string>>): Settled {
    const { encrypt, idempotencyKey, tenant: asked } = submitRequestFromForm(fields);
    const header = this.request.headers[IDEMPOTENCY_KEY_HEADER];
    const given = header ?? idempotencyKey;
    const key = typeof given === 'string' ? given : undefined;
    const sealed = encrypt === true || encryptHeader(this.request) === true;
    const tenant = typeof asked === 'string' ? asked : undefined;
    const actorId = actorIdOf(this.request);
    return { jobId: sealed ? newJobId({ sealed, tenant, actorId, key }) : undefined, key, tenant };
  }
}
