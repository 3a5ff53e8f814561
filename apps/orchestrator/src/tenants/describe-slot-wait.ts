import type { SlotWait } from '@phaseline/orchestration';

/** Describes why a job waits for a slot, for people. */
export function describeSlotWait({ tenant, ahead, tenantActive, tenantLimit, active, window }: SlotWait): string {
  const before = ahead === 0 ? 'it is next in line' : `${ahead} jobs of its tenant are ahead of it`;
  if (tenantLimit !== undefined && tenantActive >= tenantLimit)
    return `a slot: tenant ${tenant} has ${tenantActive} of ${tenantLimit} phases running; ${before}`;
  if (active >= window)
    return `a slot: ${active} of ${window} phases are running, ${tenantActive} of them for tenant ${tenant}, which waits for its turn; ${before}`;
  return `a slot, which is free; tenant ${tenant} gets it within seconds; ${before}`;
}
