import { identifyKeyOwner } from '@phaseline/contracts';
import { InvalidFormField, ENCRYPT_HEADER, IDEMPOTENCY_KEY_HEADER, submitRequestFromForm } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createJobId } from '@phaseline/repository';
import { toActor } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { chooseTenant } from '../access/choose-tenant.js';
import { invalidRequest } from '../problem/validation.pipe.js';

/** Returns whether the header requests encryption; undefined when it is absent. Throws ApiProblem. */
export function readEncryptHeader(request: Pick<FastifyRequest, 'headers'>): boolean | undefined {
  const header = request.headers[ENCRYPT_HEADER];
  if (header === undefined) return undefined;
  if (header === 'true') return true;
  if (header === 'false') return false;
  throw invalidRequest([{ path: ENCRYPT_HEADER, message: 'expected "true" or "false"' }]);
}

interface TargetJob {
  readonly jobId: JobId | undefined;
  readonly key: string | undefined;
  readonly tenant: string | undefined;
}

/**
 * The target of a form submission, fixed when its first document arrives: documents are stored as they arrive, those of
 * an encrypted job under its key. So whether to encrypt, the tenant and the idempotency key must be known by then, from
 * headers or from fields before the first file.
 */
export class FormTarget {
  private target: TargetJob | undefined;

  constructor(private readonly request: Pick<FastifyRequest, 'headers' | 'raw'>) {}

  /**
   * Returns the id of an encrypted job; undefined for any other. `fields` are those that came before. Throws
   * InvalidFormField and ApiProblem.
   */
  jobId(fields: Readonly<Record<string, string>>): JobId | undefined {
    this.target ??= this.resolveTarget(fields);
    return this.target.jobId;
  }

  /** Throws InvalidFormField when a field came after a document but should have come before it. */
  check(form: { readonly encrypt?: unknown; readonly idempotencyKey?: unknown; readonly tenant?: unknown }): void {
    if (!this.target) return;
    const { jobId, key, tenant } = this.target;
    if ((form.encrypt === true) !== (jobId !== undefined))
      throw new InvalidFormField(
        'encrypt',
        `expected it before the first file, or the header "${ENCRYPT_HEADER}: true"; the files before it were not stored encrypted, and "phaseline blobs collect" removes them`,
      );
    if (jobId !== undefined && form.idempotencyKey !== key)
      throw new InvalidFormField(
        'idempotencyKey',
        'expected it before the first file, or as a header: the job is encrypted',
      );
    if (jobId !== undefined && key !== undefined && form.tenant !== tenant)
      throw new InvalidFormField('tenant', 'expected it before the first file: the job is encrypted');
  }

  private resolveTarget(fields: Readonly<Record<string, string>>): TargetJob {
    const { encrypt, idempotencyKey, tenant: requestedTenant } = submitRequestFromForm(fields);
    const header = this.request.headers[IDEMPOTENCY_KEY_HEADER];
    const requestedKey = header ?? idempotencyKey;
    const key = typeof requestedKey === 'string' ? requestedKey : undefined;
    const isEncrypted = encrypt === true || readEncryptHeader(this.request) === true;
    const tenant = typeof requestedTenant === 'string' ? requestedTenant : undefined;
    const caller = getCaller(this.request);
    // Checked before anything is stored for a tenant in which the caller may not submit jobs.
    const owner = chooseTenant(caller, 'jobs:submit', tenant);
    const actorId = identifyKeyOwner(toActor(caller));
    return {
      jobId: isEncrypted ? createJobId({ isEncrypted, tenant: owner, actorId, key }) : undefined,
      key,
      tenant,
    };
  }
}
