import { repositoryHostsSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { tenantNameSchema } from '../tenant/tenant.js';

const agentNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'expected the name of an agent');

/** Default: `default`, or the only tenant in which the caller has the right. */
const requestedTenantSchema = tenantNameSchema.optional();

/** A stored secret. Its value is never returned. */
export const secretSchema = z
  .object({
    tenant: z.string(),
    name: z.string(),
    /** The only agent that may use the secret; missing if every agent of the tenant may. */
    agent: z.string().optional(),
    /** Hosts to which repositories may send it; missing if no repository may use it. */
    repositoryHosts: z.array(z.string()).readonly().optional(),
    storedBy: z.string(),
    storedAt: z.iso.datetime(),
  })
  .meta({ id: 'Secret' });
export type Secret = z.infer<typeof secretSchema>;

export const secretListSchema = z.object({ items: z.array(secretSchema) }).meta({ id: 'SecretList' });
export type SecretList = z.infer<typeof secretListSchema>;

export const listSecretsQuerySchema = z
  .strictObject({ tenant: requestedTenantSchema })
  .meta({ id: 'ListSecretsQuery' });
export type ListSecretsQuery = z.infer<typeof listSecretsQuerySchema>;

export const storeSecretRequestSchema = z
  .strictObject({
    value: z.string(),
    tenant: requestedTenantSchema,
    agent: agentNameSchema.optional(),
    /** Hosts to which repositories may send it, such as `github.com` or `git.example.org:8443`. Default: no repository may use it. */
    repositoryHosts: repositoryHostsSchema.optional(),
  })
  .meta({ id: 'StoreSecretRequest' });
export type StoreSecretRequest = z.input<typeof storeSecretRequestSchema>;
export type ParsedStoreSecretRequest = z.output<typeof storeSecretRequestSchema>;

export const removeSecretQuerySchema = z
  .strictObject({ tenant: requestedTenantSchema, agent: agentNameSchema.optional() })
  .meta({ id: 'RemoveSecretQuery' });
export type RemoveSecretQuery = z.infer<typeof removeSecretQuerySchema>;

export const secretRemovalSchema = z
  .object({ removed: z.literal(true), tenant: z.string().optional() })
  .meta({ id: 'SecretRemoval' });
export type SecretRemoval = z.infer<typeof secretRemovalSchema>;
