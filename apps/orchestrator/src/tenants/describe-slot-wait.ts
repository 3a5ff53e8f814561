import type { SlotWait } from '@phaseline/orchestration';

/** Why a job waits for a slot. */
export interface SlotWaitReason {
  /** For people; completes "waits for …". */
  readonly description: string;
  /** Command that ends the wait, where one does. */
  readonly command?: string;
}

/** Describes why a job waits for a slot, and how a person can end the wait. */
export function describeSlotWait(wait: SlotWait): SlotWaitReason {
  const { tenant, tenantActive, tenantLimit, ahead } = wait;
  const description = describe(wait);
  if (tenantLimit === undefined || tenantActive < tenantLimit) return { description };
  const limit = tenantLimit + ahead + 1;
  return { description, command: `phaseline tenants set ${tenant} --max-running-phases ${limit}` };
}

function describe({ tenant, ahead, tenantActive, tenantLimit, active, window }: SlotWait): string {
  const before = ahead === 0 ? 'it is next in line' : `${ahead} jobs of its tenant are ahead of it`;
  if (tenantLimit !== undefined && tenantActive >= tenantLimit)
    return `a slot: tenant ${tenant} has ${tenantActive} of ${tenantLimit} phases running; ${before}`;
  if (active >= window)
    return `a slot: ${active} of ${window} phases are running, ${tenantActive} of them for tenant ${tenant}, which waits for its turn; ${before}`;
  return `a slot, which is free; tenant ${tenant} gets it within seconds; ${before}`;
}
