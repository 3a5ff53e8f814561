import type { JobId } from '@phaseline/contracts';

const ENCRYPTED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Whether a correlation is encrypted: its id is a UUID of version 8, so that no lookup is necessary. phaseline.is_encrypted_job
 * (migrations/000004_encryption.sql) implements it in SQL.
 */
export function isEncryptedCorrelation(correlationId: JobId): boolean {
  return correlationId.charCodeAt(14) === 0x38 && ENCRYPTED_ID.test(correlationId);
}
