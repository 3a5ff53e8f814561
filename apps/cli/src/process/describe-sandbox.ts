import type { SandboxRecord } from '@phaseline/client';

/** Describes in a few words how a process contains commands. */
export function describeSandbox({ mechanism, limitedBy, hasFilter, reasons }: SandboxRecord): string {
  if (mechanism === null) return `commands are refused (${reasons.join('; ')})`;
  if (mechanism === 'none') return 'none: commands are not contained';
  const parts = [mechanism, limitedBy, hasFilter ? undefined : 'no filter of system calls'];
  const reason = reasons.length > 0 ? ` (${reasons.join('; ')})` : '';
  return `${parts.filter((part) => part !== undefined).join(', ')}${reason}`;
}
