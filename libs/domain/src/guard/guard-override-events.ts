import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { guardOverrideSchema } from './guard-events.js';
import { guardScopes } from './guard-vocabulary.js';

const revocation = z.object({
  guard: z.string(),
  scope: z.enum(guardScopes),
  actor: z.string(),
  reason: z.string(),
});

export const guardOverrideRevoked = defineEvent(
  'GuardOverrideRevoked',
  1,
  'A person revoked the overrides of a guard before they expired. The guard has its effect again.',
  revocation,
);

export const jobGuardOverridden = defineEvent(
  'JobGuardOverridden',
  1,
  'A person overrode a guard in one job, until the override expires. Phases that start before then receive it.',
  guardOverrideSchema,
);

export const jobGuardOverrideRevoked = defineEvent(
  'JobGuardOverrideRevoked',
  1,
  'A person revoked the overrides of a guard in one job before they expired.',
  revocation,
);
