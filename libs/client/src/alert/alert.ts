import { z } from 'zod';

/** Kinds of alerts. Newer servers may have more. */
const alertKinds = [
  'queue-unserved',
  'queue-growing',
  'queue-old',
  'dead-letters',
  'process-dead',
  'process-problem',
  'projection-behind',
  'projection-unreadable',
  'job-quarantined',
  'job-waiting',
  'anchor-overdue',
  'anchor-failing',
  'tenant-full',
  'guard-over-limit',
  'check-failed',
] as const;

/** Something that is wrong now. It disappears when its cause does. */
export const alertSchema = z
  .object({
    /** Kind and subject, such as `queue-old:jobs`: the same while the alert lasts. */
    id: z.string(),
    kind: z.enum(alertKinds),
    severity: z.enum(['warning', 'critical']),
    title: z.string(),
    /** A sentence with the measured values. */
    cause: z.string(),
    /** Command that fixes the cause, or shows more about it. */
    command: z.string(),
    /** Since when, if known. */
    since: z.iso.datetime().optional(),
    /** What the alert is about. */
    link: z.object({ kind: z.enum(['job', 'queue', 'process', 'tenant']), id: z.string() }).optional(),
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof alertSchema>;

/** Critical alerts first, then the oldest. At most 50 jobs of each kind are listed. */
export const alertListSchema = z
  .object({ measuredAt: z.iso.datetime(), items: z.array(alertSchema) })
  .meta({ id: 'AlertList' });
export type AlertList = z.infer<typeof alertListSchema>;
