const SEALED = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Whether the events of a correlation are stored sealed. Its id alone tells: a uuid of version 8. So nothing has to be looked
 * up for all others. The database holds to the same (phaseline.is_sealed_job in migrations/000013_job_keys.sql).
 */
export function isSealedCorrelation(correlationId: string): boolean {
  return correlationId.charCodeAt(14) === 0x38 && SEALED.test(correlationId);
}
