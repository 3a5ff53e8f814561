import { rightDefinitions, rights, type Right } from './rights.js';

const VIEWER = [
  ...['jobs:read', 'files:read', 'inbox:read', 'agents:read', 'processes:read', 'metrics:read', 'tenants:read'],
  'queues:read',
  'guards:read',
] as const satisfies readonly Right[];

interface RoleDefinition {
  /** Who the role is for. */
  readonly purpose: string;
  readonly rights: readonly Right[];
}

/** Every role, with its rights. A role is granted for one tenant or for all tenants. */
export const roleDefinitions = {
  viewer: { purpose: 'Sees jobs and their files, and changes nothing.', rights: VIEWER },
  operator: {
    purpose: 'Submits jobs, controls them and answers their questions.',
    rights: [
      ...VIEWER,
      ...(['jobs:submit', 'jobs:control', 'jobs:redecide', 'files:write', 'repository:publish'] as const),
      ...(['questions:answer', 'queues:control', 'secrets:use'] as const),
    ],
  },
  approver: {
    purpose:
      'Decides on tool calls that wait for approval, answers questions, and puts guards and learning traces into effect.',
    rights: [
      ...VIEWER,
      ...(['approvals:decide', 'plans:approve', 'questions:answer', 'jobs:redecide'] as const),
      ...(['guards:backtest', 'guards:promote', 'guards:rollback', 'guards:override', 'learning:promote'] as const),
    ],
  },
  author: {
    purpose: 'Writes agents and guards, and tries them.',
    rights: [
      ...VIEWER,
      ...(['jobs:submit', 'jobs:control', 'files:write', 'secrets:use', 'questions:answer', 'guards:write'] as const),
      ...(['jobs:redecide', 'guards:backtest'] as const),
    ],
  },
  auditor: {
    purpose: 'Examines what happened and who did it, and holds evidence.',
    rights: [...VIEWER, 'jobs:redecide', 'audit:read', 'principals:read', 'holds:manage'],
  },
  admin: {
    purpose: 'Has every right except to act for another principal.',
    rights: rights.filter((right) => right !== 'act:on-behalf-of'),
  },
  delegate: {
    purpose: 'For a service that acts for people, in addition to a role that contains the rights it uses for them.',
    rights: ['act:on-behalf-of'],
  },
} as const satisfies Readonly<Record<string, RoleDefinition>>;

export type Role = keyof typeof roleDefinitions;

/** The names of all roles. */
export const roles = Object.keys(roleDefinitions) as readonly Role[];

/** Whether a role that is granted for a tenant contains a right there. */
export function isRightOfRole(right: Right, role: Role, tenant: string): boolean {
  if (rightDefinitions[right].scope === 'system' && tenant !== ALL_TENANTS) return false;
  return (roleDefinitions[role].rights as readonly Right[]).includes(right);
}

/** Tenant of a role that applies to every tenant. Names of tenants never contain `*`. */
export const ALL_TENANTS = '*';
