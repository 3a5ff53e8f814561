import type { SlotWait } from '@phaseline/orchestration';

/** Why a job waits for a slot, in words. */
export function describeSlotWait({ tenant, ahead, tenantActive, tenantLimit, active, window }: SlotWait): string {
  const before = ahead === 0 ? 'it is the next of its tenant' : `${ahead} of its tenant are before it`;
  if (tenantLimit !== undefined && tenantActive >= tenantLimit)
    return `a slot: tenant ${tenant} has ${tenantActive} of ${tenantLimit} phases under way; ${before}`;
  if (active >= window)
    return `a slot: the workers have ${active} of ${window} phases; tenant ${tenant} has ${tenantActive} of them and waits for its turn; ${before}`;
  return `a slot, which there is room for; tenant ${tenant} is given it within seconds; ${before}`;
}
